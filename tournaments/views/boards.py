"""Boards of a duplicate event: the list, one board with all results, making, printing, deleting."""

from operator import itemgetter
from typing import Any, ClassVar, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from scoring.errors import Problem
from tournaments.documents.hand_records import hand_record_document
from tournaments.documents.typesetting import pdf_response, typeset_pdf
from tournaments.domain.event_settings import settings_of
from tournaments.domain.messages import sentence
from tournaments.models.events import Event
from tournaments.selectors.boards import board_view, deal_views, hand_records, moving_rounds
from tournaments.selectors.clubs.clubs import may_do
from tournaments.services.boards import (
    MOST_DEAL_BYTES,
    deal_boards,
    delete_deals,
    load_boards,
    print_deals,
)
from tournaments.views.events.settings_form import whole
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_event, render_manage
from tournaments.views.http.service_form import ServiceForm, gives, posted, submit

MOVING: Final = "moving"
MOVEMENTS: Final = (
    ("same", _("The same boards at every table in a round")),
    (MOVING, _("Boards move between the tables")),
)


class DealChoiceForm(ServiceForm):
    argument_names: ClassVar = {"deal": "commitment"}
    deal = forms.CharField(max_length=64, widget=forms.HiddenInput)


def _number(text: str, default: int) -> int:
    return int(text.strip() or default)


def _is_whole(text: str) -> bool:
    text = text.strip()
    return not text or (text.isascii() and text.isdecimal() and len(text) < 7)


NUMBERS: Final = ("count", "tables", "boards_per_round", "first_round")
"""The fields with numbers."""


class RoundsForm(ServiceForm):
    movement = forms.CharField(
        label=_("Boards and tables"),
        widget=forms.Select(choices=MOVEMENTS),
        help_text=_("Boards that move need one copy each, and 5, 7, 11 or 13 tables."),
    )
    tables = whole(_("Number of tables, where boards move"))
    boards_per_round = whole(
        _("Boards in each round"),
        _("For each table. 0: boards belong to no round, and any table plays any board."),
    )
    first_round = whole(_("Round of the first board"), _("If empty: 1."))

    def clean(self) -> None:
        super().clean()
        for name in NUMBERS:
            value = self.cleaned_data.get(name, "")
            if not _is_whole(value):
                text = _now("“%(found)s” is not a whole number. Enter digits, for example 12.")
                self.add_error(name, text % {"found": value.strip()})

    @gives("boards_per_round", "first_round", "tables")
    def get_arguments(self) -> dict[str, Any]:
        values = self.cleaned_data
        is_moving = values["movement"] == MOVING
        return {
            "boards_per_round": _number(values["boards_per_round"], 0),
            "first_round": _number(values["first_round"], 1),
            "tables": _number(values["tables"], 0) if is_moving else None,
        }


class DealForm(RoundsForm):
    count = whole(_("Number of boards"))
    field_order = ("count", "movement", "tables", "boards_per_round", "first_round")

    @gives("count", "boards_per_round", "first_round", "tables")
    def get_arguments(self) -> dict[str, Any]:
        return {"count": _number(self.cleaned_data["count"], 0), **super().get_arguments()}


class DealFileForm(RoundsForm):
    file = forms.FileField(
        label=_("Deal file"),
        allow_empty_file=True,
        help_text=_("A PBN file, or JSON with deals. Its boards keep their numbers."),
    )
    field_order = ("file", "movement", "tables", "boards_per_round", "first_round")

    @gives("content", "boards_per_round", "first_round", "tables")
    def get_arguments(self) -> dict[str, Any]:
        upload = self.cleaned_data["file"]
        content = upload.read(MOST_DEAL_BYTES + 1) if upload else b""
        return {"content": content, **super().get_arguments()}

    def field_of(self, problem: Problem) -> str | None:
        name = str(problem.at[0]) if problem.at else ""
        return name if name in ("tables", "boards_per_round", "first_round") else "file"


@event_page("read_public")
def boards(request: PageRequest, event: Event) -> HttpResponse:
    deals = deal_views(event)
    cards = sorted((card for deal in deals for card in deal["boards"]), key=itemgetter("number"))
    context = {
        "boards": cards,
        "deals": deals,
        "movement": moving_rounds(event),
        "has_shown": any(card["is_shown"] for card in cards),
        "is_duplicate": settings_of(event).duplicate,
        "may_make": may_do(event, "manage_event"),
    }
    return render_event(request, "boards/boards.html", event, context)


@event_page("read_public")
def board(request: PageRequest, event: Event, number: int) -> HttpResponse:
    context = {"board": board_view(event, number)}
    return render_event(request, "boards/board.html", event, context)


@event_page("read_public")
def print_hand_records(request: PageRequest, event: Event) -> HttpResponse:
    records = hand_records(event)
    if not records:
        messages.info(request, sentence(Problem("unknown_hand_records")))
        return go_to("boards", event)
    pdf = typeset_pdf(hand_record_document(event, records))
    return pdf_response(pdf, f"{event.slug}-hand-records.pdf")


@event_form_page((deal_boards, DealForm), (load_boards, DealFileForm))
def new_boards(request: PageRequest, event: Event) -> HttpResponse:
    deals = DealForm(request.POST if "deal" in request.POST else None)
    posted_data = (request.POST, request.FILES) if "load" in request.POST else ()
    file = DealFileForm(*posted_data, auto_id="file_%s")
    deal = submit(request, deals, deal_boards, event) or submit(request, file, load_boards, event)
    if deal is not None:
        n = deal.boards.count()
        notice = ngettext("%(n)s board created.", "%(n)s boards created.", n) % {"n": n}
        return done(request, notice, "boards", event)
    context = {"is_duplicate": settings_of(event).duplicate, "form": deals, "file": file}
    return render_manage(request, "boards/new_boards.html", event, context, deals, file)


@event_form_page((print_deals, DealChoiceForm), (delete_deals, DealChoiceForm))
def deals(request: PageRequest, event: Event) -> HttpResponse:
    form = DealChoiceForm(posted(request))
    answer = _delete if request.POST.get("go") == "delete" else _print
    if (response := answer(request, event, form)) is not None:
        return response
    context = {"deals": deal_views(event), "form": form}
    return render_manage(request, "boards/deals.html", event, context, form)


def _print(request: PageRequest, event: Event, form: DealChoiceForm) -> HttpResponse | None:
    """Answer with the cards as a PDF; the copy that is handed out is the one that is noted."""
    printed = submit(request, form, print_deals, event)
    if printed is None:
        return None
    pdf = typeset_pdf(hand_record_document(event, printed[1], is_before_play=True))
    return pdf_response(pdf, f"{event.slug}-deals.pdf")


def _delete(request: PageRequest, event: Event, form: DealChoiceForm) -> HttpResponse | None:
    numbers = submit(request, form, delete_deals, event)
    if numbers is None:
        return None
    n = len(numbers)
    notice = ngettext("%(n)s board deleted.", "%(n)s boards deleted.", n) % {"n": n}
    return done(request, notice, "boards", event)
