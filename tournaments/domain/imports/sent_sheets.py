"""Sheets that a program sends: as they were read from a request, and what became of each."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain
from typing import Final

from scoring.errors import Problem

MOST_SHEETS: Final = 200
MOST_HANDS: Final = 2000
"""So much is entered by one request at most."""

CONFLICTS: Final = frozenset(
    {
        *("hand_exists", "players_disagree", "player_at_two_tables", "dates_disagree"),
        *("sheet_does_not_fit", "table_abandoned", "round_of_a_playoff"),
        *("board_played_at_table", "board_played_by_player"),
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
    """

    number: int | None
    entry: object = None
    players: Sequence[str] | None = None
    board: int | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class SentSheet:
    """One sheet of a request. `problems` are those of its own members; paths begin at the sheet.

    Round and table are None where they cannot be read.
    """

    round: int | None
    table: int | None
    day: date | None = None
    variant: str = ""
    players: Sequence[str] | None = None
    hands: tuple[SentHand, ...] = ()
    problems: tuple[Problem, ...] = ()


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
