"""Hosts, who have no *Manage*, find the attendance of an evening where they look on it."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.support.builders import by_tests, league, players
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.services.attendance.set_attendance import set_attendance

pytestmark = pytest.mark.django_db

LEAGUE = "/clubs/riverside/events/league"


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside)


def plan(event: Event, days: int, **more: object) -> date:
    day = timezone.now().astimezone(event.club.zone).date() + timedelta(days=days)
    Meeting.objects.create(club=event.club, event=event, date=day, **more)
    return day


def pages_with(cast: Cast, name: str, pages: Sequence[str], day: date) -> list[str]:
    link = f'href="{LEAGUE}/meetings/{day}/attendance"'
    client = cast.client(name)
    return [page for page in pages if link in client.get(page).content.decode()]


@pytest.mark.parametrize(("name", "is_led"), [("hanna", True), ("dirk", True), ("piet", False)])
def test_attendance_of_today_is_one_press_away_for_those_who_record_it(
    cast: Cast, event: Event, name: str, is_led: bool
) -> None:
    day = plan(event, 0)
    plan(event, 7)
    pages = [LEAGUE, f"{LEAGUE}/meetings/{day}", f"{LEAGUE}/meetings", "/me"]
    assert pages_with(cast, name, pages, day) == (pages if is_led else [])


def test_next_evening_is_on_its_own_page_and_the_event_s(cast: Cast, event: Event) -> None:
    day = plan(event, 1)
    pages = [LEAGUE, f"{LEAGUE}/meetings/{day}", "/me"]
    assert pages_with(cast, "hanna", pages, day) == pages[:2]


@pytest.mark.parametrize("what", ["cancelled", "closed", "of another club"])
def test_nobody_is_led_where_nothing_is_recorded(cast: Cast, event: Event, what: str) -> None:
    day = plan(event, 0, state="cancelled" if what == "cancelled" else "planned")
    if what == "closed":
        Event.objects.filter(pk=event.pk).update(state="closed")
    name = "nora" if what == "of another club" else "hanna"
    pages = [LEAGUE, f"{LEAGUE}/meetings/{day}", f"{LEAGUE}/meetings", "/me"]
    assert pages_with(cast, name, pages, day) == []


def test_more_events_today_cost_no_more_queries(cast: Cast, event: Event) -> None:
    hanna = cast.client("hanna")
    plan(event, 0)

    def n_queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            hanna.get("/me")
        return len(queries)

    n_queries()
    few = n_queries()
    for number in range(12):
        plan(league(cast.riverside, slug=f"league-{number}"), 0)
    assert n_queries() == few
    assert hanna.get("/me").content.decode().count('/attendance"') == 10


def test_list_of_evenings_says_how_many_places_are_taken(cast: Cast, event: Event) -> None:
    first = plan(event, 1, capacity=2)
    plan(event, 2, capacity=1)
    plan(event, 3)
    meeting = Meeting.objects.get(date=first)
    for name in ("Ann", "Ben", "Cleo"):
        set_attendance(by_tests(), meeting, player=players(cast.riverside, name)[0], state="late")
    with CaptureQueriesContext(connection) as few:
        words = text_of(cast.client().get(f"{LEAGUE}/meetings"))
    assert words.count("taken") == 2
    assert "3 of 2 places taken" in words, "a host adds beyond the limit"
    assert "0 of 1 place taken" in words
    plan(event, 4, capacity=5)
    with CaptureQueriesContext(connection) as more:
        cast.client().get(f"{LEAGUE}/meetings")
    assert len(more) == len(few)
