"""Asking players whether they come to an evening, and what they state themselves.

Reminders are written by the clock, some days before the evening (`schedule_reminders`).

Hosts and directors do so under a player's rules here. Locks: as `set_attendance`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from scoring.errors import Problem, Refused, shown
from tournaments.domain.notices import Recipients
from tournaments.errors import Forbidden
from tournaments.models.events import Event, EventState
from tournaments.models.jobs import Deadline
from tournaments.models.rounds import Attendance, AttendanceState, Meeting, MeetingState
from tournaments.selectors.attendance.attendance_list import (
    recipients_by_evenings,
    recipients_coming,
    recipients_to_ask,
)
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
from tournaments.services.notices.notifications import (
    Message,
    notify,
    notify_each,
    without_actor,
)
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


@dataclass(frozen=True, slots=True)
class ChangedEvening:
    """An evening that was changed with others; `before` is what it was (`meeting_facts`)."""

    meeting: Meeting
    before: Mapping[str, str]

    @property
    def is_told(self) -> bool:
        """Whether players are told: of a new date, time or place."""
        was = (self.before["date"], self.before["time"], self.before["place"])
        time = self.meeting.time.strftime("%H:%M") if self.meeting.time is not None else ""
        return was != (self.meeting.date.isoformat(), time, self.meeting.place)


def notify_of_changes(op: Operation, event: Event, changes: Sequence[ChangedEvening]) -> None:
    """Notify each expected player of several moved evenings in one message; a few statements.

    A player who comes to one of them gets the message about this one.
    """
    by_key = {each.meeting.pk: each for each in changes}
    messages = []
    for keys, to in recipients_by_evenings([each.meeting for each in changes]).items():
        own = [by_key[key] for key in keys]
        rows = [
            [each.meeting.pk, each.before["date"], each.meeting.date.isoformat()] for each in own
        ]
        key, was, day = rows[-1]
        facts: dict[str, object] = {"of_event": event.pk, "meetings": rows, "date": day}
        if len(rows) == 1:
            facts = {"meeting": key, "date": day, "was": was}
        messages.append((to, facts))
    _notify_of_several(op, event, "evening_changed", "evenings_changed", messages)


def notify_of_cancellations(op: Operation, event: Event, meetings: Sequence[Meeting]) -> None:
    """Notify each expected player of several cancelled evenings in one message."""
    by_key = {meeting.pk: meeting for meeting in meetings}
    messages = []
    for keys, to in recipients_by_evenings(meetings).items():
        days = [by_key[key].date.isoformat() for key in keys]
        reason = by_key[keys[-1]].cancel_reason
        facts: dict[str, object] = {"of_event": event.pk, "dates": days, "reason": reason}
        if len(days) == 1:
            facts = {"event": event.pk, "reason": reason}
        messages.append((to, {**facts, "date": days[-1]}))
    _notify_of_several(op, event, "evening_cancelled", "evenings_cancelled", messages)


def _notify_of_several(
    op: Operation,
    event: Event,
    of_one: str,
    of_several: str,
    messages: Sequence[tuple[Recipients, Mapping[str, object]]],
) -> None:
    """Send messages, those with `of_event` as the kind `of_several`; nothing where there are none.

    A reader gets one of them.
    """
    key = f"{event.pk}:{op.now:%Y%m%d%H%M%S%f}"
    by_kind: dict[str, list[tuple[Recipients, Message]]] = defaultdict(list)
    for to, facts in messages:
        kind = of_several if "of_event" in facts else of_one
        by_kind[kind].append((without_actor(to, op.actor), Message(key, facts)))
    for kind, rows in by_kind.items():
        notify_each(club=event.club, kind=kind, messages=rows, now=op.now)


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
    return _record_own(op, meeting, state, from_round)


@operation(
    "check_in_tonight",
    check=_require_round,
    refuses=("bad_attendance_round", *ATTENDANCE_REFUSED, *OWN_REFUSED),
)
def state_attendance_tonight(
    op: Operation, meeting: Meeting, /, *, state: str, from_round: int | None = None
) -> Attendance:
    """As `state_own_attendance`, for who typed the code of a card: only at evenings of its day."""
    return _record_own(op, meeting, state, from_round)


def _record_own(op: Operation, meeting: Meeting, state: str, from_round: int | None) -> Attendance:
    player = find_own_player(op.actor, meeting.club)
    if player is None:
        raise Forbidden(CHECK_IN)
    row, partners = lock_with_partners(meeting, player)
    if find_own_player(op.actor, meeting.club) != player:
        raise Forbidden(CHECK_IN)  # it was unlinked meanwhile
    person = op.actor.person
    if person is not None and person.evening not in (None, row.meeting.date):
        raise Forbidden("check_in_tonight")  # of another day, or moved meanwhile
    is_late = state == AttendanceState.LATE
    statement = AttendanceStatement(state, op.now, (from_round or None) if is_late else UNCHANGED)
    statement = require_own_allowed(row, partners, statement, op.now)
    return record_with_partners(op, row, partners, statement, CHECK_IN)


def check_in_to(op: Operation, meetings: Iterable[Meeting]) -> None:
    """Check the actor's own player in to the parts of an evening, one after the other."""
    for meeting in meetings:
        state_own_attendance(op, meeting, state=str(AttendanceState.HERE))
