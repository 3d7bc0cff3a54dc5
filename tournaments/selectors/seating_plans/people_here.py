"""Who is at an evening, and for which of its rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Max, QuerySet

from tournaments.models.attendance import Attendance, AttendanceState
from tournaments.models.clubs import Player
from tournaments.models.events import (
    EntrantMember,
    EntrantState,
    Event,
    Stage,
    StageKind,
    StagePlan,
)
from tournaments.models.meetings import Meeting, Round, RoundState
from tournaments.models.playoffs import StageEntrant


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
