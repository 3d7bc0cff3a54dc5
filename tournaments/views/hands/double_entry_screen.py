"""A table's sheet before a second typist, shown nothing of the first; and both side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from scoring.numbers import ScoreJson
from tournaments.domain.event_settings import settings_of
from tournaments.forms.hands.grid import MOST_ROWS, GridDraft, RowOutcome, StoredGridHand
from tournaments.forms.hands.grid_hints import cell_meaning
from tournaments.forms.hands.grid_rows import columns, entry_in, read_row, texts_of
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.selectors.hands.double_entry import (
    HandDoubleEntry,
    SheetDoubleEntry,
    double_entry_of_table,
    hands_entered_by,
    second_entries_by,
)
from tournaments.selectors.rounds.sheet_stack import IN
from tournaments.services.hands.double_entry import SecondEntry, enter_again
from tournaments.views.hands import grid_messages
from tournaments.views.hands.entry_screen import new_key
from tournaments.views.hands.grid_screen import SPARE_ROWS, USUAL_HANDS, GridScreen


class SecondEntryScreen(GridScreen):
    """The grid of somebody who types a sheet again: their own typing, and nobody else's."""

    def __init__(self, event: Event, code: str, actor: Actor) -> None:
        super().__init__(event, code)
        self.own = hands_entered_by(self.game, actor.user_id)
        self.again = second_entries_by(self.game, actor.user_id)

    @property
    def is_whole(self) -> bool:
        """Whether the first typing is in, as far as anybody knows how long the game is."""
        settings, n = settings_of(self.event), self.table.n_hands
        if self.of:
            return n >= self.of or self.table.state in IN
        return self.table.state in IN or (settings.is_open_ended and n > 0)

    @property
    def is_own(self) -> bool:
        """Whether the actor entered every hand that counts."""
        return all(one.number in self.own for one in self.hands.values() if one.state == "accepted")

    def drafts(self, way: str = "", *, from_hand: int = 1) -> list[GridDraft]:
        """Return rows to type in, as many as a game usually has; the first sheet adds none."""
        last = max(self.again, default=0)
        until = self.of or max(USUAL_HANDS, last + SPARE_ROWS if last else 0)
        until = min(until, from_hand + MOST_ROWS - 1)
        rows = (self.draft(number, way) for number in range(from_hand, until + 1))
        return [one for one in rows if one.number not in self.own]

    def draft(self, number: int, way: str = "") -> GridDraft:
        """Return one row: as this person typed it before, else empty."""
        again = self.again.get(number)
        if again is None:
            return self.empty_draft(number, way)
        entry, board = again
        there, texts = texts_of(self.grammar, entry)
        return GridDraft(number, there, texts, new_key("grid"), board=str(board or ""))

    @property
    def row_totals(self) -> tuple[ScoreJson | None, ...]:
        """Nothing is said of what the first sheet comes to."""
        return ()

    def unsaved(self, drafts: Sequence[GridDraft]) -> set[int]:
        """Return the hands whose row differs from what this person entered before."""
        return {
            draft.number
            for draft in drafts
            if draft.texts != self.draft(draft.number, draft.way).texts
        }

    def stored(self) -> dict[int, StoredGridHand]:
        """Nothing is said of hands that are in."""
        return {}

    def store(
        self, actor: Actor, drafts: Sequence[GridDraft], now: datetime
    ) -> dict[int, RowOutcome]:
        """Keep every row that can be read and has the right total; hand number → what became of it.

        Raises:
            Conflict: typed_by_you, double_entry_off, players_moved.
        """
        outcomes: dict[int, RowOutcome] = {}
        rows = []
        for draft in drafts:
            wrong = read_row(self.grammar, draft.way, draft.texts)[1]
            if draft.texts.is_empty:
                outcomes[draft.number] = RowOutcome("empty")
            elif wrong:
                outcomes[draft.number] = grid_messages.unread_cells(
                    self.grammar, self.names, draft, wrong
                )
            else:
                entry = entry_in(self.grammar, draft.way, draft.texts)
                rows.append(SecondEntry(draft.number, entry, draft.key, self.board_in(draft)))
        is_whole = all(one.kind == "empty" for one in outcomes.values())
        refused = enter_again(
            actor=actor,
            game=self.game,
            rows=rows,
            is_whole=is_whole,
            shown=drafts[0].shown if drafts else None,
            now=now,
        )
        by_number = {one.number: one for one in drafts}
        for row in rows:
            problems = refused.get(row.number)
            outcomes[row.number] = (
                self._refused(by_number[row.number], *problems) if problems else RowOutcome("saved")
            )
        return outcomes


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """One cell of a hand in both typings, with what each means."""

    name: str
    first: str
    first_means: str
    second: str
    second_means: str

    @property
    def differs(self) -> bool:
        """Whether both are not the same."""
        return self.first != self.second


@dataclass(frozen=True, slots=True)
class EntryDifference:
    """One hand that two people typed otherwise; without cells where one of them has none."""

    twice: HandDoubleEntry
    cells: tuple[ComparedCell, ...]
    first_by: str = ""
    first_at: datetime | None = None

    @property
    def has_first(self) -> bool:
        """Whether the first sheet has the hand."""
        return self.twice.revision > 0

    @property
    def has_second(self) -> bool:
        """Whether the second sheet has the hand."""
        return self.twice.typed is not None

    @property
    def differing(self) -> tuple[ComparedCell, ...]:
        """The cells that are not the same."""
        return tuple(one for one in self.cells if one.differs)


class DoubleEntryScreen(GridScreen):
    """Both typings of a table's sheet, for whoever decides."""

    def __init__(self, event: Event, code: str) -> None:
        super().__init__(event, code)
        self.twice: SheetDoubleEntry = double_entry_of_table(event, code)

    @property
    def differences(self) -> tuple[EntryDifference, ...]:
        """The hands that wait for a decision."""
        return tuple(self._difference(one) for one in self.twice.open)

    def _difference(self, one: HandDoubleEntry) -> EntryDifference:
        hand = self.hands.get(one.number) if one.revision else None
        first = self._cells(*((hand.entry, hand.board) if hand is not None else (None, None)))
        second = self._cells(one.typed, one.board)
        cells = tuple(
            ComparedCell(ours[0], *ours[1:], *theirs[1:])
            for ours, theirs in zip(first, second, strict=True)
            if ours[1] or theirs[1]
        )
        if hand is None:
            return EntryDifference(one, cells)
        shown = next((rev for rev in hand.revisions if rev.counts), hand.revisions[-1])
        return EntryDifference(one, cells, hand.by, shown.entered_at)

    def _cells(self, entry: Any, board: int | None) -> list[tuple[str, str, str]]:
        """Return head, text and meaning of each cell; empty texts without an entry."""
        of_board = [(_("Board"), str(board or ""), "")] if self.is_duplicate else []
        return of_board + self._cells_of_entry(entry)

    def _cells_of_entry(self, entry: Any) -> list[tuple[str, str, str]]:
        beside = columns(self.sheet)
        if entry is None:
            heads = [*(self.names[row] for row in self.sheet.rows), *(one.label for one in beside)]
            return [(str(head), "", "") for head in heads]
        way, texts = texts_of(self.grammar, entry)
        found = [
            (self.names[row], text, cell_meaning(self.grammar, self.worth, way, row, text))
            for row, text in zip(self.sheet.rows, texts.cells, strict=True)
        ]
        return found + [(str(one.label), texts.beside.get(one.kind, ""), "") for one in beside]
