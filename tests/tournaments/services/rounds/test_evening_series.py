"""Evenings that are planned, changed and cancelled together, and what keeps one as it is."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from icalendar import Calendar

from scoring.errors import Refused
from tests.support.builders import by_tests, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.domain.evening_series import Break
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.jobs import Deadline
from tournaments.models.rounds import Attendance, Meeting
from tournaments.models.standings import Change
from tournaments.selectors.events.evening_series import SeriesDate, count_changes, list_gaps
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.clubs.change_club import change_club
from tournaments.services.events.adjustments import add_line
from tournaments.services.events.entrants import add_entrant
from tournaments.services.rounds.evening_series import (
    cancel_meetings,
    change_later_meetings,
    plan_series,
    preview_dates,
)
from tournaments.services.rounds.meetings import change_meeting, plan_meeting

pytestmark = pytest.mark.django_db

OP = by_tests()
TODAY = date(2025, 11, 6)
"""A Thursday, the day of `NOW`."""
EASTER = Break(date(2026, 4, 2), date(2026, 4, 9), "Easter")
WEEK = timedelta(days=7)


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside)


def states(dates: Sequence[SeriesDate]) -> list[tuple[str, str]]:
    return [(f"{each.day:%d.%m.}", str(each.state)) for each in dates]


def planned(event: Event, first: date = TODAY + WEEK, number: int = 3, **more: Any) -> None:
    plan_series(OP, event, first=first, number=number, **more)


def test_series_has_the_time_the_place_and_the_places_of_its_evenings(event: Event) -> None:
    planned(event, at=time(19, 30), place=" Boat  house", capacity=8)
    rows = Meeting.objects.filter(event=event, gathers=True).values_list(
        "time", "place", "capacity"
    )
    assert list(rows) == [(time(19, 30), "Boat house", 8)] * 3
    line = AuditLine.objects.get(act="plan_series")
    days = ["2025-11-13", "2025-11-20", "2025-11-27"]
    assert line.facts == {"dates": days, "time": "19:30"}


def test_each_date_that_is_not_planned_is_named(cast: Cast, event: Event) -> None:
    plan_meeting(OP, event, day=date(2025, 11, 13), place="Hall")
    cancelled = plan_meeting(OP, event, day=date(2025, 11, 20))
    change_meeting(OP, cancelled, state="cancelled", reason="Flood.")
    plan_meeting(OP, league(cast.riverside, slug="cup", name="Cup"), day=date(2025, 11, 27))
    plan_meeting(OP, league(cast.hilltop, name="Elsewhere"), day=date(2025, 11, 27))
    dates = plan_series(
        OP,
        event,
        first=TODAY - WEEK,
        last=date(2025, 12, 18),
        breaks=[Break(date(2025, 12, 11), date(2025, 12, 11))],
        left_out=[date(2025, 12, 18)],
        place="Library",
    )
    assert states(dates) == [
        ("30.10.", "past"),
        ("06.11.", "plan"),
        ("13.11.", "planned"),
        ("20.11.", "cancelled"),
        ("27.11.", "plan"),
        ("04.12.", "plan"),
        ("11.12.", "in_break"),
        ("18.12.", "left_out"),
    ]
    assert [each.events for each in dates if each.events] == [["Cup"]]
    assert dates[3].reason == "Flood."
    assert meeting_on(event, date(2025, 11, 13)).place == "Hall"
    assert Meeting.objects.filter(event=event).count() == 5


def test_break_with_a_reason_is_a_gap_and_one_without_leaves_nothing(event: Event) -> None:
    breaks = [EASTER, Break(date(2026, 4, 23), date(2026, 4, 23))]
    planned(event, date(2026, 3, 26), 3, breaks=breaks)
    (gap,) = list_gaps(event, NOW)
    assert (list(gap.days), gap.reason) == ([EASTER.first, EASTER.last], "Easter")
    assert not Meeting.objects.filter(event=event, date=date(2026, 4, 23)).exists()
    change_meeting(OP, meeting_on(event, EASTER.last), state="planned")
    assert [list(each.days) for each in list_gaps(event, NOW)] == [[EASTER.first]]


def test_next_three_gaps_are_named(event: Event) -> None:
    planned(event, number=9)
    for number in (0, 2, 4, 5, 7):
        reason = "Snow." if number < 5 else "Flood."
        cancel_meetings(OP, event, first=TODAY + (number + 1) * WEEK, reason=reason)
    gaps = [([f"{day:%d.%m.}" for day in gap.days], gap.reason) for gap in list_gaps(event, NOW)]
    assert gaps == [(["13.11."], "Snow."), (["27.11."], "Snow."), (["11.12."], "Snow.")]


def test_new_time_counts_excuses_anew_and_a_new_place_does_not(cast: Cast) -> None:
    settings = {"primary": "evening_points", "excused": "lowest"}
    event = league(cast.riverside, slug="excused", settings=settings)
    planned(event, at=time(19, 30))
    op = by_tests()
    change_later_meetings(op, meeting_on(event, TODAY + WEEK), place="Hall")
    assert event.pk not in op.versions
    change_later_meetings(op, meeting_on(event, TODAY + WEEK), at=time(20))
    assert event.pk in op.versions


def test_more_places_at_later_evenings_let_those_who_wait_move_up(event: Event) -> None:
    planned(event, capacity=1)
    later = meeting_on(event, TODAY + 2 * WEEK)
    for player in players(event.club, "Ada", "Bo", "Cy"):
        state = "waiting" if player.name != "Ada" else "expected"
        Attendance.objects.create(
            club=event.club,
            meeting=later,
            player=player,
            state=state,
            answer=state,
            answered_at=NOW,
            stated_at=NOW,
        )
    change_later_meetings(OP, meeting_on(event, TODAY + WEEK), capacity=2)
    assert sorted(later.attendance.values_list("state", flat=True)) == [
        *("expected", "expected", "waiting"),
    ]


def test_date_of_sheets_becomes_an_evening_of_the_series(cast: Cast, event: Event) -> None:
    day = TODAY + WEEK
    Meeting.objects.create(club=cast.riverside, event=event, date=day, gathers=False)
    planned(event, place="Hall")
    meeting = meeting_on(event, day)
    assert (meeting.gathers, meeting.place) == (True, "Hall")
    assert Meeting.objects.filter(event=event).count() == 3


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"place": "x" * 121}, "place_too_long"),
        ({"capacity": 1000}, "bad_capacity"),
        ({"interval": "year"}, "bad_setting"),
        ({"breaks": [EASTER, EASTER]}, "day_in_two_breaks"),
        ({"breaks": [Break(TODAY, TODAY, "x" * 201)]}, "bad_text"),
    ],
)
def test_nothing_of_a_refused_series_is_planned(
    event: Event, values: dict[str, Any], code: str
) -> None:
    with pytest.raises(Refused, match=code):
        planned(event, **values)
    assert not Meeting.objects.filter(event=event).exists()


def test_preview_stores_nothing(event: Event) -> None:
    dates = preview_dates(lambda: plan_series(OP, event, first=TODAY, number=2))
    assert count_changes(dates) == 2
    assert not Meeting.objects.filter(event=event).exists()
    assert not AuditLine.objects.filter(act="plan_series").exists()


@pytest.mark.parametrize(
    "act",
    [
        lambda event: plan_series(OP, event, first=date(2025, 12, 25)),
        lambda event: cancel_meetings(OP, event, first=TODAY + WEEK, reason="Snow."),
        lambda event: change_later_meetings(OP, meeting_on(event, TODAY + WEEK), place="Hall"),
    ],
)
def test_event_that_is_over_keeps_its_evenings(
    event: Event, act: Callable[[Event], object]
) -> None:
    planned(event)
    Event.objects.filter(pk=event.pk).update(state="closed")
    with pytest.raises(Conflict, match="event_is_over"):
        act(event)


def test_later_evenings_change_and_others_say_why_not(cast: Cast, event: Event) -> None:
    planned(event, TODAY - WEEK, 9, at=time(19, 30))
    planned(event, TODAY, 1)
    people = players(cast.riverside, *"ABCD")
    table(event, people, on=date(2025, 11, 13))
    change_meeting(OP, meeting_on(event, date(2025, 11, 20)), state="cancelled", reason="Snow.")
    change_meeting(OP, meeting_on(event, date(2025, 11, 27)), day=date(2025, 11, 26))
    plan_meeting(OP, event, day=date(2025, 12, 5))
    first = meeting_on(event, TODAY)
    dates = change_later_meetings(OP, first, weekday="friday", at=time(20), place="Hall")
    assert states(dates) == [
        ("06.11.", "change"),
        ("13.11.", "played"),
        ("20.11.", "cancelled"),
        ("26.11.", "other_weekday"),
        ("04.12.", "taken"),
        ("05.12.", "other_weekday"),
        ("11.12.", "change"),
        ("18.12.", "change"),
        ("25.12.", "change"),
    ]
    moved = meeting_on(event, date(2025, 12, 12))
    assert (moved.time, moved.place, moved.sequence) == (time(20), "Hall", 1)
    assert meeting_on(event, date(2025, 12, 4)).time == time(19, 30)
    assert meeting_on(event, date(2025, 11, 26)).place == ""
    lines = Change.objects.filter(event=event, kind="meeting").order_by("pk")
    assert [line.facts["after"]["date"] for line in lines if "date" in line.facts["after"]][1:] == [
        *("2025-11-07", "2025-12-12", "2025-12-19", "2025-12-26"),
    ]
    facts = AuditLine.objects.get(act="change_later_meetings").facts
    assert facts["time"] == "20:00"
    assert facts["dates"][1:] == ["2025-12-11", "2025-12-18", "2025-12-25"]
    assert facts["to_dates"][1:] == ["2025-12-12", "2025-12-19", "2025-12-26"]


def test_earlier_evenings_and_other_events_stay(cast: Cast, event: Event) -> None:
    planned(event)
    other = league(cast.riverside, slug="other", name="Other")
    planned(other)
    dates = change_later_meetings(OP, meeting_on(event, TODAY + 2 * WEEK), place="Hall")
    assert [list(each.events) for each in dates] == [["Other"], ["Other"]]
    assert meeting_on(event, TODAY + WEEK).place == ""
    assert meeting_on(event, TODAY + 3 * WEEK).place == "Hall"
    assert not Meeting.objects.filter(event=other, place="Hall").exists()


def test_evening_is_moved_to_no_past_day_and_an_unchanged_one_counts_no_change(
    event: Event,
) -> None:
    planned(event, TODAY, 2, at=time(19, 30))
    change_meeting(OP, meeting_on(event, TODAY + WEEK), at=time(20))
    dates = change_later_meetings(OP, meeting_on(event, TODAY), weekday="wednesday", at=time(20))
    assert states(dates) == [("06.11.", "day_past"), ("13.11.", "change")]
    assert meeting_on(event, TODAY).time == time(19, 30)
    later = change_later_meetings(OP, meeting_on(event, TODAY), at=time(20), capacity=4)
    assert states(later) == [("06.11.", "change"), ("12.11.", "other_weekday")]
    again = change_later_meetings(OP, meeting_on(event, TODAY), at=time(20), capacity=4)
    assert [str(each.state) for each in again] == ["unchanged", "other_weekday"]
    assert meeting_on(event, TODAY).sequence == 1


@pytest.mark.parametrize(
    ("values", "code"),
    [({"weekday": "Fri"}, "bad_setting"), ({"place": "x" * 121}, "place_too_long")],
)
def test_later_evenings_are_not_changed(event: Event, values: dict[str, Any], code: str) -> None:
    planned(event)
    with pytest.raises(Refused, match=code):
        change_later_meetings(OP, meeting_on(event, TODAY + WEEK), **values)


def test_break_cancels_its_evenings_and_no_other_and_each_is_planned_again(
    cast: Cast, event: Event
) -> None:
    planned(event, TODAY, 5)
    table(event, players(cast.riverside, *"ABCD"), on=TODAY + WEEK)
    dates = cancel_meetings(
        OP, event, first=TODAY + WEEK, last=TODAY + 3 * WEEK, reason="The hall  is closed."
    )
    assert states(dates) == [("13.11.", "played"), ("20.11.", "cancel"), ("27.11.", "cancel")]
    state = meeting_on(event, TODAY + 3 * WEEK)
    assert (state.state_now, state.cancel_reason) == ("cancelled", "The hall is closed.")  # type: ignore[attr-defined]  # annotated
    assert meeting_on(event, TODAY + 4 * WEEK).state == "planned"
    lines = Change.objects.filter(event=event, kind="meeting", reason="The hall is closed.")
    assert [line.facts["after"] for line in lines] == [{"state": "cancelled"}] * 2
    change_meeting(OP, state, state="planned")
    again = cancel_meetings(OP, event, first=state.date, reason="Snow.")
    assert states(again) == [("27.11.", "cancel")]


def test_reminders_follow_the_evenings(event: Event) -> None:
    planned(event, TODAY + 2 * WEEK, 2)
    change_later_meetings(OP, meeting_on(event, TODAY + 2 * WEEK), weekday="friday")
    cancel_meetings(OP, event, first=TODAY + 3 * WEEK, last=TODAY + 4 * WEEK, reason="Snow.")
    (due,) = Deadline.objects.filter(kind="evening_reminder").values_list("due_at", flat=True)
    assert due.date() == date(2025, 11, 18)


def test_past_evenings_and_those_with_penalties_are_not_cancelled(cast: Cast, event: Event) -> None:
    for day in (TODAY - WEEK, TODAY, TODAY + WEEK):
        plan_meeting(OP, event, day=day)
    (player,) = players(cast.riverside, "Ada A.")
    entrant = add_entrant(OP, event, kind="player", players=[player])
    add_line(
        OP, event, entrant=entrant.code, kind="penalty", amount="2", reason="Late.", meeting=TODAY
    )
    dates = cancel_meetings(OP, event, first=TODAY - WEEK, last=TODAY + WEEK, reason="Snow.")
    assert states(dates) == [
        ("30.10.", "past"),
        ("06.11.", "has_adjustments"),
        ("13.11.", "cancel"),
    ]
    later = change_later_meetings(OP, meeting_on(event, TODAY - WEEK), place="Hall")
    assert states(later) == [("30.10.", "past"), ("06.11.", "change"), ("13.11.", "cancelled")]


def test_date_of_sheets_in_a_break_stays_as_it_is(cast: Cast, event: Event) -> None:
    Meeting.objects.create(club=cast.riverside, event=event, date=EASTER.first, gathers=False)
    planned(event, date(2026, 3, 26), 2, breaks=[EASTER])
    meeting = meeting_on(event, EASTER.first)
    assert (meeting.gathers, meeting.state) == (False, "planned")


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"reason": " "}, "reason_required"),
        ({"reason": "x" * 201}, "bad_text"),
        ({"last": TODAY}, "ends_before_it_starts"),
        ({"first": date(1899, 12, 31)}, "bad_day"),
    ],
)
def test_break_is_refused(event: Event, values: dict[str, Any], code: str) -> None:
    planned(event)
    with pytest.raises(Refused, match=code):
        cancel_meetings(OP, event, **{"first": TODAY + WEEK, "reason": "Snow.", **values})
    assert not Meeting.objects.filter(event=event, state="cancelled").exists()


def counted(act: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as queries:
        act()
    return len(queries)


def statements(event: Event, number: int) -> Sequence[int]:
    """Plan so many evenings to which a player comes, move them and cancel them."""
    first, last = date(2026, 1, 8), date(2027, 1, 1)
    (player,) = players(event.club, f"Player {number}")
    plan = counted(partial(planned, event, first, number, at=time(19, 30)))
    for meeting in Meeting.objects.filter(event=event):
        set_attendance(OP, meeting, player=player, state="expected")
    meeting = meeting_on(event, first)
    move = counted(partial(change_later_meetings, OP, meeting, weekday="friday", capacity=4))
    cancel = counted(partial(cancel_meetings, OP, event, first=first, last=last, reason="Snow."))
    assert Meeting.objects.filter(event=event, state="cancelled", sequence=2).count() == number
    return plan, move, cancel


def test_thirty_evenings_take_as_many_statements_as_three(cast: Cast) -> None:
    """Reminders, both logs and messages are among them."""
    few = statements(league(cast.riverside, slug="few"), 3)
    many = statements(league(cast.riverside, slug="many"), 30)
    assert few == many
    assert max(many) < 40


def test_a_year_in_one_form_reminds_and_is_in_the_calendar_at_the_clubs_time(
    cast: Cast, event: Event
) -> None:
    """30 Thursdays with two breaks, one moved, one cancelled, another time from March on."""
    change_club(OP, cast.riverside, wanted={"time_zone": "Europe/Berlin"})
    event = Event.objects.select_related("club").get(pk=event.pk)
    breaks = [EASTER, Break(date(2026, 5, 14), date(2026, 5, 14))]
    planned(event, date(2026, 1, 8), 30, breaks=breaks, at=time(19, 30))
    change_meeting(OP, meeting_on(event, date(2026, 1, 15)), day=date(2026, 1, 16))
    change_meeting(OP, meeting_on(event, date(2026, 1, 22)), state="cancelled", reason="Snow.")
    change_later_meetings(OP, meeting_on(event, date(2026, 3, 5)), at=time(20))
    with time_machine.travel(NOW):
        answer = cast.client().get("/clubs/riverside/calendar.ics")
    read: list[Any] = Calendar.from_ical(answer.content).walk("VEVENT")
    entries = {entry["DTSTART"].dt: entry for entry in read}
    assert len({str(entry["UID"]) for entry in entries.values()}) == len(entries) == 32
    statuses = [str(entry["STATUS"]) for entry in entries.values()]
    assert (statuses.count("CONFIRMED"), statuses.count("CANCELLED")) == (29, 3)
    assert entries[datetime(2026, 2, 26, 18, 30, tzinfo=UTC)]["SEQUENCE"] == 0
    assert entries[datetime(2026, 1, 16, 18, 30, tzinfo=UTC)]["SEQUENCE"] == 1
    winter, summer = datetime(2026, 3, 26, 19, tzinfo=UTC), datetime(2026, 4, 16, 18, tzinfo=UTC)
    assert entries[winter]["SEQUENCE"] == entries[summer]["SEQUENCE"] == 1
    due = set(Deadline.objects.filter(kind="evening_reminder").values_list("due_at", flat=True))
    assert len(due) == 29
    assert datetime(2026, 1, 13, 9, tzinfo=UTC) in due
    assert datetime(2026, 4, 13, 8, tzinfo=UTC) in due
