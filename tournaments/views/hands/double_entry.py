"""Blind double entry: the grid of a second typist, and what differs between both entries."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Problem, Refused
from tournaments.domain.event_settings import settings_of
from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Forbidden, problems_of
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.hands.double_entry import (
    EntryComparison,
    SheetDoubleEntry,
    double_entry_of_table,
    hands_entered_by,
    second_entries_by,
)
from tournaments.selectors.hands.score_sheet import get_game
from tournaments.selectors.hands.score_sheet_views import HandView
from tournaments.selectors.rounds.table_sheets import IN
from tournaments.services.hands.double_entry import SecondEntry, choose_entry, enter_again
from tournaments.services.operations import Operation
from tournaments.views.hands.grid import apply_row_button, change_way, more_rows
from tournaments.views.hands.grid_cells import (
    COLUMN_HEADS,
    RowTexts,
    columns,
    entry_in,
    read_row,
    texts_of,
)
from tournaments.views.hands.grid_hints import cell_meaning
from tournaments.views.hands.grid_rows import (
    MOST_ROWS,
    GridDraft,
    RowOutcome,
    known_moves_in,
    posted_rows,
    unread_cells,
)
from tournaments.views.hands.grid_screen import SPARE_ROWS, USUAL_HANDS, GridScreen
from tournaments.views.hands.hand_form_fields import number_in
from tournaments.views.hands.hand_screen import new_key
from tournaments.views.http.decorators import REFUSED, event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to
from tournaments.views.http.service_form import operation_of


class SecondEntryScreen(GridScreen):
    """The grid of a second typist of a sheet: their own entries only."""

    def __init__(self, event: Event, code: str, actor: Actor) -> None:
        super().__init__(event, code)
        self.own = hands_entered_by(self.game, actor.user_id)
        self.again = second_entries_by(self.game, actor.user_id)

    @property
    def is_whole(self) -> bool:
        settings = settings_of(self.event)
        n = self.table.n_hands
        if self.of:
            return n >= self.of or self.table.state in IN
        return self.table.state in IN or (settings.is_open_ended and n > 0)

    @property
    def is_own(self) -> bool:
        return all(
            hand.number in self.own for hand in self.hands.values() if hand.state == "accepted"
        )

    def drafts(self, way: str = "", *, from_hand: int = 1) -> list[GridDraft]:
        last = max(self.again, default=0)
        until = self.of or max(USUAL_HANDS, last + SPARE_ROWS if last else 0)
        until = min(until, from_hand + MOST_ROWS - 1)
        rows = (self.draft(number, way) for number in range(from_hand, until + 1))
        return [draft for draft in rows if draft.number not in self.own]

    def draft(self, number: int, way: str = "") -> GridDraft:
        """Return one row: as this person typed it before, else empty."""
        again = self.again.get(number)
        if again is None:
            return self.empty_draft(number, way)
        entry, board = again
        entry_way, texts = texts_of(self.grammar, entry)
        return GridDraft(number, entry_way, texts, new_key("grid"), board=str(board or ""))

    def unsaved(self, drafts: Sequence[GridDraft]) -> set[int]:
        return {
            draft.number
            for draft in drafts
            if draft.texts != self.draft(draft.number, draft.way).texts
        }

    def stored(self) -> dict[int, HandView]:
        """Tell the page nothing about the hands that are in."""
        return {}

    def store(
        self, actor: Actor, drafts: Sequence[GridDraft], now: datetime
    ) -> dict[int, RowOutcome]:
        """Keep every row that can be read and has the right total.

        Returns:
            Hand number → what became of it.
        """
        outcomes: dict[int, RowOutcome] = {}
        rows = []
        for draft in drafts:
            wrong = read_row(self.grammar, draft.way, draft.texts)[1]
            if draft.texts.is_empty:
                outcomes[draft.number] = RowOutcome("empty")
            elif wrong:
                outcomes[draft.number] = unread_cells(self.grammar, self.names, draft, wrong)
            else:
                entry = entry_in(self.grammar, draft.way, draft.texts)
                rows.append(SecondEntry(draft.number, entry, draft.key, self.board_in(draft)))
                outcomes[draft.number] = RowOutcome("saved")
        is_whole = all(outcome.kind != "refused" for outcome in outcomes.values())
        refused = enter_again(
            Operation(actor, now),
            self.game,
            rows=rows,
            is_whole=is_whole,
            displayed_players=drafts[0].displayed_players if drafts else None,
            known_moves=drafts[0].known_moves if drafts else None,
        )
        for draft in drafts:
            if problems := refused.get(draft.number):
                outcomes[draft.number] = self._refused(draft, *problems)
        return outcomes


class DoubleEntryScreen(GridScreen):
    """Both entries of a table's sheet, for the person who decides."""

    def __init__(self, event: Event, code: str) -> None:
        super().__init__(event, code)
        self.twice: SheetDoubleEntry = double_entry_of_table(event, code)

    def difference(self, pair: EntryComparison) -> dict[str, object]:
        hand = self.hands.get(pair.number) if pair.revision else None
        first = self._texts_and_meanings(*((hand.entry, hand.board) if hand else (None, None)))
        second = self._texts_and_meanings(pair.typed, pair.board)
        cells = [
            {
                "name": name,
                "first": text,
                "first_means": meaning,
                "second": second_text,
                "second_means": second_meaning,
                "differs": text != second_text,
            }
            for (name, text, meaning), (_name, second_text, second_meaning) in zip(
                first, second, strict=True
            )
            if text or second_text
        ]
        return {
            "twice": pair,
            "cells": cells,
            "differing": [cell for cell in cells if cell["differs"]],
            "has_first": pair.revision > 0,
            "has_second": pair.typed is not None,
            "first_by": hand.by if hand else "",
            "first_at": hand.entered_at if hand else None,
        }

    def _texts_and_meanings(self, entry: Any, board: int | None) -> list[tuple[str, str, str]]:
        """Return head, text and meaning of each cell; empty texts without an entry."""
        of_board = [(_("Board"), str(board or ""), "")] if self.is_duplicate else []
        way = "counts"
        texts = RowTexts(("",) * len(self.names))
        if entry is not None:
            way, texts = texts_of(self.grammar, entry)
        cells = [
            (name, text, cell_meaning(self.grammar, self.worth, way, row, text))
            for (row, name), text in zip(self.names.items(), texts.cells, strict=True)
        ]
        beside = [
            (str(COLUMN_HEADS[box.kind]), texts.beside.get(box.kind, ""), "")
            for box in columns(self.sheet)
        ]
        return [*of_board, *cells, *beside]


CONFLICT = 409


def _get_event(actor: Actor, club: str, event: str) -> Event:
    current_event = events.get_event(actor, club, event)
    if not settings_of(current_event).double_entry:
        raise Http404
    return current_event


@event_form_page(enter_again, find=_get_event)
def enter_second(request: PageRequest, event: Event, code: str) -> HttpResponse:
    """Show empty rows to a second typist, and store the second entry separately."""
    screen = SecondEntryScreen(event, code, request.actor)
    if screen.is_empty or screen.totals_only:
        return go_to("table", event, code=code)
    if not screen.is_whole or screen.is_own:
        status = CONFLICT if request.method == "POST" else 200
        return _show(request, screen, [], {}, status=status)
    if request.method != "POST":
        return _show(request, screen, screen.drafts(request.GET.get("way", "")), {})
    drafts = [
        grid_draft
        for grid_draft in posted_rows(screen.sheet, request.POST.dict())
        if grid_draft.number not in screen.own
    ]
    button, _colon, value = request.POST.get("go", "").partition(":")
    if button == "more":
        drafts += more_rows(screen, drafts, screen.way_of_new(request, drafts))
    elif button == "way":
        change_way(screen, drafts, value)
    else:
        if button == "row":
            apply_row_button(screen, drafts, value)
        return _store(request, screen, drafts)
    return _show(request, screen, drafts, {})


@event_form_page(choose_entry, find=_get_event)
def differences(request: PageRequest, event: Event, code: str) -> HttpResponse:
    problems: Sequence[Problem] = ()
    status = 200
    if request.method == "POST":
        number = number_in(request.POST.get("hand", "")) or 0
        try:
            choose_entry(
                operation_of(request),
                get_game(event, code),
                number=number,
                second=number_in(request.POST.get("second", "")) or 0,
                revision=number_in(request.POST.get("revision", "")) or 0,
                stands=request.POST.get("stands", ""),
                reason=request.POST.get("reason", ""),
            )
        except (Conflict, Forbidden) as refusal:
            problems = problems_of(refusal)
            status = CONFLICT if isinstance(refusal, Conflict) else 403
        except Refused as refused:
            problems, status = refused.problems, REFUSED
        else:
            notice = _("Hand %(hand)s resolved.") % {"hand": number}
            return done(request, notice, "double-entry-differences", event, code=code)
    screen = DoubleEntryScreen(event, code)
    if screen.is_empty or screen.totals_only:
        return go_to("table", event, code=code)
    context = {
        **screen.page(request, *screen.crumbs()),
        "differences": [screen.difference(pair) for pair in screen.twice.open],
        "twice": screen.twice,
        "problems": tuple(map(sentence, problems)),
        "chosen": number_in(request.POST.get("hand", "")),
        "reason": request.POST.get("reason", ""),
        "may_void": clubs.may_do(event, "void_hand"),
    }
    return render(request, "hands/double_entry_differences.html", context, status=status)


def _store(
    request: PageRequest, screen: SecondEntryScreen, drafts: Sequence[GridDraft]
) -> HttpResponse:
    if all(draft.texts.is_empty for draft in drafts):
        messages.error(request, _("No entries yet."))
        return _show(request, screen, drafts, {}, status=REFUSED)
    try:
        outcomes = screen.store(request.actor, drafts, timezone.now())
    except Conflict as conflict:
        messages.error(request, sentence(conflict.problem))
        return _show(request, screen, drafts, {}, status=CONFLICT)
    if any(outcome.kind == "refused" for outcome in outcomes.values()):
        return _show(request, screen, drafts, outcomes, status=REFUSED)
    twice = double_entry_of_table(screen.event, screen.code)
    event = screen.event
    if twice.open:
        return go_to("double-entry-differences", event, code=screen.code)
    notice = _("Both entries agree so far.")
    if twice.is_typed_twice:
        notice = _("Table %(table)s: both entries agree.") % {"table": screen.table.number}
    return done(request, notice, "sheets-to-enter", event, number=screen.table.round_number)


def _show(
    request: PageRequest,
    screen: SecondEntryScreen,
    drafts: Sequence[GridDraft],
    outcomes: Mapping[int, RowOutcome],
    *,
    status: int = 200,
) -> HttpResponse:
    ways = {draft.way for draft in drafts}
    is_known = status != CONFLICT and request.method == "POST"
    context = {
        **screen.page(request, *screen.crumbs()),
        **screen.grid_page(request, drafts, outcomes),
        "ways": tuple(way for way in screen.ways if way not in ways),
        "known_moves": known_moves_in(request.POST.dict()) if is_known else screen.moves,
    }
    return render(request, "hands/double_entry.html", context, status=status)
