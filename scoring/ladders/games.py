"""A rated game and what somebody's rating is made of.

Pure data of the rating ladder. See docs/algorithms/rating-ladder.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple, TypeAlias

from scoring.errors import Problem
from scoring.ladders.events import PlayedAt

LEAST_SIDES: Final = 2
MOST_SIDES: Final = 11

Values: TypeAlias = tuple[float, ...]
"""What a method keeps of a member: (rating,) for Elo, (mu, sigma) for Plackett-Luce."""


@dataclass(frozen=True, slots=True)
class RatedGame:
    """One game: where it stands in the order, its sides of one or two members, their places.

    `places` has one place a side, from 1; equal places are ties and only their order counts.
    """

    at: PlayedAt
    sides: tuple[tuple[str, ...], ...]
    places: tuple[int, ...]

    @property
    def members(self) -> tuple[str, ...]:
        """Everybody at the table, side by side."""
        return tuple(member for side in self.sides for member in side)


class MemberRating(NamedTuple):
    """A member's rating: its values, unrounded; the number of rated games; the last one's day."""

    values: Values
    games: int = 0
    last_played: date | None = None


def game_problems(sides: Sequence[Sequence[str]], places: Sequence[int]) -> tuple[Problem, ...]:
    """Return what is against rating a game.

    Returns:
        `rated_sides` where there are not 2 to 11, of equal size, each with its place;
        `ladder_member_twice` for each who is there twice.

    See docs/algorithms/rating-ladder.md (sizes).
    """
    problems = []
    sizes = {len(side) for side in sides}
    if not LEAST_SIDES <= len(sides) <= MOST_SIDES or len(sizes) != 1 or 0 in sizes:
        facts = {"found": len(sides), "least": LEAST_SIDES, "most": MOST_SIDES}
        problems.append(Problem("rated_sides", ("sides",), facts))
    if len(places) != len(sides):
        facts = {"found": len(places), "expected": len(sides)}
        problems.append(Problem("rated_places", ("places",), facts))
    seen: set[str] = set()
    for member in (member for side in sides for member in side):
        if member in seen:
            problems.append(Problem("ladder_member_twice", ("sides",), {"member": member}))
        seen.add(member)
    return tuple(problems)
