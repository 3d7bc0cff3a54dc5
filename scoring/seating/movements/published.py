"""Movements that are written down: base rounds that a turn makes into a full set.

Reads `scoring/data/movements/*.toml`; a test counts partners and opponents of each.
See docs/algorithms/movements.md, "Published movements".
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from pathlib import Path
from typing import Any, Final

from scoring.seating.requests import Table

SHIPPED: Final = Path(__file__).parents[2] / "data" / "movements"


@dataclass(frozen=True, slots=True)
class PublishedMovement:
    """Base rounds of a movement of single players.

    Args:
        players: how many it is for; points are 0 to `players` - 1.
        turn: points below a multiple of it are rings of so many; a turn by r adds r within each
            ring. Points from `rings` times `turn` on stay where they are.
        step: by how much the turn grows from one round to the next.
        base: the rounds before the turn; tables of four points, the first two against the others.
        source: where it is from.
    """

    players: int
    turn: int
    step: int
    base: tuple[tuple[Table, ...], ...]
    source: str

    @property
    def full_set(self) -> int:
        """The rounds of a full set."""
        return self.turn * len(self.base)

    def rounds(self) -> list[list[Table]]:
        """The full set: all turns of the first base round, then of the next."""
        around = self.turn // gcd(self.turn, self.step)
        turns = [(at * self.step + at // around) % self.turn for at in range(self.turn)]
        return [
            [tuple(self._turned(point, by) for point in table) for table in tables]
            for tables in self.base
            for by in turns
        ]

    def _turned(self, point: int, by: int) -> int:
        ring, place = divmod(point, self.turn)
        if ring == self.players // self.turn:
            return point
        return ring * self.turn + (place + by) % self.turn


@lru_cache(maxsize=1)
def published_movements() -> Mapping[int, PublishedMovement]:
    """Number of players → its whist movement."""
    found = {}
    for file in sorted(SHIPPED.glob("*.toml")):
        with file.open("rb") as opened:
            for entry in tomllib.load(opened)["movement"]:
                movement = _movement(entry)
                found[movement.players] = movement
    return found


def _movement(entry: Mapping[str, Any]) -> PublishedMovement:
    """A movement from its entry in a file: tables such as `X 4 v 2 1`, with | between them.

    >>> _movement({"players": 4, "turn": 3, "base": ["X 0 v 2 1"], "source": "…"}).rounds()[1]
    [(3, 1, 0, 2)]
    """
    return PublishedMovement(
        players=entry["players"],
        turn=entry["turn"],
        step=entry.get("step", 1),
        base=tuple(_base_round(text, entry["players"]) for text in entry["base"]),
        source=entry["source"],
    )


def _base_round(text: str, players: int) -> tuple[Table, ...]:
    return tuple(_table(table.replace(" v ", " ").split(), players) for table in text.split(" | "))


def _table(points: Sequence[str], players: int) -> Table:
    return tuple(players - 1 if point == "X" else int(point) for point in points)
