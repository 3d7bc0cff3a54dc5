"""The movement in which boards move: every player meets every set of boards once, no pair twice."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from scoring.errors import Problem, Refused
from scoring.seating.constraints import require_possible
from scoring.seating.cost import plan_of
from scoring.seating.movements.requirements import drawn_by_sit_outs
from scoring.seating.requests import PlannedRound, SeatingPlan, SeatingRequest, Table

TABLES: Final = (5, 7, 11, 13)
"""Numbers of tables that have such a movement: 2 and 3 divide none of them."""
LINES: Final = 4

HEAD_COUNTS: Final = tuple(LINES * tables for tables in TABLES)
"""Numbers of players that fill such a movement."""


def table_with(board_set: int, number: int, tables: int) -> int:
    """Return the table at which a set of boards is in round `number` of the movement, from 1.

    >>> [table_with(board_set, 2, 5) for board_set in (1, 2, 3, 4, 5)]
    [5, 1, 2, 3, 4]
    """
    return (board_set - number) % tables + 1


def moving_boards(tables: int) -> list[list[Table]]:
    """Return the rounds of the movement, each with its tables in order; players N, E, S, W.

    Players 1 to T are N, the next T are E, then S, then W, and keep their line. In round r, table t
    (from 0, modulo T) has N t, E t - r, S t - 2r, W t - 3r and board set t + r.

    Source: cyclic Latin squares; differences 1, 2, 3 and their own differences have to be prime to
    T, and so has the sum of each with 1.

    >>> moving_boards(5)[1][0]
    (1, 10, 14, 18)
    """
    if tables not in TABLES:
        sizes_listed = ", ".join(map(str, TABLES))
        raise Refused(Problem("no_moving_boards", (), {"found": tables, "known": sizes_listed}))
    return [
        [
            tuple(line * tables + (at - line * number) % tables + 1 for line in range(LINES))
            for at in range(tables)
        ]
        for number in range(tables)
    ]


def plan_moving(request: SeatingRequest) -> SeatingPlan:
    """The plan in which players move as the boards between their tables do.

    Everybody has a place in the movement: by lot, or as `line_up` says. Players who need a certain
    table stay at seat N of it. The first round of the plan is round `movement_round` of the
    movement.

    >>> plan = plan_moving(SeatingRequest(tuple(range(1, 21)), 5, movement="moving"))
    >>> len(plan.rounds), plan.cost.repeats, plan.cost.sit_outs
    (5, 0, 0)
    """
    _require_plannable(request)
    tables = len(request.players) // LINES
    first = request.movement_round
    rounds = moving_boards(tables)[first - 1 : first - 1 + request.rounds]
    order = request.line_up or _drawn(request, rounds)
    planned = tuple(
        PlannedRound(tuple(tuple(order[place - 1] for place in table) for table in of_round))
        for of_round in rounds
    )
    _require_met(request, planned)
    return plan_of(request, planned, "construction")


def line_up_of(tables: Sequence[Table], number: int) -> tuple[int, ...] | None:
    """The players by their places in the movement, from the tables of its round `number`.

    None where the tables are not those of such a movement.

    >>> line_up_of(moving_boards(5)[3], 4) == tuple(range(1, 21))
    True
    """
    if len(tables) not in TABLES or any(len(table) != LINES for table in tables):
        return None
    at_place = {
        place: player
        for places, table in zip(moving_boards(len(tables))[number - 1], tables, strict=True)
        for place, player in zip(places, table, strict=True)
    }
    return tuple(at_place[place] for place in sorted(at_place))


def _require_plannable(request: SeatingRequest) -> None:
    count = len(request.players)
    if count not in HEAD_COUNTS:
        expected = ", ".join(map(str, HEAD_COUNTS))
        raise Refused(Problem("moving_head_count", (), {"found": count, "expected": expected}))
    tables = count // LINES - request.movement_round + 1
    if not 1 <= request.rounds <= tables:
        facts = {"found": request.rounds, "left": tables}
        raise Refused(Problem("moving_rounds_left", ("rounds",), facts))
    everybody = set(request.players)
    present = (request.present(number) for number in range(1, request.rounds + 1))
    if away := sorted(everybody - everybody.intersection(*present)):
        raise Refused(Problem("moving_needs_everybody", (), {"players": away}))
    require_possible(request)


def _drawn(request: SeatingRequest, rounds: Sequence[Sequence[Table]]) -> tuple[int, ...]:
    """The players by their places: by lot, apart where they must be, at their fixed tables."""
    players = sorted(request.players)
    places = [[[place - 1 for place in table] for table in of_round] for of_round in rounds]
    free = replace(request, fixed_tables={})
    drawn = drawn_by_sit_outs(free, [(player,) for player in players], places)
    order = [players[at] for at in drawn]
    for player, table in request.fixed_tables.items():
        if table <= len(rounds[0]):
            place = order.index(player)
            home = table - 1
            order[place], order[home] = order[home], player
    return tuple(order)


def _require_met(request: SeatingRequest, rounds: Sequence[PlannedRound]) -> None:
    """Refuse rounds that break the constraints; no two players can share all tables here."""
    shared = {
        frozenset(pair)
        for planned in rounds
        for table in planned.tables
        for pair in combinations(table, 2)
    }
    broken = {tuple(sorted(pair)) for pair in request.apart if frozenset(pair) in shared}
    broken |= {tuple(sorted(pair)) for pair in request.together}
    broken |= {
        (player, player)
        for player, number in request.fixed_tables.items()
        for planned in rounds
        if number > len(planned.tables) or player not in planned.tables[number - 1]
    }
    if broken:
        pairs = [sorted(set(pair)) for pair in sorted(broken)]
        raise Refused(Problem("constraints_not_met", (), {"pairs": pairs, "round": 0}))
