"""Hands corrected in a league, and published there and in one of a tenth of its size."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks import correcting, publishing_corrections, publishing_evenings
from benchmarks.corrected import league
from benchmarks.measure import Figure
from benchmarks.sizes import Sizes

DOUBLINGS = 4
"""Number of times that the imported larger league is doubled; the smaller one is doubled once
less."""


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    tenth = league(folder, "tenth", sizes, sizes.corrected_hands // 10, DOUBLINGS - 1)
    large = league(folder, "mended", sizes, sizes.corrected_hands, DOUBLINGS)
    yield from correcting.beside_new_hands(large, sizes)
    yield from publishing_corrections.figures(tenth, large, sizes)
    yield from publishing_evenings.figures(folder, sizes)
