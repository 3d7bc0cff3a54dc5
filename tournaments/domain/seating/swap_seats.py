"""An entry with what stands at seats exchanged, for people who change seats with their scores.

Pure. Lists of an entry are in seat order, those of points in the order of units: of sides where
these pool what they take.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from scoring.errors import Problem

BY_SEAT: Final = (
    "taken",
    "hearts",
    "clean",
    "tricks",
    "pledges",
    "points",
    "melds",
    "trick_points",
)
"""Keys whose value is a list with a part a seat, or a side."""
OF_A_SEAT: Final = ("shooter", "passer", "first_trick_by", "last_trick", "declared_out")
"""Keys whose value is a seat from 0."""


class NotBySeat(Exception):
    """An entry says something of whole sides, which cannot be divided between their seats."""

    problem = Problem("scores_of_a_side")


def exchange_entry_seats(
    entry: Mapping[str, object],
    exchanged: Iterable[tuple[int, int]],
    *,
    seats: int,
    sides: Sequence[Sequence[int]],
) -> dict[str, object]:
    """Return an entry with pairs of seats (from 0) exchanged.

    Args:
        exchanged: no seat is in two of these pairs.
        sides: the seats of each side, where the rules have sides.

    Raises:
        NotBySeat: what was entered for a side has no seat.
    """
    named = {seat: other for pair in exchanged for seat, other in (pair, pair[::-1])}
    members = [set(side) for side in sides]
    moved = [{named.get(seat, seat) for seat in side} for side in sides]
    found = dict(entry)
    for key in BY_SEAT:
        value = entry.get(key)
        if not isinstance(value, list):
            continue
        if len(value) == seats:
            found[key] = [value[named.get(seat, seat)] for seat in range(seats)]
        elif len(value) == len(sides) and all(side in members for side in moved):
            found[key] = [value[members.index(side)] for side in moved]
        else:
            raise NotBySeat
    for key in OF_A_SEAT:
        value = entry.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            found[key] = named.get(value, value)
    return found
