"""Schedules reminders of evenings, deadlines and reminders of challenges, and sweeps of ladders."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final

from scoring.ladders.challenges import due_at
from scoring.ladders.rules import end_of_day, local_day
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.clubs import Club
from tournaments.models.events import Event, EventState
from tournaments.models.jobs import (
    CHALLENGE_DEADLINE,
    CHALLENGE_REMINDER,
    EVENING_REMINDER,
    FIRST_TRY,
    LADDER_WEEK,
    Deadline,
)
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge, LadderState
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.meetings import MEETS, club_day, planned
from tournaments.selectors.ladders.challenges import scoring_challenge
from tournaments.services.db.locks import lock_event
from tournaments.services.jobs.enqueue import set_deadline

REMINDED_AT: Final = time(10)
"""Local time of the club."""
SHORT_NOTICE: Final = timedelta(hours=1)
"""Shortest time from planning an evening to its reminder, so that slips can be corrected."""

REMINDED_BEFORE: Final = timedelta(days=1)
"""Time from the reminder of a challenge to its deadline."""


def reminder_due(club: Club, day: date, now: datetime) -> datetime | None:
    """Return when members are reminded of an evening of a club; None: not at all.

    Where the evening is nearer than the days of the settings it is an hour from now; on the day of
    the evening itself nobody is reminded.
    """
    if club.reminder_days is None or day <= club_day(club, now):
        return None
    on = day - timedelta(days=club.reminder_days)
    due = datetime.combine(on, REMINDED_AT, club.zone)
    if due > now:
        return due
    return now + SHORT_NOTICE


def schedule_reminders(event: Event, meetings: Sequence[Meeting], *, now: datetime) -> None:
    """Schedule the reminders of some evenings; the caller holds the event's row.

    A sent reminder is not sent again, unless the day of its evening changed. At most five queries.
    """
    if event.state not in MEETS:
        return
    rows = Deadline.objects.filter(event=event, kind=EVENING_REMINDER)
    deadlines = {deadline.key: deadline for deadline in rows}
    ids = [meeting.pk for meeting in meetings]
    planned_ids = set(planned(Meeting.objects.filter(pk__in=ids)).values_list("pk", flat=True))
    outdated = []
    missing = []
    moved = []
    for meeting in meetings:
        is_planned = meeting.pk in planned_ids
        due = reminder_due(event.club, meeting.date, now) if is_planned else None
        deadline = deadlines.get(str(meeting.pk))
        if due is None:
            outdated += [deadline.pk] if deadline is not None else []
        elif deadline is None:
            missing.append(
                Deadline(
                    club_id=event.club_id,
                    event=event,
                    kind=EVENING_REMINDER,
                    key=str(meeting.pk),
                    due_at=due,
                )
            )
        elif deadline.due_at != due:
            for column, value in {"due_at": due, "done_at": None, **FIRST_TRY}.items():
                setattr(deadline, column, value)
            moved.append(deadline)
    if outdated:
        Deadline.objects.filter(pk__in=outdated).delete()
    Deadline.objects.bulk_update(moved, ("due_at", "done_at", *FIRST_TRY))
    Deadline.objects.bulk_create(missing, ignore_conflicts=True)


def lock_coming(club: Club, now: datetime) -> list[Event]:
    ahead = Meeting.objects.filter(club=club, date__gte=club_day(club, now))
    coming = Event.objects.filter(pk__in=ahead.values("event"), state__in=MEETS)
    return [lock_event(event) for event in coming.order_by("pk")]


def reschedule_reminders(events: Iterable[Event], club: Club, *, now: datetime) -> None:
    for event in events:
        event.club = club
        ahead = Meeting.objects.filter(event=event, date__gte=club_day(club, now))
        schedule_reminders(event, list(ahead), now=now)


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())


def starts_at(monday: date, event: Event) -> datetime:
    return end_of_day(monday - timedelta(days=1), event.club.zone)


def next_sweep(event: Event, now: datetime) -> datetime:
    today = local_day(now, event.club.zone)
    return starts_at(monday_of(today) + timedelta(days=7), event)


def schedule_sweeps(event: Event, *, now: datetime) -> None:
    """Begin or end the weekly sweeps of an event, in the transaction that opens or closes it.

    The week in which a ladder opens, or opens again, is not swept: nobody could have played.
    """
    if not event.is_ladder:
        return
    if not event.is_open:
        set_deadline(event, LADDER_WEEK, None)
        return
    state, _ = LadderState.objects.get_or_create(event=event, defaults={"club_id": event.club_id})
    today = local_day(now, event.club.zone)
    begun = max(monday_of(today), state.swept_to or date.min)
    LadderState.objects.filter(pk=state.pk).update(swept_to=begun)
    set_deadline(event, LADDER_WEEK, next_sweep(event, now))


def ensure_sweeps(event: Event, *, now: datetime) -> None:
    if not event.is_ladder or not event.is_open:
        return
    if not Deadline.objects.filter(event=event, kind=LADDER_WEEK).exists():
        schedule_sweeps(event, now=now)


def schedule_ladder(event: Event, was: str, *, now: datetime) -> None:
    """Start or stop the deadlines of a ladder, in the transaction that opens or closes it.

    Deadlines are suspended while a ladder is not open. When it opens again, each starts over with
    its full days, overdue ones included.
    """
    if not event.is_ladder:
        return
    schedule_sweeps(event, now=now)
    waiting = Challenge.objects.filter(event=event, state__in=OPEN_CHALLENGES)
    if not event.is_open:
        keys = [str(number) for number in waiting.values_list("number", flat=True)]
        kinds = (CHALLENGE_DEADLINE, CHALLENGE_REMINDER)
        Deadline.objects.filter(event=event, kind__in=kinds, key__in=keys).delete()
        return
    if was == EventState.OPEN:
        return
    for row in waiting.order_by("number"):
        name = {"issued": "issued_at", "accepted": "accepted_at", "played": "played_at"}[row.state]
        setattr(row, name, max(now, getattr(row, name)))
        row.save(update_fields=[name])
    schedule_challenges(event)


def schedule_challenges(event: Event) -> None:
    if not event.is_ladder or not event.is_open:
        return
    zone = event.club.zone
    rules = ladder_rules_of(event)
    waiting = Challenge.objects.filter(event=event, state__in=OPEN_CHALLENGES)
    for row in waiting.select_related("challenger", "challenged").order_by("number"):
        set_challenge_deadlines(event, row, due_at(scoring_challenge(row), zone, rules))


def set_challenge_deadlines(event: Event, row: Challenge, due: datetime | None) -> None:
    """Put the deadline of a challenge, and the reminder of it, where they should be.

    What is only confirmed needs no reminder, and neither does a time of two days or less.
    """
    set_deadline(event, CHALLENGE_DEADLINE, due, key=str(row.number))
    since = {"issued": row.issued_at, "accepted": row.accepted_at}.get(row.state)
    is_long = since is not None and due is not None and due - since > 2 * REMINDED_BEFORE
    soon = due - REMINDED_BEFORE if due is not None and is_long else None
    set_deadline(event, CHALLENGE_REMINDER, soon, key=str(row.number))
