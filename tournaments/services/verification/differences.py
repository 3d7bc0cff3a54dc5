"""The outcome of a verification: differences between stored and computed values."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

MOST_LISTED: Final = 1000
"""Differences that are listed; all are counted."""


class PublicationState(StrEnum):
    """How the newest publication compares with one made from the stored rows."""

    SAME = "same"
    DIFFERS = "differs"
    BEHIND = "behind"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Difference:
    """The stored and the computed value of a hand (`number` None: of a game).

    `what` is scores, totals, verified, moon, refused, progress or hands_counted; worth, of a game
    to an entrant, and, without a game, sums or kept, of an entrant; moves, ratings or state of a
    ladder. `entrant` is a row's id.
    """

    game_id: int | None
    number: int | None
    what: str
    stored: object
    found: object
    entrant: int | None = None


@dataclass(slots=True)
class Verification:
    """The number of games and hands that were compared, and the differences.

    `counts` counts all differences by `what`; `games_by` has their games.
    """

    games: int = 0
    hands: int = 0
    publication: PublicationState = PublicationState.NONE
    differences: list[Difference] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    games_by: dict[str, set[int]] = field(default_factory=dict)

    @property
    def differing(self) -> int:
        return self.counts.total()

    @property
    def differs(self) -> bool:
        return bool(self.differing) or self.publication == PublicationState.DIFFERS

    @property
    def differing_games(self) -> set[int]:
        return set().union(*self.games_by.values())

    def add(self, *differences: Difference) -> None:
        for difference in differences:
            self.counts[difference.what] += 1
            if difference.game_id is not None:
                self.games_by.setdefault(difference.what, set()).add(difference.game_id)
            if len(self.differences) < MOST_LISTED:
                self.differences.append(difference)

    def add_differences(self, other: "Verification") -> None:
        self.counts.update(other.counts)
        self.differences.extend(other.differences[: MOST_LISTED - len(self.differences)])
        for what, games in other.games_by.items():
            self.games_by.setdefault(what, set()).update(games)
