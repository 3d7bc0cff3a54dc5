"""Planning the evenings of an event: date, time and place; moving, cancelling, removing them."""

from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Final, Literal

from scoring.errors import Problem, shown
from tournaments.domain.etags import mark_of_text
from tournaments.domain.evening_series import FIRST_YEAR, LAST_YEAR
from tournaments.domain.name_matching import one_line
from tournaments.domain.reasons import BAD_REASON, require_reason
from tournaments.errors import Conflict, refuse_any
from tournaments.models.events import Event, EventState
from tournaments.models.jobs import EVENING_REMINDER
from tournaments.models.rounds import Attendance, Meeting, MeetingState, Round
from tournaments.models.standings import LedgerLine
from tournaments.selectors.attendance.excuses import counts_excuses
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.entrants import adjustments_of
from tournaments.selectors.events.meetings import (
    club_day,
    evening_day,
    last_place_and_time,
    meeting_on,
)
from tournaments.selectors.rounds.round_seating import require_held
from tournaments.services.attendance.gathering import gather
from tournaments.services.attendance.own_attendance import notify_of_cancellation, notify_of_change
from tournaments.services.attendance.set_attendance import UNCHANGED, WAS_HERE, Unchanged
from tournaments.services.audit.audit import LogLine, note_change, note_changes
from tournaments.services.db.locks import lock_event
from tournaments.services.events.events import BAD_RULES, move_event
from tournaments.services.events.states import require_running
from tournaments.services.jobs.enqueue import set_deadline
from tournaments.services.jobs.schedule import schedule_reminders
from tournaments.services.operations import Operation, operation
from tournaments.services.waiting_list import move_up
from tournaments.states import MEETING, find_move, state_problem

LONGEST_PLACE: Final = 120
BAD_MEETING: Final = ("bad_day", "place_too_long", "bad_capacity")
MOST_CAPACITY: Final = 999


def meeting_tag(meeting: Meeting) -> str:
    """Return a mark of what `change_meeting` can change; read with `state_now`."""
    state = meeting.state_now  # type: ignore[attr-defined]  # annotated
    text = f"{meeting.date} {meeting.time} {state} {meeting.cancel_reason} {meeting.place}"
    if meeting.capacity is not None:
        text = f"{text} {meeting.capacity}"
    return mark_of_text(text)


def lock_meeting(meeting: Meeting) -> Meeting:
    return meeting_on(lock_event(meeting.event), meeting.date)


@operation(
    "manage_event",
    locks=lock_event,
    requires=require_running,
    refuses=("event_is_over", "meeting_exists", *BAD_MEETING),
)
def plan_meeting(
    op: Operation,
    event: Event,
    /,
    *,
    day: date,
    at: time | None = None,
    place: str = "",
    capacity: int | None = None,
) -> Meeting:
    """Plan a meeting of an event.

    Args:
        capacity: how many people may come, 0: everybody; None: as the settings of the event say.
    """
    where = one_line(place)
    refuse_any(meeting_problems(day, where, capacity))
    _require_free(event, day)
    # The date may be there by a challenge or by an import, whose undoing must not remove it.
    columns = {
        "time": at,
        "place": where,
        "capacity": capacity,
        "gathers": True,
        "batch": None,
        "changed_at": op.now,
    }
    meeting, _ = Meeting.objects.update_or_create(
        event=event, date=day, defaults=columns, create_defaults={"club": event.club, **columns}
    )
    schedule_reminders(event, [meeting], now=op.now)
    op.audit(event, {"date": day.isoformat(), "time": clock_text(at)})
    return meeting_on(event, day)


@operation(
    "manage_event",
    locks=lock_event,
    requires=require_running,
    refuses=(*BAD_RULES, "event_is_over", "meeting_is_cancelled"),
)
def start_evening(op: Operation, event: Event, /) -> Meeting:
    """Plan today's meeting of an event where it is missing, and open the event if it is a draft.

    While yesterday's evening goes on past midnight, that evening is returned.
    """
    if event.state == EventState.DRAFT:
        move_event(op, event, to=EventState.OPEN)
    today = evening_day(event, op.now)
    if not Meeting.objects.filter(event=event, date=today, gathers=True).exists():
        plan_meeting(op, event, day=today, place=last_place_and_time(event)[1])
    meeting = meeting_on(event, today)
    require_held(meeting)
    return meeting


@operation(
    "manage_event",
    locks=lock_meeting,
    refuses=(
        *("unknown_meeting", "meeting_outdated", "event_is_over", "meeting_has_rounds"),
        "meeting_has_adjustments",
        *("meeting_exists", "state_not_allowed", *BAD_MEETING, *BAD_REASON),
    ),
)
def change_meeting(
    op: Operation,
    meeting: Meeting,
    /,
    *,
    based_on: str | None = None,
    day: date | None = None,
    at: time | Literal[Unchanged.UNCHANGED] | None = UNCHANGED,
    place: str | None = None,
    capacity: int | Literal[Unchanged.UNCHANGED] | None = UNCHANGED,
    state: str | None = None,
    reason: str = "",
) -> Meeting:
    """Change date, time and place of a meeting, cancel it with a reason, or plan it again.

    `capacity` is how many people may come: 0 everybody, null as the settings of the event say. If
    there are more than before, who waits moves up; if fewer, nobody who comes is sent away.

    `If-Match` names the meeting that you read, or is `*`. Without it the answer is 428; if somebody
    changed the meeting meanwhile it is 412, with the current one (`there`). A meeting with a round
    keeps its date, and cannot be cancelled. Penalties and bonuses of an evening move with it; while
    they count it is not cancelled.
    """
    event = meeting.event
    _require_current(meeting, based_on)
    require_running(event)
    before = meeting_facts(meeting)
    where = None if place is None else one_line(place)
    refuse_any(meeting_problems(day, where, None if capacity is UNCHANGED else capacity))
    if day is not None and day != meeting.date:
        _require_no_rounds(meeting)
        _require_free(event, day)
        _take_rounds_of(event, day, meeting)
        meeting.date = day
    if at is not UNCHANGED:
        meeting.time = at
    if where is not None:
        meeting.place = where
    if capacity is not UNCHANGED:
        meeting.capacity = capacity
    if state is not None and state != before["state"]:
        _change_state(meeting, before["state"], state, reason)
    if before == meeting_facts(meeting):
        return meeting
    meeting.sequence += 1  # for calendars
    meeting.changed_at = op.now
    meeting.save(
        update_fields=[
            *("date", "time", "place", "capacity", "state", "cancel_reason"),
            *("sequence", "changed_at"),
        ]
    )
    gather(event, meeting, now=op.now)
    _note_change(op, meeting, before)
    if before["time"] != clock_text(meeting.time) and counts_excuses(event):
        op.changed(event)  # whoever answered before the new time is excused
    schedule_reminders(event, [meeting], now=op.now)
    after = meeting_facts(meeting)
    if any(after[name] != before[name] for name in after if name != "capacity"):
        notify_of_change(op, meeting, was=before)
    move_up(op, meeting)
    return meeting_on(event, meeting.date)


def _change_state(meeting: Meeting, was: str, state: str, reason: str) -> None:
    move = find_move(MEETING, was, state)
    if move.by:
        raise Conflict(state_problem(MEETING, was, state))
    is_cancelled = state == MeetingState.CANCELLED
    if is_cancelled:
        _require_no_rounds(meeting)
        _require_no_adjustments(meeting)
    if move.needs_reason:
        require_reason(reason)
    meeting.state = state
    meeting.cancel_reason = one_line(reason)[:200] if is_cancelled else ""
    meeting.state_now = state  # type: ignore[attr-defined]  # annotated


@operation(
    "manage_event",
    locks=lock_meeting,
    refuses=(
        *("unknown_meeting", "event_is_over", "meeting_has_rounds", "meeting_outdated"),
        *("meeting_has_attendance", "meeting_has_adjustments"),
    ),
)
def remove_meeting(
    op: Operation, meeting: Meeting, /, *, based_on: str | None = None, anyway: bool = False
) -> None:
    """Remove a meeting without rounds, and without penalties or bonuses that count.

    `If-Match` names the meeting that you read, or is `*`. Where players answered or checked in, the
    answer is 409 `meeting_has_attendance`; with `?anyway=true` the attendance is deleted too.
    """
    event = meeting.event
    day = meeting.date.isoformat()
    require_running(event)
    _require_no_rounds(meeting)
    _require_current(meeting, based_on)
    _require_no_adjustments(meeting)
    rows = Attendance.objects.filter(meeting=meeting)
    n_rows = rows.count()
    check_ins = rows.filter(state__in=WAS_HERE).count()
    stated = {"answers": n_rows - check_ins, "check_ins": check_ins} if n_rows else {}
    if stated and not anyway:
        raise Conflict(Problem("meeting_has_attendance", (), {"date": day, **stated}))
    if meeting.state_now != MeetingState.CANCELLED:  # type: ignore[attr-defined]  # annotated
        notify_of_cancellation(op, meeting)
    set_deadline(event, EVENING_REMINDER, None, key=str(meeting.pk))
    if stated:  # the change log keeps the lines about the attendance of the evening
        states = {"before": {"state": meeting.state}, "after": {"state": "removed"}}
        by = get_role(op.actor, event.club_id)
        note_change(event=event, kind="meeting", by=by, now=op.now, facts={"date": day, **states})
    meeting.delete()
    op.audit(event, {"date": day, **stated})


def _require_current(meeting: Meeting, based_on: str | None) -> None:
    if based_on and based_on != meeting_tag(meeting):
        raise Conflict(Problem("meeting_outdated"), there=meeting_facts(meeting))


def _require_no_rounds(meeting: Meeting) -> None:
    if Round.objects.filter(meeting=meeting).exists():
        raise Conflict(Problem("meeting_has_rounds", (), {"date": meeting.date.isoformat()}))


def _require_no_adjustments(meeting: Meeting) -> None:
    numbers = adjustments_of(meeting).order_by("number").values_list("number", flat=True)
    if lines := ", ".join(map(str, numbers)):
        facts = {"date": meeting.date.isoformat(), "lines": lines}
        raise Conflict(Problem("meeting_has_adjustments", (), facts))


def meeting_for(event: Event, day: date | None, *, now: datetime) -> Meeting | None:
    """Return the evening of an event on a local day, made where it is missing; None for no day.

    One that is made for a day before today gathers nobody. The caller holds the event's row.
    """
    if day is None:
        return None
    refuse_any(meeting_problems(day, None, None))
    is_ahead = day >= club_day(event.club, now)
    meeting, _ = Meeting.objects.get_or_create(
        event=event, date=day, defaults={"club": event.club, "gathers": is_ahead}
    )
    require_held(meeting, "date")
    return meeting


def _require_free(event: Event, day: date) -> None:
    if Meeting.objects.filter(event=event, date=day, gathers=True).exists():
        raise Conflict(_exists_already(day))


def _exists_already(day: date) -> Problem:
    return Problem("meeting_exists", ("date",), {"date": day.isoformat()})


def _take_rounds_of(event: Event, day: date, meeting: Meeting) -> None:
    """Give a meeting that is moved to `day` rounds and penalties of a date that gathers nobody."""
    date_of_sheets = Meeting.objects.filter(event=event, date=day).first()
    if date_of_sheets is not None:
        # Its results and its end would be deleted with it.
        if date_of_sheets.ended_at is not None or date_of_sheets.results.exists():
            raise Conflict(_exists_already(day))
        Round.objects.filter(meeting=date_of_sheets).update(meeting=meeting)
        LedgerLine.objects.filter(meeting=date_of_sheets).update(meeting=meeting)
        date_of_sheets.delete()


def meeting_problems(day: date | None, place: str | None, capacity: int | None) -> list[Problem]:
    problems = []
    if day is not None and not FIRST_YEAR <= day.year <= LAST_YEAR:
        problems.append(Problem("bad_day", ("date",), {"found": shown(day.isoformat())}))
    if place is not None and len(place) > LONGEST_PLACE:
        facts = {"found": len(place), "expected": LONGEST_PLACE}
        problems.append(Problem("place_too_long", ("place",), facts))
    if capacity is not None and not 0 <= capacity <= MOST_CAPACITY:
        limits: dict[str, int | str] = {"found": capacity, "expected": f"0 to {MOST_CAPACITY}"}
        problems.append(Problem("bad_capacity", ("capacity",), limits))
    return problems


def clock_text(at: time | None) -> str:
    return at.strftime("%H:%M") if at is not None else ""


def meeting_facts(meeting: Meeting) -> Mapping[str, str]:
    return {
        "date": meeting.date.isoformat(),
        "time": clock_text(meeting.time),
        "place": meeting.place,
        "capacity": "" if meeting.capacity is None else str(meeting.capacity),
        "state": meeting.state_now,  # type: ignore[attr-defined]  # annotated
        "reason": meeting.cancel_reason,
    }


def changed_facts(meeting: Meeting, before: Mapping[str, str]) -> Mapping[str, str]:
    """Return what differs from `before`, without the place, which no log has."""
    after = meeting_facts(meeting)
    return {key: after[key] for key in after if after[key] != before[key] and key != "place"}


def change_line(meeting: Meeting, before: Mapping[str, str]) -> LogLine | None:
    """Return the line of the change log about a new date or state; None where both are as before.

    It is about the meeting under its old date.
    """
    changed = changed_facts(meeting, before)
    noted = [key for key in changed if key in ("date", "state")]
    if not noted:
        return None
    facts = {
        "date": before["date"],
        "before": {key: before[key] for key in noted},
        "after": {key: changed[key] for key in noted},
    }
    return LogLine(facts, meeting.cancel_reason)


def _note_change(op: Operation, meeting: Meeting, before: Mapping[str, str]) -> None:
    """Record a change of a meeting: its date and state in the event's change log, all but the place
    in the audit log. Both lines are about the meeting under its old date."""
    event = meeting.event
    line = change_line(meeting, before)
    if line is not None:
        by = get_role(op.actor, event.club_id)
        note_changes(event=event, kind="meeting", by=by, now=op.now, lines=[line])
    days = {"date": before["date"], "to_date": meeting.date.isoformat()}
    op.audit(event, {**changed_facts(meeting, before), **days})
