"""Closing a table, and voiding a hand or restoring it."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.forms.events.events import EventStateForm, VoidForm
from tournaments.forms.http.service_form import attempt
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.previewing.run_preview import HandRef, save_as_previewed
from tournaments.selectors.events import events
from tournaments.selectors.hands import score_sheet, score_sheet_views
from tournaments.selectors.hands.score_sheet_views import HandView, TableSheet
from tournaments.selectors.rounds.sheet_verification import read_back_of
from tournaments.services.hands.games import move_game
from tournaments.services.hands.record_entry import RecordedHand, record_entry
from tournaments.services.hands.void_hand import void_hand
from tournaments.states import GAME
from tournaments.views.events.manage_event import acts
from tournaments.views.hands.preview_correction import PREVIEWED, STAND_IN, must_look, told_of
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page
from tournaments.views.http.layout import Layout, Link, PageRequest

GAME_ACTS: Final[Mapping[tuple[str, str], str | Promise]] = {
    ("playing", "complete"): gettext_lazy("Close the table"),
    ("playing", "abandoned"): gettext_lazy("Abandon it; its hands count"),
    ("complete", "playing"): gettext_lazy("Go on playing"),
    ("checked", "playing"): gettext_lazy("Go on playing"),
}
WITHOUT_HANDS: Final = "without_hands"
"""What the button of an abandoned table sends whose hands do not count."""


@form_page("close_table")
def close_table(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show how far a table is, and close it, go on with it or abandon it."""
    found = events.event_at(request.actor, club, event)
    score_sheet.table_sheet(found, code)
    form = EventStateForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        typed = form.cleaned_data
        is_without = typed["to"] == WITHOUT_HANDS
        moved = attempt(
            form,
            lambda: move_game(
                actor=request.actor,
                game=score_sheet.game_at(found, code),
                to="abandoned" if is_without else typed["to"],
                reason=typed["reason"],
                hands_count=not is_without,
                now=timezone.now(),
            ),
        )
        if moved is not None:
            messages.success(request, _("Done."))
            return redirect("tournaments:table", club=club, event=event, code=code)
    sheet = score_sheet.table_sheet(found, code)
    offered = acts(GAME, GAME_ACTS, sheet.state, found)
    may_change = sheet.round_state != "closed" and found.state in ("draft", "open")
    context = {
        "frame": _frame(request, found, sheet),
        "event": found,
        "sheet": sheet,
        "form": form,
        "read_back": read_back_of(found, sheet),
        "acts": offered if may_change else (),
        "may_abandon": may_change and any(act.to == "abandoned" for act in offered),
        "without_hands": WITHOUT_HANDS,
    }
    status = REFUSED if form.has_problems else 200
    return render(request, "rounds/close_table.html", context, status=status)


@form_page("void_hand")
def void(request: PageRequest, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Ask why a hand is void, and make it so; a void one is restored as its next revision."""
    found = events.event_at(request.actor, club, event)
    sheet = score_sheet.table_sheet(found, code)
    shown = score_sheet_views.hand_of(sheet, number)
    form = VoidForm(request.POST or None)
    at = HandRef(found, code, number)
    if request.method == "POST" and form.is_valid():
        act = _restored if "restore" in request.POST else _voided
        typed = form.cleaned_data
        change = partial(act, request, found, code, shown, typed["based_on"] or 0)
        looked = request.POST.get(PREVIEWED, "")
        if attempt(form, lambda: _done(at, sheet, change, typed["reason"], looked)) is not None:
            messages.success(request, _("Done. The sums follow at once, the standings shortly."))
            return redirect("tournaments:hand", club=club, event=event, code=code, number=number)
    sheet = score_sheet.table_sheet(found, code)
    shown = score_sheet_views.hand_of(sheet, number)
    tried = partial(
        _restored if shown.state == "void" else _voided, request, found, code, shown, shown.revision
    )
    context = {
        "frame": _frame(request, found, sheet),
        "event": found,
        "sheet": sheet,
        "hand": shown,
        "told": told_of(at, lambda: tried(STAND_IN)),
        "form": form,
        "next_revision": shown.revision + 1,
    }
    status = REFUSED if form.has_problems else 200
    return render(request, "hands/void_hand.html", context, status=status)


def _done(
    at: HandRef, sheet: TableSheet, change: Callable[[str], object], reason: str, looked: str
) -> object:
    """Do it; where results are out already, only what was looked at."""
    if reason.strip() and (looked or must_look(at.event, sheet)):
        return save_as_previewed(at, lambda: change(reason), digest=looked, now=timezone.now())
    return change(reason)


def _voided(
    request: PageRequest, event: Event, code: str, shown: HandView, based_on: int, reason: str
) -> Hand:
    return void_hand(
        actor=request.actor,
        game=score_sheet.game_at(event, code),
        number=shown.number,
        based_on=based_on,
        reason=reason,
        now=timezone.now(),
    )


def _restored(
    request: PageRequest, event: Event, code: str, shown: HandView, based_on: int, reason: str
) -> RecordedHand:
    return record_entry(
        actor=request.actor,
        game=score_sheet.game_at(event, code),
        number=shown.number,
        entry=shown.entry,
        based_on=based_on,
        reason=reason,
        source="host",
        now=timezone.now(),
    )


def _frame(request: PageRequest, event: Event, sheet: TableSheet) -> Layout:
    address = {"club": event.club.slug, "event": event.slug, "code": sheet.code}
    text = _("Table %(number)s") % {"number": sheet.number}
    to_table = Link(text, reverse("tournaments:table", kwargs=address))
    to_round = layout.round_link(event, sheet.round_number)
    return layout.event_frame(request, event, (layout.event_link(event), to_round, to_table))
