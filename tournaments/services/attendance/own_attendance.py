"""Asking players whether they come to an evening, and what they state themselves.

Reminders are written by the clock, some days before the evening (`schedule_reminders`).

Hosts and directors do so under a player's rules here. Locks: as `set_attendance`.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Final

from tournaments.errors import Forbidden
from tournaments.models.events import Event, EventState
from tournaments.models.meetings import Attendance, Meeting, MeetingState
from tournaments.models.outbox import Deadline
from tournaments.policy import Actor
from tournaments.selectors.attendance.attendance_list import accounts_coming, accounts_to_ask
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.members import find_own_player
from tournaments.selectors.events.meetings import club_day, planned
from tournaments.services.attendance.set_attendance import (
    CHECK_IN,
    AttendanceStatement,
    lock_attendance,
    record,
    require_own_allowed,
)
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.deadlines import reminder_due
from tournaments.services.jobs.enqueue import DeadlineOutcome
from tournaments.services.notices.notifications import notify
from tournaments.services.permissions import require_role

LOOK_AGAIN: Final = timedelta(hours=1)
"""While the event is a draft, which no player can read."""


def run_evening_reminder(event: Event, deadline: Deadline, now: datetime) -> DeadlineOutcome:
    """Ask linked players of the club whether they will attend an evening; once for each day.

    Does nothing for an evening that is cancelled, was moved, or is today or over.
    """
    ahead = Meeting.objects.filter(event=event, date__gt=club_day(event.club, now))
    meeting = planned(ahead).filter(pk=int(deadline.key)).first()
    if meeting is None or event.archived_at is not None:
        return DeadlineOutcome(None)
    if event.state == EventState.DRAFT:
        return DeadlineOutcome(now + LOOK_AGAIN)
    if event.state != EventState.OPEN:
        return DeadlineOutcome(None)
    due = reminder_due(event.club, meeting.date, now)
    if due is None:
        return DeadlineOutcome(None)
    notify(
        club=event.club,
        user_ids=accounts_to_ask(meeting),
        kind="evening_reminder",
        key=f"{event.club_id}:{meeting.date.isoformat()}",
        facts={"meeting": meeting.pk, "date": meeting.date.isoformat()},
        now=now,
    )
    return DeadlineOutcome(None, "sent")


def notify_of_change(
    actor: Actor, event: Event, meeting: Meeting, *, was: Mapping[str, str], now: datetime
) -> None:
    """Notify expected players that an evening was moved, cancelled or planned again."""
    state = meeting.state_now  # type: ignore[attr-defined]  # annotated
    if state == MeetingState.CANCELLED and was["state"] != state:
        _tell_cancelled(actor, event, meeting, now)
    elif state == MeetingState.PLANNED:
        facts = {"meeting": meeting.pk, "date": meeting.date.isoformat(), "was": was["date"]}
        _tell(actor, event, meeting, "evening_changed", facts, now)


def notify_of_removal(actor: Actor, event: Event, meeting: Meeting, *, now: datetime) -> None:
    """Notify expected players that an evening was cancelled, before its removal."""
    if meeting.state_now != MeetingState.CANCELLED:  # type: ignore[attr-defined]  # annotated
        _tell_cancelled(actor, event, meeting, now)


def _tell_cancelled(actor: Actor, event: Event, meeting: Meeting, now: datetime) -> None:
    facts = {"event": event.pk, "date": meeting.date.isoformat(), "reason": meeting.cancel_reason}
    _tell(actor, event, meeting, "evening_cancelled", facts, now)


def _tell(
    actor: Actor,
    event: Event,
    meeting: Meeting,
    kind: str,
    facts: Mapping[str, object],
    now: datetime,
) -> None:
    today = club_day(event.club, now)
    if max(meeting.date, date.fromisoformat(str(facts.get("was", "0001-01-01")))) < today:
        return  # of an evening that is over
    accounts = [account for account in accounts_coming(meeting) if account != actor.user_id]
    key = f"{meeting.pk}:{now:%Y%m%d%H%M%S%f}"
    notify(club=event.club, user_ids=accounts, kind=kind, key=key, facts=facts, now=now)


@atomic_act
def state_own_attendance(
    *, actor: Actor, meeting: Meeting, state: str, now: datetime
) -> Attendance:
    """Set the state of the actor's own player at a meeting: expected, absent, or here on its day.

    Setting the current state again changes nothing.
    """
    require_role(actor, get_role(actor, meeting.club_id), CHECK_IN)
    player = find_own_player(actor, meeting.club)
    if player is None:
        raise Forbidden(CHECK_IN)
    attendance = lock_attendance(meeting, player)
    if attendance.player.user_id != actor.user_id:
        raise Forbidden(CHECK_IN)  # it was unlinked meanwhile
    statement = AttendanceStatement(state, now)
    require_own_allowed(attendance, statement, now)
    return record(actor, attendance, statement, CHECK_IN, now)
