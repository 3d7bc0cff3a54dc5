"""Sheets that a program sends: as they were read from a request, and what became of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
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
    """One hand of a sheet.

    Attributes:
        number: None where it cannot be read.
        players: who sat there in this hand, where they are not those of the sheet.
        problems: what its members refuse; paths begin at the hand.
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
    """The outcome of one sheet.

    Attributes:
        problems: those of the sheet, for which none of its hands is entered.
        by_hand: place of a hand in the sheet → its problems.
        existing: places of the hands that the event had already with the same content.
    """

    problems: list[Problem] = field(default_factory=list)
    by_hand: dict[int, list[Problem]] = field(default_factory=dict)
    existing: set[int] = field(default_factory=set)

    @property
    def is_entered(self) -> bool:
        """Whether all hands of the sheet are in the event."""
        return not self.problems and not self.by_hand

    @property
    def status(self) -> int:
        """201 where all its hands are in the event, else 409 or 422."""
        return status_of(
            [
                *self.problems,
                *(problem for hand_problems in self.by_hand.values() for problem in hand_problems),
            ]
        )

    def status_of_hand(self, place: int) -> int:
        """201, or 200 where the event had the hand already; else 409 or 422."""
        problems = self.by_hand.get(place, self.problems)
        if problems:
            return status_of(problems)
        return THERE if place in self.existing else CREATED


@dataclass(frozen=True, slots=True)
class EnteredSheets:
    """The outcome of the sheets of a request.

    Attributes:
        batch: number of the import that they are; None where nothing is new.
        added: hands that are new with it.
    """

    batch: int | None
    added: int
    results: Sequence[SheetResult]


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
    return [
        _within(problem, *at)
        for index, result in enumerate(results)
        for at, problems in _places(index, result).items()
        for problem in problems
    ]


def _places(index: int, result: SheetResult) -> Mapping[tuple[str | int, ...], Sequence[Problem]]:
    sheet: dict[tuple[str | int, ...], Sequence[Problem]] = {("sheets", index): result.problems}
    hands = {
        ("sheets", index, "hands", place): problems
        for place, problems in sorted(result.by_hand.items())
    }
    return sheet | hands


def _within(problem: Problem, *at: str | int) -> Problem:
    return Problem(problem.code, (*at, *problem.at), problem.facts, problem.suggestions)
