"""Planning the evenings of an event: date, time and place; moving, cancelling, removing them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Final, Literal

from scoring.errors import Problem, Refused, shown
from tournaments.domain.etags import mark_of_text
from tournaments.domain.name_matching import one_line
from tournaments.domain.reasons import require_reason
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.meetings import Attendance, Meeting, MeetingState, Round
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.attendance.own_attendance import notify_of_change, notify_of_removal
from tournaments.services.attendance.set_attendance import UNCHANGED, WAS_HERE, Unchanged
from tournaments.services.audit.audit import note_change
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.deadlines import EVENING_REMINDER, schedule_reminders
from tournaments.services.events.states import audit_event, require_running
from tournaments.services.jobs.enqueue import set_deadline
from tournaments.services.permissions import require
from tournaments.states import MEETING, find_move, state_problem

FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2999
LONGEST_PLACE: Final = 120


@dataclass(frozen=True, slots=True)
class MeetingChanges:
    """What is changed of an evening; None stays, as does an `at` that is UNCHANGED (None: no time).

    `state` is `planned` or `cancelled`; cancelling needs a `reason`.
    """

    day: date | None = None
    at: time | Literal[Unchanged.UNCHANGED] | None = UNCHANGED
    place: str | None = None
    state: str | None = None
    reason: str = ""


def meeting_tag(meeting: Meeting) -> str:
    """Return a mark of what `change_meeting` can change; read with `state_now`."""
    state = meeting.state_now  # type: ignore[attr-defined]  # annotated
    text = f"{meeting.date} {meeting.time} {state} {meeting.cancel_reason} {meeting.place}"
    return mark_of_text(text)


@atomic_act
def plan_meeting(
    *, actor: Actor, event: Event, day: date, now: datetime, at: time | None = None, place: str = ""
) -> Meeting:
    """Plan an evening of an event, and return it with `state_now`.

    Args:
        day: its local date; one in the past is an evening to be entered later.
        at: when it begins, local time.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    require_running(event)
    where = one_line(place)
    if problems := _problems(day, where):
        raise Refused(*problems)
    _require_free(event, day)
    meeting = Meeting.objects.create(
        club_id=event.club_id, event=event, date=day, time=at, place=where, changed_at=now
    )
    schedule_reminders(event, [meeting], now=now)
    audit_event(event, actor, "plan_meeting", {"date": day.isoformat(), "time": _clock(at)}, now)
    return meeting_on(event, day)


@atomic_act
def change_meeting(
    *,
    actor: Actor,
    event: Event,
    day: date,
    changes: MeetingChanges,
    now: datetime,
    based_on: str = "",
) -> Meeting:
    """Change date, time and place of an evening, cancel it, or plan it again.

    An evening with a round keeps its date, and cannot be cancelled. Nothing is written if nothing
    differs. Expected players are notified of the changes.

    Args:
        based_on: the `meeting_tag` that the caller read; empty skips the check.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    meeting = meeting_on(event, day)
    _require_current(meeting, based_on)
    require_running(event)
    before = _meeting_facts(meeting)
    _change_details(event, meeting, changes)
    _change_state(meeting, changes)
    if before == _meeting_facts(meeting):
        return meeting
    _save_change(meeting, now, "date", "time", "place", "state", "cancel_reason")
    _note_change(actor, event, meeting, before, now)
    schedule_reminders(event, [meeting], now=now)
    notify_of_change(actor, event, meeting, was=before, now=now)
    return meeting_on(event, meeting.date)


def _save_change(meeting: Meeting, now: datetime, *fields: str) -> None:
    """Save these fields of an evening, and note for calendars that it changed."""
    meeting.sequence += 1
    meeting.changed_at = now
    meeting.save(update_fields=[*fields, "sequence", "changed_at"])


def _change_details(event: Event, meeting: Meeting, changes: MeetingChanges) -> None:
    where = None if changes.place is None else one_line(changes.place)
    if problems := _problems(changes.day, where):
        raise Refused(*problems)
    if changes.day is not None and changes.day != meeting.date:
        _require_no_rounds(meeting)
        _require_free(event, changes.day)
        meeting.date = changes.day
    if changes.at is not UNCHANGED:
        meeting.time = changes.at
    if where is not None:
        meeting.place = where


def _change_state(meeting: Meeting, changes: MeetingChanges) -> None:
    state = meeting.state_now  # type: ignore[attr-defined]  # annotated
    if changes.state is None or changes.state == state:
        return
    move = find_move(MEETING, state, changes.state)
    if move.by:
        raise Conflict(state_problem(MEETING, state, changes.state))
    if changes.state == MeetingState.CANCELLED:
        _require_no_rounds(meeting)
    if move.needs_reason:
        require_reason(changes.reason)
    meeting.state = changes.state
    is_cancelled = changes.state == MeetingState.CANCELLED
    meeting.cancel_reason = one_line(changes.reason)[:200] if is_cancelled else ""
    meeting.state_now = changes.state  # type: ignore[attr-defined]  # annotated


@atomic_act
def remove_meeting(
    *,
    actor: Actor,
    event: Event,
    day: date,
    now: datetime,
    based_on: str = "",
    anyway: bool = False,
) -> None:
    """Remove an evening without rounds, with its attendance and its seating plans.

    Expected players are notified of the cancellation.

    Args:
        anyway: whether stated attendance is deleted too.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    require_running(event)
    meeting = meeting_on(event, day)
    _require_no_rounds(meeting)
    _require_current(meeting, based_on)
    rows = Attendance.objects.filter(meeting=meeting)
    n_rows, check_ins = rows.count(), rows.filter(state__in=WAS_HERE).count()
    stated = {"answers": n_rows - check_ins, "check_ins": check_ins} if n_rows else {}
    if stated and not anyway:
        raise Conflict(Problem("meeting_has_attendance", (), {"date": day.isoformat(), **stated}))
    notify_of_removal(actor, event, meeting, now=now)
    set_deadline(event, EVENING_REMINDER, None, key=str(meeting.pk))
    if stated:  # the change log keeps the lines about the attendance of the evening
        noted = {
            "date": day.isoformat(),
            "before": {"state": meeting.state},
            "after": {"state": "removed"},
        }
        by = get_role(actor, event.club_id)
        note_change(event=event, kind="meeting", by=by, now=now, facts=noted)
    meeting.delete()
    audit_event(event, actor, "remove_meeting", {"date": day.isoformat(), **stated}, now)


def _require_current(meeting: Meeting, based_on: str) -> None:
    if based_on and based_on != meeting_tag(meeting):
        raise Conflict(Problem("meeting_outdated"), there=_meeting_facts(meeting))


def _require_no_rounds(meeting: Meeting) -> None:
    if Round.objects.filter(meeting=meeting).exists():
        raise Conflict(Problem("meeting_has_rounds", (), {"date": meeting.date.isoformat()}))


def meeting_for(event: Event, day: date | None) -> Meeting | None:
    """Return the evening of an event on a local day, made where it is missing; None for no day.

    The caller holds the event's row.
    """
    if day is None:
        return None
    if problems := _problems(day, None):
        raise Refused(*problems)
    meeting, _ = Meeting.objects.get_or_create(event=event, date=day, defaults={"club": event.club})
    if meeting.state == MeetingState.CANCELLED:
        raise Conflict(Problem("meeting_is_cancelled", ("date",), {"date": day.isoformat()}))
    return meeting


def _require_free(event: Event, day: date) -> None:
    if Meeting.objects.filter(event=event, date=day).exists():
        raise Conflict(Problem("meeting_exists", ("date",), {"date": day.isoformat()}))


def _problems(day: date | None, place: str | None) -> list[Problem]:
    problems = []
    if day is not None and not FIRST_YEAR <= day.year <= LAST_YEAR:
        problems.append(Problem("bad_day", ("date",), {"found": shown(day.isoformat())}))
    if place is not None and len(place) > LONGEST_PLACE:
        problems.append(
            Problem("place_too_long", ("place",), {"found": len(place), "expected": LONGEST_PLACE})
        )
    return problems


def _clock(at: time | None) -> str:
    return at.strftime("%H:%M") if at is not None else ""


def _meeting_facts(meeting: Meeting) -> Mapping[str, str]:
    return {
        "date": meeting.date.isoformat(),
        "time": _clock(meeting.time),
        "place": meeting.place,
        "state": meeting.state_now,  # type: ignore[attr-defined]  # annotated
        "reason": meeting.cancel_reason,
    }


def _note_change(
    actor: Actor, event: Event, meeting: Meeting, before: Mapping[str, str], now: datetime
) -> None:
    """Record the changes: dates and states for readers, everything in the audit trail."""
    after = _meeting_facts(meeting)
    changed = {key: after[key] for key in after if after[key] != before[key] and key != "place"}
    facts = {**changed, "date": before["date"], "to_date": after["date"]}
    if noted := [key for key in changed if key in ("date", "state")]:
        note_change(
            event=event,
            kind="meeting",
            by=get_role(actor, event.club_id),
            now=now,
            reason=meeting.cancel_reason,
            facts={
                "date": before["date"],
                "before": {key: before[key] for key in noted},
                "after": {key: after[key] for key in noted},
            },
        )
    audit_event(event, actor, "change_meeting", facts, now)
