"""The places of an evening: how many may come, who has a place, and who waits for one.

A place is for a player, and in an event of pairs or teams for one of them: its players have one
place together, and wait as one.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import BigIntegerField, Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from tournaments.domain.event_settings import settings_of
from tournaments.models.clubs import Player
from tournaments.models.events import (
    Entrant,
    EntrantKind,
    EntrantMember,
    Event,
    Stage,
    StageKind,
)
from tournaments.models.rounds import Attendance, AttendanceState, Meeting, MeetingState
from tournaments.selectors.attendance.excuses import withdraw_until
from tournaments.selectors.events.meetings import MEETS, club_day

COMING = (AttendanceState.EXPECTED, AttendanceState.LATE)
HAVE_A_PLACE = Q(state__in=COMING, answer__in=COMING) | Q(state=AttendanceState.HERE)
"""Who says that they come, and who is here; an undone check-in has no place."""
PLACES: Final = {
    EntrantKind.PLAYER: _("Places for players"),
    EntrantKind.PAIR: _("Places for pairs"),
    EntrantKind.TEAM: _("Places for teams"),
}
"""What the places of an evening are for → the label of their number."""
_OF_MOVEMENTS: Final[Mapping[str, EntrantKind]] = {
    StageKind.PAIRS: EntrantKind.PAIR,
    StageKind.TEAMS: EntrantKind.TEAM,
}


def capacity_of(meeting: Meeting) -> int | None:
    """Return how many places an evening has; None without a limit."""
    places = meeting.capacity
    if places is None:
        places = settings_of(meeting.event).capacity
    return places or None


def kind_of_places(event: Event) -> EntrantKind:
    """Return for whom a place of an event is: a player, a pair, or a pair or team.

    Until somebody is entered, the movement of the event says it. One query, or two.
    """
    kinds = set(Entrant.objects.filter(event=event).values_list("kind", flat=True).distinct())
    if not kinds:
        movements = Stage.objects.filter(event=event).values_list("kind", flat=True)
        kinds = {_OF_MOVEMENTS.get(movement, EntrantKind.PLAYER) for movement in movements}
    for kind in (EntrantKind.TEAM, EntrantKind.PAIR):
        if kind in kinds:
            return kind
    return EntrantKind.PLAYER


def takes_only_groups(event: Event) -> bool:
    """Whether an event has entrants and all are pairs or teams; one query."""
    kinds = set(Entrant.objects.filter(event=event).values_list("kind", flat=True).distinct())
    return bool(kinds) and EntrantKind.PLAYER not in kinds


def find_missing_group(event: Event, player: Player) -> str:
    """Return what a player has to be in to come: a pair or a team; "" where nothing is missing.

    Something is only where all entrants are pairs or teams, and the player is in none. At most
    three queries.
    """
    if not takes_only_groups(event):
        return ""
    if EntrantMember.objects.filter(event=event, player=player).exists():
        return ""
    return str(kind_of_places(event))


def list_partners(event: Event, player: Player) -> Sequence[Player]:
    """Return the others of a player's pair or team in an event; one query."""
    groups = EntrantMember.objects.filter(event=event, player=player)
    groups = groups.exclude(entrant__kind=EntrantKind.PLAYER)
    partners = Player.objects.filter(entries_in_events__entrant__in=groups.values("entrant"))
    return tuple(partners.exclude(pk=player.pk).order_by("sort_key", "player_id"))


def list_evenings_ahead(players: Collection[Player], now: datetime) -> QuerySet[Meeting]:
    """Return the evenings that may still be ahead at which something is stated of players."""
    # Yesterday's by UTC may be today's where a club is.
    ahead = Meeting.objects.filter(date__gte=now.date() - timedelta(days=1))
    answered = ahead.filter(attendance__player__in=players).distinct()
    return answered.select_related("event__club").order_by("event", "pk")


def with_group(rows: QuerySet[Attendance]) -> QuerySet[Any]:
    """Annotate `group`: the same number for all who have one place together."""
    groups = EntrantMember.objects.filter(event=OuterRef("meeting__event"))
    groups = groups.filter(player=OuterRef("player")).exclude(entrant__kind=EntrantKind.PLAYER)
    group = Coalesce(
        Subquery(groups.values("entrant")[:1]), -F("player"), output_field=BigIntegerField()
    )
    return rows.annotate(group=group)


def count_taken(meeting: Meeting) -> int:
    rows = with_group(Attendance.objects.filter(HAVE_A_PLACE, meeting=meeting))
    return rows.order_by().values("group").distinct().count()


def list_places(event: Event, meetings: Collection[Meeting]) -> Mapping[int, tuple[int, int]]:
    """Return how many places are taken, and how many there are, by the key of the meeting.

    Meetings without a limit are left out; one query if one has a limit. The meetings have their
    event.
    """
    usual = settings_of(event).capacity
    limited = {}
    for meeting in meetings:
        places = usual if meeting.capacity is None else meeting.capacity
        if places:
            limited[meeting.pk] = places
    if not limited:
        return {}
    rows = with_taken(Meeting.objects.filter(pk__in=limited))
    taken = {row.pk: row.n_taken for row in rows}  # type: ignore[attr-defined]  # annotated
    return {key: (taken[key], places) for key, places in limited.items()}


def list_waiting(meeting: Meeting) -> Sequence[Sequence[Attendance]]:
    """Return who waits for each next place, in the order of the answers; one query.

    Where members come before guests, members who answered before the time to withdraw are first.
    The event and its club are loaded.
    """
    rows = with_group(Attendance.objects.filter(meeting=meeting, state=AttendanceState.WAITING))
    members_first = settings_of(meeting.event).members_first
    if members_first:
        of_event = EntrantMember.objects.filter(event=OuterRef("meeting__event"))
        guests = of_event.filter(entrant__guest=True, player=OuterRef("player"))
        rows = rows.annotate(is_guest=Q(guest=True) | Exists(guests))
    until = withdraw_until(meeting)
    waiting = list(rows.select_related("player").order_by("answered_at", "pk"))
    if members_first:
        # The order of the answers stays among each of the two.
        waiting.sort(key=lambda row: not _goes_before_guests(row, until))
    groups: dict[int, list[Attendance]] = defaultdict(list)
    for row in waiting:
        groups[row.group].append(row)
    return tuple(groups.values())


def _goes_before_guests(row: Any, until: datetime | None) -> bool:
    if row.is_guest:
        return False
    answered_at = row.time_of_answer
    return until is None or answered_at is None or answered_at < until


def list_with_waiting(meetings: Collection[Meeting]) -> Sequence[Meeting]:
    """Return those of some evenings for which somebody waits; one query."""
    rows = Attendance.objects.filter(meeting__in=meetings, state=AttendanceState.WAITING)
    waited_for = set(rows.values_list("meeting_id", flat=True))
    return [meeting for meeting in meetings if meeting.pk in waited_for]


def free_places(meeting: Meeting) -> int | None:
    """Return how many places nobody has; None without a limit, 0 where more come than may."""
    places = capacity_of(meeting)
    if places is None:
        return None
    return max(0, places - count_taken(meeting))


def with_taken(meetings: QuerySet[Meeting]) -> QuerySet[Meeting]:
    """Annotate `n_taken`: how many places of an evening somebody has."""
    rows = with_group(Attendance.objects.filter(HAVE_A_PLACE, meeting=OuterRef("pk")))
    counts = rows.order_by().values("meeting").annotate(n=Count("group", distinct=True))
    return meetings.annotate(n_taken=Coalesce(Subquery(counts.values("n")), 0))


def free_to_answer(meeting: Meeting, n_taken: int, *, now: datetime) -> int | None:
    """Return how many places an evening has for new answers; None without a limit.

    None too where nobody is asked: once it has begun or is over, if it is cancelled, and where
    nobody gathers. The event, its club and `state_now` are loaded; no query.
    """
    state = meeting.state_now  # type: ignore[attr-defined]  # annotated
    places = capacity_of(meeting)
    is_asked = state == MeetingState.PLANNED and meeting.gathers
    if places is None or not is_asked or meeting.event.state not in MEETS:
        return None
    if meeting.date < club_day(meeting.event.club, now):
        return None
    return max(0, places - n_taken)


def list_free_to_answer(meetings: Collection[Meeting], *, now: datetime) -> Mapping[int, int]:
    """Return `free_to_answer` of evenings by their keys, without those that have none.

    One query, and none if no evening has a limit.
    """
    limited = {row.pk: row for row in meetings if free_to_answer(row, 0, now=now) is not None}
    if not limited:
        return {}
    free = {}
    for row in with_taken(Meeting.objects.filter(pk__in=limited)):
        n_taken = row.n_taken  # type: ignore[attr-defined]  # annotated
        free[row.pk] = free_to_answer(limited[row.pk], n_taken, now=now)
    return {pk: places for pk, places in free.items() if places is not None}


def has_place_for_another(meeting: Meeting) -> bool:
    """Whether a further answer has a place: one is free, and nobody waits for it."""
    return places_for_others(meeting) != 0


def places_for_others(meeting: Meeting) -> int | None:
    """Return how many places a further player may take; None without a limit.

    0 where somebody waits.
    """
    free = free_places(meeting)
    if not free:
        return free
    waiting = Attendance.objects.filter(meeting=meeting, state=AttendanceState.WAITING)
    return 0 if waiting.exists() else free


def has_place(row: Attendance) -> bool:
    """Whether a player has a place, as `HAVE_A_PLACE` asks of stored rows."""
    return row.state == AttendanceState.HERE or (row.state in COMING and row.answer in COMING)


def waiting_numbers(meeting: Meeting) -> dict[int, int]:
    """Return the number of each waiting player on the list, from 1, by the player's row."""
    return {
        row.player_id: number
        for number, rows in enumerate(list_waiting(meeting), start=1)
        for row in rows
    }
