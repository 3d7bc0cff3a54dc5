"""A new table of people who wait in a seated round.

Pure. See docs/algorithms/seating.md, "Changes during the evening".
"""

from collections.abc import Sequence
from itertools import combinations, islice
from typing import Final

from scoring.seating.changes import Arrangement, SeatingLimits, Way, keeps_constraints, way_from
from scoring.seating.requests import Table

MOST_TRIED: Final = 400
"""So many choices of people are tried."""


def table_to_form(before: Arrangement, limits: SeatingLimits) -> Table:
    """The first who wait and may share a new table, of the first size that is possible; else ().

    >>> round_ = Arrangement(((1, 2, 3),), (4, 5, 6, 7))
    >>> table_to_form(round_, SeatingLimits((3,)))
    (4, 5, 6)
    >>> table_to_form(round_, SeatingLimits((3,), apart=frozenset({frozenset((4, 5))})))
    (4, 6, 7)
    >>> table_to_form(round_, SeatingLimits((5,)))
    ()
    """
    for size in sorted(limits.sizes, key=lambda one: (one != 4, one)):
        for players in islice(combinations(before.waiting, size), MOST_TRIED):
            if ways_to_form(before, players, limits):
                return players
    return ()


def ways_to_form(
    before: Arrangement, players: Sequence[int], limits: SeatingLimits
) -> tuple[Way, ...]:
    """The way to seat some who wait at a new table; none where a constraint forbids it.

    >>> round_ = Arrangement(((1, 2, 3),), (4, 5, 6, 7))
    >>> [way.after for way in ways_to_form(round_, (5, 6, 7), SeatingLimits((3,)))]
    [Arrangement(tables=((1, 2, 3), (5, 6, 7)), waiting=(4,))]
    """
    if len(players) not in limits.sizes or not set(players) <= set(before.waiting):
        return ()
    waiting = tuple(player for player in before.waiting if player not in players)
    after = Arrangement((*before.tables, tuple(players)), waiting)
    return (way_from(before, after, limits),) if keeps_constraints(before, after, limits) else ()
