"""The meetings of events: their state, the next ones, and those that calendars show."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from datetime import time as local_time
from typing import Final

from django.db.models import (
    BooleanField,
    Case,
    CharField,
    Count,
    Exists,
    ExpressionWrapper,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)

from scoring.json_types import JsonDict
from tournaments.errors import Missing, first_or_missing
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import EntrantMember, Event, EventKind, EventState
from tournaments.models.rounds import Attendance, Meeting, MeetingState, Round, RoundState, Table
from tournaments.policy import Actor
from tournaments.selectors.events.events import SAT_DOWN, events_for, rounds_of

MEETING_STATE: Final = Case(
    When(
        Exists(Round.objects.filter(meeting=OuterRef("pk"), state__in=SAT_DOWN)),
        then=Value(MeetingState.HELD.value),
    ),
    When(state=MeetingState.CANCELLED, then=Value(MeetingState.CANCELLED.value)),
    default=Value(MeetingState.PLANNED.value),
    output_field=CharField(),
)
"""The state of a meeting: held once a hand of one of its rounds was entered, whatever the meeting's
own row says, else cancelled or planned."""

_POSTED: Final = Round.objects.filter(meeting=OuterRef("pk")).exclude(state=RoundState.DRAFT)
_AFTER_THE_END: Final = Q(closed_at=None) | Q(closed_at__gt=OuterRef("ended_at"))
IS_OVER: Final = ExpressionWrapper(
    Q(Exists(_POSTED), ~Exists(_POSTED.filter(_AFTER_THE_END)), ended_at__isnull=False),
    output_field=BooleanField(),
)
"""Whether a meeting is over: it was ended, and all that was posted of it was closed by then."""

MEETS: tuple[str, ...] = (EventState.DRAFT, EventState.OPEN)
"""States of events that still have evenings to come."""

OPEN_ROUNDS: Final = (RoundState.POSTED, RoundState.PLAYING)

MOST_CANCELLED: Final = 3
"""Cancelled evenings that a club's page names."""

CANCELLED_AHEAD: Final = timedelta(days=28)
"""Time before a cancelled evening in which a club's page names it."""

PAST: Final = timedelta(days=366)
"""How long a past meeting stays in calendars."""

MOST_IN_CALENDAR: Final = 1000

LONGEST_ROUND: Final = timedelta(hours=12)
"""Time after which an open round is no longer being played, but was not closed."""

LULL: Final = timedelta(minutes=15)
"""Time without a change before a result is sent, or a corrected one is drawn, so that several
corrections send and draw one."""

OLD_AFTER: Final = timedelta(days=3)
"""Age of evenings whose sheets are brought in for the record: nothing is said of them, they end
without a result, and no sweep closes their rounds."""

END_AFTER: Final = timedelta(hours=1)
"""Time after its last round in which an evening may go on; then it ends."""

NOON: Final = local_time(12)
"""Local time of the next day at which an evening ends if all its tables are complete."""

NIGHT_ENDS: Final = local_time(6)
"""Local time until which an evening whose rounds are closed may go on with another round."""


def with_state(meetings: QuerySet[Meeting]) -> QuerySet[Meeting]:
    """Annotate `meetings` with `state_now`, the only state that pages and REST may show."""
    return meetings.annotate(state_now=MEETING_STATE)


def posted_rounds_of(meeting: Meeting) -> QuerySet[Round]:
    """Return the rounds of an evening that count for its end; a draft is a plan for more."""
    return Round.objects.filter(meeting=meeting).exclude(state=RoundState.DRAFT)


def rounds_after_end(meeting: Meeting) -> QuerySet[Round]:
    """Return the rounds that continue an evening that was ended, by number."""
    not_closed_then = Q(closed_at=None) | Q(closed_at__gt=meeting.ended_at)
    return posted_rounds_of(meeting).filter(not_closed_then).order_by("number")


def is_old(meeting: Meeting, now: datetime) -> bool:
    """Whether the sheets of an evening are brought in for the record (`OLD_AFTER`)."""
    return meeting.date < (now - OLD_AFTER).date()


def ended(meetings: QuerySet[Meeting]) -> QuerySet[Meeting]:
    """Return those of `meetings` that are over: ended, and all that was posted was closed by then.

    A round that is posted, opened again or closed later takes the end back by itself.
    """
    return meetings.filter(IS_OVER)


def is_over(meeting: Meeting) -> bool:
    return ended(Meeting.objects.filter(pk=meeting.pk)).exists()


def planned(meetings: QuerySet[Meeting]) -> QuerySet[Meeting]:
    """Return those of `meetings` that gather people, are not cancelled and have no hand yet."""
    gathering = meetings.filter(gathers=True)
    return gathering.annotate(state_now=MEETING_STATE).filter(state_now=MeetingState.PLANNED)


def list_planned_evenings(event: Event, now: datetime) -> Sequence[Meeting]:
    """Return the planned evenings of a league from today on, which closing it would leave."""
    if event.kind != EventKind.LEAGUE:
        return ()
    today = club_day(event.club, now)
    ahead = planned(Meeting.objects.filter(event=event, date__gte=today))
    return tuple(ahead.order_by("date"))


def without_rounds(event: Event) -> QuerySet[Meeting]:
    """Return an event's planned meetings for which no round was created, the first one first."""
    return planned(Meeting.objects.filter(event=event, rounds__isnull=True)).order_by("date")


def meetings_of(event: Event) -> QuerySet[Meeting]:
    """Return an event's meetings with `state_now` and `is_over`, the newest first."""
    meetings = with_state(Meeting.objects.filter(event=event)).annotate(is_over=IS_OVER)
    return meetings.order_by("-date")


def meeting_on(event: Event, day: date) -> Meeting:
    meeting = first_or_missing(meetings_of(event).filter(date=day), "meeting", date=day.isoformat())
    meeting.event = event
    return meeting


def list_cancelled_days(event: Event, days: Collection[date]) -> Sequence[date]:
    """Return those of some days on which an evening of an event is cancelled."""
    meetings = Meeting.objects.filter(event=event, date__in=days).annotate(state_now=MEETING_STATE)
    cancelled = meetings.filter(state_now=MeetingState.CANCELLED)
    return list(cancelled.values_list("date", flat=True))


def find_evening_on(event: Event, now: datetime) -> Meeting | None:
    """Return the evening of an event that is on: it gathers, and is neither cancelled nor over."""
    gathering = Meeting.objects.filter(event=event, date=evening_day(event, now), gathers=True)
    not_over = gathering.exclude(IS_OVER).annotate(state_now=MEETING_STATE)
    return not_over.exclude(state_now=MeetingState.CANCELLED).first()


def list_evening_days(event: Event, *, until: date, at_most: int) -> Sequence[date]:
    """Return the days of an event's evenings up to one, the newest first; not cancelled ones."""
    meetings = Meeting.objects.filter(event=event, date__lte=until)
    meetings = meetings.annotate(state_now=MEETING_STATE)
    taking_place = meetings.exclude(state_now=MeetingState.CANCELLED).order_by("-date")
    return list(taking_place.values_list("date", flat=True)[:at_most])


def number_of_meetings(event: Event) -> int:
    """Return how many meetings an event has had or plans; cancelled ones are none."""
    meetings = Meeting.objects.filter(event=event).annotate(state_now=MEETING_STATE)
    return meetings.exclude(state_now=MeetingState.CANCELLED).count()


def day_to_play(event: Event, now: datetime) -> date | None:
    """Return the local date that a new round proposes; None where there is no evening to propose.

    It is that of `evening_day` if the event meets then; else it is the first planned evening
    without a round, past or to come. Without one it is today, unless today's evening is cancelled.
    """
    today = evening_day(event, now)
    meeting = meetings_of(event).filter(date=today, gathers=True).first()
    state = meeting.state_now if meeting else None  # type: ignore[attr-defined]  # annotated
    if state not in (None, MeetingState.CANCELLED):
        return today
    first = without_rounds(event).values_list("date", flat=True).first()
    return first or (None if state else today)


def next_meeting(event: Event, today: date) -> Meeting | None:
    return planned(Meeting.objects.filter(event=event, date__gte=today)).order_by("date").first()


def last_place_and_time(event: Event) -> tuple[local_time | None, str]:
    meetings = Meeting.objects.filter(event=event).exclude(time=None, place="").order_by("-date")
    last = meetings.values_list("time", "place").first()
    return last if last is not None else (None, "")


def evenings(event: Event, now: datetime) -> list[JsonDict]:
    """Return the meetings with their rounds, the newest first, in at most five queries.

    Each of `rounds` is a number with the names of what its tables play; `tables` counts these;
    `is_on` is that of `list_on`. Rounds that belong to no meeting come last, under one evening
    without a date.
    """
    rounds: dict[int | None, list[tuple[int, list[str]]]] = defaultdict(list)
    n_tables: Counter[int | None] = Counter()
    games: dict[int, list[str]] = defaultdict(list)
    tables = Table.objects.filter(event=event, game__isnull=False)
    for round_id, name in (
        tables.order_by("game__snapshot__variant_name")
        .values_list("round_id", "game__snapshot__variant_name")
        .distinct()
    ):
        games[round_id].append(name)
    for row in rounds_of(event).annotate(n_tables=Count("tables")):
        rounds[row.meeting_id].append((row.number, games[row.pk]))
        n_tables[row.meeting_id] += row.n_tables
    meetings = list(meetings_of(event))
    for meeting in meetings:
        meeting.event = event
    on = list_on(meetings, now)
    dated = [
        {
            "meeting": meeting,
            "date": meeting.date,
            "state": meeting.state_now,  # type: ignore[attr-defined]  # annotated
            "rounds": rounds[meeting.pk],
            "tables": n_tables[meeting.pk],
            "time": meeting.time,
            "place": meeting.place,
            "cancel_reason": meeting.cancel_reason,
            "gathers": meeting.gathers,
            "is_on": meeting.pk in on,
        }
        for meeting in meetings
    ]
    if loose := rounds[None]:
        no_date = {"date": None, "state": "", "gathers": False}
        dated.append({**no_date, "rounds": loose, "tables": n_tables[None]})
    return dated


def next_by_event(events: Iterable[Event], today: date) -> Mapping[int, date]:
    """Return the next planned evening from `today` on (a local date) by the event's key; one query.

    Events without one, and those that are over, are left out.
    """
    meets = [event.pk for event in events if event.state in MEETS]
    ahead = planned(Meeting.objects.filter(event__in=meets, date__gte=today))
    return dict(ahead.order_by().values_list("event").annotate(next=Min("date")))


def by_what_is_due(
    events: Iterable[Event], waiting: Collection[int], today: date
) -> Sequence[Event]:
    """Return events, those by key in `waiting` first, then by their next evening; one query."""
    rows = list(events)
    ahead = next_by_event(rows, today)
    return sorted(rows, key=lambda row: (row.pk not in waiting, ahead.get(row.pk, date.max)))


def next_evening_parts(events: Sequence[Event], by_event: Mapping[int, date]) -> Sequence[Meeting]:
    """Return the parts of the first of the next evenings, by time; one query.

    They have `state_now` and their event; those that have begun are among them. Parts without a
    time come last, in the order of `events`.
    """
    day = min((by_event[event.pk] for event in events if event.pk in by_event), default=None)
    if day is None:
        return ()
    meets = {event.pk: event for event in events if event.state in MEETS}
    that_day = Meeting.objects.filter(event__in=meets, date=day, gathers=True)
    that_day = that_day.annotate(state_now=MEETING_STATE)
    meetings = list(that_day.exclude(state_now=MeetingState.CANCELLED))
    position = {event_id: number for number, event_id in enumerate(meets)}
    for meeting in meetings:
        meeting.event = meets[meeting.event_id]
    latest = local_time.max
    return sorted(
        meetings, key=lambda meeting: (meeting.time or latest, position[meeting.event_id])
    )


def rounds_tonight(
    events: Sequence[Event], club: Club, now: datetime, *, with_closed: bool = False
) -> Sequence[Round]:
    """Return the last round of each event of a club that is posted or played today; one query.

    A round that is played past midnight is among them. They are in the order of the times of their
    evenings.

    Args:
        with_closed: with rounds that are closed too, those of yesterday until `NIGHT_ENDS`.
    """
    today = club_day(club, now)
    states = [RoundState.POSTED, RoundState.PLAYING]
    if with_closed:
        states.append(RoundState.CLOSED)
    is_night = now.astimezone(club.zone).time() < NIGHT_ENDS
    rounds = Round.objects.filter(
        event__in=events,
        meeting__date__range=(today - timedelta(days=1), today),
        state__in=states,
    )
    last: dict[int, Round] = {}
    for round_ in rounds.select_related("event", "meeting", "stage").order_by("number"):
        is_today = round_.meeting is not None and round_.meeting.date == today
        is_closed_tonight = is_night and round_.state == RoundState.CLOSED
        if is_today or is_closed_tonight or is_played_past_midnight(round_, club, now):
            last[round_.event_id] = round_
    latest = local_time.max
    return sorted(
        last.values(),
        key=lambda row: (row.meeting.time or latest if row.meeting else latest, row.event_id),
    )


def cancelled_ahead(
    events: Iterable[Event], today: date, coming: Meeting | None
) -> Sequence[Meeting]:
    """Return the first cancelled evenings from `today` on.

    They are those up to the next one that takes place, and those of the next weeks.
    """
    meets = [event.pk for event in events if event.state in MEETS]
    ahead = Meeting.objects.filter(event__in=meets, date__gte=today)
    if coming is not None:
        ahead = ahead.filter(date__lte=max(coming.date, today + CANCELLED_AHEAD))
    cancelled = ahead.annotate(state_now=MEETING_STATE).filter(state_now=MeetingState.CANCELLED)
    return tuple(cancelled.select_related("event").order_by("date", "event__name")[:MOST_CANCELLED])


def next_by_club(actor: Actor, clubs: Iterable[Club], now: datetime) -> Mapping[int, date]:
    """Return the next planned evening that `actor` may read of, by the club's key; one query."""
    zones: dict[date, set[str]] = {}
    for club in clubs:
        zones.setdefault(club_day(club, now), set()).add(club.time_zone)
    if not zones:
        return {}
    ahead = Q()
    for today, names in zones.items():
        ahead |= Q(club__time_zone__in=sorted(names), date__gte=today)
    readable = events_for(actor).filter(archived_at__isnull=True, state__in=MEETS)
    coming = planned(Meeting.objects.filter(ahead, event__in=readable.values("pk")))
    return dict(coming.order_by().values_list("club").annotate(next=Min("date")))


def club_day(club: Club, now: datetime) -> date:
    return now.astimezone(club.zone).date()


def is_played_past_midnight(round_: Round, club: Club, now: datetime) -> bool:
    """Whether a round belongs to an evening of yesterday that still goes on; its meeting is loaded.

    An open round is being played for `LONGEST_ROUND`. Between two rounds, when all are closed, the
    evening goes on until `NIGHT_ENDS`.
    """
    meeting = round_.meeting
    yesterday = club_day(club, now) - timedelta(days=1)
    if meeting is None or not meeting.gathers or meeting.date != yesterday:
        return False
    if round_.posted_at is None or round_.posted_at <= now - LONGEST_ROUND:
        return False
    if round_.state == RoundState.CLOSED:
        return now.astimezone(club.zone).time() < NIGHT_ENDS
    return round_.state in (RoundState.POSTED, RoundState.PLAYING)


def find_past_midnight(meetings: Iterable[Meeting], now: datetime) -> Collection[int]:
    """Return the keys of those meetings that were yesterday's and still go on.

    They gather, and are neither cancelled nor over. While a round is played they go on for
    `LONGEST_ROUND` after it was posted; else, between two rounds or before the first one, until
    `NIGHT_ENDS`. Their events and clubs are loaded. At most one query.
    """
    clubs = {
        meeting.pk: meeting.event.club
        for meeting in meetings
        if meeting.date == club_day(meeting.event.club, now) - timedelta(days=1)
    }
    if not clubs:
        return ()
    posted_lately = _POSTED.filter(posted_at__gt=now - LONGEST_ROUND)
    not_over = Meeting.objects.filter(pk__in=clubs, gathers=True).exclude(IS_OVER)
    going_on = not_over.annotate(
        state_now=MEETING_STATE,
        is_played=Exists(posted_lately.filter(state__in=OPEN_ROUNDS)),
        was_played=Exists(posted_lately),
        is_posted=Exists(_POSTED),
    ).exclude(state_now=MeetingState.CANCELLED)
    keys = set()
    for pk, is_played, was_played, is_posted in going_on.values_list(
        "pk", "is_played", "was_played", "is_posted"
    ):
        is_night = now.astimezone(clubs[pk].zone).time() < NIGHT_ENDS
        if is_played or (is_night and (was_played or not is_posted)):
            keys.add(pk)
    return keys


def is_tonight(meeting: Meeting, now: datetime) -> bool:
    """Whether a meeting is today's, or yesterday's and still goes on; at most one query."""
    if meeting.date == club_day(meeting.event.club, now):
        return True
    return bool(find_past_midnight([meeting], now))


def is_of_night(meeting: Meeting, now: datetime) -> bool:
    """Whether a meeting is today's, or yesterday's until `NIGHT_ENDS`, over or not, or goes on."""
    club = meeting.event.club
    is_night = now.astimezone(club.zone).time() < NIGHT_ENDS
    if is_night and meeting.date == club_day(club, now) - timedelta(days=1):
        return True
    return is_tonight(meeting, now)


def is_going_on(meeting: Meeting, now: datetime) -> bool:
    """Whether the result of an evening may still change by itself: it is not ended, and is
    tonight's, is yet to come, or a posted round of it is not closed."""
    if is_over(meeting):
        return False
    if meeting.date > club_day(meeting.event.club, now) or is_tonight(meeting, now):
        return True
    return Round.objects.filter(meeting=meeting, state__in=OPEN_ROUNDS).exists()


def list_on(meetings: Collection[Meeting], now: datetime) -> Collection[int]:
    """Return the keys of those meetings that have begun and go on (`is_going_on`).

    They have `state_now` and `is_over`, and their events and clubs are loaded. At most two queries.
    """
    open_rounds = Round.objects.filter(meeting__in=meetings, state__in=OPEN_ROUNDS)
    are_open = set(open_rounds.values_list("meeting", flat=True))
    past_midnight = find_past_midnight(meetings, now)
    on = set()
    for meeting in meetings:
        today = club_day(meeting.event.club, now)
        is_held = meeting.state_now == MeetingState.HELD  # type: ignore[attr-defined]  # annotated
        is_over: bool = meeting.is_over  # type: ignore[attr-defined]  # annotated
        has_begun = is_held or (meeting.date <= today and meeting.pk in are_open)
        may_go_on = meeting.date >= today or meeting.pk in past_midnight or meeting.pk in are_open
        if has_begun and may_go_on and not is_over:
            on.add(meeting.pk)
    return on


def find_evening_past_midnight(event: Event, now: datetime) -> Meeting | None:
    """Return yesterday's evening of an event if it still goes on, and that of today has not begun.

    One query, two more where there was an evening yesterday.
    """
    today = club_day(event.club, now)
    yesterday = today - timedelta(days=1)
    meeting = Meeting.objects.filter(event=event, date=yesterday, gathers=True).first()
    if meeting is None:
        return None
    meeting.event = event
    if not find_past_midnight([meeting], now):
        return None
    begun = Round.objects.filter(meeting__event=event, meeting__date=today, meeting__gathers=True)
    return None if begun.exclude(state=RoundState.DRAFT).exists() else meeting


def evening_day(event: Event, now: datetime) -> date:
    """Return the local date of an evening that people take part in now.

    It is the date of the day, and after midnight that of yesterday's evening while this goes on.
    Check-ins, *Start tonight*, typed sheets and penalties use it; deadlines keep the calendar.
    """
    running = find_evening_past_midnight(event, now)
    return running.date if running is not None else club_day(event.club, now)


def own_calendar_players(actor: Actor) -> Sequence[Player]:
    """Return the players of an account in the clubs that it is a member of; one query."""
    member = Membership.objects.filter(club=OuterRef("club"), user_id=actor.user_id or 0)
    players = Player.objects.filter(user_id=actor.user_id or 0, merged_into=None, erased_at=None)
    return tuple(players.filter(Exists(member)).order_by("club_id"))


def own_events(actor: Actor, players: Collection[Player]) -> Sequence[Event]:
    """Return the readable events in which the account's players compete or have stated attendance;
    one query."""
    competes = EntrantMember.objects.filter(event=OuterRef("pk"), player__in=players)
    attendances = Attendance.objects.filter(meeting__event=OuterRef("pk"), player__in=players)
    readable = events_for(actor).filter(archived_at__isnull=True)
    return tuple(readable.filter(Exists(competes) | Exists(attendances)).order_by("pk"))


def meetings_of_events(events: Collection[Event], now: datetime) -> Sequence[Meeting]:
    """Return the gathering meetings of these events with `state_now`, the first first; one query.

    Those of a year ago and longer are left out, and the oldest of too many.
    """
    by_key = {event.pk: event for event in events}
    first = (now - PAST).date()
    gathering = Meeting.objects.filter(event__in=by_key, date__gte=first, gathers=True)
    rows = with_state(gathering)
    meetings = list(rows.order_by("-date", "-pk")[:MOST_IN_CALENDAR])
    for meeting in meetings:
        meeting.event = by_key[meeting.event_id]
    return meetings[::-1]


def own_answers(meetings: Collection[Meeting], players: Collection[Player]) -> dict[int, str]:
    """Return what players answered for these meetings, by the meeting's key; one query."""
    rows = Attendance.objects.filter(meeting__in=meetings, player__in=players)
    return dict(rows.filter(~Q(answer="")).values_list("meeting_id", "answer"))


def date_of(day: str) -> date:
    try:
        return date.fromisoformat(day)
    except ValueError:
        raise Missing("meeting", {"date": day[:40]}) from None
