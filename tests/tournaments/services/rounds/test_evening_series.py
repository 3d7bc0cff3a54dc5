"""Evenings that are planned, changed and cancelled together, and what keeps one as it is."""

from datetime import date, time

import pytest

from tests.support.builders import by_tests, league
from tests.support.cast import Cast
from tournaments.domain.evening_series import Break
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.evening_series import count_changes
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.rounds.evening_series import (
    cancel_meetings,
    change_later_meetings,
    plan_series,
)

pytestmark = pytest.mark.django_db

OP = by_tests()
FIRST = date(2026, 1, 8)
LAST = date(2026, 5, 28)
EASTER = Break(date(2026, 4, 2), date(2026, 4, 9), "Easter")


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside)


def test_thursdays_are_planned_and_a_break_with_a_reason_is_a_gap(event: Event) -> None:
    dates = plan_series(OP, event, first=FIRST, last=LAST, breaks=[EASTER], at=time(19, 30))
    assert [each.day for each in dates if not each.is_change] == [EASTER.first, EASTER.last]
    assert Meeting.objects.filter(event=event, state="planned", time=time(19, 30)).count() == 19
    moved = change_later_meetings(OP, meeting_on(event, date(2026, 3, 5)), weekday="friday")
    assert count_changes(moved) == 11
    assert meeting_on(event, date(2026, 3, 6)).sequence == 1
    gone = cancel_meetings(OP, event, first=date(2026, 5, 1), last=date(2026, 5, 8), reason="May.")
    assert [each.state for each in gone] == ["cancel", "cancel"]
