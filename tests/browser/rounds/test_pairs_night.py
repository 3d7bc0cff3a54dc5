"""A pairs night by pages, from the director's account to the standings: eight pairs, three rounds.

Only the hands go over REST. The standings are compared with the hands, added up here.
"""

from collections.abc import Mapping

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, Walk
from tests.support.builders import counts
from tests.support.evenings import NAMES
from tests.support.lengths import short_or_long
from tests.support.pages.new_club import CLUB, check_in, create_event, make_club, send
from tests.support.walks import Walks, elsewhere
from tournaments.models.events import Event
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = f"{CLUB}/events/pairs-night"
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


def enter_pairs(walk: Walk) -> None:
    page = walk.page
    page.goto(f"{EVENT}/new-entrant?kind=pair")
    for one, other in PAIRS:
        page.get_by_label("Player 1").fill(one)
        page.get_by_label("Player 2").fill(other)
        walk.press("Add and continue")
    page.goto(f"{EVENT}/entrants")
    expect(page.get_by_role("main")).to_contain_text(" & ".join(PAIRS[-1]))


def plan(walk: Walk, day: str) -> None:
    page = walk.page
    page.goto(f"{EVENT}/meetings/{day}/plans")
    expect(page.get_by_role("radio", name="Pairs: all play all")).to_be_checked()
    expect(page.get_by_text("8 pairs: 4 tables a round, full set 7 rounds")).to_be_visible()
    page.get_by_label("Number of rounds").fill("3")
    walk.press("Create plans")
    expect(page.get_by_text("No two pairs play each other twice.")).to_be_visible()
    walk.press("Choose plan A")


def play(walk: Walk, number: int, game: str) -> dict[str, tuple[int, int]]:
    """Seat and post a round, and enter a hand at each table; returns points and wins by pair."""
    walk.press(f"Seat round {number}")
    walk.press(f"Post round {number}")
    found = {}
    for at in range(4):
        hearts, queen = HANDS[(at + number) % len(HANDS)]
        choice = {"slam_choice": "others"} if 13 in hearts and "52" not in game else {}
        sent = {"number": 1, "entry": counts(hearts, queen, **choice)}
        hand = send(walk, "POST", f"{EVENT}/tables/r{number}t{at + 1}/hands", sent)
        own = [heart + 13 * (seat == queen) for seat, heart in enumerate(hearts)]
        sides = GAMES[game] if 13 in hearts else (own[0] + own[2], own[1] + own[3])
        people = [seat["player"] for seat in hand["seats"]]
        for side in (0, 1):
            pair = frozenset((people[side], people[side + 2]))
            found[" & ".join(sorted(pair))] = (sides[side], int(sides[side] < sides[1 - side]))
    walk.page.goto(f"{EVENT}/rounds/{number}/direct")
    walk.press("Close 4 open tables")
    walk.press("Close round")
    return found


def publish_now() -> None:
    publish(Event.objects.get().pk, now=timezone.now())


@pytest.mark.parametrize("game", CHOSEN)
def test_eight_pairs_play_three_rounds(setup: str, walks: Walks, game: str) -> None:
    walk = walks(PHONE, DESK)
    page, day = walk.page, timezone.localdate().isoformat()
    make_club(walk, setup, NAMES[:16])
    of_the_preset = next(iter(GAMES))
    chosen = "" if game == of_the_preset else game
    create_event(walk, "Pairs night", "Pairs night", day, game=chosen)
    enter_pairs(walk)
    check_in(walk, f"{EVENT}/meetings/{day}", NAMES[:16])
    plan(walk, day)
    totals = {" & ".join(sorted(pair)): (0, 0) for pair in PAIRS}
    met: set[frozenset[str]] = set()
    for number in (1, 2, 3):
        page.goto(f"{EVENT}/meetings/{day}/seating")
        points = play(walk, number, game)
        assert points.keys() == totals.keys(), "partners stay together, and everybody plays"
        codes = list(points)
        met |= {frozenset(codes[at : at + 2]) for at in range(0, 8, 2)}
        totals = {
            pair: (had + points[pair][0], won + points[pair][1])
            for pair, (had, won) in totals.items()
        }
    assert len(met) == 12, "no two pairs meet twice"
    elsewhere(publish_now)
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
