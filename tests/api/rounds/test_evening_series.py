"""Several evenings over REST: the same rules as on the pages, with the members of the bodies."""

from collections.abc import Iterator
from datetime import date, time

import pytest
import time_machine

from tests.support.answers import post_json
from tests.support.builders import by_tests, league
from tests.support.cast import NOW, Cast
from tests.support.rest.requests import codes
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.rounds.evening_series import plan_series

pytestmark = pytest.mark.django_db

MEETINGS = "/api/v1/clubs/riverside/events/league/meetings"
SERIES = {
    "first": "2026-01-08",
    "number": 3,
    "time": "19:30",
    "place": "Hall",
    "capacity": 8,
    "breaks": [{"first": "2026-01-15", "reason": "Snow."}],
    "left_out": ["2026-01-22"],
}


@pytest.fixture(autouse=True)
def now() -> Iterator[None]:
    with time_machine.travel(NOW):
        yield


def test_series_is_previewed_and_planned_once_for_a_key(cast: Cast) -> None:
    event = league(cast.riverside)
    dirk = cast.client("dirk")
    preview = post_json(dirk, f"{MEETINGS}/series-preview", SERIES)
    assert preview.json()["changes"] == 2
    assert not Meeting.objects.exists()
    first = post_json(dirk, f"{MEETINGS}/series", SERIES, Idempotency_Key="a-year")
    assert first.json() == preview.json()
    again = post_json(dirk, f"{MEETINGS}/series", SERIES, Idempotency_Key="a-year")
    assert again.json() == first.json()
    assert [each["state"] for each in first.json()["dates"]] == [
        *("plan", "in_break", "left_out", "plan"),
    ]
    meeting = meeting_on(event, date(2026, 1, 29))
    assert (meeting.time, meeting.place, meeting.capacity) == (time(19, 30), "Hall", 8)


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"number": 101}, ("bad_number_of_evenings", "/number")),
        ({"breaks": [{"first": "Easter"}]}, ("bad_day", "/breaks/0/first")),
        (
            {"breaks": [{"first": "2026-01-15"}, {"first": "2026-01-15"}]},
            ("day_in_two_breaks", "/breaks/1/first"),
        ),
        ({"left_out": "2026-01-22"}, ("bad_setting", "/left_out")),
        ({"interval": "year"}, ("bad_setting", "/interval")),
    ],
)
def test_member_that_is_wrong_is_named(
    cast: Cast, members: dict[str, object], problem: tuple[str, str]
) -> None:
    league(cast.riverside)
    answer = post_json(cast.client("dirk"), f"{MEETINGS}/series", {**SERIES, **members})
    assert answer.status_code == 422
    assert [(each["code"], each["pointer"]) for each in answer.json()["errors"]] == [problem]


def test_later_meetings_are_changed_and_null_takes_the_time_away(cast: Cast) -> None:
    event = league(cast.riverside)
    plan_series(by_tests(), event, first=date(2026, 1, 8), number=2, at=time(19, 30), place="Hall")
    dirk = cast.client("dirk")
    body = {"weekday": "friday", "time": None}
    preview = post_json(dirk, f"{MEETINGS}/2026-01-08/later-preview", body)
    assert meeting_on(event, date(2026, 1, 8)).time == time(19, 30)
    answer = post_json(dirk, f"{MEETINGS}/2026-01-08/later", body)
    assert answer.json() == preview.json()
    assert [each["to"] for each in answer.json()["dates"]] == ["2026-01-09", "2026-01-16"]
    moved = meeting_on(event, date(2026, 1, 16))
    assert (moved.time, moved.place) == (None, "Hall")
    assert codes(post_json(dirk, f"{MEETINGS}/2026-01-08/later", body)) == ["unknown_meeting"]


def test_meetings_of_a_break_are_cancelled(cast: Cast) -> None:
    event = league(cast.riverside)
    plan_series(by_tests(), event, first=date(2026, 1, 8), number=3)
    dirk = cast.client("dirk")
    body = {"first": "2026-01-10", "last": "2026-01-15", "reason": "Snow."}
    preview = post_json(dirk, f"{MEETINGS}/cancel-preview", body)
    answer = post_json(dirk, f"{MEETINGS}/cancel", body)
    assert answer.json() == preview.json()
    assert [(each["date"], each["state"], each["reason"]) for each in answer.json()["dates"]] == [
        ("2026-01-15", "cancel", "Snow.")
    ]
    assert meeting_on(event, date(2026, 1, 15)).state == "cancelled"
    refused = post_json(dirk, f"{MEETINGS}/cancel", {"first": "2026-01-22", "reason": ""})
    assert codes(refused) == ["reason_required"]
