"""Whether a plan is what was asked for: a second look that shares no code with the planner."""

from collections.abc import Iterator, Mapping, Sequence

from scoring.seating.checker import FIGURES, faults_of_people, named, times_of_event, wrong_figures
from scoring.seating.requests import PlannedRound, Presence, SeatingPlan, SeatingRequest


def faults_of_plan(request: SeatingRequest, plan: SeatingPlan) -> tuple[str, ...]:
    """Everything that is wrong with a plan for a request; empty for a good one."""
    if len(plan.rounds) != request.rounds:
        return (f"The plan has {len(plan.rounds)} rounds; {request.rounds} were requested.",)
    faults = [
        fault
        for number, planned in enumerate(plan.rounds, 1)
        for fault in _faults_of_round(request, number, planned)
    ]
    declared = {name: getattr(plan.cost, name) for name in FIGURES}
    in_plan = {player for planned in plan.rounds for player in named(planned)}
    players = sorted(in_plan & set(request.players))
    wrong = wrong_figures(plan.rounds, declared, players, request.history)
    return (*faults, *wrong, *_faults_of_shares(request, plan, players))


def _faults_of_shares(
    request: SeatingRequest, plan: SeatingPlan, players: Sequence[int]
) -> Iterator[str]:
    """Sit-outs and uncommon sizes that differ by two, unless the plan says for whom and why."""
    if request.movement != "individual":
        return
    is_free = not (
        request.apart
        or request.together
        or request.fixed_tables
        or request.presence
        or request.history
    )
    for size, times in times_of_event((*request.history, *plan.rounds), players).items():
        what = f"Tables of {size}" if size else "Sit-outs"
        excepted = [player for share in plan.uneven if share[0] == size for player in share[1]]
        others = [player for player in players if player not in excepted]
        if is_free and _difference(times, players) > 1:
            yield f"{what} are not shared evenly, and nothing prevents it."
        elif _difference(times, others) > 1:
            yield f"{what} are not shared evenly, and the plan does not name everybody."
        elif excepted and _difference(times, players) < 2:
            yield f"{what} are shared evenly; the plan names {len(excepted)} players."


def _difference(times: Mapping[int, int], players: Sequence[int]) -> int:
    counts = [times[player] for player in players]
    return max(counts, default=0) - min(counts, default=0)


def _faults_of_round(request: SeatingRequest, number: int, planned: PlannedRound) -> Iterator[str]:
    always = Presence()
    present = {
        player
        for player in request.players
        if request.presence.get(player, always).includes(number)
    }
    yield from faults_of_people(number, planned, present)
    for at, table in enumerate(planned.tables, 1):
        if len(table) not in request.sizes:
            yield f"Round {number}, table {at}: {len(table)} seats are not allowed."
    table_of = {player: at for at, table in enumerate(planned.tables, 1) for player in table}
    yield from _faults_of_pairs(request, number, table_of, present)
    for player, table_number in request.fixed_tables.items():
        if table_of.get(player, table_number) != table_number:
            yield f"Round {number}: player {player} is not at table {table_number}."
    yield from _faults_of_sides(request, number, planned)


def _faults_of_pairs(
    request: SeatingRequest, number: int, table_of: Mapping[int, int], present: set[int]
) -> Iterator[str]:
    for one, other in request.apart:
        if one in table_of and table_of[one] == table_of.get(other):
            yield f"Round {number}: players {one} and {other} are not apart."
    for one, other in request.together:
        if {one, other} <= present and table_of.get(one) != table_of.get(other):
            yield f"Round {number}: players {one} and {other} are not together."


def _faults_of_sides(request: SeatingRequest, number: int, planned: PlannedRound) -> Iterator[str]:
    side = {seat: at for at, seats in enumerate(request.sides) for seat in seats}
    for table in planned.tables if side else ():
        for one, other in request.together:
            if {one, other} <= set(table) and side[table.index(one)] != side[table.index(other)]:
                yield f"Round {number}: players {one} and {other} are not on one side."
