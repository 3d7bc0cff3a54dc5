"""Tables whose people change: who is to have played there, and what becomes of the hands."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tournaments.domain.replay_game import TOTALS
from tournaments.domain.seating.seating_runs import SeatRun
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Seat

ACTS: Final = ("swap", "replace", "substitute")
HANDS: Final = ("keep", "remap", "void")
LAST_HAND: Final = 999
Stored = Sequence[Sequence[int | str | None]]
"""Runs as the change log keeps them: seat, player id, first hand, last hand, whom it is for."""


@dataclass(frozen=True, slots=True)
class PlayerChange:
    """Who is to have played in a seat (from 1) of a table, and from which hand on.

    `act` is of `ACTS`, `hands` of `HANDS`. `split_sides`: partners who are no pair are seated all
    the same. `side` has, in place of `player_id`, who takes the whole side of the seat, in the
    order of its seats.
    """

    act: str
    seat: int
    player_id: str = ""
    hands: str = "keep"
    from_hand: int = 1
    split_sides: bool = False
    side: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangedPlayers:
    """What was done: the tables, the line of the change log, and the event's version with it."""

    codes: tuple[str, ...]
    line: int
    event_version: int


@dataclass(slots=True)
class ChangedTable:
    """A table with its people and hands, and what becomes of them."""

    game: Game
    seats: list[Seat]
    runs: list[SeatRun]
    hands: list[Hand]
    after: list[SeatRun] = field(default_factory=list)
    gone: list[Hand] = field(default_factory=list)
    back: list[Hand] = field(default_factory=list)
    disputed: set[int] = field(default_factory=set)
    """Numbers of those of `back` with a wrong total, which are not to count again."""
    revised: list[tuple[Hand, dict[str, Any]]] = field(default_factory=list)
    exchanged: tuple[tuple[int, int], ...] = ()
    """Pairs of seats whose scores follow their people, from hand `exchanged_from` on."""
    exchanged_from: int = 1

    @property
    def code(self) -> str:
        """The table's public code."""
        return self.game.table.code

    def played(self, first: int) -> list[Hand]:
        """Return the hands from `first` on that stand; totals belong to all."""
        standing = [one for one in self.hands if one.state != "void"]
        return [one for one in standing if one.number == TOTALS or one.number >= first]

    @property
    def has_totals(self) -> bool:
        """Whether totals that count stand in the place of hands."""
        return any(one.number == TOTALS and one.state != "void" for one in self.hands)

    def next_hand(self) -> int:
        """Return the number of the hand after all that were entered."""
        return max((one.number for one in self.hands), default=0) + 1
