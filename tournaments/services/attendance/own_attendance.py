"""Asking players whether they come to an evening, and what they state themselves.

Reminders are written by the clock, some days before the evening (`schedule_reminders`).

Hosts and directors do so under a player's rules here. Locks: as `set_attendance`.
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Final

from scoring.errors import Problem, Refused, shown
from tournaments.errors import Forbidden
from tournaments.models.events import Event, EventState
from tournaments.models.jobs import Deadline
from tournaments.models.rounds import Attendance, AttendanceState, Meeting, MeetingState
from tournaments.selectors.attendance.attendance_list import recipients_coming, recipients_to_ask
from tournaments.selectors.clubs.members import find_own_player
from tournaments.selectors.events.meetings import club_day, planned
from tournaments.services.attendance.set_attendance import (
    ATTENDANCE_REFUSED,
    CHECK_IN,
    MOST_ROUNDS,
    OWN_REFUSED,
    UNCHANGED,
    AttendanceStatement,
    lock_with_partners,
    record_with_partners,
    require_own_allowed,
)
from tournaments.services.jobs.enqueue import DeadlineOutcome
from tournaments.services.jobs.schedule import reminder_due
from tournaments.services.notices.notifications import notify, without_actor
from tournaments.services.operations import Operation, operation

LOOK_AGAIN: Final = timedelta(hours=1)
"""While the event is a draft, which no player can read."""


def run_evening_reminder(event: Event, deadline: Deadline, now: datetime) -> DeadlineOutcome:
    """Ask the players of the club whether they will attend an evening; once for each day.

    Does nothing for an evening that is cancelled, was moved, or is today or over.
    """
    ahead = Meeting.objects.filter(event=event, date__gt=club_day(event.club, now))
    meeting = planned(ahead).filter(pk=int(deadline.key)).first()
    if meeting is None or event.archived_at is not None:
        return DeadlineOutcome(None)
    if event.state == EventState.DRAFT:
        return DeadlineOutcome(now + LOOK_AGAIN)
    if not event.is_open:
        return DeadlineOutcome(None)
    due = reminder_due(event.club, meeting.date, now)
    if due is None:
        return DeadlineOutcome(None)
    notify(
        club=event.club,
        to=recipients_to_ask(meeting),
        kind="evening_reminder",
        key=f"{event.club_id}:{meeting.date.isoformat()}",
        facts={"meeting": meeting.pk, "date": meeting.date.isoformat()},
        now=now,
    )
    return DeadlineOutcome(None, "sent")


def notify_of_change(op: Operation, meeting: Meeting, *, was: Mapping[str, str]) -> None:
    """Notify expected players that an evening was moved, cancelled or planned again."""
    state = meeting.state_now  # type: ignore[attr-defined]  # annotated
    if state == MeetingState.CANCELLED and was["state"] != state:
        notify_of_cancellation(op, meeting)
    elif state == MeetingState.PLANNED:
        facts = {"meeting": meeting.pk, "date": meeting.date.isoformat(), "was": was["date"]}
        _notify_expected(op, meeting, "evening_changed", facts)


def notify_of_cancellation(op: Operation, meeting: Meeting) -> None:
    facts = {
        "event": meeting.event_id,
        "date": meeting.date.isoformat(),
        "reason": meeting.cancel_reason,
    }
    _notify_expected(op, meeting, "evening_cancelled", facts)


def _notify_expected(
    op: Operation, meeting: Meeting, kind: str, facts: Mapping[str, object]
) -> None:
    club = meeting.event.club
    was = date.fromisoformat(str(facts.get("was", "0001-01-01")))
    if max(meeting.date, was) < club_day(club, op.now):
        return  # of an evening that is over
    key = f"{meeting.pk}:{op.now:%Y%m%d%H%M%S%f}"
    to = without_actor(recipients_coming(meeting), op.actor)
    notify(club=club, to=to, kind=kind, key=key, facts=facts, now=op.now)


def _require_round(_meeting: Meeting, /, *, state: str, from_round: int | None = None) -> None:
    is_wrong = from_round is not None and not 1 <= from_round <= MOST_ROUNDS
    if is_wrong and state == AttendanceState.LATE:
        facts = {"found": shown(from_round), "expected": f"1 to {MOST_ROUNDS}"}
        raise Refused(Problem("bad_attendance_round", ("from_round",), facts))


@operation(
    CHECK_IN,
    check=_require_round,
    refuses=("bad_attendance_round", *ATTENDANCE_REFUSED, *OWN_REFUSED),
)
def state_own_attendance(
    op: Operation, meeting: Meeting, /, *, state: str, from_round: int | None = None
) -> Attendance:
    """Set the state of the actor's own player at a meeting: expected, late, absent, or here today.

    Setting the current state again changes nothing. An answer of who comes is late once the
    evening has begun. It is the answer of the player's pair or team too.

    Args:
        from_round: the first round that a late player plays.
    """
    player = find_own_player(op.actor, meeting.club)
    if player is None:
        raise Forbidden(CHECK_IN)
    row, partners = lock_with_partners(meeting, player)
    if find_own_player(op.actor, meeting.club) != player:
        raise Forbidden(CHECK_IN)  # it was unlinked meanwhile
    is_late = state == AttendanceState.LATE
    statement = AttendanceStatement(state, op.now, (from_round or None) if is_late else UNCHANGED)
    statement = require_own_allowed(row, statement, op.now)
    return record_with_partners(op, row, partners, statement, CHECK_IN)


def check_in_to(op: Operation, meetings: Iterable[Meeting]) -> None:
    """Check the actor's own player in to the parts of an evening, one after the other."""
    for meeting in meetings:
        state_own_attendance(op, meeting, state=str(AttendanceState.HERE))
