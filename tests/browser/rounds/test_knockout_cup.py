"""A knock-out cup of sixteen by pages, from the director's account to the winner: one walk-over.

Only the hands go over REST.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest
from django.conf import settings
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import DESK, PHONE, Walk, launched, walk_in
from tests.support.evenings import NAMES
from tournaments.models.events import Event
from tournaments.models.meetings import Sitting
from tournaments.services.access.table_links import make_setup_link
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CLUB, EVENT = "/clubs/riverside", "/clubs/riverside/events/cup"
HEARTS = {4: ([1, 3, 4, 5], 3), 3: ([1, 5, 7], 2)}
"""Seats at a table → hearts by seat, and who has the queen: seat 1 wins, then seat 2."""


@pytest.fixture
def walk(db: None, live_server: LiveServer, chromium: str) -> Iterator[Walk]:
    """Olga, whose club is new; she made her account with the link of the installation."""
    cache.clear()
    link = make_setup_link(now=timezone.now())
    with launched(chromium) as browser:
        walk = walk_in(browser, live_server.url, PHONE, DESK)
        page = walk.page
        page.goto(f"/setup/{link}")
        page.get_by_label("E-mail address").fill("olga@riverside.example")
        page.get_by_label("Password", exact=True).fill("Nine lives, one queen")
        walk.press("Create account")
        page.goto("/new-club")
        page.get_by_label("Name of the club").fill("Riverside")
        walk.press("Create club")
        page.goto(f"{CLUB}/add-players")
        page.get_by_label("Names").fill("\n".join(NAMES[:16]))
        walk.press("Preview")
        walk.press("Add 16 players")
        yield walk


def create(walk: Walk, day: date) -> None:
    """Create the cup with its preset: a name, a day, and three presses."""
    page = walk.page
    page.goto(f"{CLUB}/new-event")
    page.get_by_label("Name of the event").fill("Cup")
    page.get_by_label("First evening").fill(day.isoformat())
    walk.press("Continue to ranking")
    page.get_by_text("more presets").click()
    page.get_by_role("radio", name="Knock-out cup").check()
    walk.press("Continue to entrants")
    walk.press("Create event")
    walk.press("Open event")


def write(walk: Walk, path: str, data: object) -> int:
    """Post to REST as the signed-in director."""
    page = walk.page
    token = next(
        one["value"] for one in page.context.cookies() if one["name"] == settings.CSRF_COOKIE_NAME
    )
    headers = {"X-CSRFToken": token, "Referer": page.url}
    answer = page.request.post(f"/api/v1{EVENT}/{path}", data=data, headers=headers)
    assert answer.status in (200, 201), answer.text()
    return answer.status


def elsewhere(act: object) -> object:
    """Do something while the browser's loop runs in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(act).result()  # type: ignore[arg-type]  # a function of the test


def publish_now() -> None:
    publish(Event.objects.get().pk, now=timezone.now())


def seats_of(number: int) -> list[list[str]]:
    found: dict[int, list[str]] = {}
    rows = Sitting.objects.filter(round__number=number, to_hand__isnull=True)
    for table, name in rows.order_by("seat__number").values_list(
        "seat__table__number", "player__name"
    ):
        found.setdefault(table, []).append(name)
    return [found[table] for table in sorted(found)]


def seat(walk: Walk, number: int, day: date) -> list[list[str]]:
    """Plan, seat and post the next round by pages; returns who sits where."""
    page = walk.page
    page.goto(f"{EVENT}/meetings/{day.isoformat()}/plans")
    expect(page.get_by_role("radio", name="Knock-out: next round")).to_be_checked()
    page.get_by_role("button", name="Create plans").or_(
        page.get_by_role("button", name="New plans")
    ).click()
    page.get_by_role("button", name="Choose plan").first.click()
    walk.press(f"Seat round {number}")
    walk.press(f"Post round {number}")
    return elsewhere(lambda: seats_of(number))  # type: ignore[return-value]  # of the function


def play(walk: Walk, number: int, tables: list[list[str]]) -> None:
    for at, people in enumerate(tables, 1):
        hearts, queen = HEARTS[len(people)]
        taken = [["QS"] if one == queen else [] for one in range(len(people))]
        entry = {"hearts": hearts, "taken": taken}
        write(walk, f"tables/r{number}t{at}/hands", {"number": 1, "entry": entry})
    walk.page.goto(f"{EVENT}/rounds/{number}/direct")
    walk.page.get_by_role("button", name="open table").click()
    walk.press("Close round")
    elsewhere(publish_now)


def test_sixteen_play_a_cup_with_one_walk_over(walk: Walk) -> None:
    page, day = walk.page, timezone.now().date()
    create(walk, day)
    page.goto(f"{EVENT}/meetings/{day.isoformat()}/attendance")
    for name in NAMES[:16]:
        page.get_by_role("button", name=f"Check in {name}", exact=True).click()
        expect(page.get_by_role("button", name=f"Undo check-in of {name}")).to_be_visible()
    first = seat(walk, 1, day)
    assert [len(table) for table in first] == [4, 4, 4, 4]
    page.goto(f"{EVENT}/stages/1/bracket")
    walk.follow("Walk-over at table 1")
    gone = first[0].pop()
    page.get_by_label("Does not play").select_option(label=gone)
    page.get_by_label("Reason").last.fill("Did not come.")
    walk.press("Record walk-over")
    expect(page.get_by_text(f"{gone} does not play here.")).to_be_visible()
    walk.look()
    play(walk, 1, first)
    second = seat(walk, 2, day)
    through = sorted(name for table in first for name in table[:2])
    assert sorted(name for table in second for name in table) == through
    play(walk, 2, second)
    final = seat(walk, 3, day)
    assert sorted(final[0]) == sorted(name for table in second for name in table[:2])
    play(walk, 3, final)
    page.goto(f"{EVENT}/stages/1/bracket")
    walk.look()
    winner = page.get_by_role("listitem").filter(has_text="winner")
    expect(winner).to_contain_text(f"1. {final[0][0]} winner")
    expect(page.get_by_role("main")).to_contain_text(f"{gone} walk-over")
    assert walk.wrong == []
