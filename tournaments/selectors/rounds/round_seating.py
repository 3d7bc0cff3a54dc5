"""The seating of a round, its sit-outs, and the players expected at a table.

The tag shows whether the seating has changed since it was read.

Entrants outside the round's stage or out of a knock-out are left out.
"""

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from django.db.models import Count, Max, Q, QuerySet

from scoring.errors import Problem
from scoring.json_types import JsonObject
from tournaments.domain.etags import mark_of_text
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, EntrantState, Event, Snapshot, Stage, StageKind
from tournaments.models.hands import GameState
from tournaments.models.playoffs import StageEntrant
from tournaments.models.rounds import (
    Attendance,
    AttendanceState,
    Meeting,
    MeetingState,
    Round,
    RoundState,
    SitOut,
    SitOutReason,
    Sitting,
    Table,
)
from tournaments.models.seating_plans import KNOCKOUT, PlanState, SeatingPlan
from tournaments.selectors.events.meetings import with_state
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.rounds.tables import get_places_in_round
from tournaments.selectors.rules.rule_sets import store_snapshot


@dataclass(frozen=True, slots=True)
class SeatedTable:
    """A table of a round with the rows of its players in seat order.

    `is_fixed` says that hands were entered or the table is over: `arrange_round` leaves it; `hands`
    counts those that are not deleted.
    """

    number: int
    code: str
    players: tuple[int, ...]
    is_fixed: bool
    state: str = GameState.SEATED
    hands: int = 0


GONE: Final = (AttendanceState.LEFT, AttendanceState.ABSENT)


def players_in(stage_id: int) -> frozenset[int] | None:
    """Return the rows of the players of a stage, None where it is for everybody; one query."""
    entrants = StageEntrant.objects.filter(stage=stage_id)
    return frozenset(entrants.values_list("entrant__members__player_id", flat=True)) or None


def not_in_stage(
    round_: Round, player: Player, inside: frozenset[int] | None, at: tuple[str | int, ...]
) -> Problem | None:
    if inside is None or player.pk in inside:
        return None
    facts = {
        "player": player.name,
        "player_id": player.player_id,
        "round": round_.number,
        "stage": round_.stage.title,
    }
    return Problem("not_in_stage", at, facts)


def snapshot_for(
    event: Event, round_number: int, variant: str = "", options: Mapping[str, object] | None = None
) -> Snapshot:
    """Return the rules of a table that is about to be made: its own, its round's or the event's."""
    if variant:
        return store_snapshot(event=event, variant=variant, options=options)
    round_ = Round.objects.filter(event=event, number=round_number).select_related("snapshot")
    first_round = round_.first()
    if first_round is not None and first_round.snapshot is not None:
        return first_round.snapshot
    return default_snapshot(event)


def already_seated(
    round_: Round, player: Player, at: tuple[str | int, ...] = ("players",)
) -> Problem:
    table, code = get_places_in_round(round_).get(player.pk, (0, ""))
    facts = {
        "player": player.name,
        "player_id": player.player_id,
        "table": table,
        "code": code,
        "round": round_.number,
    }
    return Problem("player_already_seated", at, facts)


IN_PLAY: Final = (GameState.SEATED, GameState.PLAYING)


@dataclass(frozen=True, slots=True)
class RoundSeating:
    """The seating of a round; players are rows. `sit_outs` is player → reason.

    A redraw seats the `unplayed` tables, or all: it abandons those `in_play`, and is refused where
    some are `complete`. Abandoned ones are none of these.
    """

    tables: tuple[SeatedTable, ...]
    sit_outs: Mapping[int, str]
    tag: str

    @property
    def seated(self) -> frozenset[int]:
        return frozenset(player for table in self.tables for player in table.players)

    @property
    def has_hands(self) -> bool:
        """Whether a table can no longer be seated again."""
        return any(table.is_fixed for table in self.tables)

    @property
    def unplayed(self) -> list[SeatedTable]:
        return [table for table in self.tables if not table.is_fixed]

    @property
    def with_hands(self) -> list[SeatedTable]:
        return [row for row in self.tables if row.is_fixed and row.state != GameState.ABANDONED]

    @property
    def in_play(self) -> list[SeatedTable]:
        return [table for table in self.with_hands if table.state in IN_PLAY]

    @property
    def complete(self) -> list[SeatedTable]:
        return [table for table in self.with_hands if table.state not in IN_PLAY]

    @property
    def hands_in_play(self) -> int:
        """How many hands a redraw of all tables discards."""
        return sum(table.hands for table in self.in_play)

    @property
    def may_redraw_all(self) -> bool:
        return bool(self.in_play) and not self.complete


def round_seating(round_: Round) -> RoundSeating:
    """Return who sits where in a round now; four queries."""
    valid = ~Q(game__hands__state="void")
    tables = Table.objects.filter(round=round_).annotate(
        n_entered=Count("game__hands"), n_standing=Count("game__hands", filter=valid)
    )
    rows = tables.order_by("number").values_list(
        "pk", "number", "code", "game__state", "n_entered", "n_standing"
    )
    people: dict[int, list[int]] = {}
    sitting = Sitting.objects.filter(round=round_, to_hand__isnull=True)
    for table, player in sitting.order_by("seat__number").values_list(
        "seat__table_id", "player_id"
    ):
        people.setdefault(table, []).append(player)
    seated_tables = tuple(
        SeatedTable(
            number,
            code,
            tuple(people.get(table, ())),
            bool(n) or state != GameState.SEATED,
            state,
            hands,
        )
        for table, number, code, state, n, hands in rows
    )
    seated = {player for row in seated_tables for player in row.players}
    sit_outs = _sit_outs(round_, but=seated)
    stand = [[table.number, table.players, table.is_fixed] for table in seated_tables]
    text = json.dumps([round_.state, stand, sorted(sit_outs.items())], separators=(",", ":"))
    return RoundSeating(seated_tables, sit_outs, mark_of_text(text))


def _sit_outs(round_: Round, *, but: Container[int]) -> dict[int, str]:
    """The sit-outs with reasons; of a team that plays, those without a seat."""
    reasons = dict(SitOut.objects.filter(round=round_).values_list("entrant_id", "reason"))
    if not reasons:
        return {}
    members = EntrantMember.objects.filter(entrant__in=reasons)
    pairs = members.order_by("player_id").values_list("player_id", "entrant_id")
    return {player: reasons[entrant] for player, entrant in pairs if player not in but}


def require_held(meeting: Meeting, *at: str) -> None:
    """Refuse a cancelled meeting; one of which a hand was entered all the same is held.

    At most one query, where the row says cancelled and was not read with `with_state`.
    """
    state = getattr(meeting, "state_now", meeting.state)
    if state == MeetingState.CANCELLED and not hasattr(meeting, "state_now"):
        state = with_state(Meeting.objects.filter(pk=meeting.pk)).get().state_now  # type: ignore[attr-defined]  # annotated
    if state == MeetingState.CANCELLED:
        raise Conflict(Problem("meeting_is_cancelled", at, {"date": meeting.date.isoformat()}))


def evening_number(round_: Round) -> int:
    rounds = Round.objects.filter(meeting=round_.meeting_id, number__lte=round_.number)
    if not round_.meeting_id:
        return 1
    return rounds.count()


def rounds_of_evening(meeting: Meeting) -> tuple[Round, ...]:
    """Return the rounds of an evening by number; those of play-offs are left out."""
    rounds = Round.objects.filter(meeting=meeting).exclude(stage__kind=StageKind.PLAYOFF)
    return tuple(rounds.select_related("event__club", "stage", "meeting").order_by("number"))


def list_present(meeting: Meeting, number: int) -> dict[int, Attendance]:
    """Return who is at an evening and plays in its round `number`, in order of arrival."""
    rows = Attendance.objects.filter(meeting=meeting, state=AttendanceState.HERE)
    present = rows.exclude(player__in=withdrawn_players(meeting)).filter(
        Q(from_round__isnull=True) | Q(from_round__lte=number),
        Q(leaves_after_round__isnull=True) | Q(leaves_after_round__gte=number),
    )
    return {row.player_id: row for row in present.order_by("arrived_at", "pk")}


def list_absent(meeting: Meeting, number: int) -> dict[int, Attendance]:
    """Return the players who do not play in round `number` of an evening.

    They left, are absent, late or not there yet, or have withdrawn from the event.
    """
    rows = Attendance.objects.filter(meeting=meeting).filter(
        Q(state__in=GONE)
        | Q(player__in=withdrawn_players(meeting))
        | Q(from_round__gt=number)
        | Q(leaves_after_round__lt=number)
    )
    return {row.player_id: row for row in rows.order_by("pk")}


def withdrawn_players(meeting: Meeting) -> QuerySet[EntrantMember, int]:
    members = EntrantMember.objects.filter(
        event=meeting.event_id, entrant__state=EntrantState.WITHDRAWN
    )
    return members.values_list("player_id", flat=True)


def chosen_plan(meeting: Meeting) -> SeatingPlan | None:
    plans = SeatingPlan.objects.filter(meeting=meeting, state=PlanState.CHOSEN)
    return plans.select_related("meeting", "event__club").first()


def next_round_number(event: Event) -> int:
    last = Round.objects.filter(event=event).aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def next_plan_round(plan: SeatingPlan) -> int | None:
    """Return the number of the plan's first round that was not made; None after the last."""
    seated = set(Round.objects.filter(plan=plan).values_list("plan_round", flat=True))
    return next((n for n in range(1, len(plan.rounds) + 1) if n not in seated), None)


def players_with_ids(event: Event, ids: Sequence[str]) -> dict[str, Player]:
    players = Player.objects.filter(club=event.club_id, player_id__in=ids)
    return {player.player_id: player for player in players}


def planned_tables(planned: JsonObject) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(table) for table in planned["tables"])


def pairs_met(
    meeting: Meeting | None,
    plan: SeatingPlan | None,
    but: Round | None,
    *,
    is_posted: bool = False,
) -> frozenset[frozenset[int]]:
    """Return the pairs who share a table in another round of an evening, made or planned.

    With `is_posted` drafts do not count.
    """
    tables: list[Sequence[int]] = []
    if meeting is not None:
        rows = Sitting.objects.filter(round__meeting=meeting, to_hand__isnull=True)
        if but is not None:
            rows = rows.exclude(round=but)
        if is_posted:
            rows = rows.exclude(round__state=RoundState.DRAFT)
        together: dict[int, list[int]] = {}
        for table, player in rows.values_list("seat__table_id", "player_id"):
            together.setdefault(table, []).append(player)
        tables.extend(together.values())
    if plan is not None:
        first = next_plan_round(plan)
        for planned in plan.rounds[first - 1 :] if first is not None else ():
            tables.extend(planned_tables(planned))
    return frozenset(frozenset(pair) for table in tables for pair in combinations(table, 2))


def expected_in(
    players: Iterable[int], stage: Stage | None, plan: SeatingPlan | None, number: int | None
) -> frozenset[int]:
    """Return those of some players who are expected in round `number` of a plan; one query."""
    if (
        plan is not None
        and number is not None
        and plan.movement == KNOCKOUT
        and (plan.inputs.get("after") or plan.inputs.get("scores"))
    ):
        planned = plan.rounds[number - 1]
        inside = {player for table in planned_tables(planned) for player in table}
        return frozenset(players) & (inside | set(planned["sitting_out"]))
    chosen = players_in(stage.pk) if stage is not None and stage.cut_at is not None else None
    if chosen is None:
        return frozenset(players)
    return frozenset(players) & chosen


def expected_in_round(
    players: Iterable[int], round_: Round, plan: SeatingPlan | None
) -> frozenset[int]:
    """Return those of some players who are expected in a made round; three queries."""
    if round_.plan_id is None or plan is None or plan.pk != round_.plan_id:
        plan = round_.plan
    before = Round.objects.filter(stage=round_.stage_id, number__lt=round_.number)
    if plan is None and round_.stage.kind == StageKind.KNOCKOUT and before.exists():
        return frozenset()
    return expected_in(players, round_.stage, plan, round_.plan_round)


def attendance_in(
    round_: Round, seating: RoundSeating, plan: SeatingPlan | None = None
) -> tuple[tuple[int, ...], tuple[int, ...], frozenset[int]]:
    """Return who is present without a place, who has a seat but left, and all who do not play.

    Nobody for a round without an evening. Those without a place are in order of arrival.
    """
    if round_.meeting is None:
        return (), (), frozenset()
    number = evening_number(round_)
    present = list_present(round_.meeting, number)
    away = list_absent(round_.meeting, number)
    departed = (row.player_id for row in away.values() if row.state in GONE)
    unplaced = [player for player in present if player not in {*seating.seated, *seating.sit_outs}]
    expected = expected_in_round(unplaced, round_, plan) if unplaced else ()
    return (
        tuple(player for player in unplaced if player in expected),
        tuple(sorted(seating.seated.intersection(departed))),
        frozenset(away),
    )


def waiting_reasons(round_: Round, players: Iterable[int]) -> dict[int, str]:
    """Return why each of some present players sits out for want of a seat; one query at most.

    `late` for those who were checked in after the round was posted, else `rest`.
    """
    late: Container[int] = ()
    if round_.meeting_id is not None and round_.posted_at is not None:
        rows = Attendance.objects.filter(meeting=round_.meeting_id, arrived_at__gt=round_.posted_at)
        late = set(rows.values_list("player_id", flat=True))
    return {
        player: (SitOutReason.LATE if player in late else SitOutReason.REST).value
        for player in players
    }
