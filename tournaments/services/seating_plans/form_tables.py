"""Form tables from the free players of an open night, or again from those of a round."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import count

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from scoring.seating.brackets import preferred_order, table_sizes
from scoring.seating.movements.plan_movement import free_tables, next_table
from scoring.seating.requests import PlannedRound, SeatingRequest, Table
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Meeting, Round, RoundState, Sitting
from tournaments.models.seating_plans import OPEN, SeatingPlan
from tournaments.selectors.rounds.round_seating import (
    chosen_plan,
    next_round_number,
    require_held,
    round_seating,
    snapshot_for,
)
from tournaments.selectors.rounds.seating_changes import allowed_sizes
from tournaments.selectors.rules.rule_sets import rules_of, rules_of_event
from tournaments.selectors.seating_plans.people_here import (
    OpenNight,
    PersonHere,
    earlier_rounds,
    open_rounds,
)
from tournaments.selectors.seating_plans.plans import named_problems
from tournaments.services.db.locks import lock_event, lock_games, lock_round
from tournaments.services.events.states import require_running
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.arrange_round import NOT_PLACED, SeatingTarget, seat_all_present
from tournaments.services.rounds.evening_hours import note_continued
from tournaments.services.rounds.rounds import notify_of_tables
from tournaments.services.rounds.seating import table_code
from tournaments.services.rounds.seating_checks import has_pairs, playing_stage
from tournaments.services.seating_plans.compute_plan import evening_constraints
from tournaments.services.seating_plans.constraints import UNMET
from tournaments.services.webhooks.delivery import record_round_posted


def draw_tables(
    round_: Round, now: Sequence[Table], players: Sequence[int]
) -> tuple[PlannedRound, Mapping[Table, int], int]:
    """Draw tables with the fewest repeats; sharing a table in `now` counts as having met.

    Return the tables in seat order and the sit-outs, as rows; table → its number, if one of its
    players needs a certain table; and the seed that reproduces the draw.

    Args:
        now: the tables that are redrawn, in seat order.
        players: players to seat, as rows; some of those at `now` may be missing.
    """
    event, meeting = round_.event, round_.meeting
    plan = chosen_plan(meeting) if meeting is not None else None
    rules = rules_of(snapshot_for(event, round_.number))
    people = [PersonHere(player, "", "") for player in sorted(players)]
    constraints = evening_constraints(event, rules, people)
    seed = (plan.seed if plan is not None else 0) + round_.number
    request = SeatingRequest(
        players=tuple(person.pk for person in people),
        rounds=1,
        sizes=_sizes(allowed_sizes(event, round_.number, plan), now, len(people)),
        seed=seed,
        apart=constraints.apart,
        together=constraints.together,
        sides=constraints.sides,
        history=tuple(earlier_rounds(event, but=meeting).values()),
    )
    drawn = _draw(event, request, (*_get_other_rounds(round_), PlannedRound(tuple(now))))
    tables = drawn.tables
    if not constraints.sides:  # partners keep the seats of their side
        tables = tuple(_other_seats(table, now) for table in tables)
    fixed = _numbers_of(tables, dict(constraints.fixed_tables))
    return PlannedRound(tables, drawn.sitting_out), fixed, seed


def _draw(event: Event, request: SeatingRequest, tonight: Sequence[PlannedRound]) -> PlannedRound:
    try:
        return free_tables(request, tonight)
    except Refused as refused:
        raise Refused(*named_problems(event.club, refused.problems)) from refused


def _numbers_of(tables: Sequence[Table], needed: Mapping[int, int]) -> dict[Table, int]:
    return {
        table: next(needed[player] for player in table if player in needed)
        for table in tables
        if not needed.keys().isdisjoint(table)
    }


def _other_seats(drawn: Table, now: Sequence[Table]) -> Table:
    same = next((table for table in now if set(table) == set(drawn)), None)
    if same is None:
        return drawn
    return (*same[::2], *same[1::2])


def _sizes(allowed: Sequence[int], now: Sequence[Table], players: int) -> tuple[int, ...]:
    """Return the allowed sizes; with those that are there now, where they seat more players."""
    sizes = table_sizes(players, allowed) if allowed else None
    if sizes is not None and not sizes.sit_outs:
        return tuple(allowed)
    return preferred_order([*allowed, *(len(table) for table in now)])


def _get_other_rounds(round_: Round) -> list[PlannedRound]:
    if round_.meeting_id is None:
        return []
    sat: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    rows = Sitting.objects.filter(round__meeting=round_.meeting_id, to_hand__isnull=True)
    for number, table, player in (
        rows.exclude(round=round_)
        .order_by("round__number", "seat__table", "seat__number")
        .values_list("round__number", "seat__table_id", "player_id")
    ):
        sat[number][table].append(player)
    return [PlannedRound(tuple(map(tuple, tables.values()))) for tables in sat.values()]


def _lock_event_of(meeting: Meeting) -> Meeting:
    meeting.event = lock_event(meeting.event)
    return meeting


@operation(
    "manage_event",
    locks=_lock_event_of,
    refuses=(
        *("event_is_over", "meeting_is_cancelled", "no_open_night", "player_not_free"),
        *("too_few_free", "too_few_to_seat", *UNMET, *NOT_PLACED),
    ),
)
def form_tables(
    op: Operation,
    meeting: Meeting,
    /,
    *,
    players: Sequence[str] = (),
    is_single: bool = False,
    split_sides: bool = False,
) -> list[JsonDict]:
    """Form tables of an open night from the players who are free, with the fewest repeats.

    The chosen plan of the meeting must be an open night. Free are players who are checked in and at
    no table that is playing; those tables stay as they are. The new tables are posted at once, in a
    later round than the earlier tables of their players; a missing round is created.
    """
    # `players` are the ids of those of one table. With `is_single` it is formed of who played least
    # and waits longest. Of two calls at once the later one gets the players who are still free.
    event = meeting.event
    require_running(event)
    plan = _get_open_plan(meeting)
    night = OpenNight(meeting)
    people = _picked_people(night, players)
    tables = _tables(event, plan, night, people, is_picked=bool(players), is_single=is_single)
    formed = _place(event, meeting, night, tables, op.now, split_sides=split_sides)
    facts = {
        "date": meeting.date.isoformat(),
        "plan": str(plan.public_id),
        "tables": {table["code"]: table["seats"] for table in formed},
    }
    op.audit(event, facts)
    version = op.mark(event)
    before = {round_.number for round_ in open_rounds(night).values()}
    new = {table["round"] for table in formed} - before
    for round_ in Round.objects.filter(event=event, number__in=new).order_by("number"):
        record_round_posted(round_, version=version, now=op.now)
    note_continued(event, [meeting.pk], now=op.now, actor=op.actor)
    notify_of_tables(op.actor, meeting, [table["code"] for table in formed], op.now)
    return formed


def _get_open_plan(meeting: Meeting) -> SeatingPlan:
    for row in Meeting.objects.filter(pk=meeting.pk):
        require_held(row)
    plan = chosen_plan(meeting)
    if plan is None or plan.movement != OPEN:
        raise Conflict(Problem("no_open_night", (), {"date": meeting.date.isoformat()}))
    return plan


def _picked_people(night: OpenNight, players: Sequence[str]) -> tuple[PersonHere, ...]:
    if not players:
        return night.free
    free = {person.player_id: person for person in night.free}
    for at, player in enumerate(players):
        if player not in free:
            raise Conflict(Problem("player_not_free", ("players", at), {"player": shown(player)}))
        if player in players[:at]:
            facts = {"player": free[player].name, "player_id": player}
            raise Refused(Problem("same_player_twice", ("players",), facts))
    return tuple(free[player] for player in players)


def _tables(
    event: Event,
    plan: SeatingPlan,
    night: OpenNight,
    people: Sequence[PersonHere],
    *,
    is_picked: bool,
    is_single: bool,
) -> tuple[Table, ...]:
    rules = rules_of_event(event)
    sizes = allowed_sizes(event, next_round_number(event), plan)
    constraints = evening_constraints(event, rules, people)
    if not is_picked and has_pairs(event):
        in_pairs = {player for pair in constraints.together for player in pair}
        people = [person for person in people if person.pk in in_pairs]
    least = min(sizes, default=0)
    most = max(sizes, default=0)
    facts = {"found": len(people), "least": least}
    if is_picked and len(people) not in sizes:
        raise Refused(Problem("seat_count", ("players",), facts | {"most": most}))
    if not is_picked and (not sizes or table_sizes(len(people), sizes) is None):
        raise Conflict(Problem("too_few_free", (), facts))
    pks = [person.pk for person in people]
    request = SeatingRequest(
        players=tuple(sorted(pks)),
        rounds=1,
        sizes=(len(people),) if is_picked else tuple(sizes),
        seed=plan.seed + len(night.players_at),
        apart=tuple(pair for pair in constraints.apart if {*pair} <= {*pks}),
        together=tuple(pair for pair in constraints.together if {*pair} <= {*pks}),
        sides=constraints.sides,
        history=tuple(earlier_rounds(event, but=plan.meeting).values()),
    )
    formed = _draw(event, request, night.planned_rounds())
    if not is_single:
        return formed.tables
    return (next_table(formed, pks),)


def _place(
    event: Event,
    meeting: Meeting,
    night: OpenNight,
    tables: Sequence[Table],
    now: datetime,
    *,
    split_sides: bool,
) -> list[JsonDict]:
    """Seat the tables, and return round, number, code and seats of each, ids of its players."""
    rounds = open_rounds(night)
    busy = {table.number for table in night.playing}
    by_turn: dict[int, dict[int, Table]] = defaultdict(dict)
    rows = event.seating_constraints.filter(table_number__gt=0)
    needed = {
        player: number or 0 for player, number in rows.values_list("player_id", "table_number")
    }
    fixed = _numbers_of(tables, needed)
    for table in tables:
        after = max(night.last_turn.get(player, 0) for player in table)
        turn = next((turn for turn in sorted(rounds) if turn > after), len(night.rounds) + 1)
        if turn not in rounds:
            rounds[turn] = Round.objects.create(
                club=event.club,
                event=event,
                stage=playing_stage(event),
                meeting=meeting,
                number=next_round_number(event),
                state=RoundState.POSTED,
                posted_at=now,
            )
        taken_numbers = busy | {
            other.number for other in night.players_at if night.turns[other.round_id] == turn
        }
        number = fixed.get(table, 0)
        if not number or number in taken_numbers:
            number = next(number for number in count(1) if number not in taken_numbers)
        busy.add(number)
        by_turn[turn][number] = table
    lock_games(Game.objects.filter(table__round__in=[rounds[turn] for turn in by_turn]))
    ids = {person.pk: person.player_id for person in night.free}
    formed: list[JsonDict] = []
    for turn, numbered in sorted(by_turn.items()):
        round_ = lock_round(rounds[turn])
        before = round_seating(round_)
        target = SeatingTarget(numbered, before.sit_outs)
        seat_all_present(round_, before, target, split_sides=split_sides)
        formed += [
            {
                "round": round_.number,
                "number": number,
                "code": table_code(round_.number, number),
                "seats": [ids[player] for player in table],
            }
            for number, table in sorted(numbered.items())
        ]
    return formed
