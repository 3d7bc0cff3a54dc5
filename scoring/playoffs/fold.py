"""Back into the standings: a play-off's result as the order of its group, and nothing else.

Pure. See docs/scoring/playoffs.md.
"""

from collections.abc import Iterable, Mapping, Sequence

from scoring.playoffs.boundaries import Tiers
from scoring.playoffs.progress import Progress


def ranks(result: Progress) -> dict[str, int]:
    """Return each member's place within the group, from 1; those who stay level share it.

    With what each made (`told`) it is the criterion `playoff`, asked after the chain.
    """
    found: dict[str, int] = {}
    for level in result.order:
        place = len(found) + 1
        found.update(dict.fromkeys(level, place))
    return found


def all_ranks(results: Iterable[Progress]) -> dict[str, int]:
    """Return the places of several play-offs together; nobody is in two of them."""
    return {member: place for result in results for member, place in ranks(result).items()}


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
