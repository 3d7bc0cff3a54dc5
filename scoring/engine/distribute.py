"""Cards counted in the fields of one integer, and piles shared out to the units.

Pure combinatorics. Numbers of each kind stand side by side in one integer, so that "is part of",
"what is left" and "added together" are one operation each. See docs/algorithms/scoring.md,
"Points only".
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from scoring.budget import BOUNDLESS, Budget
from scoring.cards import prefixes


@dataclass(frozen=True, slots=True)
class Counter:
    """One field: its first bit, and the first 0, 1, 2 … of the cards that it counts as a mask."""

    first: int
    runs: tuple[int, ...]

    @property
    def most(self) -> int:
        """The number of cards to count."""
        return len(self.runs) - 1

    @property
    def width(self) -> int:
        """Bits of the field: all the cards can be counted in it."""
        return self.most.bit_length()

    @property
    def mask(self) -> int:
        """All bits of the field."""
        return (1 << self.width) - 1 << self.first


MOST_STEPS = 2_000_000

Option: TypeAlias = tuple[int, int | None]
"""A pile, packed, and the tricks that go with it (None where nothing asks)."""


class TooMany(Exception):
    """There are too many ways to search."""


def counters(groups: Iterable[int]) -> tuple[Counter, ...]:
    """A field for each group of cards (a mask), one above the other.

    >>> [(one.first, one.runs) for one in counters([0b1011, 0b0100])]
    [(0, (0, 1, 3, 11)), (2, (0, 4))]
    """
    fields: list[Counter] = []
    first = 0
    for group in groups:
        fields.append(Counter(first, tuple(prefixes(group))))
        first += fields[-1].width
    return tuple(fields)


def width_of(fields: Sequence[Counter]) -> int:
    """Bits of all the fields together."""
    return sum(counter.width for counter in fields)


def added(pile: int, fields: Sequence[Counter]) -> int:
    """The number that the cards of a pile (a mask) add to the fields.

    >>> added(0b0111, counters([0b1011, 0b0100])) == 2 + (1 << 2)
    True
    """
    return sum((pile & counter.runs[-1]).bit_count() << counter.first for counter in fields)


def pile_of(number: int, fields: Sequence[Counter]) -> int | None:
    """A pile (a mask) that adds `number` to the fields, or None if none does.

    >>> pile_of(2, counters([0b1011, 0b0100])), pile_of(8, counters([0b1011, 0b0100]))
    (3, None)
    """
    pile = 0
    rest = number
    for counter in fields:
        counted = (number & counter.mask) >> counter.first
        if counted > counter.most:
            return None
        pile |= counter.runs[counted]
        rest -= counted << counter.first
    return None if rest else pile


class Packing:
    """Numbers of each kind (a mask of its cards) in one integer, with a guard bit over each."""

    def __init__(self, kinds: tuple[int, ...]) -> None:
        self.kinds = kinds
        self.shifts: list[int] = []
        self.guard = self.full = at = 0
        for number in map(int.bit_count, kinds):
            self.shifts.append(at)
            self.full |= number << at
            at += number.bit_length() + 1
            self.guard |= 1 << (at - 1)

    def fits(self, pile: int, rest: int) -> bool:
        """Whether every number of the part is at most that of the rest."""
        return ((rest | self.guard) - pile) & self.guard == self.guard

    def counts(self, pile: int) -> list[int]:
        """The number of each kind in a pile."""
        return [
            pile >> shift & ((1 << kind.bit_count().bit_length()) - 1)
            for kind, shift in zip(self.kinds, self.shifts, strict=True)
        ]


def all_piles(kinds: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Every pile of so many of each kind, packed and as cards."""
    packing = Packing(kinds)
    parts = [
        [(count << shift, run) for count, run in enumerate(prefixes(kind))]
        for kind, shift in zip(kinds, packing.shifts, strict=True)
    ]
    for choice in product(*parts):
        packed = pile = 0
        for count, run in choice:
            packed |= count
            pile |= run
        yield packed, pile


def share_out(
    packing: Packing,
    options: Sequence[Sequence[Option]],
    most_steps: int = MOST_STEPS,
    budget: Budget = BOUNDLESS,
) -> list[Option] | None:
    """One of its options for each unit so that together they are all the cards, or None.

    Raise `TooMany` if the search needs more than `most_steps`.

    >>> packing = Packing((0b111,))
    >>> share_out(packing, [[(1, None), (2, None)], [(2, None)], [(0, None)]])
    [(1, None), (2, None), (0, None)]
    """
    order = sorted(range(len(options)), key=lambda unit: len(options[unit]))
    budget.spend(sum(map(len, options)))
    piles = [list(dict(options[unit]).items()) for unit in order]
    shares = _Search(packing, piles, most_steps, budget).place(0, packing.full)
    if shares is None:
        return None
    share_of = dict(zip(order, shares, strict=True))
    return [share_of[unit] for unit in range(len(options))]


class _Search:
    """The search, most constrained unit first; failed remainders are not searched again."""

    def __init__(
        self, packing: Packing, options: list[list[Option]], most_steps: int, budget: Budget
    ) -> None:
        self.packing, self.options, self.most_steps = packing, options, most_steps
        self.budget = budget
        self.last = dict(options[-1])
        self.dead: set[tuple[int, int]] = set()
        self.steps = 0

    def place(self, depth: int, rest: int) -> list[Option] | None:
        if (depth, rest) in self.dead:
            return None
        self.steps += len(self.options[depth])
        if self.steps > self.most_steps:
            raise TooMany
        self.budget.spend(len(self.options[depth]))
        if depth == len(self.options) - 2:
            return self.place_two(depth, rest)
        for option in self.options[depth]:
            if self.packing.fits(option[0], rest):
                below = self.place(depth + 1, rest - option[0])
                if below is not None:
                    return [option, *below]
        self.dead.add((depth, rest))
        return None

    def place_two(self, depth: int, rest: int) -> list[Option] | None:
        """The last two units: what one leaves must be a pile of the other."""
        last = self.last
        for option in self.options[depth]:
            other = rest - option[0]
            if other in last:
                return [option, (other, last[other])]
        self.dead.add((depth, rest))
        return None
