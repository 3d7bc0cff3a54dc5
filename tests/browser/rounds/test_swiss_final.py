"""A Swiss tournament by pages, from the director's account to the champion of the final table.

Only the hands go over REST. The last round ends with a tie across the cut: a play-off decides it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from random import Random

import pytest
from django.conf import settings
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import PHONE, Walk, launched, walk_in
from tests.support.evenings import NAMES
from tests.support.lengths import short_or_long
from tests.support.scenarios.playoffs import look
from tournaments.models.events import Event
from tournaments.services.access.table_links import make_setup_link

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CLUB, EVENT = "/clubs/riverside", "/clubs/riverside/events/open"
PEOPLE, ROUNDS = short_or_long((11, 3), (23, 5))
ALL = (*NAMES, "Wanda S.")[:PEOPLE]
HEARTS: Mapping[int, Sequence[int]] = {4: (0, 2, 4, 7), 3: (1, 4, 8)}
"""Hearts from the first place to the last, who has the queen too."""
POINTS: Mapping[int, Sequence[int]] = {4: (5, 3, 2, 1), 3: (5, 3, 1)}
CUT = 4


@pytest.fixture
def walk(db: None, live_server: LiveServer, chromium: str) -> Iterator[Walk]:
    """Olga, whose club is new; she made her account with the link of the installation."""
    cache.clear()
    link = make_setup_link(now=timezone.now())
    with launched(chromium) as browser:
        walk = walk_in(browser, live_server.url, PHONE)
        page = walk.page
        page.goto(f"/setup/{link}")
        page.get_by_label("E-mail address").fill("olga@riverside.example")
        page.get_by_label("Password", exact=True).fill("Nine lives, one queen")
        walk.press("Create account")
        page.goto("/new-club")
        page.get_by_label("Name of the club").fill("Riverside")
        walk.press("Create club")
        page.goto(f"{CLUB}/add-players")
        page.get_by_label("Names").fill("\n".join(ALL))
        walk.press("Preview")
        walk.press(f"Add {PEOPLE} players")
        yield walk


def create(walk: Walk, day: date) -> None:
    """Create the event with its preset, and say how many rounds its Swiss stage has."""
    page = walk.page
    page.goto(f"{CLUB}/new-event")
    page.get_by_label("Name of the event").fill("Open")
    page.get_by_label("First evening").fill(day.isoformat())
    walk.press("Continue to ranking")
    page.get_by_text("more presets").click()
    page.get_by_role("radio", name="Swiss with final table").check()
    for click in ("Continue to entrants", "Create event", "Open event"):
        walk.press(click)
    page.goto(f"{EVENT}/stages/1/plan")
    page.get_by_label("Number of rounds").fill(str(ROUNDS))
    walk.press("Save stage")
    expect(page.get_by_role("row", name="Final table")).to_contain_text("the best 4 of Swiss")


def rank_by_points_alone(walk: Walk) -> None:
    """Leave out the tie-breaks, so that equal points are a tie."""
    address = f"/api/v1{EVENT}/settings"
    tag = walk.page.request.get(address).headers["etag"]
    answer = walk.page.request.patch(
        address, data={"settings": {"tie_breaks": []}}, headers={**headers(walk), "If-Match": tag}
    )
    assert answer.status == 200, answer.text()


def headers(walk: Walk) -> dict[str, str]:
    cookies = {one["name"]: one["value"] for one in walk.page.context.cookies()}
    return {"X-CSRFToken": cookies[settings.CSRF_COOKIE_NAME], "Referer": walk.page.url}


def check_in(walk: Walk, day: date) -> None:
    page = walk.page
    page.goto(f"{EVENT}/meetings/{day.isoformat()}/attendance")
    for name in ALL:
        page.get_by_role("button", name=f"Check in {name}", exact=True).click()
        expect(page.get_by_role("button", name=f"Undo check-in of {name}")).to_be_visible()


def seat(walk: Walk, day: date, number: int) -> list[list[str]]:
    """Plan the next round as the stage says, choose the plan, seat and post it; who sits where."""
    walk.page.goto(f"{EVENT}/meetings/{day.isoformat()}/plans")
    walk.page.get_by_text("Same plans again").click()
    walk.page.get_by_label("Seed").fill(str(number))
    walk.press("Create plans" if number == 1 else "New plans")
    for click in ("Choose plan A", f"Seat round {number}", f"Post round {number}"):
        walk.press(click)
    get = walk.page.request.get
    tables = get(f"/api/v1{EVENT}/rounds/{number}").json()["tables"]
    codes = [f"/api/v1{EVENT}/tables/r{number}t{at}" for at in range(1, len(tables) + 1)]
    return [[one["player"] for one in get(code).json()["seats"]] for code in codes]


Order = Callable[[list[list[str]]], list[list[int]]]
"""Tables → the place of each seat, from 0."""


def by_lot(draw: Random) -> Order:
    return lambda tables: [draw.sample(range(len(table)), len(table)) for table in tables]


def with_a_tie(draw: Random, totals: Mapping[str, int]) -> Order:
    """Places of the last round after which exactly two share the last place above the cut."""

    def found(tables: list[list[str]]) -> list[list[int]]:
        for _ in range(20_000):
            places = by_lot(draw)(tables)
            after = sorted(added(totals, tables, places).values(), reverse=True)
            if after[CUT - 2] > after[CUT - 1] == after[CUT] > after[CUT + 1]:
                return places
        raise AssertionError("no last round ends with such a tie; begin with another seed")

    return found


def added(
    totals: Mapping[str, int], tables: list[list[str]], places: list[list[int]]
) -> dict[str, int]:
    after = dict(totals)
    for table, own in zip(tables, places, strict=True):
        for name, place in zip(table, own, strict=True):
            after[name] = after.get(name, 0) + POINTS[len(table)][place]
    return after


def play(walk: Walk, number: int, tables: list[list[str]], places: list[list[int]]) -> None:
    """Enter a hand at each table, and close the round by its page."""
    for at, own in enumerate(places, 1):
        hearts = [HEARTS[len(own)][place] for place in own]
        taken = [["QS"] if place == len(own) - 1 else [] for place in own]
        sent = {"number": 1, "entry": {"hearts": hearts, "taken": taken}}
        address = f"/api/v1{EVENT}/tables/r{number}t{at}/hands"
        answer = walk.page.request.post(address, data=sent, headers=headers(walk))
        assert answer.status == 201, answer.text()
        assert [one["player"] for one in answer.json()["seats"]] == tables[at - 1]
    walk.page.goto(f"{EVENT}/rounds/{number}/direct")
    n = len(places)
    walk.press(f"Close {n} open tables" if n > 1 else "Close 1 open table")
    walk.press("Close round")
    workers()


def workers() -> None:
    """Do what the workers do until nothing is behind."""
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(lambda: look(Event.objects.get())).result()


def test_swiss_with_a_tie_at_the_cut_and_a_final_table(walk: Walk) -> None:
    page, day, draw = walk.page, timezone.now().date(), Random(4)  # noqa: S311 - places
    create(walk, day)
    rank_by_points_alone(walk)
    check_in(walk, day)
    totals: dict[str, int] = {}
    met: list[frozenset[str]] = []
    for number in range(1, ROUNDS + 1):
        tables = seat(walk, day, number)
        met += [frozenset((a, b)) for table in tables for a in table for b in table if a < b]
        order = with_a_tie(draw, totals) if number == ROUNDS else by_lot(draw)
        places = order(tables)
        play(walk, number, tables, places)
        totals = added(totals, tables, places)
    assert max(Counter(met).values()) <= 2, "no two meet three times"
    tied = {name for name in totals if totals[name] == sorted(totals.values())[-CUT]}
    sure = {name for name in totals if totals[name] > max(totals[one] for one in tied)}
    page.goto(f"{EVENT}/meetings/{day.isoformat()}/plans")
    expect(page.get_by_role("main")).to_contain_text(f"All {ROUNDS} rounds of Swiss are seated.")
    walk.follow("Stages")
    walk.press("Begin stage Final table")
    expect(page.get_by_role("alert").first).to_contain_text(
        "Play-off 1 decides who goes on to Final table."
    )
    decide_by_a_play_off(walk, tied)
    page.goto(f"{EVENT}/stages")
    walk.press("Begin stage Final table")
    expect(page.get_by_role("main")).to_contain_text(f"Plan round {ROUNDS + 2}")
    workers()
    page.goto(f"{EVENT}/stages")
    row = page.get_by_role("row", name="Final table")
    for name in sure:
        expect(row).to_contain_text(name)
    tables = seat(walk, day, ROUNDS + 2)
    finalists = set(tables[0])
    assert len(tables) == 1
    assert len(finalists) == CUT
    assert (finalists > sure, len(finalists & tied)) == (True, 1)
    play(walk, ROUNDS + 2, tables, [[3, 0, 1, 2]])
    page.goto(EVENT)
    walk.look()
    rows = page.request.get(f"/api/v1{EVENT}/standings").json()["rows"]
    assert [one["player"] for one in rows[:CUT]] == [tables[0][at] for at in (1, 2, 3, 0)]
    assert {one.get("stage") for one in rows[:CUT]} == {"Final table"}
    assert walk.wrong_but(422) == []


def decide_by_a_play_off(walk: Walk, tied: set[str]) -> None:
    """Draw lots in the play-off that the tie got by the event's policy; the event stays open."""
    page = walk.page
    page.goto(f"{EVENT}/playoffs/1")
    for name in tied:
        expect(page.get_by_role("main")).to_contain_text(name)
    lots = page.locator('form[aria-labelledby="act-by_lot"]')
    with page.expect_navigation():
        lots.get_by_role("button", name="Draw lots").click()
    expect(page.get_by_role("main")).to_contain_text("Decided by lot")
    workers()
