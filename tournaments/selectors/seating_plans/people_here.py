"""Who is at an evening, in which pairs and teams, and whom they met in earlier rounds."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Max, QuerySet

from tournaments.models.clubs import Player
from tournaments.models.events import (
    Entrant,
    EntrantKind,
    EntrantMember,
    EntrantState,
    Event,
    Stage,
    StageKind,
    StagePlan,
)
from tournaments.models.meetings import (
    Attendance,
    AttendanceState,
    Meeting,
    Round,
    RoundState,
    SitOut,
    SitOutReason,
    Sitting,
)
from tournaments.models.playoffs import StageEntrant
from tournaments.models.seating_plans import ConstraintKind, SeatingConstraint, SeatingPlan
from tournaments.selectors.clubs.names import FULL_NAME, NameColumn
from tournaments.selectors.events.entrants import entrant_names

MOST_ROUNDS: Final = 200
"""So many of the newest rounds count; older ones do not change who should meet tonight."""


@dataclass(frozen=True, slots=True)
class EarlierRound:
    """Who shared which table in a round, as rows of players in seat order, and who had a bye.

    `number` is the round's, in its event.
    """

    tables: tuple[tuple[int, ...], ...]
    sitting_out: tuple[int, ...] = ()
    number: int = 0


def earlier_rounds(event: Event, *, but: Meeting | None = None) -> tuple[EarlierRound, ...]:
    """Return the rounds of an event that are seated, the earliest first; three queries.

    Drafts and play-offs are left out. A seat counts for whoever holds it last.

    Args:
        but: a meeting whose rounds are left out.
    """
    rounds = Round.objects.filter(event=event).exclude(stage__kind=StageKind.PLAYOFF)
    if but is not None:
        rounds = rounds.exclude(meeting=but)
    seated = rounds.exclude(state=RoundState.DRAFT).order_by("-number")
    numbers = sorted(seated.values_list("number", "pk")[:MOST_ROUNDS])
    keys = [pk for _number, pk in numbers]
    tables = _tables(keys)
    outside = _sitting_out(keys)
    found = (
        EarlierRound(tables.get(pk, ()), outside.get(pk, ()), number) for number, pk in numbers
    )
    return tuple(one for one in found if one.tables)


def _tables(rounds: list[int]) -> Mapping[int, tuple[tuple[int, ...], ...]]:
    sat: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    rows = Sitting.objects.filter(round__in=rounds, to_hand__isnull=True)
    for round_id, table, player in rows.order_by(
        "round__number", "seat__table__number", "seat__number"
    ).values_list("round", "seat__table__number", "player_id"):
        sat[round_id][table].append(player)
    return {
        round_id: tuple(tuple(players) for players in tables.values() if len(players) > 1)
        for round_id, tables in sat.items()
    }


def _sitting_out(rounds: list[int]) -> Mapping[int, tuple[int, ...]]:
    found: dict[int, list[int]] = defaultdict(list)
    rows = SitOut.objects.filter(round__in=rounds, reason=SitOutReason.BYE)
    for round_id, player in rows.order_by("entrant__members__player").values_list(
        "round", "entrant__members__player_id"
    ):
        if player is not None:
            found[round_id].append(player)
    return {round_id: tuple(players) for round_id, players in found.items()}


@dataclass(frozen=True, slots=True)
class PersonHere:
    """A player at an evening; rounds are those of the evening, None = until the end.

    `is_late` says that the player is announced for a later round and not checked in yet.
    """

    pk: int
    player_id: str
    name: str
    first: int = 1
    last: int | None = None
    is_late: bool = False


def people_here(meeting: Meeting, stage: int | None = None) -> tuple[PersonHere, ...]:
    """Return who can be seated at a meeting, by name; two queries.

    These are the players who are checked in, and those who are late and said from which round on.
    Players who were merged or erased, withdrawn entrants, and whoever was not chosen for the
    stage that is played now, are left out.

    Args:
        stage: the number of another stage that has begun.
    """
    withdrawn = EntrantMember.objects.filter(
        event=meeting.event_id, entrant__state=EntrantState.WITHDRAWN
    )
    rows = (
        Attendance.objects.filter(
            meeting=meeting,
            state__in=(AttendanceState.HERE, AttendanceState.LATE),
            player__merged_into=None,
            player__erased_at=None,
        )
        .exclude(state=AttendanceState.LATE, from_round=None)
        .exclude(player__in=withdrawn.values("player"))
        .order_by("player__name", "player__player_id")
    )
    inside = _in_stage(meeting, stage)
    return tuple(
        PersonHere(pk, player_id, name, first or 1, last, state == AttendanceState.LATE)
        for pk, player_id, name, first, last, state in rows.values_list(
            "player_id",
            "player__player_id",
            "player__name",
            "from_round",
            "leaves_after_round",
            "state",
        )
        if not inside or pk in inside
    )


def _in_stage(meeting: Meeting, number: int | None) -> frozenset[int]:
    """Return who was chosen for the stage that is played now; empty where everybody plays."""
    stages = Stage.objects.filter(event=meeting.event_id).exclude(kind=StageKind.PLAYOFF)
    stages = stages.exclude(plan=StagePlan.PLANNED)
    if number is not None:
        stages = stages.filter(number=number)
    now = stages.order_by("-number").values("pk")[:1]
    chosen = StageEntrant.objects.filter(stage__in=now)
    return frozenset(chosen.values_list("entrant__members__player_id", flat=True))


def playing(people: Sequence[PersonHere], rounds: int, first_round: int) -> tuple[PersonHere, ...]:
    """Return those of `people` who are there for at least one of some rounds of an evening."""
    last_round = first_round + rounds - 1
    return tuple(
        one
        for one in people
        if one.first <= last_round and (one.last is None or one.last >= first_round)
    )


def seated_rounds(meeting: Meeting) -> int:
    """Return how many rounds of an evening were posted, played or closed."""
    rounds = Round.objects.filter(meeting=meeting).exclude(stage__kind=StageKind.PLAYOFF)
    return rounds.exclude(state=RoundState.DRAFT).count()


def rounds_of_last_evening(meeting: Meeting) -> int:
    """Return how many rounds the event's evening before a meeting had; 0 where there was none."""
    rounds = Round.objects.filter(event=meeting.event_id, meeting__date__lt=meeting.date)
    rounds = rounds.exclude(stage__kind=StageKind.PLAYOFF).exclude(state=RoundState.DRAFT)
    last = rounds.aggregate(day=Max("meeting__date"))["day"]
    return rounds.filter(meeting__date=last).count() if last else 0


def planned_players(event: Event, pks: set[int]) -> Mapping[int, Player]:
    """Return players of the event's club by row; one query."""
    return Player.objects.filter(club=event.club_id).in_bulk(sorted(pks))


def seatable_players(event: Event) -> QuerySet[Player]:
    """Return the players of an event's club who can be seated, by name."""
    people = Player.objects.filter(club=event.club_id, merged_into=None, erased_at=None)
    return people.filter(is_active=True).order_by("name", "player_id")


@dataclass(frozen=True, slots=True)
class PlayingUnit:
    """A pair or a team at an evening; players are rows.

    `entrant` is its row, None for two who play together by a constraint; `missing` has the names of
    its players who are not here.
    """

    entrant: int | None
    name: str
    here: tuple[int, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnitsHere:
    """The pairs and teams at an evening, by name, and the players who belong to none."""

    units: tuple[PlayingUnit, ...]
    alone: tuple[PersonHere, ...]


def units_here(event: Event, people: Sequence[PersonHere]) -> UnitsHere:
    """Return how people who are here play together; four queries.

    Two who are `together` by a constraint are partners where neither belongs to a pair or team with
    another player who is here: so a substitute takes the place of a partner.
    """
    there = {one.pk: one for one in people}
    playing_units = _units_of_entrants(event, there)
    whole = {player for unit in playing_units for player in unit.here if len(unit.here) > 1}
    joined = _joined(event, there, whole)
    partners = {player for unit in joined for player in unit.here}
    units = [unit for unit in playing_units if not partners.intersection(unit.here)]
    placed = partners | {player for unit in units for player in unit.here}
    return UnitsHere(
        tuple(sorted([*units, *joined], key=lambda one: (one.name, one.here))),
        tuple(one for one in people if one.pk not in placed),
    )


def _units_of_entrants(event: Event, there: Mapping[int, PersonHere]) -> list[PlayingUnit]:
    """Return the pairs and teams with somebody here; members are in the order of their entry."""
    rows = Entrant.objects.filter(event=event, state=EntrantState.ACTIVE)
    rows = rows.exclude(kind=EntrantKind.PLAYER).prefetch_related("members__player")
    found = [one for one in rows if any(row.player_id in there for row in one.members.all())]
    names = entrant_names(found, FULL_NAME)
    made = []
    for one in found:
        members = sorted(one.members.all(), key=lambda row: row.pk)
        here = tuple(row.player_id for row in members if row.player_id in there)
        missing = tuple(row.player.name for row in members if row.player_id not in there)
        made.append(PlayingUnit(one.pk, names[one.pk] or one.code, here, missing))
    return made


def _joined(
    event: Event, there: Mapping[int, PersonHere], whole: Collection[int]
) -> list[PlayingUnit]:
    """Return the pairs that constraints make of people without a partner who is here."""
    rows = SeatingConstraint.objects.filter(event=event, kind=ConstraintKind.TOGETHER)
    taken = set(whole)
    made = []
    for one, other in rows.order_by("pk").values_list("player_id", "other_id"):
        if other is None or {one, other} & taken or not {one, other} <= set(there):
            continue
        taken |= {one, other}
        made.append(PlayingUnit(None, f"{there[one].name} & {there[other].name}", (one, other)))
    return made


def members_now(event: Event) -> Mapping[int, int]:
    """Return player → pair or team, as rows, of those who are not withdrawn; one query."""
    rows = EntrantMember.objects.filter(event=event, entrant__state=EntrantState.ACTIVE)
    rows = rows.exclude(entrant__kind=EntrantKind.PLAYER)
    return dict(rows.values_list("player_id", "entrant_id"))


@dataclass(frozen=True, slots=True)
class PlanEntrant:
    """The id of a pair or a team, and what it is called."""

    code: str
    name: str


def entrants_of_plans(
    event: Event, plans: Iterable[SeatingPlan], column: NameColumn
) -> Mapping[int, PlanEntrant]:
    """Return the pairs and teams of some plans by row, as whoever reads them; two queries."""
    wanted = {row for plan in plans for row in plan.inputs.get("entrants", ()) if row is not None}
    rows = Entrant.objects.filter(event=event, pk__in=wanted).prefetch_related("members__player")
    found = list(rows)
    names = entrant_names(found, column)
    return {one.pk: PlanEntrant(one.code, names[one.pk] or one.code) for one in found}
