"""A league with planned evenings is closed by a second press only, at each interface."""

from datetime import date

import pytest
import time_machine

from tests.support.answers import post_json
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting, Round
from tournaments.selectors.events.events import get_event
from tournaments.services.events.events import move_event

pytestmark = pytest.mark.django_db

TODAY = date(2025, 11, 6)
TOMORROW = date(2025, 11, 7)
YESTERDAY = date(2025, 11, 5)
E = "/api/v1/clubs/riverside/events/league"


@pytest.fixture
def event(clock: time_machine.Traveller, cast: Cast) -> Event:
    return league(cast.riverside)


def plan(event: Event, *days: date, **fields: object) -> None:
    for day in days:
        Meeting.objects.create(club=event.club, event=event, date=day, **fields)


def close(event: Event, *, anyway: bool = False) -> str:
    """Close an event, and return its state, or what it is refused with."""
    try:
        return move_event(by_tests(), event, to="closed", anyway=anyway).state
    except Conflict as refused:
        assert Event.objects.get(pk=event.pk).state == "open"
        return f"{refused.problem.code}: {refused.problem.facts['dates']}"


def test_evenings_from_today_on_are_named_in_their_order(event: Event) -> None:
    plan(event, TOMORROW, TODAY, YESTERDAY)
    assert close(event) == "evenings_still_planned: 2025-11-06, 2025-11-07"
    assert close(event, anyway=True) == "closed"


@pytest.mark.parametrize("day", [TODAY, TOMORROW])
def test_one_evening_is_enough(event: Event, day: date) -> None:
    plan(event, day)
    assert close(event) == f"evenings_still_planned: {day}"


def test_evening_of_yesterday_is_over(event: Event) -> None:
    plan(event, YESTERDAY)
    assert close(event) == "closed"


def test_cancelled_evening_is_none_left(event: Event) -> None:
    plan(event, TOMORROW, state="cancelled")
    assert close(event) == "closed"


def test_evening_that_gathers_nobody_is_none_left(event: Event) -> None:
    plan(event, TOMORROW, gathers=False)
    assert close(event) == "closed"


def test_evening_of_today_that_was_played_is_none_left(event: Event) -> None:
    people = players(event.club, *"ABCD")
    hand(table(event, people, on=TODAY), 1, [4, 1, 2, 6], queen=3)
    Round.objects.update(state="closed")
    assert close(event) == "closed"


@pytest.mark.parametrize("kind", ["tournament", "ladder"])
def test_other_events_close_in_one_press(event: Event, kind: str) -> None:
    plan(event, TOMORROW)
    Event.objects.update(kind=kind)
    assert close(Event.objects.select_related("club").get()) == "closed"


def test_page_names_them_and_closes_with_the_second_press(event: Event, cast: Cast) -> None:
    plan(event, TODAY, TOMORROW)
    dirk, page = cast.client("dirk"), f"{ADDRESS}/direct"
    asked = dirk.post(page, {"to": "closed"})
    text = text_of(asked, asked.status_code)
    assert "2 evenings of this league are still planned" in text
    assert text.count("6 November 2025") == text.count("7 November 2025") == 1
    assert "2025-11-06" not in text  # the refusal names them to programs
    assert "Close league anyway Keep league open" in text
    assert Event.objects.get().state == "open"
    assert 'name="to" value="closed"' in asked.content.decode()
    done = dirk.post(page, {"to": "closed", "anyway": "yes"})
    assert (done.status_code, Event.objects.get().state) == (302, "closed")


def test_play_off_of_a_shared_first_place_asks_before_it_changes_a_setting(
    event: Event, cast: Cast
) -> None:
    plan(event, TOMORROW)
    dirk, page = cast.client("dirk"), f"{ADDRESS}/direct"
    asked = dirk.post(page, {"first": "play_off"})
    assert "still planned" in text_of(asked, asked.status_code)
    assert 'name="first" value="play_off"' in asked.content.decode()
    row = Event.objects.get()
    assert (row.state, "title" in row.settings.get("boundaries", {})) == ("open", False)
    assert dirk.post(page, {"first": "play_off", "anyway": "yes"}).status_code == 302
    row = Event.objects.get()
    assert (row.state, row.settings["boundaries"]["title"]) == ("closed", 1)


def test_program_reads_their_dates_and_closes_with_its_second_request(
    event: Event, cast: Cast
) -> None:
    plan(event, TODAY)
    dirk = cast.client("dirk")
    refused = post_json(dirk, f"{E}/state", {"to": "closed"})
    assert refused.status_code == 409
    (problem,) = refused.json()["errors"]
    assert problem["code"] == "evenings_still_planned"
    assert "2025-11-06" in problem["message"]
    again = post_json(dirk, f"{E}/state", {"to": "closed", "anyway": True})
    assert (again.status_code, again.json()["state"]) == (200, "closed")


def test_reader_of_the_event_is_none_who_closes_it(event: Event, cast: Cast) -> None:
    plan(event, TODAY)
    assert get_event(cast.actor("hanna"), "riverside", "league").is_open
    refused = post_json(cast.client("hanna"), f"{E}/state", {"to": "closed", "anyway": True})
    assert refused.status_code == 403
