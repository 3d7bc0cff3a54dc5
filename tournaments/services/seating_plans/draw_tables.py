"""Drawing tables of a round from the players who sit at them now."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.errors import Refused
from scoring.seating.movements.open_night import free_tables
from scoring.seating.requests import PlannedRound, SeatingRequest, Table
from scoring.seating.table_sizes import preferred_order, table_sizes
from tournaments.models.meetings import Round, Sitting
from tournaments.selectors.rounds.round_seating import chosen_plan
from tournaments.selectors.seating_plans.history import earlier_rounds
from tournaments.selectors.seating_plans.people_here import PersonHere
from tournaments.services.rounds.seating import snapshot_for
from tournaments.services.rounds.seating_limits import allowed_sizes
from tournaments.services.rules.rule_sets import rules_of
from tournaments.services.seating_plans.named_problems import named_problems
from tournaments.services.seating_plans.plan_requests import evening_constraints


@dataclass(frozen=True, slots=True)
class DrawnTables:
    """Tables in seat order and who sits out, as rows of players.

    Args:
        fixed: table → its number, where one of its players needs a certain table.
        seed: of the draw, which makes it again.
    """

    tables: tuple[Table, ...]
    sitting_out: tuple[int, ...]
    fixed: Mapping[Table, int]
    seed: int


def draw_tables(round_: Round, now: Sequence[Table], players: Sequence[int]) -> DrawnTables:
    """Draw tables with the fewest repeats; who shares a table in `now` counts as having met.

    Args:
        now: the tables that are redrawn, in seat order.
        players: who is seated, as rows; some of those at `now` may be gone.

    Raises:
        Refused: no_table_sizes, apart_with_one_table and what else the planner refuses, with names.
    """
    event, meeting = round_.event, round_.meeting
    plan = chosen_plan(meeting) if meeting is not None else None
    rules = rules_of(snapshot_for(event, round_.number))
    people = [PersonHere(player, "", "") for player in sorted(players)]
    constraints = evening_constraints(event, rules, people)
    seed = (plan.seed if plan is not None else 0) + round_.number
    request = SeatingRequest(
        players=tuple(one.pk for one in people),
        rounds=1,
        sizes=_sizes(allowed_sizes(event, round_.number, plan), now, len(people)),
        seed=seed,
        apart=constraints.apart,
        together=constraints.together,
        sides=constraints.sides,
        history=tuple(
            PlannedRound(one.tables, one.sitting_out) for one in earlier_rounds(event, but=meeting)
        ),
    )
    tonight = (*_others_tonight(round_), PlannedRound(tuple(now)))
    try:
        drawn = free_tables(request, tonight)
    except Refused as refused:
        raise Refused(*named_problems(event.club, refused.problems)) from refused
    needed = dict(constraints.fixed_tables)
    tables = drawn.tables
    if not constraints.sides:  # partners keep the seats of their side
        tables = tuple(_other_seats(table, now) for table in tables)
    wanted = {table: [needed[one] for one in table if one in needed] for table in tables}
    return DrawnTables(
        tables,
        tuple(drawn.sitting_out),
        {table: numbers[0] for table, numbers in wanted.items() if numbers},
        seed,
    )


def _other_seats(drawn: Table, now: Sequence[Table]) -> Table:
    """Return a drawn table, with other seats where the same players share a table now."""
    same = next((table for table in now if set(table) == set(drawn)), None)
    return drawn if same is None else (*same[::2], *same[1::2])


def _sizes(allowed: Sequence[int], now: Sequence[Table], players: int) -> tuple[int, ...]:
    """Return the allowed sizes; with those that are there now, where they seat more players."""
    sizes = table_sizes(players, allowed) if allowed else None
    if sizes is not None and not sizes.sit_outs:
        return tuple(allowed)
    return preferred_order([*allowed, *(len(table) for table in now)])


def _others_tonight(round_: Round) -> tuple[PlannedRound, ...]:
    """Return the tables of the other rounds of an evening; one query."""
    if round_.meeting_id is None:
        return ()
    sat: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    rows = Sitting.objects.filter(round__meeting=round_.meeting_id, to_hand__isnull=True)
    for number, table, player in (
        rows.exclude(round=round_)
        .order_by("round__number", "seat__table", "seat__number")
        .values_list("round__number", "seat__table_id", "player_id")
    ):
        sat[number][table].append(player)
    return tuple(
        PlannedRound(tuple(tuple(table) for table in tables.values())) for tables in sat.values()
    )
