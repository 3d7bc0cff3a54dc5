"""The paper sheets of a round: those to enter, printing them, photos of them, checking them."""

from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from scoring.errors import Problem
from tournaments.documents.round_documents import round_document
from tournaments.documents.typesetting import pdf_response, typeset_pdf
from tournaments.domain.event_settings import settings_of
from tournaments.domain.messages import sentence
from tournaments.domain.sheets.sheet_fields import CARDS
from tournaments.errors import Conflict, Forbidden
from tournaments.models.events import Event
from tournaments.selectors.access.table_links import list_linked_tables
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.hands import score_sheet
from tournaments.selectors.hands.double_entry import double_entry_of_round
from tournaments.selectors.hands.undo import undoable_hand
from tournaments.selectors.rounds import table_sheets
from tournaments.selectors.rounds.table_sheets import (
    printed_tables,
    sheet_digest,
    sheet_verification_of,
    stored_photos,
)
from tournaments.services.hands.close_tables import confirm_sheet
from tournaments.services.rounds.photos import remove_photo, store_photo
from tournaments.views.hands.grid_screen import WAY
from tournaments.views.hands.phone_queue import outbox_json_without_form
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_event, render_table
from tournaments.views.http.print_forms import RoundPrintForm
from tournaments.views.http.service_form import operation_of, posted, render_form, submit
from tournaments.views.http.uploaded_photos import (
    PhotoForm,
    RemovePhotoForm,
    saved_message,
    show_refusal,
    take_photos,
)
from tournaments.views.rounds.round_page import render_round

_WAYS: Final = frozenset({"points", "clean"})
"""Ways that a list of sheets hands on to the grids it links to."""


@event_form_page("enter_hand")
def sheets_to_enter(request: PageRequest, event: Event, number: int) -> HttpResponse:
    round_ = events.get_round(event, number)
    is_twice = settings_of(event).double_entry
    both = double_entry_of_round(event, round_) if is_twice else None
    sheets = table_sheets.sheet_stack(event, round_, both)
    way = request.GET.get(WAY, "")
    context = {
        "sheets": sheets,
        "twice": table_sheets.double_entry_counts(sheets) if is_twice else None,
        "query": urlencode({WAY: way}) if way in _WAYS else "",
    }
    return render_round(request, "rounds/sheet_stack.html", event, round_, context)


@event_form_page("enter_hand")
def print_round(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Show the print form; with `what` in the address return the PDF, cards to directors only."""
    round_ = events.get_round(event, number)
    prints_links = may_do(event, "manage_links")
    if request.GET.get("what") == CARDS and not prints_links:
        raise Forbidden("manage_links")
    fields = request.GET if "what" in request.GET else None
    form = RoundPrintForm(fields, prints_links=prints_links)
    tables = printed_tables(event, round_)
    now = timezone.now()
    if tables and form.is_bound and form.is_valid():
        document = round_document(
            event,
            round_,
            form.parts,
            options=form.options,
            entrance=request.build_absolute_uri(reverse("tournaments:enter-code")),
            now=now,
        )
        name = f"{event.slug}-round-{number}-{form.cleaned_data['what']}.pdf"
        return pdf_response(typeset_pdf(document), name)
    linked = list_linked_tables(event, now, round_number=number) if prints_links else ()
    context = {
        "form": form,
        "n_tables": len(tables),
        "prints_links": prints_links,
        "n_missing": sum(row.link is None for row in linked),
    }
    return render_round(request, "rounds/print_round.html", event, round_, context, form)


@event_form_page(store_photo, at_table=True)
def table_photos(request: PageRequest, event: Event, code: str) -> HttpResponse:
    """Show the photos of a table's sheet, and take in more of them."""
    sheet = score_sheet.table_sheet(event, code)
    is_sent = request.method == "POST"
    if is_sent:
        form = PhotoForm(request.POST, request.FILES)
    else:
        form = PhotoForm()
    status = 200
    if is_sent:
        photos = take_photos(request, event, code)
        if photos.is_done:
            return done(request, saved_message(photos), "photos", event, code=code)
        status = show_refusal(request, form, photos)
    context = {
        "photos": table_sheets.photos_at(event, code),
        "form": form,
        "may_add": table_sheets.may_enter_sheet(event, sheet),
        "may_remove": may_do(event, "remove_photo"),
    }
    return render_table(request, "rounds/photos.html", event, sheet, context, status=status)


@event_page("enter_hand", at_table=True)
def photo(request: PageRequest, event: Event, code: str, number: int) -> HttpResponse:
    """Return a photo to users who may enter at its table; for others it does not exist."""
    if not may_do(event, "enter_hand"):
        raise Forbidden("enter_hand")
    score_sheet.table_sheet(event, code)
    response = HttpResponse(table_sheets.picture_at(event, code, number), content_type="image/jpeg")
    name = f"{event.slug}-{code}-photo-{number}.jpg"
    response["Content-Disposition"] = f'inline; filename="{name}"'
    return response


@event_form_page((remove_photo, RemovePhotoForm))
def remove(request: PageRequest, event: Event, code: str, number: int) -> HttpResponse:
    sheet = score_sheet.table_sheet(event, code)
    table_sheets.picture_at(event, code, number)
    form = RemovePhotoForm(posted(request))
    if submit(request, form, remove_photo, table_sheets.get_photo(event, code, number)):
        messages.success(request, _("Photo %(number)s deleted.") % {"number": number})
        return go_to("photos", event, code=code)
    to_photos = layout.link_to(_("Photos"), "photos", event, code=code)
    context = {
        "layout": layout.table_layout(request, event, sheet, to_photos),
        "event": event,
        "sheet": sheet,
        "number": number,
        "form": form,
    }
    return render_form(request, "rounds/remove_photo.html", context, form)


@event_form_page(confirm_sheet, at_table=True)
def verify_sheet(request: PageRequest, event: Event, code: str) -> HttpResponse:
    """Show every hand and total of a table, and record that the paper agrees."""
    problem: Problem | None = None
    status = 200
    if request.method == "POST":
        try:
            confirm_sheet(
                operation_of(request),
                score_sheet.get_game(event, code),
                compared_digest=request.POST.get("sheet", ""),
            )
        except Conflict as conflict:
            problem, status = conflict.problem, 409
        except Forbidden as forbidden:
            problem, status = forbidden.problem, 403
        else:
            return done(request, _("Sheet checked."), "table", event, code=code)
    sheet = score_sheet.table_sheet(event, code)
    context = {
        "sheet": sheet,
        "digest": sheet_digest(sheet),
        "read_back": sheet_verification_of(event, sheet),
        "outbox": outbox_json_without_form(event, sheet, timezone.now()),
        "photos": stored_photos(event, code),
        "problem": sentence(problem) if problem else "",
        "undoable": undoable_hand(request.actor, score_sheet.get_game(event, code), timezone.now()),
    }
    page = "rounds/sheet_verification.html"
    return render_event(request, page, event, context, status=status)
