"""Making the next round of a chosen plan: all tables, seats and sit-outs in one act.

A round of a plan is made once. Whoever left or came since the plan was chosen is named first; the
least disturbing change for them is made only when it was asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from scoring.errors import Problem, Refused, shown
from scoring.seating.changes import Arrangement, least_disturbing
from tournaments.errors import Conflict
from tournaments.models.attendance import Attendance, AttendanceState
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event, Snapshot, Stage
from tournaments.models.hands import GameState
from tournaments.models.meetings import Meeting, MeetingState, Round, SitOutReason, Table
from tournaments.models.seating_plans import OPEN, PlanState, SeatingPlan
from tournaments.policy import Actor
from tournaments.selectors.rounds.expected_players import expected_in
from tournaments.selectors.rounds.round_seating import (
    RoundSeating,
    SeatedTable,
    evening_number,
    gone_in,
    next_plan_round,
    next_round_number,
    pairs_met,
    planned_tables,
    players_with_ids,
    present_in,
    round_seating,
)
from tournaments.selectors.seating_plans.knockout_stage import stage_to_plan
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.event_lock import lock_event, lock_round
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import require_running
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.rounds.arrange_round import (
    SeatingTarget,
    place_everybody,
    seating_facts,
)
from tournaments.services.rounds.matches import make_matches
from tournaments.services.rounds.plans.planned_boards import require_round_of_boards
from tournaments.services.rounds.plans.planned_partners import require_partners
from tournaments.services.rounds.rounds import make_round
from tournaments.services.rounds.seating import snapshot_for, table_code
from tournaments.services.rounds.seating_limits import limits_of
from tournaments.services.rounds.seating_log import note_seating, places_in
from tournaments.services.rounds.stage_rosters import playing_stage
from tournaments.services.rules.rule_sets import store_snapshot


@dataclass(frozen=True, slots=True)
class WantedTable:
    """A table as somebody lists it: ids of players clockwise; no number = the next one."""

    number: int | None
    seats: tuple[str, ...]
    variant: str = ""


@dataclass(frozen=True, slots=True)
class PlannedSeating:
    """A round of a plan as it can be seated now; players are rows.

    Args:
        number: of the plan's round, from 1.
        evening: of the round within its evening, from 1.
        tables: as planned, `adjusted` without whoever left and with whoever came.
        gone: who is in the planned round and does not play in it.
        came: who is here and is not in the planned round.
    """

    number: int
    evening: int
    tables: tuple[tuple[int, ...], ...]
    sitting_out: tuple[int, ...]
    gone: tuple[int, ...]
    came: tuple[int, ...]
    adjusted: Arrangement


@atomic_act
def make_round_of_plan(
    *,
    actor: Actor,
    plan: SeatingPlan,
    now: datetime,
    plan_round: int | None = None,
    adjust: bool = False,
    variant: str = "",
    options: Mapping[str, object] | None = None,
) -> Round:
    """Make a draft round of a chosen plan; asked for a second time, return the one that was made.

    Args:
        plan_round: number of the plan's round, from 1; None: the first one that was not made.
        adjust: whether who left and who came is seated the least disturbing way.
        variant: what its tables play (id, name or alias) with `options`; empty = the event's own.

    Raises:
        Forbidden: manage_event.
        Refused: bad_plan_round, and what `arrange_round` and `store_snapshot` refuse.
        Conflict: event_is_over, plan_not_chosen, plan_not_ready, plan_has_no_more_rounds,
            open_night_has_no_rounds, meeting_is_cancelled, previous_round_open,
            planned_players_changed, plan_partners_changed, plan_partners_left, and as
            `arrange_round` and `require_round_of_boards`.
    """
    require(actor, plan.club, "manage_event")
    event = lock_event(plan.event)
    require_running(event)
    plan = _chosen(plan)
    number = plan_round if plan_round is not None else next_plan_round(plan)
    if number is None:
        raise Conflict(Problem("plan_has_no_more_rounds", facts={"rounds": len(plan.rounds)}))
    if not 1 <= number <= len(plan.rounds):
        facts: dict[str, int | str] = {"found": number, "expected": f"1 to {len(plan.rounds)}"}
        raise Refused(Problem("bad_plan_round", ("round",), facts))
    made = Round.objects.select_related("event__club", "club", "stage", "meeting")
    if there := made.filter(plan=plan, plan_round=number).first():
        return there
    _require_previous_closed(event, plan)
    require_round_of_boards(plan, number, next_round_number(event))
    seating = planned_seating(plan, number)
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
    target = target_of(seating, plan.meeting)
    codes = place_everybody(round_, round_seating(round_), target, split_sides=True)
    make_matches(round_, plan, number)
    facts_of_seats = seating_facts(round_seating_of_nobody(), target, codes)
    append_audit(
        club=event.club,
        actor=actor,
        act="make_round_of_plan",
        subject=f"event:{event.slug}/round:{round_.number}",
        facts={"plan": str(plan.public_id), "plan_round": number, **facts_of_seats},
        now=now,
    )
    if target.sit_outs:
        mark_changed(event=event, now=now)
    return round_


@atomic_act
def redraw_round(
    *,
    actor: Actor,
    round_: Round,
    plan: SeatingPlan,
    now: datetime,
    tag: str | None = None,
) -> Round:
    """Seat a round without hands anew, by the next round of the plan that is chosen now.

    Raises:
        Forbidden: manage_event.
        Conflict: event_is_over, round_is_closed, round_seating_outdated, table_has_hands,
            plan_not_chosen, plan_not_ready, open_night_has_no_rounds, plan_has_no_more_rounds,
            plan_partners_changed, plan_partners_left, and as `require_round_of_boards` and
            `arrange_round`.
    """
    require(actor, round_.club, "manage_event")
    locked = lock_round(round_)
    require_running(locked.event)
    if locked.state == "closed":
        raise Conflict(Problem("round_is_closed", facts={"round": locked.number}))
    plan = _chosen(plan)
    number = next_plan_round(plan)
    if number is None or locked.meeting_id != plan.meeting_id:
        raise Conflict(Problem("plan_has_no_more_rounds", facts={"rounds": len(plan.rounds)}))
    require_round_of_boards(plan, number, locked.number)
    before = round_seating(locked)
    if tag is not None and tag != before.tag:
        raise Conflict(Problem("round_seating_outdated", facts={"round": locked.number}))
    if before.has_hands:
        code = next(table.code for table in before.tables if table.is_fixed)
        raise Conflict(Problem("table_has_hands", facts={"table": code}))
    seating = planned_seating(plan, number, locked)
    require_partners(plan, seating.gone)
    target = target_of(seating, plan.meeting)
    whole = SeatingTarget(
        {**{table.number: () for table in before.tables}, **target.tables}, target.sit_outs
    )
    places = places_in(locked)
    codes = place_everybody(locked, before, whole, split_sides=True)
    locked.plan, locked.plan_round = plan, number
    locked.save(update_fields=["plan", "plan_round"])
    make_matches(locked, plan, number)
    append_audit(
        club=locked.club,
        actor=actor,
        act="redraw_round",
        subject=f"event:{locked.event.slug}/round:{locked.number}",
        facts={
            "plan": str(plan.public_id),
            "plan_round": number,
            **seating_facts(before, whole, codes),
        },
        now=now,
    )
    mark_changed(event=locked.event, now=now)
    note_seating(actor=actor, round_=locked, before=places, now=now)
    return locked


@atomic_act
def make_seated_round(
    *,
    actor: Actor,
    event: Event,
    tables: Sequence[WantedTable],
    now: datetime,
    number: int | None = None,
    on: date | None = None,
    variant: str = "",
    options: Mapping[str, object] | None = None,
) -> Round:
    """Make a draft round with all its tables, as somebody lists them.

    Raises:
        Forbidden: manage_event.
        Refused: unknown_player, and as `make_round` and `arrange_round`.
        Conflict: table_exists, and as `make_round` and `arrange_round`.
    """
    round_ = make_round(
        actor=actor, event=event, number=number, on=on, variant=variant, options=options, now=now
    )
    target = _target_of_tables(round_, tables)
    codes = place_everybody(round_, round_seating(round_), target, split_sides=False)
    append_audit(
        club=round_.club,
        actor=actor,
        act="arrange_round",
        subject=f"event:{round_.event.slug}/round:{round_.number}",
        facts=seating_facts(round_seating_of_nobody(), target, codes),
        now=now,
    )
    return round_


def _target_of_tables(round_: Round, tables: Sequence[WantedTable]) -> SeatingTarget:
    """Return the seating that is listed; a table without a number is the next one."""
    event = round_.event
    known = players_with_ids(event, [one for table in tables for one in table.seats])
    problems = [
        Problem("unknown_player", ("tables", at, "seats", seat), {"player": shown(one)})
        for at, table in enumerate(tables)
        for seat, one in enumerate(table.seats)
        if one not in known
    ]
    if problems:
        raise Refused(*problems)
    seats: dict[int, tuple[int, ...]] = {}
    snapshots: dict[int, Snapshot] = {}
    for at, table in enumerate(tables):
        number = table.number or max(seats, default=0) + 1
        if number in seats:
            code = table_code(round_.number, number)
            raise Conflict(Problem("table_exists", ("tables", at, "number"), {"table": code}))
        seats[number] = tuple(known[one].pk for one in table.seats)
        if table.variant:
            snapshots[number] = snapshot_for(event, round_.number, table.variant)
    return SeatingTarget(seats, {}, snapshots)


def planned_seating(plan: SeatingPlan, number: int, round_: Round | None = None) -> PlannedSeating:
    """Return round `number` of a plan as it is, and adjusted to who is here now.

    Args:
        round_: the round of the event that takes it, where it is made already.
    """
    meeting, planned = plan.meeting, plan.rounds[number - 1]
    evening = (
        evening_number(round_)
        if round_ is not None
        else Round.objects.filter(meeting=meeting).count() + 1
    )
    tables = planned_tables(planned)
    outside = tuple(planned["sitting_out"])
    inside = {player for table in tables for player in table} | set(outside)
    away, there = gone_in(meeting, evening), present_in(meeting, evening)
    gone = tuple(player for player in sorted(inside) if player in away)
    came = tuple(player for player in there if player not in inside)
    if came:
        stage = stage_to_plan(plan.event, plan.inputs.get("stage"))
        expected = expected_in(came, stage, plan, number)
        came = tuple(player for player in came if player in expected)
    made = tuple(
        SeatedTable(at, "", players, is_fixed=False) for at, players in enumerate(tables, start=1)
    )
    own = frozenset(frozenset((one, other)) for table in tables for one in table for other in table)
    met = pairs_met(meeting, plan, round_) - (own - pairs_met(meeting, None, round_))
    own_number = next_round_number(plan.event) if round_ is None else round_.number
    limits = limits_of(plan.event, own_number, made, plan, met)
    adjusted = least_disturbing(Arrangement(tables, outside), gone, came, limits)
    return PlannedSeating(number, evening, tables, outside, gone, came, adjusted)


def target_of(seating: PlannedSeating, meeting: Meeting) -> SeatingTarget:
    """Return the seating of a round that follows its plan, with the reasons of sit-outs."""
    tables = {at: players for at, players in enumerate(seating.adjusted.tables, start=1) if players}
    came = set(seating.came)
    outside = {
        player: SitOutReason.LATE.value if player in came else SitOutReason.BYE.value
        for player in seating.adjusted.waiting
    }
    away = gone_in(meeting, seating.evening)
    entered = EntrantMember.objects.filter(event=meeting.event_id, player__in=seating.gone)
    for player in entered.values_list("player_id", flat=True):
        outside[player] = _why_gone(away[player], seating.evening)
    return SeatingTarget(tables, outside)


def round_seating_of_nobody() -> RoundSeating:
    """Return the seating of a round before it is seated."""
    return RoundSeating((), {}, "")


def _why_gone(row: Attendance, evening: int) -> str:
    is_coming = row.state != AttendanceState.LEFT and (row.from_round or 0) > evening
    return SitOutReason.LATE.value if is_coming else SitOutReason.LEFT.value


def _chosen(plan: SeatingPlan) -> SeatingPlan:
    """Return the plan as it stands now; the caller holds the event's row."""
    plans = SeatingPlan.objects.select_related("meeting", "event__club", "club")
    found = plans.filter(pk=plan.pk).first()
    if found is None or found.state != PlanState.CHOSEN:
        raise Conflict(Problem("plan_not_chosen"))
    if found.movement == OPEN:
        raise Conflict(Problem("open_night_has_no_rounds"))
    if not found.rounds:
        raise Conflict(Problem("plan_not_ready"))
    if found.meeting.state == MeetingState.CANCELLED:
        facts: dict[str, int | str] = {"date": found.meeting.date.isoformat()}
        raise Conflict(Problem("meeting_is_cancelled", facts=facts))
    return found


def stage_of_plan(plan: SeatingPlan) -> Stage:
    """Return the stage that the rounds of a plan belong to."""
    number = plan.inputs.get("stage")
    own = stage_to_plan(plan.event, number) if number is not None else None
    return own or playing_stage(plan.event)


def _require_previous_closed(event: Event, plan: SeatingPlan) -> None:
    """Let a round of an evening be made once the one before is closed, and say what is missing.

    Rounds of two knock-outs are played at one time, such as those of a cup and its consolation.
    """
    open_ones = Round.objects.filter(event=event, meeting=plan.meeting).exclude(state="closed")
    if plan.inputs.get("stage") is not None:
        open_ones = open_ones.filter(stage__number=plan.inputs["stage"])
    last = open_ones.order_by("number").first()
    if last is None:
        return
    tables = Table.objects.filter(round=last, game__state__in=(GameState.SEATED, GameState.PLAYING))
    numbers = tables.order_by("number").values_list("number", flat=True)
    facts: dict[str, int | str] = {"round": last.number, "state": last.state}
    facts["tables"] = ", ".join(map(str, numbers))
    raise Conflict(Problem("previous_round_open", facts=facts))


def _players_changed(seating: PlannedSeating) -> Problem:
    rows = Player.objects.filter(pk__in=(*seating.gone, *seating.came))
    names = {one.pk: f"{one.name} ({one.player_id})" for one in rows}
    facts: dict[str, int | str] = {
        "round": seating.number,
        "gone": ", ".join(names[player] for player in seating.gone) or "–",
        "came": ", ".join(names[player] for player in seating.came) or "–",
    }
    return Problem("planned_players_changed", facts=facts)
