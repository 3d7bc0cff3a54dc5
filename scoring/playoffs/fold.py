"""Back into the standings: a play-off's result as the order of its group, and nothing else.

Pure. See docs/algorithms/playoffs.md.
"""

from collections.abc import Mapping, Sequence

from scoring.playoffs.boundaries import Tiers


def ranks(order: Tiers) -> dict[str, int]:
    """Return each member's place within the group, from 1; those who stay tied share it.

    With what each made (`told`) it is the criterion `playoff`, asked after the tie-break order.

    Args:
        order: of a play-off, best first (`Progress.order`).

    >>> ranks([["D"], ["B", "C"], ["A"]])
    {'D': 1, 'B': 2, 'C': 2, 'A': 4}
    """
    found: dict[str, int] = {}
    for level in order:
        place = len(found) + 1
        found.update(dict.fromkeys(level, place))
    return found


def folded(tiers: Tiers, playoff_rank: Mapping[str, int]) -> tuple[tuple[str, ...], ...]:
    """Return the tiers with those split whose members have all played off.

    Args:
        tiers: level entrants, best first.
        playoff_rank: code → place in its play-off.

    Returns:
        The same entrants; nobody leaves the places of the own tier.

    >>> folded([["A"], ["B", "C", "D"], ["E"]], {"D": 1, "B": 2, "C": 2})
    (('A',), ('D',), ('B', 'C'), ('E',))
    """
    after: list[tuple[str, ...]] = []
    for tier in tiers:
        after.extend(_parts(tier, playoff_rank))
    return tuple(after)


def _parts(tier: Sequence[str], playoff_rank: Mapping[str, int]) -> list[tuple[str, ...]]:
    if any(member not in playoff_rank for member in tier):
        return [tuple(tier)]
    places = sorted({playoff_rank[member] for member in tier})
    return [tuple(one for one in tier if playoff_rank[one] == place) for place in places]
