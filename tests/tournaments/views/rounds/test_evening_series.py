"""Several evenings on pages: their dates are shown first, and only what was shown is saved."""

from collections.abc import Mapping
from datetime import date, time

import pytest
import time_machine
from django.test import Client

from tests.support.builders import by_tests, league
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.rounds.evening_series import cancel_meetings, plan_series
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = pytest.mark.django_db

EVENT = "/clubs/riverside/events/league"
YEAR = {
    "first": "2026-01-08",
    "last": "2026-05-28",
    "interval": "week",
    "time": "19:30",
    "place": "Hall",
    "break_1_first": "2026-04-02",
    "break_1_last": "2026-04-09",
    "break_1_reason": "Easter",
    "break_2_first": "2026-05-14",
}
FRIDAY = {"weekday": "friday", "time": "20:00"}


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside)


@pytest.fixture
def dirk(cast: Cast) -> Client:
    return cast.client("dirk")


def preview(client: Client, page: str, typed: Mapping[str, object]) -> tuple[str, str]:
    """Press *Show dates*; returns the text of the page, and the mark of its dates."""
    with time_machine.travel(NOW):
        answer = client.post(f"{EVENT}/{page}", {**typed, "preview": "yes"})
    assert answer.status_code == 200
    return text_of(answer), answer.context["shown"].digest


def save(client: Client, page: str, typed: Mapping[str, object], mark: str) -> str:
    with time_machine.travel(NOW):
        sent = {**typed, "previewed": mark, "save": "yes"}
        answer = client.post(f"{EVENT}/{page}", sent, follow=True)
    return text_of(answer)


def test_year_is_shown_then_planned_without_the_dates_left_out(event: Event, dirk: Client) -> None:
    text, mark = preview(dirk, "new-meetings", YEAR)
    assert (
        "18 evenings will be planned. 2 other dates are listed with the reason. "
        "1 date is in a break." in text
    )
    assert "Thu 2 Apr 2026 no evening: Easter" in text
    assert "Thu 14 May 2026 no evening: in a break" in text
    assert not Meeting.objects.filter(event=event).exists()
    text = save(dirk, "new-meetings", {**YEAR, "left_out": ["2026-01-15", "soon"]}, mark)
    assert "17 evenings planned." in text
    assert "No evening on Thursday 2 April and Thursday 9 April: Easter." in text
    assert not Meeting.objects.filter(event=event, date="2026-01-15").exists()
    meeting = meeting_on(event, date(2026, 5, 28))
    assert (meeting.time, meeting.place) == (time(19, 30), "Hall")


def test_dates_that_differ_from_those_shown_are_shown_again(event: Event, dirk: Client) -> None:
    _text, mark = preview(dirk, "new-meetings", YEAR)
    plan_meeting(by_tests(), event, day=date(2026, 1, 8))
    text = save(dirk, "new-meetings", YEAR, mark)
    assert "Not saved: these dates differ from those that you saw." in text
    assert "Thu 8 Jan 2026 planned already: stays as it is" in text
    assert Meeting.objects.filter(event=event).count() == 1
    assert "Not saved" in save(dirk, "new-meetings", YEAR, "")


def test_other_events_of_the_day_are_named(cast: Cast, event: Event, dirk: Client) -> None:
    plan_meeting(by_tests(), league(cast.riverside, slug="cup", name="Cup"), day=date(2026, 1, 8))
    text, _mark = preview(dirk, "new-meetings", YEAR)
    assert "Thu 8 Jan 2026 will be planned Also on this date: Cup" in text


@pytest.mark.parametrize(
    ("typed", "field", "sentence"),
    [
        ({"first": ""}, "first", "Enter the date as 2026-11-20."),
        ({"last": "2026-01-07"}, "last", "The last day, 2026-01-07, is before"),
        ({"number": "3"}, "number", "there are 18, not 3"),
        ({"interval": "day"}, "last", "there are 141. The maximum is 100."),
        ({"break_2_first": "2026-04-09"}, "break_2_first", "9 April 2026 is in two breaks."),
        ({"break_1_last": "2026-04-01"}, "break_1_last", "is before the first one, 2026-04-02"),
        ({"break_1_reason": "x" * 201}, "break_1_reason", "200"),
        ({"capacity": "1000"}, "capacity", "1000 is not a number of places."),
    ],
)
def test_refusal_is_at_its_field(
    event: Event, dirk: Client, typed: dict[str, str], field: str, sentence: str
) -> None:
    answer = dirk.post(f"{EVENT}/new-meetings", {**YEAR, **typed, "preview": "yes"})
    assert answer.status_code == 422
    assert sentence in " ".join(answer.context["form"].errors[field])
    assert 'id="dates"' not in answer.content.decode()


def test_this_and_the_later_evenings_move_and_what_is_empty_stays(
    event: Event, dirk: Client
) -> None:
    plan_series(by_tests(), event, first=date(2026, 1, 8), number=3, place="Hall", capacity=8)
    link = f"{EVENT}/meetings/2026-01-15/change-later"
    assert link in dirk.get(f"{EVENT}/meetings/2026-01-15/change").content.decode()
    page = link.removeprefix(f"{EVENT}/")
    text, mark = preview(dirk, page, FRIDAY)
    assert "Thu 15 Jan 2026 moves to Fri 16 Jan 2026" in text
    assert "2 evenings changed." in save(dirk, page, FRIDAY, mark)
    moved = meeting_on(event, date(2026, 1, 23))
    assert (moved.time, moved.place, moved.capacity) == (time(20), "Hall", 8)
    assert meeting_on(event, date(2026, 1, 8)).time is None


def test_break_is_added_and_its_evenings_are_named_with_the_reason(
    event: Event, dirk: Client
) -> None:
    plan_series(by_tests(), event, first=date(2026, 1, 8), number=5)
    typed = {"first": "2026-01-08", "last": "2026-02-04", "reason": "The hall is rebuilt."}
    text, mark = preview(dirk, "new-break", typed)
    assert "4 evenings will be cancelled." in text
    text = save(dirk, "new-break", typed, mark)
    assert "4 evenings are cancelled." in text
    assert "No evening from Thursday 8 January to Thursday 29 January: The hall is rebuilt." in text
    text, _mark = preview(dirk, "new-break", {**typed, "last": "2026-01-29"})
    assert "stays cancelled: The hall is rebuilt." in text
    empty, _mark = preview(dirk, "new-break", {"first": "2027-01-08", "reason": "Snow."})
    assert "There are no evenings on these days." in empty


def test_gaps_of_the_past_and_of_an_event_that_is_over_are_not_shown(
    event: Event, dirk: Client
) -> None:
    plan_series(by_tests(), event, first=date(2026, 1, 8), number=2)
    cancel_meetings(by_tests(), event, first=date(2026, 1, 8), reason="Snow.")
    with time_machine.travel(NOW.replace(year=2026, month=1, day=8)):
        assert "No evening on Thursday 8 January: Snow." in text_of(dirk.get(f"{EVENT}/meetings"))
    with time_machine.travel(NOW.replace(year=2026, month=1, day=9)):
        assert "No evening on" not in text_of(dirk.get(f"{EVENT}/meetings"))
