"""Directors who plan and change several evenings at one moment: each evening is planned once, and
changed by one after the other."""

from datetime import date, time, timedelta
from functools import partial

import pytest

from tests.support.builders import by_tests, league
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.at_once import OPERATION, Within
from tournaments.models.events import Event
from tournaments.models.jobs import Deadline
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.rounds.evening_series import (
    cancel_meetings,
    change_later_meetings,
    plan_series,
)
from tournaments.services.rounds.meetings import change_meeting, plan_meeting

pytestmark = pytest.mark.pg

FIRST = date(2025, 11, 13)
WEEK = timedelta(days=7)
FRIDAY = 4


@pytest.fixture
def event(within: Within) -> Event:
    with within():
        return league(enter_the_cast().riverside)


def test_series_that_two_directors_plan_is_planned_once(within: Within, event: Event) -> None:
    for _turn in range(short_or_long(3, 20)):
        plan = partial(plan_series, by_tests(NOW), event, first=FIRST, number=10)
        one = partial(plan_meeting, by_tests(NOW), event, day=FIRST + 3 * WEEK)
        refused = within.at_once(plan, plan, one)
        with within():
            assert refused in ([], ["meeting_exists"])
            days = (
                Meeting.objects.filter(event=event).order_by("date").values_list("date", flat=True)
            )
            assert list(days) == [FIRST + number * WEEK for number in range(10)]
            assert Deadline.objects.filter(event=event, kind="evening_reminder").count() == 10
            Meeting.objects.all().delete()
            Deadline.objects.all().delete()


def test_evenings_are_moved_cancelled_and_planned_by_one_after_the_other(
    within: Within, event: Event
) -> None:
    for _turn in range(short_or_long(3, 20)):
        with within():
            plan_series(by_tests(NOW), event, first=FIRST, number=6, at=time(19, 30))
            first = meeting_on(event, FIRST)
            third = meeting_on(event, FIRST + 2 * WEEK)
        refused = within.at_once(
            partial(change_later_meetings, by_tests(NOW), first, weekday="friday", at=time(20)),
            partial(change_meeting, by_tests(NOW), third, day=third.date + timedelta(days=2)),
            partial(plan_series, by_tests(NOW), event, first=FIRST, number=8),
            partial(cancel_meetings, by_tests(NOW), event, first=FIRST + 4 * WEEK, reason="Snow."),
        )
        with within():
            assert set(refused) <= {"unknown_meeting"}
            rows = list(Meeting.objects.filter(event=event))
            moved = [row for row in rows if row.date.weekday() == FRIDAY]
            assert all(row.time == time(20) for row in moved)
            assert all(row.sequence <= 2 for row in rows)
            reminded = set(Deadline.objects.filter(event=event).values_list("key", flat=True))
            ahead = {str(row.pk) for row in rows if row.state == "planned"}
            assert reminded == ahead
            Meeting.objects.all().delete()
            Deadline.objects.all().delete()


def test_evening_that_is_moved_meanwhile_keeps_the_later_change(
    within: Within, event: Event
) -> None:
    with within():
        plan_series(by_tests(NOW), event, first=FIRST, number=3)
        first = meeting_on(event, FIRST)
        second = meeting_on(event, FIRST + WEEK)
    moved = partial(change_meeting, by_tests(NOW), second, day=second.date + timedelta(days=2))
    later = partial(change_later_meetings, by_tests(NOW), first, weekday="friday")
    assert within.in_between(moved, OPERATION, later) == ("", "")
    with within():
        days = Meeting.objects.filter(event=event).order_by("date").values_list("date", flat=True)
        assert list(days) == [date(2025, 11, 14), date(2025, 11, 22), date(2025, 11, 28)]
