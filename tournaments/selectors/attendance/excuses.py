"""Who is excused of an evening: who said in time that they are absent, or by a director's word.

See docs/decisions/0073-excused-evenings.md.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import Exists, Min, OuterRef, Q, QuerySet

from tournaments.domain.event_settings import read_settings, settings_of
from tournaments.models.events import EntrantMember, Event
from tournaments.models.playoffs import StageEntrant
from tournaments.models.rounds import Attendance, AttendanceState, Meeting, Round

_ONE_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Excuse:
    """Whether a player is excused of an evening.

    `is_late` says that they are absent, and said so after the time to withdraw, or after the
    evening had begun where the event has none. `by_director` is True where a director decided it.
    """

    is_excused: bool = False
    is_late: bool = False
    by_director: bool = False


def starts_at(meeting: Meeting, first_posted_at: datetime | None, zone: ZoneInfo) -> datetime:
    """Return when an evening begins.

    That is its time. Without one it begins when its first round is posted, and at the latest when
    its day ends: sheets that are brought in later were posted at no known time.
    """
    if meeting.time is not None:
        return datetime.combine(meeting.date, meeting.time, zone)
    end_of_day = datetime.combine(meeting.date + _ONE_DAY, time.min, zone)
    if first_posted_at is None:
        return end_of_day
    return min(first_posted_at, end_of_day)


def withdraw_until(meeting: Meeting) -> datetime | None:
    """Return until when an answer "not coming" is in time; None where it is until the beginning.

    That is some hours before the evening by the clock of the club, if the event says so. An evening
    without a time has none. The event and its club are loaded.
    """
    hours = settings_of(meeting.event).withdraw_hours
    if not hours or meeting.time is None:
        return None
    start = datetime.combine(meeting.date, meeting.time, meeting.event.club.zone)
    return start - timedelta(hours=hours)


def excuse_of(row: Attendance, until: datetime) -> Excuse:
    """Return whether a player is excused of an evening, by an answer that came before `until`."""
    is_absent = row.state == AttendanceState.ABSENT == row.answer
    answered_at = row.time_of_answer
    is_late = is_absent and answered_at is not None and answered_at >= until
    if row.excused is not None:
        return Excuse(row.excused, is_late=is_late, by_director=True)
    return Excuse(is_absent and not is_late, is_late=is_late)


def excused_until(meeting: Meeting) -> datetime:
    """Return until when an answer excuses; the event and its club are loaded. One query."""
    return _ends_of_answers([meeting])[meeting.pk]


def find_excuses(rows: Iterable[Attendance], meetings: Collection[Meeting]) -> Mapping[int, Excuse]:
    """Return the excuses of stored rows of these meetings, by the key of the row; one query."""
    ends = _ends_of_answers(meetings)
    return {row.pk: excuse_of(row, ends[row.meeting_id]) for row in rows}


def _ends_of_answers(meetings: Collection[Meeting]) -> Mapping[int, datetime]:
    rounds = Round.objects.filter(meeting__in=meetings).order_by().values_list("meeting")
    posted = dict(rounds.annotate(first=Min("posted_at")))
    return {
        meeting.pk: withdraw_until(meeting)
        or starts_at(meeting, posted.get(meeting.pk), meeting.event.club.zone)
        for meeting in meetings
    }


def counts_excuses(event: Event) -> bool:
    """Whether an excused evening gives something in an event, or in the season that it is of."""
    if settings_of(event).counts_excuses:
        return True
    if event.season is None or not event.season.settings:
        return False
    return read_settings(event.season.settings).counts_excuses


def may_be_excused(rows: QuerySet[Attendance]) -> QuerySet[Attendance]:
    """Return the rows of players who are absent, or excused by a director."""
    is_absent = Q(excused=None, state=AttendanceState.ABSENT, answer=AttendanceState.ABSENT)
    return rows.filter(is_absent | Q(excused=True))


def excuses_that_count(rows: QuerySet[Attendance], events: QuerySet[Event]) -> QuerySet[Attendance]:
    """Return those of some rows that may give their players points in one of these events."""
    counting = [event for event in events.select_related("season") if counts_excuses(event)]
    played = Exists(Round.objects.filter(meeting=OuterRef("meeting")))
    return may_be_excused(rows.filter(played, meeting__event__in=counting))


def list_excused(event: Event) -> Mapping[str, Collection[str]]:
    """Return the codes of those who are excused, by the day of their evening; at most six queries.

    A pair or a team is excused if all its players are. A stage with entrants of its own excuses
    nobody else of the evenings of its rounds. Whether they played all the same is not looked at.
    """
    rows = list(may_be_excused(Attendance.objects.filter(meeting__event=event)))
    meetings = Meeting.objects.filter(pk__in={row.meeting_id for row in rows})
    days = {}
    for meeting in meetings:
        meeting.event = event
        days[meeting.pk] = meeting.date.isoformat()
    if not days:
        return {}

    excuses = find_excuses(rows, list(meetings))
    excused_players: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        if excuses[row.pk].is_excused:
            excused_players[days[row.meeting_id]].add(row.player_id)

    players: dict[str, set[int]] = defaultdict(set)
    members = EntrantMember.objects.filter(event=event)
    for code, player in members.values_list("entrant__code", "player_id"):
        players[code].add(player)
    entrants = _entrants_of_stages(event)
    excused = {}
    for day, on_that_day in excused_players.items():
        codes = {code for code, own in players.items() if own <= on_that_day}
        if day in entrants:
            codes.intersection_update(entrants[day])
        excused[day] = frozenset(codes)
    return excused


def _entrants_of_stages(event: Event) -> Mapping[str, Collection[str]]:
    """Return the codes of those who may play on an evening, by its day; not where all may."""
    in_stages: dict[int, set[str]] = defaultdict(set)
    entrants = StageEntrant.objects.filter(stage__event=event)
    for stage, code in entrants.values_list("stage", "entrant__code"):
        in_stages[stage].add(code)
    if not in_stages:
        return {}
    stages: dict[str, set[int]] = defaultdict(set)
    rounds = Round.objects.filter(event=event, meeting__isnull=False)
    for day, stage in rounds.values_list("meeting__date", "stage"):
        stages[day.isoformat()].add(stage)
    return {
        day: set().union(*(in_stages[stage] for stage in of_day))
        for day, of_day in stages.items()
        if of_day <= in_stages.keys()
    }
