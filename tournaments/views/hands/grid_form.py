"""The grid laid out: a row a hand, ready for a template to print; and what was posted of it.

Pure: made from texts, without a query.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tournaments.domain.seating import seating_runs
from tournaments.selectors.hands.score_sheet_views import HandView
from tournaments.views.hands.grid_rows import LONGEST, RowTexts, columns, ways_of
from tournaments.views.hands.hand_form_fields import EntryFields, number_in

MOST_ROWS: Final = 40
"""So many hands stand on one page of the grid."""
LONGEST_KEY: Final = 128
LONGEST_BOARD: Final = 6


@dataclass(slots=True)
class GridDraft:
    """A hand as its row has it, with what makes sending it twice harmless.

    `key` was made with the page; `based_on` is the revision that its author looked at; `is_mine`
    says that it counts although somebody else wrote the hand meanwhile, which `is_asked` is about.
    `displayed_players` is who sat in which seat on that page, `board` the board of a duplicate
    event.
    """

    number: int
    way: str
    texts: RowTexts
    key: str
    based_on: int | None = None
    is_asked: bool = False
    is_mine: bool = False
    displayed_players: tuple[str, ...] | None = None
    board: str = ""


@dataclass(frozen=True, slots=True)
class RowNote:
    """The text under a row: its first sentence in bold, the others, ways to mend it.

    `is_question` says that nothing is wrong: one of the ways is to be chosen.
    """

    first: str
    rest: str = ""
    mends: tuple[tuple[str, str], ...] = ()
    is_question: bool = False


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """What became of a row: `empty`, `same`, `saved`, `refused` or `conflict`.

    Attributes:
        notes: why it was refused.
        wrong: names of the cells at fault; none where no single one is.
        theirs: row → what the entry says that was first.
    """

    kind: str
    notes: tuple[RowNote, ...] = ()
    wrong: tuple[str, ...] = ()
    theirs: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CellView:
    """One field of a row: `place` is its seat, or the kind of a column beside the seats."""

    name: str
    value: str
    say: str
    label: str
    place: str
    is_wrong: bool = False
    theirs: str = ""


@dataclass(frozen=True, slots=True)
class RowView:
    """One hand of the grid, and what it is worth as it is typed (`grid_hints.verdict`).

    `stored_scores` are what the stored hand added to the total of each row; empty where it does
    not count, or where a score is no whole number. `shooter` is the name of who shot the moon.
    """

    draft: GridDraft
    passing: str
    cells: tuple[CellView, ...]
    beside: tuple[CellView | None, ...]
    typed_state: str
    sum: str
    seats: tuple[int | None, ...]
    shooter: str
    outcome: RowOutcome | None
    stored: HandView | None
    stored_scores: tuple[int, ...]
    is_unsaved: bool

    @property
    def adds(self) -> tuple[int, ...] | None:
        """What the row adds to the totals that are stored; None where that cannot be told yet.

        What was refused adds nothing, nor does a row that says what is stored.
        """
        if self.is_wrong:
            return None
        if (self.stored is not None and not self.is_unsaved) or not self.typed_state:
            return ()
        if self.typed_state != "ok" or not self.seats:
            return None
        if self.stored is not None and self.stored.state == "accepted" and not self.stored_scores:
            return None
        before = self.stored_scores or (0,) * len(self.seats)
        return tuple((seat or 0) - old for seat, old in zip(self.seats, before, strict=True))

    @property
    def scores(self) -> str:
        """The stored scores, for the script."""
        return " ".join(map(str, self.stored_scores))

    @property
    def is_wrong(self) -> bool:
        return self.outcome is not None and self.outcome.kind in ("refused", "conflict")

    @property
    def state(self) -> str:
        """The state that the end of the row shows; whether it would be saved, the script knows."""
        if self.is_unsaved:
            return "" if self.typed_state == "ok" else self.typed_state
        is_stored = self.stored is not None and self.typed_state == "need"
        return "ok" if is_stored else self.typed_state

    @property
    def is_open(self) -> bool:
        """Whether there is still something to type in it: it is empty, not whole or not right."""
        if self.stored is not None and not self.is_unsaved:
            return False
        is_whole = all(self.draft.texts.cells) or self.draft.way == "clean"
        state = self.typed_state
        return state in ("", "no") or (state == "need" and (not is_whole or bool(self.sum)))

    @property
    def start(self) -> str:
        """The name of its answers, where it asks something."""
        return f"why-{self.draft.number}"

    @property
    def asks(self) -> bool:
        """Whether all that the row waits for is a choice."""
        notes = self.outcome.notes if self.outcome is not None else ()
        return len(notes) == 1 and notes[0].is_question and bool(notes[0].mends)


def posted_rows(sheet: EntryFields, posted: Mapping[str, str]) -> tuple[GridDraft, ...]:
    """Return the rows that were posted, in order; names of fields are `c-<hand>-<place>`."""
    numbers = sorted({
        int(name[4:]) for name in posted if name.startswith("key-") and name[4:].isdecimal()
    })[:MOST_ROWS]  # fmt: skip
    return tuple(_draft(sheet, posted, number) for number in numbers if 0 < number < 1000)


def _draft(sheet: EntryFields, posted: Mapping[str, str], number: int) -> GridDraft:
    def text_at(place: object) -> str:
        return posted.get(f"c-{number}-{place}", "").strip()[:LONGEST]

    way = posted.get(f"way-{number}", "")
    beside = {box.kind: text_at(box.kind) for box in columns(sheet)}
    based_on = number_in(posted.get(f"based_on-{number}", ""))
    return GridDraft(
        number=number,
        way=way if way in ways_of(sheet) else ways_of(sheet)[0],
        texts=RowTexts(
            tuple(text_at(row) for row in sheet.rows),
            {kind: text for kind, text in beside.items() if text},
        ),
        key=posted.get(f"key-{number}", "")[:LONGEST_KEY],
        based_on=based_on if based_on is None or based_on > 0 else None,
        is_asked=f"asked-{number}" in posted,
        is_mine=f"mine-{number}" in posted,
        displayed_players=seating_runs.in_field(posted.get(seating_runs.FIELD, "")),
        board=posted.get(f"board-{number}", "").strip()[:LONGEST_BOARD],
    )


def start_of(rows: Sequence[RowView]) -> str:
    """Return the field to begin at: the first that is refused, else the first still to be typed.

    Where a row asks something, its answers (`why-<hand>`).
    """
    for row in rows:
        if row.asks:
            return row.start
        if row.is_wrong:
            return next((cell.name for cell in row.cells if cell.is_wrong), row.cells[0].name)
    cells = next((row.cells for row in rows if row.is_open), ())
    return next((cell.name for cell in cells if not cell.value), cells[0].name if cells else "")
