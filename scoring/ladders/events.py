"""What happens on a position ladder: the events of which the list is the replay.

Pure data. `number` is the stored order: it never comes from a clock, and a corrected event keeps
it. `on` is the local date of the club, for the story only. See docs/algorithms/position-ladder.md.
"""

from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from scoring.ladders.positions import Tiers


@dataclass(frozen=True, slots=True)
class Opened:
    """The list begins with these members, from the top: imported opening positions."""

    number: int
    on: date
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """A member comes in at the bottom."""

    number: int
    on: date
    member: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A member leaves the list; `why` is `left`, `away` (too long) or `merged`."""

    number: int
    on: date
    member: str
    why: str = "left"


@dataclass(frozen=True, slots=True)
class ChallengeWon:
    """A challenge counts as a win; `how` is `played`, `declined`, `expired` or `forfeited_d`.

    `ref` leads to the game or the challenge. Whoever won, only a lower member moves by it.
    """

    number: int
    on: date
    winner: str
    loser: str
    how: str = "played"
    ref: str = ""


@dataclass(frozen=True, slots=True)
class TablePlayed:
    """Several members played one game; `tiers` has who finished level, best first."""

    number: int
    on: date
    tiers: Tiers
    ref: str = ""


@dataclass(frozen=True, slots=True)
class WeekSwept:
    """These members were idle in the ISO week `week` (`2025-W36`) and drop once for it."""

    number: int
    on: date
    week: str
    idle: tuple[str, ...]


LadderEvent: TypeAlias = Opened | Joined | Removed | ChallengeWon | TablePlayed | WeekSwept


@dataclass(frozen=True, slots=True)
class PlayedAt:
    """Where a game stands among all games: the one total order of ladders, ratings included."""

    played_on: date
    round: int
    table: int
    game: str

    @property
    def key(self) -> tuple[date, int, int, str]:
        """What games are sorted by: date, round, table, id."""
        return (self.played_on, self.round, self.table, self.game)
