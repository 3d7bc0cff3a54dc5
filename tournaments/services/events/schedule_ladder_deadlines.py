"""Deadlines of a ladder: of each challenge, and of the weekly sweep in local weeks of the club."""

from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from scoring.ladders.absence_and_deadlines import end_of_day, local_day
from scoring.ladders.challenges import Challenge as Asked
from scoring.ladders.challenges import due_at
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.events import Event, EventKind, EventState
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge, LadderState
from tournaments.models.outbox import Deadline
from tournaments.services.jobs.enqueue import set_deadline

CHALLENGE_DEADLINE: Final = "challenge"
"""Kind of the deadlines of challenges; `key` is the challenge's number."""
CHALLENGE_REMINDER: Final = "challenge_soon"
"""Kind of the deadlines that tell the two of it a day before; `key` is the challenge's number."""
REMINDED_BEFORE: Final = timedelta(days=1)
WEEK: Final = "ladder_week"
"""Kind of the deadline that sweeps a ladder, on Mondays as they begin."""


def monday_of(day: date) -> date:
    """Return the Monday of a day's week."""
    return day - timedelta(days=day.weekday())


def starts_at(monday: date, event: Event) -> datetime:
    """Return the instant at which a local Monday begins."""
    return end_of_day(monday - timedelta(days=1), ZoneInfo(event.club.time_zone))


def next_sweep(event: Event, now: datetime) -> datetime:
    """Return when the first week after now begins."""
    today = local_day(now, ZoneInfo(event.club.time_zone))
    return starts_at(monday_of(today) + timedelta(days=7), event)


def schedule_sweeps(event: Event, *, now: datetime) -> None:
    """Begin or end the weekly sweeps of an event, in the transaction that opens or closes it.

    The week in which a ladder opens, or opens again, is not swept: nobody could have played.
    """
    if event.kind != EventKind.LADDER:
        return
    if event.state != EventState.OPEN:
        set_deadline(event, WEEK, None)
        return
    state, _ = LadderState.objects.get_or_create(event=event, defaults={"club_id": event.club_id})
    today = local_day(now, ZoneInfo(event.club.time_zone))
    begun = max(monday_of(today), state.swept_to or date.min)
    LadderState.objects.filter(pk=state.pk).update(swept_to=begun)
    set_deadline(event, WEEK, next_sweep(event, now))


def ensure_sweeps(event: Event, *, now: datetime) -> None:
    """Begin the weekly sweeps of an open ladder that has none yet; safe as often as you like."""
    if event.kind != EventKind.LADDER or event.state != EventState.OPEN:
        return
    if not Deadline.objects.filter(event=event, kind=WEEK).exists():
        schedule_sweeps(event, now=now)


def schedule_ladder(event: Event, was: str, *, now: datetime) -> None:
    """Begin or end what the clock does on a ladder, in the transaction that opens or closes it.

    While a ladder is not open, no time runs: what waits has no deadline, and its full days anew
    from the moment at which the ladder opens again, one that the clock was late for included.
    """
    if event.kind != EventKind.LADDER:
        return
    schedule_sweeps(event, now=now)
    waiting = Challenge.objects.filter(event=event, state__in=OPEN_CHALLENGES)
    if event.state != EventState.OPEN:
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
    """Put the deadlines of an open ladder's challenges where its rules say that they are."""
    if event.kind != EventKind.LADDER or event.state != EventState.OPEN:
        return
    zone, rules = ZoneInfo(event.club.time_zone), ladder_rules_of(event)
    waiting = Challenge.objects.filter(event=event, state__in=OPEN_CHALLENGES)
    for row in waiting.select_related("challenger", "challenged").order_by("number"):
        due = due_at(scoring_challenge(row), zone, rules)
        set_challenge_deadlines(event, row, due)


def set_challenge_deadlines(event: Event, row: Challenge, due: datetime | None) -> None:
    """Put the deadline of a challenge, and the reminder of it, where they should be.

    What is only confirmed needs no reminder, and neither does a time of two days or less.
    """
    set_deadline(event, CHALLENGE_DEADLINE, due, key=str(row.number))
    since = {"issued": row.issued_at, "accepted": row.accepted_at}.get(row.state)
    is_long = since is not None and due is not None and due - since > 2 * REMINDED_BEFORE
    soon = due - REMINDED_BEFORE if due is not None and is_long else None
    set_deadline(event, CHALLENGE_REMINDER, soon, key=str(row.number))


def scoring_challenge(row: Challenge) -> Asked:
    """Return a stored challenge as the pure rules read it; its two entrants come with it."""
    used = {row.challenger.code: row.postponed_c, row.challenged.code: row.postponed_d}
    return Asked(
        challenger=row.challenger.code,
        challenged=row.challenged.code,
        state=row.state,
        issued_at=row.issued_at,
        accepted_at=row.accepted_at,
        played_at=row.played_at,
        closed_at=row.closed_at,
        postponed_by=frozenset(code for code, was_used in used.items() if was_used),
    )
