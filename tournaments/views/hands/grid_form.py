"""The grid laid out: a row a hand, ready for a template to print; and what was posted of it.

Pure: made from texts, without a query.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from scoring.numbers import ScoreJson
from tournaments.domain.seating import seating_runs
from tournaments.views.hands.corrections import FieldProblems
from tournaments.views.hands.grid_cells import CellGrammar
from tournaments.views.hands.grid_hints import FaceValues, RowVerdict, cell_meaning, verdict
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
    `displayed_players` is who sat in which seat on that page, `board` the board of a duplicate event.
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
class StoredGridHand:
    """A hand that is there already, as the grid needs to know of it.

    `scores` are what it added to the total of each row; empty where it does not count, or where a
    score is no whole number.
    """

    revision: int
    state: str
    is_corrected: bool
    scores: tuple[int, ...] = ()


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
    """One hand of the grid; `shooter` is the name of who shot the moon, where the row says so."""

    draft: GridDraft
    passing: str
    cells: tuple[CellView, ...]
    beside: tuple[CellView | None, ...]
    verdict: RowVerdict
    outcome: RowOutcome | None
    stored: StoredGridHand | None
    is_unsaved: bool = False
    shooter: str = ""

    @property
    def adds(self) -> tuple[int, ...] | None:
        """What the row adds to the totals that are stored; None where that cannot be told yet.

        What was refused adds nothing, nor does a row that says what is stored.
        """
        if self.is_wrong:
            return None
        if self.stored is not None and not self.is_unsaved:
            return ()
        if not self.verdict.state:
            return ()
        if self.verdict.state != "ok" or not self.verdict.seats:
            return None
        if self.stored is not None and self.stored.state == "accepted" and not self.stored.scores:
            return None
        new = [seat or 0 for seat in self.verdict.seats]
        old = self.stored.scores if self.stored is not None else ()
        return tuple(seat - (old[n] if old else 0) for n, seat in enumerate(new))

    @property
    def scores(self) -> str:
        """What is stored of it, for the script."""
        return " ".join(map(str, self.stored.scores)) if self.stored is not None else ""

    @property
    def is_wrong(self) -> bool:
        """Whether the row waits for its author."""
        return self.outcome is not None and self.outcome.kind in ("refused", "conflict")

    @property
    def state(self) -> str:
        """The state that the end of the row shows; whether it would be saved, the script knows."""
        if self.is_unsaved and self.verdict.state == "ok":
            return ""
        is_taken = self.stored is not None and self.verdict.state == "need"
        return "ok" if is_taken and not self.is_unsaved else self.verdict.state

    @property
    def is_open(self) -> bool:
        """Whether there is still something to type in it: it is empty, not whole or not right."""
        if self.stored is not None and not self.is_unsaved:
            return False
        is_whole = all(self.draft.texts.cells) or self.draft.way == "clean"
        state = self.verdict.state
        return state in ("", "no") or (state == "need" and (not is_whole or bool(self.verdict.sum)))

    @property
    def first_open(self) -> str:
        """The name of its first empty cell, or of its first one where none is empty."""
        return next((cell.name for cell in self.cells if not cell.value), self.cells[0].name)

    @property
    def start(self) -> str:
        """The name of its answers, where it asks something."""
        return f"why-{self.draft.number}"

    @property
    def asks(self) -> bool:
        """Whether all that the row waits for is a choice."""
        notes = self.outcome.notes if self.outcome is not None else ()
        return len(notes) == 1 and notes[0].is_question and bool(notes[0].mends)


@dataclass(frozen=True, slots=True)
class Grid:
    """All that the page prints of one table's sheet.

    `foot` has each row's total: that of the sheet, and what the rows that are not saved yet add to
    it; `base` is the first of these, empty where it is no whole number. `counted` is what the foot
    comes to; `left_out` are the hands that are written and not in it.
    """

    rows: tuple[RowView, ...]
    people: tuple[tuple[str, str], ...]
    heads: tuple[tuple[str, str | Promise], ...]
    has_passing: bool
    foot: tuple[ScoreJson, ...]
    base: tuple[str, ...]
    counted: int | None
    left_out: tuple[int, ...]
    start: str

    @property
    def width(self) -> int:
        """Columns beside the hand's number and how it is passed."""
        return len(self.people) + len(self.heads) + 1

    @property
    def unsaved(self) -> list[int]:
        """The hands whose rows say something that is not stored."""
        return [row.draft.number for row in self.rows if row.is_unsaved]

    @property
    def n_wrong(self) -> int:
        """How many rows wait."""
        return sum(row.is_wrong for row in self.rows)


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
    beside = {column.kind: text_at(column.kind) for column in columns(sheet)}
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


def grid(
    grammar: CellGrammar,
    worth: FaceValues,
    people: Sequence[tuple[int, str, str]],
    drafts: Sequence[GridDraft],
    *,
    outcomes: Mapping[int, RowOutcome],
    stored: Mapping[int, StoredGridHand],
    passing: Mapping[int, str],
    totals: Sequence[ScoreJson | None] = (),
    unsaved: Collection[int] = (),
) -> Grid:
    """Return the grid of a table.

    Args:
        people: row, name and seat of each.
        outcomes: hand number → what became of the row; empty while nothing was sent.
        passing: hand number → how cards are passed.
        totals: each row's total on the sheet.
        unsaved: hands whose row says something that is not stored.
    """
    extra_columns = columns(grammar.sheet)
    maker = _Maker(grammar, worth, {row: name for row, name, _seat in people})
    rows = tuple(
        maker.row(
            draft,
            passing.get(draft.number, ""),
            outcomes.get(draft.number),
            stored.get(draft.number),
            draft.number in unsaved,
        )
        for draft in drafts
    )
    base = [total or 0 for total in totals] or [0] * len(people)
    whole = [total for total in base if isinstance(total, int)]
    is_whole = len(whole) == len(people)
    added = [row.adds for row in rows if row.adds] if is_whole else []
    sums = [total + sum(seats[place] for seats in added) for place, total in enumerate(whole)]
    open_rows = [row for row in rows if row.adds is None or (row.adds and not is_whole)]
    return Grid(
        rows=rows,
        people=tuple((name, seat) for _row, name, seat in people),
        heads=tuple((seats.kind, seats.label) for seats in extra_columns),
        has_passing=any(passing.values()),
        foot=tuple(sums if is_whole else base),
        base=tuple(map(str, whole)) if is_whole else (),
        counted=sum(sums) if is_whole else None,
        left_out=tuple(row.draft.number for row in open_rows),
        start=_start(rows),
    )


def _start(rows: Sequence[RowView]) -> str:
    """The field to begin at: the first that is refused, else the first one still to be typed.

    Where a row asks something, its answers (`why-<hand>`).
    """
    for row in rows:
        if row.asks:
            return row.start
        if row.is_wrong:
            wrong = [cell.name for cell in row.cells if cell.is_wrong]
            return wrong[0] if wrong else row.cells[0].name
    return next((row.first_open for row in rows if row.is_open), "")


class _Maker:
    """Makes the rows of one grid."""

    def __init__(self, grammar: CellGrammar, worth: FaceValues, names: Mapping[int, str]) -> None:
        self.grammar, self.worth, self.names = grammar, worth, names

    def row(
        self,
        draft: GridDraft,
        passing: str,
        outcome: RowOutcome | None,
        stored: StoredGridHand | None,
        is_unsaved: bool,
    ) -> RowView:
        row_verdict = verdict(self.grammar, self.worth, draft.way, draft.texts)
        return RowView(
            draft=draft,
            passing=passing,
            cells=tuple(self._cells(draft, outcome)),
            beside=tuple(self._extras(draft, outcome)),
            verdict=row_verdict,
            outcome=outcome,
            stored=stored,
            is_unsaved=is_unsaved and (outcome is None or outcome.kind != "saved"),
            shooter=""
            if row_verdict.shooter is None
            else [*self.names.values()][row_verdict.shooter],
        )

    def _cells(self, draft: GridDraft, outcome: RowOutcome | None) -> Iterator[CellView]:
        is_refused = outcome is not None and outcome.kind == "refused"
        wrong = outcome.wrong if outcome else ()
        theirs = outcome.theirs if outcome else {}
        for row, text in zip(self.grammar.sheet.rows, draft.texts.cells, strict=True):
            words = {"hand": draft.number, "name": self.names[row]}
            yield CellView(
                name=f"c-{draft.number}-{row}",
                value=text,
                say=cell_meaning(self.grammar, self.worth, draft.way, row, text),
                label=_("Hand %(hand)s, %(name)s") % words,
                place=str(row),
                is_wrong=is_refused and (not wrong or str(row) in wrong),
                theirs=theirs.get(row, ""),
            )

    def _extras(self, draft: GridDraft, outcome: RowOutcome | None) -> Iterator[CellView | None]:
        wrong = outcome.wrong if outcome else ()
        kinds = {column.kind for column in columns(self.grammar.sheet, draft.way)}
        for column in columns(self.grammar.sheet):
            words: dict[str, Any] = {"hand": draft.number, "name": column.label}
            text = draft.texts.beside.get(column.kind, "")
            yield (
                CellView(
                    name=f"c-{draft.number}-{column.kind}",
                    value=text,
                    say="",
                    label=_("Hand %(hand)s, %(name)s") % words,
                    place=column.kind,
                    is_wrong=column.kind in wrong,
                )
                if column.kind in kinds
                else None
            )


def note_of(problems: FieldProblems, number: int) -> RowNote:
    """Return a problem as it stands under its row; its buttons name the row."""
    mends = tuple((mend.text, f"row:{number}:{mend.button}") for mend in problems.mends)
    return RowNote(
        problems.first, problems.rest, mends, is_question=problems.code == "choice_required"
    )
