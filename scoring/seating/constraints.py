"""Who must be apart, together or at one table: units, contradictions, and their packing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final

from scoring.errors import Problem, Refused
from scoring.seating.requests import Pair, SeatingRequest

MOST_PLAYERS: Final = 400
MOST_ROUNDS: Final = 60

Unit = tuple[int, ...]
"""Players who share a table or sit out together, ascending."""


def units_of(request: SeatingRequest, present: Sequence[int]) -> tuple[Unit, ...]:
    """The players of a round as they move: groups that stay together, and single players.

    Players fixed at one table are one unit, too.

    >>> units_of(SeatingRequest((1, 2, 3, 4), 1, together=((3, 1),)), (1, 2, 3, 4))
    ((1, 3), (2,), (4,))
    """
    group_of = {player: {player} for player in sorted(present)}
    for first, second in (*request.together, *_at_one_table(request)):
        if first in group_of and second in group_of:
            group = group_of[first] | group_of[second]
            group_of |= dict.fromkeys(group, group)
    return tuple(dict.fromkeys(tuple(sorted(group)) for group in group_of.values()))


def apart_pairs(request: SeatingRequest) -> frozenset[frozenset[int]]:
    """The pairs who may not share a table, with those fixed at two different ones."""
    fixed = sorted(request.fixed_tables.items())
    elsewhere = (
        (first, second)
        for (first, table), (second, another) in combinations(fixed, 2)
        if table != another
    )
    return frozenset(map(frozenset, (*request.apart, *elsewhere)))


def _at_one_table(request: SeatingRequest) -> Iterator[Pair]:
    at: dict[int, int] = {}
    for player, table in sorted(request.fixed_tables.items()):
        if table in at:
            yield at[table], player
        at[table] = player


def require_possible(
    request: SeatingRequest, *, most_players: int = MOST_PLAYERS, most_rounds: int = MOST_ROUNDS
) -> None:
    """Refuse what no plan can keep: numbers out of range, no table sizes, contradictions."""
    if len(set(request.players)) != len(request.players):
        raise ValueError("a player is named twice")
    if len(request.players) > most_players:
        facts = {"found": len(request.players), "most": most_players}
        raise Refused(Problem("too_many_to_seat", (), facts))
    if not request.sizes:
        raise Refused(Problem("no_table_sizes"))
    if most_rounds == 1 and request.rounds != 1:
        raise Refused(Problem("one_round_at_a_time", ("rounds",), {"found": request.rounds}))
    if not 1 <= request.rounds <= most_rounds:
        facts = {"found": request.rounds, "most": most_rounds}
        raise Refused(Problem("bad_round_count", (), facts))
    if problems := contradictions(request):
        raise Refused(*problems)


def contradictions(request: SeatingRequest) -> tuple[Problem, ...]:
    """The constraints that cannot hold at once, each named by the pair that it is about.

    Facts hold players' numbers, so that the caller can write names.
    """
    if unknown := _unknown(request):
        return unknown
    return (
        *_apart_and_together(request),
        *_at_two_tables(request),
        *_apart_at_one_table(request),
        *_groups_too_large(request),
    )


def too_few_tables(
    request: SeatingRequest, number: int, present: Sequence[int], tables: int
) -> tuple[Problem, ...]:
    """The constraints that cannot hold in a round with so many tables."""
    missing = [
        Problem("fixed_table_missing", (), {"player": player, "table": table, "found": tables})
        for player, table in sorted(request.fixed_tables.items())
        if player in present and not 1 <= table <= tables
    ]
    single = [
        Problem("apart_with_one_table", (), {"pair": sorted(pair), "round": number})
        for pair in request.apart
        if tables == 1 and set(pair) <= set(present)
    ]
    return (*missing, *single)


def _unknown(request: SeatingRequest) -> tuple[Problem, ...]:
    pairs = (*request.apart, *request.together)
    players = set(request.fixed_tables).union(*pairs)
    problems = [
        ("constraint_player_unknown", player) for player in sorted(players - {*request.players})
    ]
    problems += [("constraint_of_one_player", first) for first, second in pairs if first == second]
    return tuple(Problem(code, (), {"player": player}) for code, player in problems)


def _apart_and_together(request: SeatingRequest) -> Iterator[Problem]:
    for first, second in request.apart:
        if path := path_between(first, second, request.together):
            facts = {"pair": [first, second], "together": list(map(list, path))}
            yield Problem("apart_and_together", (), facts)


def _at_two_tables(request: SeatingRequest) -> Iterator[Problem]:
    for first, second in combinations(sorted(request.fixed_tables), 2):
        tables = [request.fixed_tables[first], request.fixed_tables[second]]
        if tables[0] != tables[1] and path_between(first, second, request.together):
            yield Problem("together_at_two_tables", (), {"pair": [first, second], "tables": tables})


def _apart_at_one_table(request: SeatingRequest) -> Iterator[Problem]:
    for first, second in request.apart:
        table = request.fixed_tables.get(first)
        if table is not None and table == request.fixed_tables.get(second):
            yield Problem("apart_at_one_table", (), {"pair": [first, second], "table": table})


def _groups_too_large(request: SeatingRequest) -> Iterator[Problem]:
    most = max(request.sizes)
    sitters = Counter(request.fixed_tables.values())
    full = [(table, count) for table, count in sorted(sitters.items()) if count > most]
    for table, count in full:
        yield Problem("fixed_table_full", (), {"table": table, "found": count, "most": most})
    for unit in units_of(request, request.players):
        if len(unit) > most and not full:
            yield Problem("together_too_many", (), {"players": list(unit), "most": most})


def path_between(start: int, goal: int, pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """The pairs that lead from one player to another; empty where none do.

    >>> path_between(1, 3, [(1, 2), (3, 2), (4, 5)])
    ((1, 2), (2, 3))
    """
    links = [*pairs]
    paths: dict[int, tuple[Pair, ...]] = {start: ()}
    waiting = [start]
    for player in waiting:
        for pair in links:
            if player in pair:
                partner = pair[1] if pair[0] == player else pair[0]
                if partner not in paths:
                    paths[partner] = (*paths[player], (player, partner))
                    waiting.append(partner)
    return paths.get(goal, ())


def packed(units: Sequence[Unit], tables: Sequence[int]) -> list[list[int]] | None:
    """Tables filled with whole units; None where they cannot be.

    Args:
        units: groups and single players, as many players as there are seats; among units of one
            size the earlier ones are placed first.
        tables: seats of each table.

    The players of each table, in the order of `tables`.

    Source: exact search, the largest group first, that remembers what has failed.

    >>> packed([(1, 2), (3,), (4, 5), (6,)], (3, 3))
    [[1, 2, 3], [4, 5, 6]]
    >>> packed([(1, 2), (3, 4), (5, 6)], (3, 3)) is None
    True
    """
    order = sorted(units, key=len, reverse=True)
    seated: list[list[int]] = [[] for _ in tables]
    free = list(tables)
    failed: set[tuple[int, tuple[int, ...]]] = set()
    singles = next((at for at, unit in enumerate(order) if len(unit) == 1), len(order))

    def place(at: int) -> bool:
        if at == singles:
            return True
        key = (at, tuple(sorted(free)))
        if key in failed:
            return False
        tried = set()
        for table, seats in enumerate(free):
            if seats < len(order[at]) or seats in tried:
                continue
            tried.add(seats)
            seated[table].extend(order[at])
            free[table] -= len(order[at])
            if place(at + 1):
                return True
            free[table] += len(order[at])
            del seated[table][-len(order[at]) :]
        failed.add(key)
        return False

    if sum(map(len, order)) != sum(tables) or not place(0):
        return None
    # Single players fill whatever seats the groups leave, so no search is needed for them.
    rest = iter(order[singles:])
    for table, seats in enumerate(free):
        seated[table].extend(next(rest)[0] for _ in range(seats))
    return seated


def seated_units(units: Sequence[Unit], tables: Sequence[int]) -> list[list[int]]:
    """The units `packed` into tables of a round whose shape is one that they fit into."""
    seated = packed(units, tables)
    if seated is None:
        raise AssertionError("the shape of a round is one that its groups fit into")
    return seated


def broken_pairs(request: SeatingRequest, tables: Iterable[Iterable[int]]) -> list[list[int]]:
    """The pairs who must be apart and share a table."""
    seated = [set(table) for table in tables]
    pairs = sorted(map(sorted, apart_pairs(request)))
    return [pair for pair in pairs if any(table.issuperset(pair) for table in seated)]


def chosen_of(units: Sequence[Unit], count: int) -> list[Unit] | None:
    """The first units, in their order, with exactly so many players; None where none have.

    A unit is passed over only where taking it leaves a number that the rest cannot make.

    >>> chosen_of([(1, 2), (3,), (4, 5)], 1), chosen_of([(1, 2), (3, 4)], 1)
    ([(3,)], None)
    """
    reachable = [{0}]
    for unit in reversed(units):
        reachable.append(reachable[-1] | {total + len(unit) for total in reachable[-1]})
    reachable.reverse()
    if count not in reachable[0]:
        return None
    chosen = []
    rest = count
    for at, unit in enumerate(units):
        if rest >= len(unit) and rest - len(unit) in reachable[at + 1]:
            chosen.append(unit)
            rest -= len(unit)
    return chosen
