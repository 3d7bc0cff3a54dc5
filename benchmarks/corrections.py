"""Hands corrected in two leagues, the larger of which grows in between."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks import correcting, publishing_corrections, replaying
from benchmarks.corrected import hands_of_event, league
from benchmarks.counting_again import require_same_sums
from benchmarks.leagues import double
from benchmarks.measure import Figure, Goal, say
from benchmarks.sizes import Sizes

DOUBLINGS = 4
"""Number of times that the imported larger league is doubled; the smaller one is doubled once
less."""

QUARTER = 2
"""Number of doublings before the first measurement."""


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    tenth = league(folder, "tenth", sizes, sizes.corrected_hands // 10, DOUBLINGS - 1)
    large = league(folder, "mended", sizes, sizes.corrected_hands >> QUARTER, QUARTER)
    yield from correcting.beside_new_hands(large, sizes)
    require_same_sums(large)
    first, _, _ = correcting.beside_the_league(large, sizes, Goal(50, at_least=True))
    yield from first
    for number in range(DOUBLINGS - QUARTER):
        say(f"doubling the league, {number + 1} of {DOUBLINGS - QUARTER}")
        double(large)
    last, grouped, counted = correcting.beside_the_league(large, sizes, Goal(150, at_least=True))
    yield from last
    rows = correcting.SEATS * hands_of_event(large)
    yield replaying.beside_group_by(rows, counted, grouped)
    yield from publishing_corrections.figures(tenth, large, sizes)
    yield from replaying.from_nothing(tenth)
