"""What a request for whist, pairs or teams must have: enough people, whole pairs and teams.

Pure. See docs/algorithms/movements.md, "Refusals".
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from scoring.errors import Problem, Refused
from scoring.seating.constraints import require_possible
from scoring.seating.requests import SeatingRequest

VARIATIONS: Final = {
    "whist": (),
    "pairs": ("all_play_all", "mitchell", "swiss"),
    "teams": ("one_table", "two_tables"),
}
"""Movement → its variations, the usual one first."""

AT_A_TABLE: Final = 4
TEAM: Final = 4
"""The members of a team where a request does not say who they are."""


def require_plannable(request: SeatingRequest) -> None:
    """Refuse what no movement can do: numbers out of range, tables without four seats.

    Raises:
        Refused: no_tables_of_four, unknown_variation, and as `require_possible`.
    """
    if AT_A_TABLE not in request.sizes:
        raise Refused(Problem("no_tables_of_four", (), {"movement": request.movement}))
    require_variation(request.movement, request.variation)
    require_possible(request)


def require_variation(movement: str, variation: str) -> None:
    """Refuse a variation that the movement does not have; empty is the usual one.

    Raises:
        Refused: unknown_variation.
    """
    known = VARIATIONS[movement]
    if variation and variation not in known:
        facts = {"movement": movement, "variation": variation, "known": list(known)}
        raise Refused(Problem("unknown_variation", (), facts))


def units_of_request(request: SeatingRequest, size: int) -> tuple[tuple[int, ...], ...]:
    """The pairs or teams of a request; the players in ascending order where it names none.

    Args:
        size: the members of each, where the request does not name them.

    Raises:
        Refused: players_left_over, with the number of players who are no whole pair or team;
            unit_of_another_size, player_in_two_units, player_without_unit.
    """
    if request.units:
        problems = tuple(_problems(request))
        if problems:
            raise Refused(*problems)
        return request.units
    players = sorted(request.players)
    left = len(players) % size
    if left:
        facts = {"found": len(players), "size": size, "left": left, "movement": request.movement}
        raise Refused(Problem("players_left_over", (), facts))
    return tuple(tuple(players[at : at + size]) for at in range(0, len(players), size))


def require_units(movement: str, units: int) -> None:
    """Refuse fewer than two pairs or teams.

    Raises:
        Refused: too_few_in_movement.
    """
    if units < 2:
        raise Refused(Problem("too_few_in_movement", (), {"movement": movement, "found": units}))


def _problems(request: SeatingRequest) -> Iterator[Problem]:
    times = Counter(player for unit in request.units for player in unit)
    for player in sorted(set(request.players) - set(times)):
        yield Problem("player_without_unit", (), {"player": player, "movement": request.movement})
    for player in sorted(set(times) - set(request.players)):
        yield Problem("constraint_player_unknown", (), {"player": player})
    for player, count in sorted(times.items()):
        if count > 1:
            facts = {"player": player, "movement": request.movement}
            yield Problem("player_in_two_units", (), facts)
    for number, unit in enumerate(request.units, 1):
        if request.movement == "pairs" and len(unit) != 2:
            facts = {"unit": number, "found": len(unit), "players": list(unit)}
            yield Problem("pair_of_another_size", (), facts)
