"""Boards of a duplicate event: the list, one board with all results, making, printing, deleting."""

from operator import itemgetter
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from scoring.errors import Problem
from tournaments.documents.hand_records import hand_record_document
from tournaments.documents.typesetting import pdf_response, typeset_pdf
from tournaments.domain.event_settings import settings_of
from tournaments.domain.messages import sentence
from tournaments.models.deals import Deal
from tournaments.models.events import Event
from tournaments.selectors.boards.board_results import board_view, hand_records
from tournaments.selectors.boards.boards import deal_views, moving_rounds
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.events.events import get_event
from tournaments.services.boards.deals import (
    MOST_BYTES,
    deal_boards,
    delete_deals,
    load_boards,
    print_deals,
)
from tournaments.views.events.settings_fields import whole
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page, page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import ServiceForm, attempt, posted, render_form

MOVING: Final = "moving"
MOVEMENTS: Final = (
    ("same", _("The same boards at every table in a round")),
    (MOVING, _("Boards move between the tables")),
)


def _number(text: str, default: int) -> int:
    """A whole number as it was typed, which `_is_whole`; the default where nothing was."""
    return int(text.strip() or default)


def _is_whole(text: str) -> bool:
    text = text.strip()
    return not text or (text.isascii() and text.isdecimal() and len(text) < 7)


NUMBERS: Final = ("count", "tables", "boards_per_round", "first_round")
"""The fields with numbers."""


class RoundsForm(ServiceForm):
    """Which rounds play the boards."""

    movement = forms.CharField(
        label=_("Boards and tables"),
        required=False,
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

    def rounds(self) -> dict[str, Any]:
        values = self.cleaned_data
        is_moving = values["movement"] == MOVING
        return {
            "boards_per_round": _number(values["boards_per_round"], 0),
            "first_round": _number(values["first_round"], 1),
            "tables": _number(values["tables"], 0) if is_moving else None,
        }


class DealForm(RoundsForm):
    """Boards to deal from a new seed."""

    count = whole(_("Number of boards"))
    field_order = ("count", "movement", "tables", "boards_per_round", "first_round")


class DealFileForm(RoundsForm):
    """A deal file."""

    file = forms.FileField(
        label=_("Deal file"),
        required=False,
        allow_empty_file=True,
        help_text=_("A PBN file, or JSON with deals. Its boards keep their numbers."),
    )
    field_order = ("file", "movement", "tables", "boards_per_round", "first_round")

    def content(self) -> bytes:
        upload = self.cleaned_data["file"]
        return upload.read(MOST_BYTES + 1) if upload else b""

    def field_of(self, problem: Problem) -> str | None:
        name = str(problem.at[0]) if problem.at else ""
        return name if name in ("tables", "boards_per_round", "first_round") else "file"


class DealChoiceForm(ServiceForm):
    """Which of the deals is printed or deleted."""

    deal = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)


@page("read_public")
def boards(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = events.get_event(request.actor, club, event)
    deals = deal_views(current_event)
    cards = sorted((card for deal in deals for card in deal["boards"]), key=itemgetter("number"))
    context = {
        "layout": layout.event_layout(request, current_event),
        "event": current_event,
        "boards": cards,
        "deals": deals,
        "movement": moving_rounds(current_event),
        "has_shown": any(card["is_shown"] for card in cards),
        "is_duplicate": settings_of(current_event).duplicate,
        "may_make": may_do(current_event, "manage_event"),
    }
    return render(request, "boards/boards.html", context)


@page("read_public")
def board(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    current_event = events.get_event(request.actor, club, event)
    context = {
        "layout": layout.event_layout(request, current_event),
        "event": current_event,
        "board": board_view(current_event, number),
    }
    return render(request, "boards/board.html", context)


@page("read_public")
def print_hand_records(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = events.get_event(request.actor, club, event)
    records = hand_records(current_event)
    if not records:
        messages.info(request, sentence(Problem("unknown_hand_records")))
        return redirect("tournaments:boards", club=club, event=event)
    pdf = typeset_pdf(hand_record_document(current_event, records))
    return pdf_response(pdf, f"{current_event.slug}-hand-records.pdf")


@form_page("manage_event")
def new_boards(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = events.get_event(request.actor, club, event)
    deals = DealForm(request.POST if "deal" in request.POST else None)
    posted_data = (request.POST, request.FILES) if "load" in request.POST else ()
    file = DealFileForm(*posted_data, auto_id="file_%s")
    deal = _make_deal(request, current_event, deals, file)
    if deal is not None:
        n = deal.boards.count()
        notice = ngettext("%(n)s board created.", "%(n)s boards created.", n) % {"n": n}
        messages.success(request, notice)
        return redirect("tournaments:boards", club=club, event=event)
    context = {
        "layout": layout.manage_layout(request, current_event),
        "event": current_event,
        "is_duplicate": settings_of(current_event).duplicate,
        "form": deals,
        "file": file,
    }
    return render_form(request, "boards/new_boards.html", context, deals, file)


def _make_deal(
    request: PageRequest, event: Event, deals: DealForm, file: DealFileForm
) -> Deal | None:
    actor, now = request.actor, timezone.now()
    if deals.is_bound and deals.is_valid():
        count = _number(deals.cleaned_data["count"], 0)
        return attempt(
            deals,
            lambda: deal_boards(actor=actor, event=event, count=count, now=now, **deals.rounds()),
        )
    if file.is_bound and file.is_valid():
        content = file.content()
        return attempt(
            file,
            lambda: load_boards(
                actor=actor, event=event, content=content, now=now, **file.rounds()
            ),
        )
    return None


@form_page("manage_event")
def deals(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = get_event(request.actor, club, event)
    form = DealChoiceForm(posted(request))
    if form.is_bound and form.is_valid():
        is_deletion = request.POST.get("go") == "delete"
        response = (
            _delete(request, current_event, form)
            if is_deletion
            else _print(request, current_event, form)
        )
        if response is not None:
            return response
    context = {
        "layout": layout.manage_layout(request, current_event),
        "event": current_event,
        "deals": deal_views(current_event),
        "form": form,
    }
    return render_form(request, "boards/deals.html", context, form)


def _print(request: PageRequest, event: Event, form: DealChoiceForm) -> HttpResponse | None:
    """Answer with the cards as a PDF; the copy that is handed out is the one that is noted."""
    deal, now = form.cleaned_data["deal"], timezone.now()
    printed = attempt(
        form, lambda: print_deals(actor=request.actor, event=event, commitment=deal, now=now)
    )
    if printed is None:
        return None
    pdf = typeset_pdf(hand_record_document(event, printed[1], is_before_play=True))
    return pdf_response(pdf, f"{event.slug}-deals.pdf")


def _delete(request: PageRequest, event: Event, form: DealChoiceForm) -> HttpResponse | None:
    deal, now = form.cleaned_data["deal"], timezone.now()
    numbers = attempt(
        form, lambda: delete_deals(actor=request.actor, event=event, commitment=deal, now=now)
    )
    if numbers is None:
        return None
    n = len(numbers)
    notice = ngettext("%(n)s board deleted.", "%(n)s boards deleted.", n) % {"n": n}
    messages.success(request, notice)
    return redirect("tournaments:boards", club=event.club.slug, event=event.slug)
