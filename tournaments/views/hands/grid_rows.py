"""The rows of the grid as posted and as printed, and the notes at those that are not stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem
from tournaments.domain import seating_runs
from tournaments.domain.messages import sentence
from tournaments.selectors.hands.score_sheet_views import HandView
from tournaments.views.hands.form_feedback import field_problems_of
from tournaments.views.hands.grid_cells import (
    LONGEST,
    CellGrammar,
    RowTexts,
    columns,
    how_to_write,
    read_row,
    ways_of,
)
from tournaments.views.hands.hand_form_fields import (
    EntryFields,
    number_in,
)
from tournaments.views.hands.hand_screen import KNOWN_MOVES, LONGEST_KEY, LONGEST_REASON

MOST_ROWS: Final = 40
"""Maximum number of hands on one page of the grid."""

LONGEST_BOARD: Final = 6


@dataclass(slots=True)
class GridDraft:
    """A hand as typed in its row, with the fields that make a repeated submission harmless.

    `key` was made with the page; `based_on` is the revision that its author read; `is_mine`: it
    overrides a concurrent entry of the hand, which `is_asked` asks about. `displayed_players` are
    the players by seat on that page, `known_moves` how many moves of hands it knew, `board` the
    board of a duplicate event. It is saved as disputed for the reason `disputed`, unless that is
    None. `may_repeat`: its author said that the hand, which is the same as the one beside it, was
    dealt twice.
    """

    number: int
    way: str
    texts: RowTexts
    key: str
    based_on: int | None = None
    is_asked: bool = False
    is_mine: bool = False
    displayed_players: tuple[str, ...] | None = None
    known_moves: int | None = None
    board: str = ""
    disputed: str | None = None
    may_repeat: bool = False


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
    """The outcome of a row: `empty`, `same`, `saved`, `refused` or `conflict`.

    Attributes:
        notes: why it was refused.
        wrong: names of the wrong cells; none if no single cell is wrong.
        theirs: row → its text in the earlier entry.
        filing: who can save it as disputed (`filing_of`).
        moved: the refusal of a page that does not know the newest move of hands.
    """

    kind: str
    notes: tuple[RowNote, ...] = ()
    wrong: tuple[str, ...] = ()
    filing: str = ""
    moved: Problem | None = None
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
    """One hand of the grid, and its scores as typed (`grid_hints.verdict`).

    `stored_scores` are the stored hand's scores of each row; empty if it does not count, or if a
    score is no whole number. `shooter` is the name of the player who shot the moon.
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
        """The points that the row adds to the stored totals; None if not known yet.

        A refused row adds nothing, nor does a row that equals the stored hand.
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


_BESIDE: Final = {
    "tricks": gettext_lazy("Enter a number for each seat with spaces between."),
    "pledge": gettext_lazy("Enter the seat, or the seat and the pledge with a colon between."),
    "unclaimed": gettext_lazy("Enter the cards as for a seat."),
    "first_trick": gettext_lazy("Enter the number of a seat."),
    "passer": gettext_lazy("Enter the number of a seat."),
}
"""Kind of a column beside the seats → what is written there."""


def posted_rows(sheet: EntryFields, posted: Mapping[str, str]) -> tuple[GridDraft, ...]:
    """Return the rows that were posted, in order; names of fields are `c-<hand>-<place>`."""
    numbers = sorted(
        {int(name[4:]) for name in posted if name.startswith("key-") and name[4:].isdecimal()}
    )[:MOST_ROWS]
    return tuple(_draft(sheet, posted, number) for number in numbers if 0 < number < 1000)


def known_moves_in(posted: Mapping[str, str]) -> int | None:
    """Return the number of moves of hands that a page knew, or None if it has no such field."""
    return number_in(posted.get(KNOWN_MOVES, ""))


def _draft(sheet: EntryFields, posted: Mapping[str, str], number: int) -> GridDraft:
    def text_at(place: object) -> str:
        return posted.get(f"c-{number}-{place}", "").strip()[:LONGEST]

    way = posted.get(f"way-{number}", "")
    beside = {box.kind: text_at(box.kind) for box in columns(sheet)}
    based_on = number_in(posted.get(f"based_on-{number}", ""))
    question = posted.get(f"question-{number}", "").strip()[:LONGEST_REASON]
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
        known_moves=known_moves_in(posted),
        board=posted.get(f"board-{number}", "").strip()[:LONGEST_BOARD],
        disputed=question if question or posted.get("go") == f"file:{number}" else None,
        may_repeat=f"repeat-{number}" in posted or posted.get("go") == f"repeat:{number}",
    )


def start_of(rows: Sequence[RowView]) -> str:
    """Return the field to focus: the first refused one, else the first empty one.

    If a row has a question, that is its answers (`why-<hand>`).
    """
    for row in rows:
        if row.asks:
            return row.start
        if row.is_wrong:
            return next((cell.name for cell in row.cells if cell.is_wrong), row.cells[0].name)
    cells = next((row.cells for row in rows if row.is_open), ())
    return next((cell.name for cell in cells if not cell.value), cells[0].name if cells else "")


def conflicting_row(
    grammar: CellGrammar, theirs: RowTexts, *, by: str, hand: int, revision: int
) -> RowOutcome:
    facts = {"name": by or _("Somebody"), "hand": hand, "number": revision}
    note = RowNote(
        _("%(name)s has saved hand %(hand)s as revision %(number)s.") % facts,
        _(
            "That revision counts, and your entry is not saved. Check the paper sheet, then "
            "choose one."
        ),
        ((_("Keep stored hand"), f"theirs:{hand}"),),
    )
    cells = dict(zip(grammar.sheet.rows, theirs.cells, strict=True))
    return RowOutcome("conflict", (note,), theirs=cells)


def row_emptied(draft: GridDraft) -> RowOutcome:
    note = RowNote(
        _("Hand %(hand)s is stored, but its row is now empty.") % {"hand": draft.number},
        _("Hands cannot be deleted here. A director can delete the hand."),
        ((_("Show hand"), f"theirs:{draft.number}"),),
    )
    return RowOutcome("refused", (note,))


def unread_cells(
    grammar: CellGrammar, names: Mapping[int, str], draft: GridDraft, wrong: Sequence[str]
) -> RowOutcome:
    cells = dict(zip(grammar.sheet.rows, draft.texts.cells, strict=True))
    notes = []
    for name in wrong:
        row = int(name) if name.isdecimal() else 0
        text = cells[row] if row else draft.texts.beside[name]
        facts = {"hand": draft.number, "text": text, "name": names.get(row, name)}
        notes.append(
            RowNote(
                _("Hand %(hand)s, %(name)s: “%(text)s” cannot be read.") % facts,
                how_to_write(grammar.sheet) if row else str(_BESIDE.get(name, "")),
            )
        )
    return RowOutcome("refused", tuple(notes), tuple(wrong))


def _points_question(grammar: CellGrammar, draft: GridDraft, total: int | None) -> RowNote | None:
    """Return the question about a row of plain numbers that are no hearts; `total`: of a hand."""
    n_hearts = len(grammar.sheet.hearts)
    if draft.way != "counts" or draft.based_on is not None or "points" not in grammar.sheet.ways:
        return None
    texts = [cell.strip() or "0" for cell in draft.texts.cells]
    if not all(map(str.isdecimal, texts)):
        return None
    numbers = [*map(int, texts)]
    if max(numbers) > n_hearts:
        more = _("No cell can have more than %(n)s hearts.") % {"n": n_hearts}
    elif sum(numbers) == total:
        more = _("They total %(n)s, but a number here counts hearts.") % {"n": total}
    else:
        return None
    first = _("Hand %(hand)s is not saved. Are these points?") % {"hand": draft.number}
    return RowNote(first, more, ((_("Enter points"), "way:points"),))


def refused_cells(
    grammar: CellGrammar,
    names: Mapping[int, str],
    draft: GridDraft,
    problems: Sequence[Problem],
    total: int | None,
) -> RowOutcome:
    """Return the messages of a refused hand; `total` are the points of a hand in this game."""
    if question := _points_question(grammar, draft, total):
        return RowOutcome("refused", (question,))
    sheet = grammar.sheet
    number = draft.number
    fields = read_row(grammar, draft.way, draft.texts)[0]
    texts = [field_problems_of(problem, sheet, draft.way, names, fields) for problem in problems]
    notes = [
        RowNote(
            text.first,
            text.rest,
            tuple((words, f"row:{number}:{button}") for words, button in text.mends),
            is_question=text.code == "choice_required",
        )
        for text in texts
    ]
    head = _("Hand %(hand)s is not saved.") % {"hand": number}
    notes[0] = replace(notes[0], first=f"{head} {notes[0].first}")
    places = [text.field.rpartition("-")[2] for text in texts if text.field]
    wrong = tuple(place for place in places if place in map(str, sheet.rows))
    return RowOutcome("refused", tuple(notes), wrong if len(wrong) == len(texts) else ())


def repeated_row(number: int, problem: Problem) -> RowOutcome:
    """Return the question whether a hand that is the same as another was dealt twice."""
    save = _("Save hand %(number)s") % {"number": number}
    ways = ((save, f"repeat:{number}"), (_("Leave out"), f"theirs:{number}"))
    return RowOutcome("refused", (RowNote(sentence(problem), "", ways, is_question=True),))


def moved_row(number: int, problem: Problem) -> RowOutcome:
    """Return the outcome of a row that waits for an answer above the grid: at which table?"""
    note = RowNote(_("Hand %(hand)s is not saved.") % {"hand": number})
    return RowOutcome("refused", (note,), moved=problem)


def later_hand_refused(draft: GridDraft, later: int, problems: Sequence[Problem]) -> RowOutcome:
    """Return the message for a hand that would make another one, `later`, invalid."""
    text = _("Hand %(hand)s is not saved, because hand %(later)s would become impossible.")
    facts = {"hand": draft.number, "later": later}
    return RowOutcome("refused", (RowNote(text % facts, " ".join(map(sentence, problems))),))
