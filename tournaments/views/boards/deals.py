"""Deals before play: printed by whoever deals them, deleted as long as no hand was entered."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import ngettext

from tournaments.forms.boards.new_boards import DealChoiceForm
from tournaments.forms.http.service_form import attempt
from tournaments.models.events import Event
from tournaments.presenters.boards.deal_views import deal_views
from tournaments.printing.hand_records import hand_record_document
from tournaments.printing.typesetting import typeset_pdf
from tournaments.selectors.events.events import event_at
from tournaments.services.boards.delete_deals import delete_deals
from tournaments.services.boards.print_deals import print_deals
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pdf_response import pdf_response


@form_page("manage_event")
def deals(request: PageRequest, club: str, event: str) -> HttpResponse:
    """List the deals of an event; print the cards of one that is secret, or delete it."""
    found = event_at(request.actor, club, event)
    form = DealChoiceForm(posted(request))
    if form.is_bound and form.is_valid():
        is_deletion = request.POST.get("go") == "delete"
        done = _delete(request, found, form) if is_deletion else _print(request, found, form)
        if done is not None:
            return done
    context = {
        "layout": layout.manage_layout(request, found),
        "event": found,
        "deals": deal_views(found),
        "form": form,
    }
    return render_form(request, "boards/deals.html", context, form)


def _print(request: PageRequest, event: Event, form: DealChoiceForm) -> HttpResponse | None:
    """Answer with the cards as a PDF; the copy that is handed out is the one that is noted."""
    deal = form.cleaned_data["deal"]
    now = timezone.now()
    printed = attempt(
        form, lambda: print_deals(actor=request.actor, event=event, commitment=deal, now=now)
    )
    if printed is None:
        return None
    made = typeset_pdf(hand_record_document(event, printed.boards, is_before_play=True))
    return pdf_response(made, f"{event.slug}-deals.pdf")


def _delete(request: PageRequest, event: Event, form: DealChoiceForm) -> HttpResponse | None:
    deal = form.cleaned_data["deal"]
    now = timezone.now()
    gone = attempt(
        form, lambda: delete_deals(actor=request.actor, event=event, commitment=deal, now=now)
    )
    if gone is None:
        return None
    n = len(gone)
    said = ngettext("%(n)s board deleted.", "%(n)s boards deleted.", n) % {"n": n}
    messages.success(request, said)
    return redirect("tournaments:boards", club=event.club.slug, event=event.slug)
