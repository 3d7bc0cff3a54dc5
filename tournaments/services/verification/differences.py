"""What a verification found: one type of difference, whatever is compared."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

MOST_LISTED: Final = 1000
"""Differences that are listed; all are counted."""


class PublicationState(StrEnum):
    """How the newest publication compares with what is made of the stored rows now."""

    SAME = "same"
    DIFFERS = "differs"
    BEHIND = "behind"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Difference:
    """What is stored for a hand (`number` None: for a game) and what follows from the entries.

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
    """How many games and hands were compared, and what differs.

    `counts` counts all differences, by `what`; `games_by` has the games in which they are.
    """

    games: int = 0
    hands: int = 0
    publication: PublicationState = PublicationState.NONE
    differences: list[Difference] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    games_by: dict[str, set[int]] = field(default_factory=dict)

    @property
    def differing(self) -> int:
        """How many differences there are."""
        return self.counts.total()

    @property
    def differs(self) -> bool:
        """Whether anything stored is not what follows."""
        return bool(self.differing) or self.publication == PublicationState.DIFFERS

    @property
    def differing_games(self) -> set[int]:
        """Every game in which anything differs."""
        return set().union(*self.games_by.values())

    def add(self, *differences: Difference) -> None:
        """Count differences, and list them unless there are more than anybody reads."""
        for difference in differences:
            self.counts[difference.what] += 1
            if difference.game_id is not None:
                self.games_by.setdefault(difference.what, set()).add(difference.game_id)
            if len(self.differences) < MOST_LISTED:
                self.differences.append(difference)

    def add_differences(self, other: "Verification") -> None:
        """Count what another verification found, too."""
        self.counts.update(other.counts)
        self.differences.extend(other.differences[: MOST_LISTED - len(self.differences)])
        for what, games in other.games_by.items():
            self.games_by.setdefault(what, set()).update(games)
