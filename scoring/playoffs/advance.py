"""Who goes on from a stage: the best of each table of its last round, then the best of the others.

Pure. The order within a table is its places; who shares a place there is ordered by the standings,
and so are the wild cards. See docs/algorithms/stages.md.
"""

from collections.abc import Mapping

from scoring.playoffs.boundaries import Tiers, above_line


def best_of_tables(
    tiers: Tiers,
    tables: Mapping[int, Mapping[str, int]],
    *,
    each_table: int,
    wild_cards: int = 0,
    shares: bool = False,
) -> tuple[Tiers, int, tuple[str, ...], int | None]:
    """Order a stage for a rule "the best `each_table` of each table and so many wild cards".

    Args:
        tiers: the standings, best first, of those who may go on; level entrants share a tier.
        tables: code → place (1 = first) at each table of the last round, by table number. Codes
            that are in no tier (who withdrew) are passed over, and the next one goes on.
        each_table: how many of a table go on; all of a smaller one.
        shares: all who share the last place of a table go on.

    An order in which a line after so many (`boundaries.above_line`) separates who goes on: those
    who do by their table, then the others by the standings. Then who shares the last place of a
    table that goes on, in the standings as well, and the number of that table; those tied and
    everybody after them are one tier then.

    Source: our own rule; the top two of each table are the common knock-out for four.

    >>> tables = {1: {"a": 1, "b": 2, "c": 3}, 2: {"d": 1, "e": 2, "f": 2}}
    >>> best_of_tables(
    ...     [["a"], ["d"], ["f"], ["b"], ["e"], ["c"]], tables, each_table=2, wild_cards=1
    ... )
    ([['a', 'b', 'd', 'f'], ['e'], ['c']], 5, (), None)
    """
    at = {code: tier for tier, codes in enumerate(tiers) for code in codes}
    through: set[str] = set()
    tied: tuple[str, ...] = ()
    tied_table = None
    above = wild_cards
    for number, places in sorted(tables.items()):
        fit = {code: (place, at[code]) for code, place in places.items() if code in at}
        above += min(each_table, len(fit))
        sure, edge = _split(fit, each_table)
        if shares and edge:
            above += len(sure) + len(edge) - min(each_table, len(fit))
            sure, edge = sure | edge, set()
        through |= sure
        if edge and not tied:
            tied, tied_table = tuple(sorted(edge)), number
    others = [[code for code in tier if code not in through] for tier in tiers]
    rest = [tier for tier in others if tier]
    if tied:
        rest = [[code for tier in rest for code in tier]]
    order = [sorted(through), *rest] if through else rest
    return order, above, tied, tied_table


def with_best_of_another(first: Tiers, above: int, second: Tiers, best: int) -> Tiers:
    """Order two stages for a rule "those of the first, and the best of the second".

    `above` of the first order go on and `best` of the second, which has none of those. A line after
    `above + best` of the new order separates who goes on; where a tie spans one of the two lines,
    everybody is one tier.

    Source: our own rule; a repechage in a knock-out.

    >>> with_best_of_another([["a"], ["b"], ["c"]], 2, [["d"], ["e"]], 1)
    [['a', 'b', 'd'], ['c'], ['e']]
    >>> with_best_of_another([["a"], ["b"]], 1, [["d", "e"]], 1)
    [['a', 'b', 'd', 'e']]
    """
    through, back = above_line(first, above), above_line(second, best)
    if through is None or back is None:
        return [list(dict.fromkeys(code for tier in (*first, *second) for code in tier))]
    order = [sorted(through | back)]
    placed = through | back
    for tier in (*first, *second):
        if rest := [code for code in tier if code not in placed]:
            placed = placed.union(rest)
            order.append(rest)
    return order


def _split(fit: Mapping[str, tuple[int, int]], count: int) -> tuple[set[str], set[str]]:
    """The codes that go on from a table, and those that are tied across its line."""
    ordered = sorted(fit, key=lambda code: (fit[code], code))
    if len(ordered) <= count:
        return set(ordered), set()
    line = fit[ordered[count - 1]]
    if fit[ordered[count]] != line:
        return set(ordered[:count]), set()
    level = {code for code in ordered if fit[code] == line}
    return set(ordered[:count]) - level, level
