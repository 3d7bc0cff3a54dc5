"""Random numbers that are the same on every machine and Python version: SplitMix64.

Pure. See docs/algorithms/seating.md, "Random numbers".
"""

from collections.abc import Iterable
from typing import Final, TypeVar

MASK: Final = (1 << 64) - 1
GAMMA: Final = 0x9E3779B97F4A7C15
"""The step of the state: the odd number next to 2^64 over the golden ratio."""

T = TypeVar("T")


class SplitMix:
    """A stream of 64-bit numbers from a seed.

    Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014); the
    constants are those of Vigna's reference code.

    >>> stream = SplitMix(1234567)
    >>> stream.next64(), stream.next64()
    (6457827717110365317, 3203168211198807973)
    """

    __slots__ = ("state",)

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK

    def next64(self) -> int:
        """The next number of the stream, from 0 to 2^64 - 1."""
        self.state = mixed = (self.state + GAMMA) & MASK
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound: int) -> int:
        """A number from 0 to `bound` - 1, each equally likely.

        Source: multiplication and rejection, Lemire, "Fast random integer generation in an
        interval" (2019).

        >>> stream = SplitMix(0)
        >>> [stream.below(6) for _ in range(8)]
        [5, 2, 0, 5, 0, 1, 1, 4]
        """
        least = (1 << 64) % bound
        while True:
            product = self.next64() * bound
            if product & MASK >= least:
                return product >> 64

    def shuffled(self, things: Iterable[T]) -> list[T]:
        """The things in a random order.

        Source: Fisher and Yates (Durstenfeld 1964), from the last place down.

        >>> SplitMix(7).shuffled("abcdef")
        ['f', 'e', 'b', 'd', 'a', 'c']
        """
        shuffled = list(things)
        for last in range(len(shuffled) - 1, 0, -1):
            other = self.below(last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled


def stream_of(seed: int, *parts: int) -> SplitMix:
    """A stream of its own for one part of a plan, for instance a round.

    `parts`: numbers that name the part; each is mixed into the seed.
    """
    for part in parts:
        seed = SplitMix(seed ^ (part * GAMMA & MASK)).next64()
    return SplitMix(seed)
