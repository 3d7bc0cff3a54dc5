"""A pairs night by pages, from the director's account to the standings: eight pairs, three rounds.

Only the hands go over REST. The standings are compared with the hands, added up here.
"""

from collections.abc import Iterator, Mapping
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
from tests.support.lengths import short_or_long
from tournaments.models.events import Event
from tournaments.services.access.table_links import make_setup_link
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CLUB, EVENT = "/clubs/riverside", "/clubs/riverside/events/pairs-night"
PAIRS = tuple(zip(NAMES[0:16:2], NAMES[1:16:2], strict=True))
GAMES: Mapping[str, tuple[int, int]] = {
    "Partnership Hearts, tricks pooled": (0, 26),
    "Partnership Hearts, moon 52": (0, 52),
    "Partnership Hearts, individual scores": (26, 52),
}
"""Game → the points of the two sides where North takes everything and gives to the others."""
HANDS = (([4, 1, 2, 6], 3), ([0, 5, 1, 7], 0), ([3, 3, 3, 4], 1), ([13, 0, 0, 0], 0))
"""Hearts by seat and who has the queen; in the last one North shoots."""
CHOSEN = short_or_long(list(GAMES)[-1:], list(GAMES))


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


def create(walk: Walk, game: str, day: date) -> None:
    """Create the event with its preset: a name, a day, and three presses."""
    page = walk.page
    page.goto(f"{CLUB}/new-event")
    page.get_by_label("Name of the event").fill("Pairs night")
    if game != next(iter(GAMES)):  # which the preset takes by itself
        page.get_by_label("Game", exact=True).select_option(game)
    page.get_by_label("First evening").fill(day.isoformat())
    walk.press("Continue to ranking")
    page.get_by_text("more presets").click()
    page.get_by_role("radio", name="Pairs night").check()
    walk.press("Continue to entrants")
    expect(page.get_by_role("complementary")).to_contain_text(game)
    walk.press("Create event")
    walk.press("Open event")


def enter_pairs(walk: Walk) -> None:
    page = walk.page
    page.goto(f"{EVENT}/new-entrant?kind=pair")
    for one, other in PAIRS:
        page.get_by_label("Player 1").fill(one)
        page.get_by_label("Player 2").fill(other)
        walk.press("Add and continue")
    page.goto(f"{EVENT}/entrants")
    expect(page.get_by_role("main")).to_contain_text(" & ".join(PAIRS[-1]))


def check_in(walk: Walk, day: date) -> None:
    page = walk.page
    page.goto(f"{EVENT}/meetings/{day.isoformat()}/attendance")
    for name in NAMES[:16]:
        page.get_by_role("button", name=f"Check in {name}", exact=True).click()
        expect(page.get_by_role("button", name=f"Undo check-in of {name}")).to_be_visible()


def plan(walk: Walk, day: date) -> None:
    page = walk.page
    page.goto(f"{EVENT}/meetings/{day.isoformat()}/plans")
    expect(page.get_by_role("radio", name="Pairs: all play all")).to_be_checked()
    expect(page.get_by_text("8 pairs: 4 tables a round, full set 7 rounds")).to_be_visible()
    page.get_by_label("Number of rounds").fill("3")
    walk.press("Create plans")
    expect(page.get_by_text("No two pairs play each other twice.")).to_be_visible()
    walk.press("Choose plan A")


def play(walk: Walk, number: int, game: str) -> dict[str, tuple[int, int]]:
    """Seat and post a round, and enter a hand at each table; returns points and wins by pair."""
    page = walk.page
    walk.press(f"Seat round {number}")
    walk.press(f"Post round {number}")
    found = {}
    token = next(
        one["value"] for one in page.context.cookies() if one["name"] == settings.CSRF_COOKIE_NAME
    )
    headers = {"X-CSRFToken": token, "Referer": page.url}
    for at in range(4):
        table = f"/api/v1{EVENT}/tables/r{number}t{at + 1}"
        hearts, queen = HANDS[(at + number) % len(HANDS)]
        taken = [["QS"] if seat == queen else [] for seat in range(4)]
        entry: dict[str, object] = {"hearts": hearts, "taken": taken}
        if 13 in hearts and "52" not in game:
            entry["slam_choice"] = "others"
        sent = {"number": 1, "entry": entry}
        answer = page.request.post(f"{table}/hands", data=sent, headers=headers)
        assert answer.status == 201, answer.text()
        own = [heart + 13 * (seat == queen) for seat, heart in enumerate(hearts)]
        sides = GAMES[game] if 13 in hearts else (own[0] + own[2], own[1] + own[3])
        people = [seat["player"] for seat in answer.json()["seats"]]
        for side in (0, 1):
            pair = frozenset((people[side], people[side + 2]))
            found[" & ".join(sorted(pair))] = (sides[side], int(sides[side] < sides[1 - side]))
    page.goto(f"{EVENT}/rounds/{number}/direct")
    walk.press("Close 4 open tables")
    walk.press("Close round")
    return found


def publish_now() -> None:
    publish(Event.objects.get().pk, now=timezone.now())


@pytest.mark.parametrize("game", CHOSEN)
def test_eight_pairs_play_three_rounds(walk: Walk, game: str) -> None:
    page, day = walk.page, timezone.now().date()
    create(walk, game, day)
    enter_pairs(walk)
    check_in(walk, day)
    plan(walk, day)
    totals = {" & ".join(sorted(pair)): (0, 0) for pair in PAIRS}
    met: set[frozenset[str]] = set()
    for number in (1, 2, 3):
        page.goto(f"{EVENT}/meetings/{day.isoformat()}/seating")
        points = play(walk, number, game)
        assert points.keys() == totals.keys(), "partners stay together, and everybody plays"
        codes = list(points)
        met |= {frozenset(codes[at : at + 2]) for at in range(0, 8, 2)}
        totals = {
            pair: (had + points[pair][0], won + points[pair][1])
            for pair, (had, won) in totals.items()
        }
    assert len(met) == 12, "no two pairs meet twice"
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(publish_now).result()
    page.goto(EVENT)
    walk.look()
    rows = page.request.get(f"/api/v1{EVENT}/standings").json()["rows"]
    found = {
        " & ".join(sorted(one["player"] for one in row["members"])): (row["points"], row["wins"])
        for row in rows
    }
    assert found == totals
    assert [row["wins"] for row in rows] == sorted((row["wins"] for row in rows), reverse=True)
    for row in rows:
        line = page.locator(f'tr[id="{row["player_id"]}"]')
        expect(line).to_contain_text(row["player"])
        expect(line.get_by_role("link", name=str(row["wins"]), exact=True).first).to_be_attached()
    assert walk.wrong == []
