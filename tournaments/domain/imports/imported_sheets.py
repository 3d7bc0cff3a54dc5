"""Sheets and lists of players: as a reader of files returns them, and as a program sends them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain
from typing import Final

from scoring.entry.sheet import seat_names
from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.domain.imports.import_report import Spot

NOBODY = 0
"""The key of a player that is not known (yet)."""
AS_WRITTEN = "as written"
"""Value of the column `sides` where partners who are no pair are meant."""


@dataclass(frozen=True, slots=True)
class MoonMark:
    """A moon mark: its choice and amount, if they are written; not read if they contradict."""

    text: str
    choice: str | None = None
    amount: int | None = None
    is_read: bool = True


@dataclass(frozen=True, slots=True)
class SheetHand:
    """One hand of a sheet.

    `lines` are those of its rows, `seat_lines` the line of each seat clockwise; `players` the
    players' keys clockwise, `NOBODY` for open seats. A held hand is checked but not accepted.
    Number 0 is a sheet with totals only, `hands` then how many were played, if known. `key` is
    stored with the entry and identifies its source. `columns` are the file's columns of the seats
    clockwise, if a hand is one line. `board` is the number of the board, if the file has one. An
    `additional` hand may exceed the length of the event's games.
    """

    number: int
    lines: tuple[int, ...]
    seat_lines: tuple[int, ...]
    entry: dict[str, object]
    players: tuple[int, ...]
    mark: MoonMark | None
    is_held: bool
    hands: int | None = 1
    key: str | None = None
    columns: tuple[str, ...] = ()
    board: int | None = None
    additional: bool = False


@dataclass(frozen=True, slots=True)
class TypedSheet:
    """One table's sheet as typed, ready to be judged.

    `sat` has the players of every written hand, held and refused ones included. `labels` are the
    names of the seats if the file has no seats: their players. With `keeps_sides` partners who are
    no pair are seated all the same. With `counts_hands` the numbers of hands count the rows, as the
    file has none.
    """

    round: int
    table: int
    lines: tuple[int, ...]
    day: date | None
    variant: str
    seats: int
    hands: tuple[SheetHand, ...]
    sat: Mapping[int, tuple[int, ...]]
    labels: tuple[str, ...] = ()
    keeps_sides: bool = False
    counts_hands: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return self.labels or seat_names(self.seats)

    def spot(self, hand: SheetHand | None = None) -> Spot:
        if hand is None:
            return Spot(self.lines, self.round, self.table)
        return Spot(hand.lines, self.round, self.table, hand.number)


@dataclass(frozen=True, slots=True)
class SheetRules:
    name: str
    rules: Rules
    options: Mapping[str, object]


MOST_SHEETS: Final = 200
MOST_HANDS: Final = 2000
"""Maximum number of hands in one request."""

CONFLICTS: Final = frozenset(
    {
        *("hand_exists", "players_disagree", "player_at_two_tables", "dates_disagree"),
        *("sheet_does_not_fit", "table_abandoned", "round_of_a_playoff", "round_is_draft"),
        *("board_played_at_table", "board_played_by_player", "hand_moved_away"),
    }
)
"""Codes of what the event has already, or what another sheet says: 409, not 422."""

CREATED: Final = 201
THERE: Final = 200
CONFLICT: Final = 409
REFUSED: Final = 422


@dataclass(frozen=True, slots=True)
class SentHand:
    """One hand of a sheet; its number is None where it cannot be read.

    `players` are None where they are those of the sheet; paths of `problems` begin at the hand.
    `disputed` is why it is stored as disputed, None for a hand that counts.
    """

    number: int | None
    entry: object = None
    players: Sequence[str] | None = None
    board: int | None = None
    problems: tuple[Problem, ...] = ()
    additional: bool = False
    disputed: str | None = None


@dataclass(frozen=True, slots=True)
class SentSheet:
    """One sheet of a request. `problems` are those of its own members; paths begin at the sheet.

    Round and table are None where they cannot be read. The points of a `running` sheet are sums.
    """

    round: int | None
    table: int | None
    day: date | None = None
    variant: str = ""
    players: Sequence[str] | None = None
    hands: tuple[SentHand, ...] = ()
    problems: tuple[Problem, ...] = ()
    running: bool = False


@dataclass(slots=True)
class SheetResult:
    """The outcome of one sheet; none of its hands is entered if the sheet itself has problems.

    `by_hand` has the problems of hands by their places in the sheet, `existing` the places of hands
    that the event had already with the same content.
    """

    problems: list[Problem] = field(default_factory=list)
    by_hand: dict[int, list[Problem]] = field(default_factory=dict)
    existing: set[int] = field(default_factory=set)

    @property
    def is_entered(self) -> bool:
        return not self.problems and not self.by_hand

    @property
    def status(self) -> int:
        """201 where all its hands are in the event, else 409 or 422."""
        return status_of([*self.problems, *chain.from_iterable(self.by_hand.values())])

    def status_of_hand(self, place: int) -> int:
        problems = self.by_hand.get(place, self.problems)
        if problems:
            return status_of(problems)
        return THERE if place in self.existing else CREATED


def status_of(problems: Sequence[Problem]) -> int:
    """Return the status of a part of a request that has these problems.

    >>> status_of([]), status_of([Problem("hand_exists")])
    (201, 409)
    >>> status_of([Problem("hand_exists"), Problem("missing_cards")])
    422
    """
    if not problems:
        return CREATED
    return CONFLICT if all(problem.code in CONFLICTS for problem in problems) else REFUSED


def all_problems(results: Sequence[SheetResult]) -> list[Problem]:
    """Return the problems of all sheets in their order, with paths that begin at the request."""
    in_order: list[Problem] = []
    for index, result in enumerate(results):
        in_order += [_within(problem, "sheets", index) for problem in result.problems]
        for place, problems in sorted(result.by_hand.items()):
            in_order += [_within(problem, "sheets", index, "hands", place) for problem in problems]
    return in_order


def _within(problem: Problem, *at: str | int) -> Problem:
    return Problem(problem.code, (*at, *problem.at), problem.facts, problem.suggestions)
