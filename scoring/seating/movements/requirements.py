"""The requirements of a request for a movement, and the drawing of its places by lot."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from scoring.errors import Problem, Refused
from scoring.seating.constraints import apart_pairs, require_possible
from scoring.seating.requests import SeatingRequest
from scoring.seating.splitmix import stream_of

VARIATIONS: Final = {
    "whist": (),
    "pairs": ("all_play_all", "mitchell", "swiss"),
    "teams": ("one_table", "two_tables"),
}
"""Movement → its variations, the usual one first."""

AT_A_TABLE: Final = 4
TEAM: Final = 4
"""The members of a team where a request does not say who they are."""

_LOT: Final = 6
"""Names the stream of lots for the places of a movement."""

TRIES: Final = 200
"""Number of random draws where players must be apart."""


def require_plannable(request: SeatingRequest) -> None:
    """Refuse impossible requests: numbers out of range, tables without four seats."""
    if AT_A_TABLE not in request.sizes:
        raise Refused(Problem("no_tables_of_four", (), {"movement": request.movement}))
    require_variation(request.movement, request.variation)
    require_possible(request)


def require_variation(movement: str, variation: str) -> None:
    """Refuse a variation that the movement does not have; empty is the usual one."""
    variations = VARIATIONS[movement]
    if variation and variation not in variations:
        facts = {"movement": movement, "variation": variation, "known": list(variations)}
        raise Refused(Problem("unknown_variation", (), facts))


def units_of_request(request: SeatingRequest, size: int) -> tuple[tuple[int, ...], ...]:
    """The pairs or teams of a request; the players in ascending order where it names none.

    `size`: the members of each, where the request does not name them.
    """
    if request.units:
        problems = tuple(_problems(request))
        if problems:
            raise Refused(*problems)
        return request.units
    players = sorted(request.players)
    rest = len(players) % size
    if rest:
        facts = {"found": len(players), "size": size, "left": rest, "movement": request.movement}
        raise Refused(Problem("players_left_over", (), facts))
    return tuple(tuple(players[at : at + size]) for at in range(0, len(players), size))


def require_units(movement: str, units: int) -> None:
    """Refuse fewer than two pairs or teams."""
    if units < 2:
        raise Refused(Problem("too_few_in_movement", (), {"movement": movement, "found": units}))


def _problems(request: SeatingRequest) -> Iterator[Problem]:
    times = Counter(player for unit in request.units for player in unit)
    movement = {"movement": request.movement}
    for player in sorted(set(request.players) - set(times)):
        yield Problem("player_without_unit", (), {"player": player, **movement})
    for player in sorted(set(times) - set(request.players)):
        yield Problem("constraint_player_unknown", (), {"player": player})
    for player, count in sorted(times.items()):
        if count > 1:
            yield Problem("player_in_two_units", (), {"player": player, **movement})
    for number, unit in enumerate(request.units, 1):
        if request.movement == "pairs" and len(unit) != 2:
            facts = {"unit": number, "found": len(unit), "players": list(unit)}
            yield Problem("pair_of_another_size", (), facts)


def are_always_there(request: SeatingRequest) -> bool:
    """Whether everybody is there in every round of the plan."""
    everybody = tuple(sorted(request.players))
    return all(request.present(number) == everybody for number in range(1, request.rounds + 1))


def placed_by_lot(
    request: SeatingRequest,
    units: Sequence[Sequence[int]],
    rounds: Sequence[Sequence[tuple[int, int]]],
) -> list[list[tuple[int, int]]]:
    """The rounds of a movement with units in their places, as `drawn_by_sit_outs`."""
    order = drawn_by_sit_outs(request, units, rounds)
    return [[(order[first], order[second]) for first, second in matches] for matches in rounds]


def drawn_by_sit_outs(
    request: SeatingRequest,
    units: Sequence[Sequence[int]],
    rounds: Sequence[Sequence[Sequence[int]]],
) -> list[int]:
    """The unit at each place of a movement.

    The places that sit out most often, and then first, go to the units that sat out least often in
    the history, then longest ago, then with the lowest standing, then by lot; the others by lot.
    Where players must be apart, the first of `TRIES` lots is taken in which they never meet.

    Args:
        units: the members of each; one player each in a movement of single players.
        rounds: the places that share a table, for each table of each round.
    """
    apart = [sorted(pair) for pair in apart_pairs(request)]
    first: list[list[int]] = []
    for number in range(TRIES if apart else 1):
        order = _drawn(request, units, rounds, number)
        unit_at = {player: order.index(at) for at, unit in enumerate(units) for player in unit}
        met = {frozenset((a, b)) for tables in rounds for t in tables for a in t for b in t}
        broken = [
            [player, other]
            for player, other in apart
            if unit_at[player] != unit_at[other]
            and frozenset((unit_at[player], unit_at[other])) in met
        ]
        if not broken:
            return order
        first = first or broken
    raise Refused(Problem("constraints_not_met", (), {"pairs": sorted(first), "round": 0}))


def _drawn(
    request: SeatingRequest,
    units: Sequence[Sequence[int]],
    rounds: Sequence[Sequence[Sequence[int]]],
    number: int,
) -> list[int]:
    places = range(len(units))
    outs = {
        place: tuple(at for at, tables in enumerate(rounds) if place not in chain(*tables))
        for place in places
    }
    lot = stream_of(request.seed, _LOT, *([number] if number else []))
    key = sit_out_keys(request)
    drawn = lot.shuffled(places)
    sitting = sorted(filter(outs.get, places), key=lambda at: (-len(outs[at]), outs[at]))
    first = sorted(drawn, key=lambda at: max(key[player] for player in units[at]))
    drawn_places = dict(zip(sitting, first, strict=False))
    rest = iter([at for at in drawn if at not in set(drawn_places.values())])
    return [drawn_places[place] if place in drawn_places else next(rest) for place in places]


def sit_out_keys(request: SeatingRequest) -> Mapping[int, tuple[int, int, int]]:
    """Player → times sat out, the last time, the rank negated; the smallest sits out first."""
    times: Counter[int] = Counter()
    last: dict[int, int] = {}
    for number, planned in enumerate(request.history, 1):
        times.update(planned.sitting_out)
        last.update(dict.fromkeys(planned.sitting_out, number))
    return {
        player: (times[player], last.get(player, 0), -request.standing.get(player, 0))
        for player in request.players
    }
