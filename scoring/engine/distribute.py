"""Cards counted in the fields of one integer, and piles shared out to the units.

Pure combinatorics. Numbers of each kind stand side by side in one integer, so that "is part of",
"what is left" and "added together" are one operation each. See docs/algorithms/points-only.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, TypeAlias

from scoring.budget import BOUNDLESS, Budget


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


def counters(groups: Iterable[int]) -> tuple[Counter, ...]:
    """A field for each group of cards (a mask), one above the other.

    >>> [(one.first, one.runs) for one in counters([0b1011, 0b0100])]
    [(0, (0, 1, 3, 11)), (2, (0, 4))]
    """
    fields: list[Counter] = []
    first = 0
    for group in groups:
        runs = [0]
        for place in range(group.bit_length()):
            if group >> place & 1:
                runs.append(runs[-1] | 1 << place)
        fields.append(Counter(first, tuple(runs)))
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
    """A pile (a mask) that adds `number` to the fields, or None where there is none.

    >>> pile_of(2, counters([0b1011, 0b0100])), pile_of(8, counters([0b1011, 0b0100]))
    (3, None)
    """
    pile, rest = 0, number
    for counter in fields:
        counted = (number & counter.mask) >> counter.first
        if counted > counter.most:
            return None
        pile |= counter.runs[counted]
        rest -= counted << counter.first
    return None if rest else pile


MOST_STEPS = 2_000_000
Option: TypeAlias = tuple[int, int | None]
"""A pile, packed, and the tricks that go with it (None where nothing asks)."""


class TooMany(Exception):
    """There are more ways than anybody waits for."""


class Packing(NamedTuple):
    """Numbers of each kind side by side in one integer, with a guard bit over each."""

    kinds: tuple[int, ...]
    shifts: tuple[int, ...]
    guard: int
    full: int

    def fits(self, pile: int, rest: int) -> bool:
        """Whether every number of the part is at most that of the rest."""
        return ((rest | self.guard) - pile) & self.guard == self.guard

    def counts(self, pile: int) -> list[int]:
        """The number of each kind in a pile."""
        widths = [kind.bit_count().bit_length() for kind in self.kinds]
        return [
            pile >> shift & ((1 << width) - 1)
            for shift, width in zip(self.shifts, widths, strict=True)
        ]


def packing_of(kinds: tuple[int, ...]) -> Packing:
    """The packing of these kinds, each a mask of its cards."""
    shifts, guard, full, at = [], 0, 0, 0
    for kind in kinds:
        number = kind.bit_count()
        shifts.append(at)
        full |= number << at
        at += number.bit_length() + 1
        guard |= 1 << (at - 1)
    return Packing(kinds, tuple(shifts), guard, full)


def prefixes(kind: int) -> list[int]:
    """The first 0, 1, 2 … cards of a kind."""
    piles, run = [0], 0
    for place in range(kind.bit_length()):
        if kind >> place & 1:
            run |= 1 << place
            piles.append(run)
    return piles


def all_piles(kinds: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Every pile of so many of each kind, packed and as cards."""
    packing = packing_of(kinds)
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
    """One option for each unit so that together they are all the cards, or None.

    Args:
        packing: how piles are packed.
        options: per unit, the piles that it may have.
        most_steps: how long to look.
        budget: what pays for the steps.

    Raises:
        TooMany: not told within `most_steps`.

    >>> packing = packing_of((0b111,))
    >>> share_out(packing, [[(1, None), (2, None)], [(2, None)], [(0, None)]])
    [(1, None), (2, None), (0, None)]
    """
    order = sorted(range(len(options)), key=lambda unit: len(options[unit]))
    budget.spend(sum(map(len, options)))
    piles = [list(dict(options[unit]).items()) for unit in order]
    search = _Search(packing, piles, most_steps, budget)
    search_order_options = search.place(0, packing.full)
    if search_order_options is None:
        return None
    chosen = dict(zip(order, search_order_options, strict=True))
    return [chosen[unit] for unit in range(len(options))]


class _Search:
    """The search, most bound unit first; a rest that failed once is not looked at again."""

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
            rest_of_pack = rest - option[0]
            if rest_of_pack in last:
                return [option, (rest_of_pack, last[rest_of_pack])]
        self.dead.add((depth, rest))
        return None
