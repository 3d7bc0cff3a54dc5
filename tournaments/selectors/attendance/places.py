"""The places of an evening: how many people may come, who has a place, and who waits for one."""

from collections.abc import Collection, Mapping, Sequence

from django.db.models import Count, Q, QuerySet

from tournaments.domain.event_settings import settings_of
from tournaments.models.events import Event
from tournaments.models.rounds import Attendance, AttendanceState, Meeting

COMING = (AttendanceState.EXPECTED, AttendanceState.LATE)
HAVE_A_PLACE = Q(state__in=COMING, answer__in=COMING) | Q(state=AttendanceState.HERE)
"""Who says that they come, and who is here; an undone check-in has no place."""


def capacity_of(meeting: Meeting) -> int | None:
    """Return how many people may come to an evening; None without a limit."""
    places = meeting.capacity
    if places is None:
        places = settings_of(meeting.event).capacity
    return places or None


def count_taken(meeting: Meeting) -> int:
    return Attendance.objects.filter(HAVE_A_PLACE, meeting=meeting).count()


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
    rows = Attendance.objects.filter(HAVE_A_PLACE, meeting__in=limited).order_by()
    taken = dict(rows.values_list("meeting").annotate(n=Count("pk")))
    return {key: (taken.get(key, 0), places) for key, places in limited.items()}


def list_waiting(meeting: Meeting) -> QuerySet[Attendance]:
    """Return who waits, in the order of the answers."""
    rows = Attendance.objects.filter(meeting=meeting, state=AttendanceState.WAITING)
    return rows.order_by("answered_at", "pk")


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


def has_place_for_another(meeting: Meeting) -> bool:
    """Whether a further answer has a place: one is free, and nobody waits for it."""
    free = free_places(meeting)
    if free is None:
        return True
    return free > 0 and not list_waiting(meeting).exists()


def has_place(row: Attendance) -> bool:
    """Whether a player has a place, as `HAVE_A_PLACE` asks of stored rows."""
    return row.state == AttendanceState.HERE or (row.state in COMING and row.answer in COMING)


def waiting_numbers(meeting: Meeting) -> dict[int, int]:
    """Return the number of each waiting player on the list, from 1, by the player's row."""
    players = list_waiting(meeting).values_list("player_id", flat=True)
    return {player: number for number, player in enumerate(players, start=1)}
