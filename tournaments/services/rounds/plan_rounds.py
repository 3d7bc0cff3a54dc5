"""Create the next round of a chosen plan: all tables, seats and sit-outs in one operation.

A round of a plan is created once. Players who left or came since the plan was chosen are named
first; the smallest change for them is made only on request.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import chain
from typing import Final, TypeAlias

from scoring.errors import Problem, Refused, shown
from tournaments.domain.name_matching import sort_key
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event, Snapshot, Stage
from tournaments.models.hands import GameState
from tournaments.models.rounds import AttendanceState, Meeting, Round, SitOutReason, Table
from tournaments.models.seating_plans import MOVING, OPEN, PARTNERSHIPS, PlanState, SeatingPlan
from tournaments.selectors.clubs.find_players import label_of
from tournaments.selectors.rounds.round_seating import (
    RoundSeating,
    chosen_plan,
    list_absent,
    next_plan_round,
    next_round_number,
    players_with_ids,
    require_held,
    round_seating,
    snapshot_for,
    waiting_reasons,
)
from tournaments.selectors.rules.rule_sets import store_snapshot
from tournaments.selectors.seating_plans.current_stage import stage_to_plan
from tournaments.selectors.seating_plans.people_here import (
    listed_names,
    members_now,
    planned_players,
)
from tournaments.selectors.seating_plans.plans import regrouped_players
from tournaments.selectors.seating_plans.seating_page import PlannedSeating
from tournaments.services.db.locks import lock_event
from tournaments.services.events.events import BAD_RULES
from tournaments.services.events.states import require_running
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.arrange_round import (
    NOT_ARRANGED,
    NOT_PLACED,
    SeatingTarget,
    lock_open_round,
    seat_all_present,
    seating_as_seen,
    seating_facts,
)
from tournaments.services.rounds.rounds import NOT_MADE, make_matches, make_round
from tournaments.services.rounds.seating import note_seating, places_in, table_code
from tournaments.services.rounds.seating_checks import playing_stage

ListedTable: TypeAlias = tuple[int | None, Sequence[str], str]
"""Number of a table, ids of players clockwise, and a game; no number = the next one."""

UNUSABLE: Final = (
    *("plan_not_chosen", "open_night_has_no_rounds", "plan_not_ready", "meeting_is_cancelled"),
    *("plan_has_no_more_rounds", "plan_of_other_boards", "plan_partners_changed"),
    "plan_partners_left",
)
"""Error codes of a plan that a round is to follow."""


def plan_of(meeting: Meeting | None) -> SeatingPlan:
    plan = chosen_plan(meeting) if meeting is not None else None
    if plan is None:
        on = meeting.date.isoformat() if meeting is not None else "–"
        raise Conflict(Problem("no_plan_chosen", facts={"date": on}))
    return plan


def require_round_of_boards(plan: SeatingPlan, plan_round: int, number: int) -> None:
    """Refuse to seat a round of a plan in which other boards move than it was planned for.

    Args:
        plan_round: of the plan, from 1; `number` is the round of the event that takes it.
    """
    if plan.movement != MOVING:
        return
    planned = int(plan.inputs["event_round"]) + plan_round - 1
    if planned != number:
        raise Conflict(Problem("plan_of_other_boards", (), {"round": number, "expected": planned}))


def require_partners(plan: SeatingPlan, gone: Sequence[int]) -> None:
    """Refuse a plan with partners if some left or changed; other plans pass.

    The smallest change would seat a player with an unplanned partner.

    Args:
        gone: players of the round who do not play in it, as rows.
    """
    if plan.movement not in PARTNERSHIPS:
        return
    if regrouped := regrouped_players(plan, members_now(plan.event)):
        raise Conflict(_problem_with_players("plan_partners_changed", plan, sorted(regrouped)))
    if gone:
        raise Conflict(_problem_with_players("plan_partners_left", plan, gone))


def _problem_with_players(code: str, plan: SeatingPlan, players: Sequence[int]) -> Problem:
    people = planned_players(plan.event, set(players))
    names = sorted((player.name for player in people.values()), key=sort_key)
    return Problem(code, (), {"names": listed_names(names)})


def _lock_chosen_plan(plan: SeatingPlan) -> SeatingPlan:
    event = lock_event(plan.event)
    require_running(event)
    return _get_chosen_plan(plan)


@operation(
    "manage_event",
    locks=_lock_chosen_plan,
    refuses=(
        *("event_is_over", "bad_plan_round", "previous_round_open", "planned_players_changed"),
        *(*UNUSABLE, *BAD_RULES, *NOT_PLACED),
    ),
)
def make_round_of_plan(
    op: Operation,
    plan: SeatingPlan,
    /,
    *,
    plan_round: int | None = None,
    adjust: bool = False,
    split_sides: bool = False,
    variant: str = "",
    options: Mapping[str, object] | None = None,
) -> Round:
    """Create a draft round of a chosen plan; a repeated call returns the existing one.

    Args:
        plan_round: number of the plan's round, from 1; None: the first one not yet created.
        adjust: whether to adjust for players who left or came, with the smallest change.
        split_sides: whether the questions about pairs of such a change are answered.
        variant: of its tables (id, name or alias) with `options`; empty = the event's own.
    """
    event = plan.event
    number = plan_round if plan_round is not None else next_plan_round(plan)
    if number is None:
        raise Conflict(Problem("plan_has_no_more_rounds", facts={"rounds": len(plan.rounds)}))
    if not 1 <= number <= len(plan.rounds):
        facts = {"found": number, "expected": f"1 to {len(plan.rounds)}"}
        raise Refused(Problem("bad_plan_round", ("round",), facts))
    rounds = Round.objects.select_related("event__club", "club", "stage", "meeting")
    if earlier := rounds.filter(plan=plan, plan_round=number).first():
        return earlier
    _require_previous_closed(event, plan)
    require_round_of_boards(plan, number, next_round_number(event))
    seating = PlannedSeating(plan, number)
    require_partners(plan, seating.gone)
    if (seating.gone or seating.came) and not adjust:
        raise Conflict(_players_changed(seating))
    round_ = Round.objects.create(
        club=event.club,
        event=event,
        stage=stage_of_plan(plan),
        meeting=plan.meeting,
        number=next_round_number(event),
        plan=plan,
        plan_round=number,
        snapshot=store_snapshot(event=event, variant=variant, options=options) if variant else None,
    )
    target = target_of(seating, round_)
    facts = _seat_by_plan(round_, seating, round_seating(round_), target, split_sides=split_sides)
    op.audit(round_, facts)
    if target.sit_outs:
        op.changed(event)
    return round_


def _seat_by_plan(
    round_: Round,
    seating: PlannedSeating,
    before: RoundSeating,
    target: SeatingTarget,
    *,
    split_sides: bool,
) -> dict[str, object]:
    """Seat a round as its plan has it; return the facts of the audit line.

    Tables that the plan does not have are asked about as if they were seated by hand.
    """
    plan, number = seating.plan, seating.number
    is_planned = not (seating.gone or seating.came)
    if not is_planned and not split_sides:
        refuse_any(_questions(seating))
    codes = seat_all_present(round_, before, target, split_sides=split_sides or is_planned)
    make_matches(round_, plan, number)
    of_plan = {"plan": str(plan.public_id), "plan_round": number}
    return {**of_plan, **seating_facts(before, target, codes)}


def _questions(seating: PlannedSeating) -> Iterator[Problem]:
    people = Player.objects.in_bulk([*seating.alone, *chain(*seating.rematches)])
    if seating.alone:
        names = listed_names(sorted((people[pk].name for pk in seating.alone), key=sort_key))
        yield Problem("newcomers_without_partner", ("side",), {"names": names})
    for table in seating.rematches:
        names = listed_names([people[player].name for player in table])
        yield Problem("pairs_met_before", ("side",), {"names": names})


NOT_REDRAWN: Final = (*UNUSABLE, *NOT_ARRANGED)


@operation("manage_event", locks=lock_open_round, refuses=NOT_REDRAWN)
def redraw_round(
    op: Operation,
    round_: Round,
    /,
    *,
    plan: SeatingPlan,
    tag: str | None = None,
    split_sides: bool = False,
) -> Round:
    """Seat a round without hands again, by the next round of the currently chosen plan."""
    plan = _get_chosen_plan(plan)
    number = next_plan_round(plan)
    if number is None or round_.meeting_id != plan.meeting_id:
        raise Conflict(Problem("plan_has_no_more_rounds", facts={"rounds": len(plan.rounds)}))
    require_round_of_boards(plan, number, round_.number)
    before = seating_as_seen(round_, tag)
    if before.has_hands:
        code = next(table.code for table in before.tables if table.is_fixed)
        raise Conflict(Problem("table_has_hands", facts={"table": code}))
    seating = PlannedSeating(plan, number, round_)
    require_partners(plan, seating.gone)
    target = target_of(seating, round_)
    whole = SeatingTarget(
        {**{table.number: () for table in before.tables}, **target.tables}, target.sit_outs
    )
    places = places_in(round_)
    facts = _seat_by_plan(round_, seating, before, whole, split_sides=split_sides)
    round_.plan, round_.plan_round = plan, number
    round_.save(update_fields=["plan", "plan_round"])
    op.audit(round_, facts)
    op.mark(round_.event)
    note_seating(op, round_, places)
    return round_


@operation("manage_event", refuses=("table_exists", *NOT_MADE, *NOT_PLACED))
def make_seated_round(
    op: Operation,
    event: Event,
    /,
    *,
    tables: Sequence[ListedTable],
    number: int | None = None,
    on: date | None = None,
    variant: str = "",
    options: Mapping[str, object] | None = None,
    split_sides: bool = False,
) -> Round:
    """Make a draft round and seat its tables as they are listed."""
    round_ = make_round(op, event, number=number, on=on, variant=variant, options=options)
    target = _target_of_tables(round_, tables)
    before = round_seating(round_)
    codes = seat_all_present(round_, before, target, split_sides=split_sides)
    op.audit(round_, seating_facts(before, target, codes), name="arrange_round")
    return round_


def _target_of_tables(round_: Round, tables: Sequence[ListedTable]) -> SeatingTarget:
    event = round_.event
    players = players_with_ids(event, [seat for _, seats, _ in tables for seat in seats])
    problems = [
        Problem("unknown_player", ("tables", at, "seats", seat), {"player": shown(player_id)})
        for at, (_, seats, _) in enumerate(tables)
        for seat, player_id in enumerate(seats)
        if player_id not in players
    ]
    refuse_any(problems)
    seating: dict[int, tuple[int, ...]] = {}
    snapshots: dict[int, Snapshot] = {}
    for at, (listed_number, seats, variant) in enumerate(tables):
        number = listed_number or max(seating, default=0) + 1
        if number in seating:
            code = table_code(round_.number, number)
            raise Conflict(Problem("table_exists", ("tables", at, "number"), {"table": code}))
        seating[number] = tuple(players[seat].pk for seat in seats)
        if variant:
            snapshots[number] = snapshot_for(event, round_.number, variant)
    return SeatingTarget(seating, {}, snapshots)


def target_of(seating: PlannedSeating, round_: Round) -> SeatingTarget:
    """Return the seating of a round that follows its plan, with the reasons of sit-outs."""
    meeting = seating.plan.meeting
    tables = {at: players for at, players in enumerate(seating.adjusted.tables, start=1) if players}
    came = waiting_reasons(round_, seating.came)
    outside = {
        player: came.get(player, SitOutReason.BYE.value) for player in seating.adjusted.waiting
    }
    away = list_absent(meeting, seating.evening)
    entered = EntrantMember.objects.filter(event=meeting.event_id, player__in=seating.gone)
    for player in entered.values_list("player_id", flat=True):
        row = away[player]
        is_coming = row.state != AttendanceState.LEFT and (row.from_round or 0) > seating.evening
        outside[player] = SitOutReason.LATE.value if is_coming else SitOutReason.LEFT.value
    return SeatingTarget(tables, outside)


def _get_chosen_plan(plan: SeatingPlan) -> SeatingPlan:
    plans = SeatingPlan.objects.select_related("meeting", "event__club", "club")
    current_plan = plans.filter(pk=plan.pk).first()
    if current_plan is None or current_plan.state != PlanState.CHOSEN:
        raise Conflict(Problem("plan_not_chosen"))
    if current_plan.movement == OPEN:
        raise Conflict(Problem("open_night_has_no_rounds"))
    if not current_plan.rounds:
        raise Conflict(Problem("plan_not_ready"))
    require_held(current_plan.meeting)
    return current_plan


def stage_of_plan(plan: SeatingPlan) -> Stage:
    number = plan.inputs.get("stage")
    stage = stage_to_plan(plan.event, number) if number is not None else None
    return stage or playing_stage(plan.event)


def _require_previous_closed(event: Event, plan: SeatingPlan) -> None:
    """Refuse to create a round of an evening before the previous one is closed.

    Rounds of two knock-outs may run at once, such as a cup and its consolation.
    """
    open_ones = Round.objects.filter(event=event, meeting=plan.meeting).exclude(state="closed")
    if plan.inputs.get("stage") is not None:
        open_ones = open_ones.filter(stage__number=plan.inputs["stage"])
    last = open_ones.order_by("number").first()
    if last is None:
        return
    tables = Table.objects.filter(round=last, game__state__in=(GameState.SEATED, GameState.PLAYING))
    numbers = tables.order_by("number").values_list("number", flat=True)
    joined = ", ".join(map(str, numbers))
    facts = {"round": last.number, "state": last.state, "tables": joined}
    raise Conflict(Problem("previous_round_open", facts=facts))


def _players_changed(seating: PlannedSeating) -> Problem:
    rows = Player.objects.filter(pk__in=(*seating.gone, *seating.came))
    names = {row.pk: label_of(row) for row in rows}
    facts = {
        "round": seating.number,
        "gone": ", ".join(names[player] for player in seating.gone) or "–",
        "came": ", ".join(names[player] for player in seating.came) or "–",
    }
    return Problem("planned_players_changed", facts=facts)
