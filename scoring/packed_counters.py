"""Cards counted in the fields of one integer, so that adding integers adds piles.

Pure. Several copies of a card need several bits, and a field that flows over is found by counting
the cards: then the integer has more or other cards than were added.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counter:
    """One field: its first bit, and the first 0, 1, 2 … of the cards that it counts as a mask."""

    first: int
    runs: tuple[int, ...]

    @property
    def most(self) -> int:
        """How many cards there are to count."""
        return len(self.runs) - 1

    @property
    def width(self) -> int:
        """Bits of the field: all the cards can be counted in it."""
        return self.most.bit_length()

    @property
    def mask(self) -> int:
        """All bits of the field."""
        return (1 << self.width) - 1 << self.first


def counters(groups: Iterable[int]) -> tuple[Counter, ...]:
    """A field for each group of cards (a mask), one above the other.

    >>> [(one.first, one.runs) for one in counters([0b1011, 0b0100])]
    [(0, (0, 1, 3, 11)), (2, (0, 4))]
    """
    found: list[Counter] = []
    first = 0
    for group in groups:
        runs = [0]
        for place in range(group.bit_length()):
            if group >> place & 1:
                runs.append(runs[-1] | 1 << place)
        found.append(Counter(first, tuple(runs)))
        first += found[-1].width
    return tuple(found)


def width_of(fields: Sequence[Counter]) -> int:
    """Bits of all the fields together."""
    return sum(one.width for one in fields)


def added(pile: int, fields: Sequence[Counter]) -> int:
    """What the cards of a pile (a mask) add to the fields.

    >>> added(0b0111, counters([0b1011, 0b0100])) == 2 + (1 << 2)
    True
    """
    return sum((pile & one.runs[-1]).bit_count() << one.first for one in fields)


def pile_of(number: int, fields: Sequence[Counter]) -> int | None:
    """Some pile (a mask) that adds to `number`, None where there is no such pile.

    >>> pile_of(2, counters([0b1011, 0b0100])), pile_of(8, counters([0b1011, 0b0100]))
    (3, None)
    """
    pile, left = 0, number
    for one in fields:
        counted = (number & one.mask) >> one.first
        if counted > one.most:
            return None
        pile |= one.runs[counted]
        left -= counted << one.first
    return None if left else pile
