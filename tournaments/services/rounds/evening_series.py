"""Evenings planned, changed and cancelled together: a series, the later ones of one, a break.

There is no row of a series: the later evenings of one are those of the event on the same day of the
week (docs/decisions/0080-series-of-evenings.md). Each operation returns what becomes of each date;
its preview is the operation itself, rolled back. Locks: the event's row, as for one evening.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, time
from typing import Final, Literal

from scoring.errors import Problem, shown
from tournaments.domain.evening_series import (
    WEEKDAYS,
    Break,
    Series,
    break_problems,
    moved_to_weekday,
    series_days,
)
from tournaments.domain.name_matching import one_line
from tournaments.domain.reasons import BAD_REASON, reason_problems
from tournaments.errors import refuse_any
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting, MeetingState
from tournaments.selectors.attendance.excuses import counts_excuses
from tournaments.selectors.attendance.places import list_with_waiting
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.evening_series import (
    DateState,
    SeriesDate,
    evenings_between,
    evenings_on,
    other_events_on,
    state_that_keeps,
)
from tournaments.selectors.events.meetings import club_day
from tournaments.services.attendance.own_attendance import (
    ChangedEvening,
    notify_of_cancellations,
    notify_of_changes,
)
from tournaments.services.attendance.set_attendance import UNCHANGED, Unchanged
from tournaments.services.audit.audit import note_changes
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import dry_run
from tournaments.services.events.states import require_running
from tournaments.services.jobs.schedule import schedule_reminders
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.meetings import (
    BAD_MEETING,
    change_line,
    changed_facts,
    clock_text,
    lock_meeting,
    meeting_facts,
    meeting_problems,
)
from tournaments.services.waiting_list import move_up

BAD_BREAKS: Final = ("day_in_two_breaks", "too_many_breaks", "ends_before_it_starts", "bad_day")
BAD_SERIES: Final = (
    *("bad_setting", "bad_number_of_evenings", "too_many_evenings", "other_number_of_evenings"),
    *BAD_BREAKS,
)
LONGEST_REASON: Final = 200
"""Maximum number of characters of a reason for cancelled evenings."""


@operation(
    "manage_event",
    locks=lock_event,
    requires=require_running,
    refuses=("event_is_over", "bad_text", *BAD_SERIES, *BAD_MEETING),
)
def plan_series(
    op: Operation,
    event: Event,
    /,
    *,
    first: date,
    interval: str = "week",
    last: date | None = None,
    number: int | None = None,
    breaks: Sequence[Break] = (),
    left_out: Collection[date] = (),
    at: time | None = None,
    place: str = "",
    capacity: int | None = None,
) -> Sequence[SeriesDate]:
    """Plan the meetings of a series, and return what becomes of each of its dates.

    A date that is past, in a break or has a meeting of the event already is named and not planned.
    A date in a break with a reason becomes a cancelled meeting with that reason, so that the list
    of meetings and calendars say why there is none.

    Args:
        number: how many meetings, without those in breaks; either this or `last` may be left out.
        left_out: dates that are not planned, without a reason.
        capacity: how many people may come, 0: everybody; None: as the settings of the event say.
    """
    where = one_line(place)
    refuse_any([*meeting_problems(None, where, capacity), *_problems_of_reasons(breaks)])
    series = Series(first, interval, last, number, breaks)
    days = series_days(series)
    stored = evenings_on(event, days)
    today = club_day(event.club, op.now)
    dates = _planned_dates(event, series, days, stored, left_out, today=today)
    missing: list[Meeting] = []
    without_people: list[Meeting] = []
    for each in dates:
        meeting = stored.get(each.day)
        is_gap = each.state == DateState.IN_BREAK and each.reason and meeting is None
        if each.state != DateState.PLAN and not is_gap:
            continue
        if meeting is None:
            meeting = Meeting(club=event.club, event=event, date=each.day)
            missing.append(meeting)
        else:
            # There by a challenge or by an import, whose undoing must not remove it.
            without_people.append(meeting)
        meeting.time = at
        meeting.place = where
        meeting.capacity = capacity
        meeting.gathers = True
        meeting.batch = None
        meeting.changed_at = op.now
        if is_gap:
            meeting.state = MeetingState.CANCELLED
            meeting.cancel_reason = one_line(each.reason)
    Meeting.objects.bulk_create(missing)
    columns = ("time", "place", "capacity", "gathers", "batch", "changed_at")
    Meeting.objects.bulk_update(without_people, columns)
    schedule_reminders(event, [*missing, *without_people], now=op.now)
    planned = [each.day.isoformat() for each in dates if each.is_change]
    if planned:
        op.audit(event, {"dates": planned, "time": clock_text(at)})
    return dates


@operation(
    "manage_event",
    locks=lock_meeting,
    requires=lambda meeting: require_running(meeting.event),
    refuses=("unknown_meeting", "event_is_over", "bad_setting", *BAD_MEETING),
)
def change_later_meetings(
    op: Operation,
    meeting: Meeting,
    /,
    *,
    weekday: str = "",
    at: time | Literal[Unchanged.UNCHANGED] | None = UNCHANGED,
    place: str | None = None,
    capacity: int | Literal[Unchanged.UNCHANGED] | None = UNCHANGED,
) -> Sequence[SeriesDate]:
    """Change a meeting and the later ones of its day of the week; return what becomes of each.

    A meeting that has a round, was ended, is cancelled or past stays as it is, and so does one
    whose new date is past or has a meeting of the event. Answers stay with their meeting, and each
    player who comes gets one message with all new dates.

    Args:
        weekday: the new day, in the same week from Monday on; empty = as it is.
        capacity: 0: everybody may come, None: as the settings of the event say.
    """
    event = meeting.event
    where = None if place is None else one_line(place)
    limit = None if capacity is UNCHANGED else capacity
    refuse_any([*meeting_problems(None, where, limit), *_weekday_problems(weekday)])
    meetings = evenings_between(event, meeting.date, None)
    to_weekday = WEEKDAYS.index(weekday) if weekday else meeting.date.weekday()
    new_days = {each.pk: moved_to_weekday(each.date, to_weekday) for each in meetings}
    stored = evenings_on(event, {*new_days.values()})
    others = other_events_on(event, {*new_days.values()})
    today = club_day(event.club, op.now)
    dates = []
    changes = []
    for each in meetings:
        was = each.date
        day = new_days[each.pk]
        before = meeting_facts(each)
        state = _state_that_stays(each, meeting, day, stored, today=today)
        if state is None:
            each.date = day
            if at is not UNCHANGED:
                each.time = at
            if where is not None:
                each.place = where
            if capacity is not UNCHANGED:
                each.capacity = capacity
            state = DateState.UNCHANGED
            if before != meeting_facts(each):
                state = DateState.CHANGE
                changes.append(ChangedEvening(each, before))
        is_moved = day != was and state in (DateState.CHANGE, DateState.TAKEN, DateState.DAY_PAST)
        names = others.get(day, ()) if state == DateState.CHANGE else ()
        to = day if is_moved else None
        dates.append(SeriesDate(was, state, to=to, reason=each.cancel_reason, events=names))
    _save(op, event, changes)
    if changes and at is not UNCHANGED and counts_excuses(event):
        op.changed(event)  # whoever answered before the new time is excused
    notify_of_changes(op, event, [each for each in changes if each.is_told])
    if capacity is not UNCHANGED:
        for row in list_with_waiting([each.meeting for each in changes]):
            move_up(op, row)
    return dates


@operation(
    "manage_event",
    locks=lock_event,
    requires=require_running,
    refuses=("event_is_over", "bad_day", "ends_before_it_starts", *BAD_REASON),
)
def cancel_meetings(
    op: Operation, event: Event, /, *, first: date, last: date | None = None, reason: str = ""
) -> Sequence[SeriesDate]:
    """Cancel the meetings from one day to another with a reason; return what becomes of each.

    A meeting that has a round, was ended, is past, or has penalties or bonuses stays. Each can be
    planned again as a meeting that was cancelled alone. Players who come to several of them get one
    message.
    """
    pause = Break(first, last or first, one_line(reason))
    # The form has one break: its fields are not numbered.
    of_pause = [replace(problem, at=problem.at[-1:]) for problem in break_problems([pause])]
    refuse_any([*reason_problems(reason, most=LONGEST_REASON), *of_pause])
    today = club_day(event.club, op.now)
    dates = []
    changes = []
    for each in evenings_between(event, pause.first, pause.last):
        state = state_that_keeps(each, today)
        if state is None and each.has_adjustments:  # type: ignore[attr-defined]  # annotated
            state = DateState.HAS_ADJUSTMENTS
        if state is None:
            state = DateState.CANCEL
            before = meeting_facts(each)
            each.state = MeetingState.CANCELLED
            each.cancel_reason = pause.reason
            each.state_now = each.state  # type: ignore[attr-defined]  # annotated
            changes.append(ChangedEvening(each, before))
        dates.append(SeriesDate(each.date, state, reason=each.cancel_reason))
    _save(op, event, changes)
    notify_of_cancellations(op, event, [each.meeting for each in changes])
    return dates


def preview_dates(run: Callable[[], Sequence[SeriesDate]]) -> Sequence[SeriesDate]:
    """Return what an operation of this module would do; nothing is stored."""
    with dry_run():
        return run()


def _planned_dates(
    event: Event,
    series: Series,
    days: Sequence[date],
    stored: Mapping[date, Meeting],
    left_out: Collection[date],
    *,
    today: date,
) -> Sequence[SeriesDate]:
    others = other_events_on(event, days)
    dates = []
    for day in days:
        pause = series.break_on(day)
        meeting = stored.get(day)
        state = DateState.PLAN
        if meeting is not None and meeting.gathers:
            state = state_that_keeps(meeting, day) or DateState.PLANNED
        elif day < today:
            state = DateState.PAST
        elif pause is not None:
            state = DateState.IN_BREAK
        elif day in left_out:
            state = DateState.LEFT_OUT
        reason = one_line(pause.reason) if state == DateState.IN_BREAK and pause else ""
        if state == DateState.CANCELLED and meeting is not None:
            reason = meeting.cancel_reason
        names = others.get(day, ()) if state == DateState.PLAN else ()
        dates.append(SeriesDate(day, state, reason=reason, events=names))
    return dates


def _state_that_stays(
    each: Meeting, first: Meeting, day: date, stored: Collection[date], *, today: date
) -> DateState | None:
    """Return why one of the later evenings of `first` stays as it is; None where it changes.

    Args:
        day: its new date.
        stored: dates among the new ones that have a meeting of the event.
    """
    state = state_that_keeps(each, today)
    if state is not None:
        return state
    if each.date.weekday() != first.date.weekday():
        return DateState.OTHER_WEEKDAY
    if day == each.date:
        return None
    if day < today:
        return DateState.DAY_PAST
    if day in stored:
        return DateState.TAKEN
    return None


def _save(op: Operation, event: Event, changes: Sequence[ChangedEvening]) -> None:
    """Store changed evenings with their reminders, and record them in both logs."""
    if not changes:
        return
    meetings = [each.meeting for each in changes]
    for meeting in meetings:
        meeting.sequence += 1  # for calendars
        meeting.changed_at = op.now
    Meeting.objects.bulk_update(
        meetings,
        [
            *("date", "time", "place", "capacity", "state", "cancel_reason"),
            *("sequence", "changed_at"),
        ],
    )
    schedule_reminders(event, meetings, now=op.now)
    lines = [change_line(each.meeting, each.before) for each in changes]
    note_changes(
        event=event,
        kind="meeting",
        by=get_role(op.actor, event.club_id),
        now=op.now,
        lines=[line for line in lines if line is not None],
    )
    changed = changed_facts(meetings[0], changes[0].before)
    facts: dict[str, object] = {key: changed[key] for key in changed if key != "date"}
    facts["dates"] = [each.before["date"] for each in changes]
    if "date" in changed:
        facts["to_dates"] = [meeting.date.isoformat() for meeting in meetings]
    op.audit(event, facts)


def _problems_of_reasons(breaks: Sequence[Break]) -> list[Problem]:
    problems = []
    for number, each in enumerate(breaks):
        if each.reason.strip():
            problems += [
                replace(problem, at=("breaks", number, *problem.at))
                for problem in reason_problems(each.reason, most=LONGEST_REASON)
            ]
    return problems


def _weekday_problems(weekday: str) -> list[Problem]:
    if weekday in ("", *WEEKDAYS):
        return []
    facts = {"key": "weekday", "found": shown(weekday), "expected": ", ".join(WEEKDAYS)}
    return [Problem("bad_setting", ("weekday",), facts)]
