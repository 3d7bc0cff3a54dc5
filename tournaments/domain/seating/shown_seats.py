"""Who sat in which seat on a page where numbers were typed, sent along with them.

Numbers belong to seats. Where two people changed seats after the page was opened, the numbers that
were typed beside a name would go to somebody else. Pure.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final

FIELD: Final = "seated"
"""The hidden field of a page."""
MOST_SEATS: Final = 100


def as_field(people: Sequence[str]) -> str:
    """Return player ids in seat order as the text of the field."""
    return json.dumps(list(people), separators=(",", ":"))


def in_field(text: str) -> tuple[str, ...] | None:
    """Return the player ids of a field; None where it has none, as on a page from before."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_list = isinstance(found, list) and len(found) <= MOST_SEATS
    return tuple(map(str, found)) if is_list else None


def moved_seats(shown: Sequence[str], there: Mapping[int, str]) -> tuple[int, ...]:
    """Return the seats (from 1) where somebody sits now who was shown in another seat.

    Args:
        there: seat → player id.
    """
    seats = {player: seat for seat, player in enumerate(shown, start=1) if player}
    return tuple(seat for seat, player in sorted(there.items()) if seats.get(player, seat) != seat)
