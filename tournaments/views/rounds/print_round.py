"""What is printed for a round: seating lists, table cards and score sheets as one PDF."""

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from tournaments.domain.sheets.print_options import CARDS
from tournaments.errors import Forbidden
from tournaments.forms.rounds.printing import RoundPrintForm
from tournaments.printing.round_documents import round_document
from tournaments.printing.typesetting import typeset_pdf
from tournaments.selectors.access.linked_tables import linked_tables
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.rounds.printed_tables import printed_tables
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import render_form
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pdf_response import pdf_response


@form_page("enter_hand")
def print_round(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Ask what to print; `what` in the address answers with the PDF, cards to directors only."""
    found = events.event_at(request.actor, club, event)
    shown = events.round_at(found, number)
    prints_links = may_do(found, "manage_links")
    if request.GET.get("what") == CARDS and not prints_links:
        raise Forbidden("manage_links")
    asked = request.GET if "what" in request.GET else None
    form = RoundPrintForm(asked, prints_links=prints_links)
    tables = printed_tables(found, shown)
    now = timezone.now()
    if tables and form.is_bound and form.is_valid():
        document = round_document(
            found,
            shown,
            form.parts,
            options=form.options,
            entrance=request.build_absolute_uri(reverse("tournaments:enter-code")),
            now=now,
        )
        name = f"{found.slug}-round-{number}-{form.cleaned_data['what']}.pdf"
        return pdf_response(typeset_pdf(document), name)
    links = (layout.event_link(found), layout.round_link(found, number))
    linked = linked_tables(found, now, round_number=number) if prints_links else ()
    context = {
        "layout": layout.event_layout(request, found, links),
        "event": found,
        "round": shown,
        "form": form,
        "n_tables": len(tables),
        "prints_links": prints_links,
        "n_missing": sum(one.link is None for one in linked),
    }
    return render_form(request, "rounds/print_round.html", context, form)
