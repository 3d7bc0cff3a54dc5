"""The page of a large league: fifty rows at a time, and every entrant on one of the pages."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.history import make_all
from tests.support.pages.adjustments import save_previewed
from tests.support.pages.text import text
from tests.support.rest.requests import codes
from tests.support.scenarios.cuts import NAMES, before_a_cut, close, correct, cut, published
from tests.support.seasons import assign_event, autumn_season
from tournaments.models.events import Event
from tournaments.selectors.standings.standings_view import ROWS_A_PAGE
from tournaments.services.publishing.publications import publish
from tournaments.tasks import publish_season

pytestmark = pytest.mark.django_db

TABLES = 14
PAGE = "/clubs/riverside/events/league"
SEASON = "/clubs/riverside/seasons/autumn"
MOST_BYTES = 300_000
"""Of a page, however many entrants there are."""


@pytest.fixture
def event() -> Event:
    """A league of 56; who sits at table n has n hearts, 13 - n, none and the queen."""
    club = enter_the_cast().riverside
    event = league(club)
    people = players(club, *[f"P{number:02d}" for number in range(4 * TABLES)])
    for number in range(TABLES):
        game = table(event, people[4 * number : 4 * number + 4], table_number=number + 1)
        hearts = number % 13
        hand(game, 1, [hearts, 13 - hearts, 0, 0], 3)
    publish(event.pk, now=NOW)
    return event


def rows(client: Client, address: str) -> list[str]:
    answer = client.get(address)
    assert answer.status_code == 200
    assert len(answer.content) < MOST_BYTES
    return re.findall(r'<tr id="(RL\d+)">', answer.content.decode())


def current(client: Client, address: str) -> list[str]:
    return re.findall(r'aria-current="page">(\d+)</a>', client.get(address).content.decode())


@pytest.fixture
def season(event: Event) -> str:
    made = autumn_season(event.club)
    assign_event(event, made)
    publish_season(made.pk)
    return SEASON


@pytest.mark.parametrize("below", ["", "/publications/1"])
@pytest.mark.parametrize("home", [PAGE, SEASON])
def test_long_table_comes_in_pages_that_hold_everybody_once(
    client: Client, season: str, home: str, below: str
) -> None:
    address = f"{home}{below}"
    first, second = rows(client, address), rows(client, f"{address}?page=2")
    assert (len(first), len(second)) == (ROWS_A_PAGE, 4 * TABLES - ROWS_A_PAGE)
    assert sorted(first + second) == sorted(f"RL{n:02d}" for n in range(1, 4 * TABLES + 1))
    assert "56 players" in client.get(address).content.decode()
    assert (current(client, address), current(client, f"{address}?page=2")) == (["1"], ["2"])


def test_pages_are_asked_for_by_number_entrant_and_column(client: Client, event: Event) -> None:
    first, second = rows(client, PAGE), rows(client, f"{PAGE}?page=2")
    assert rows(client, f"{PAGE}?page=9") == second
    for asked in ("0", "-1", "x", "²", "9" * 30):
        assert rows(client, f"{PAGE}?page={asked}") == first, asked
    assert rows(client, f"{PAGE}?player={second[-1]}") == second
    assert rows(client, f"{PAGE}?player=nobody") == first
    history = client.get(f"{PAGE}/players/{second[-1]}").content.decode()
    assert f'href="{PAGE}?player={second[-1]}#{second[-1]}"' in history
    by_name = rows(client, f"{PAGE}?sort=player") + rows(client, f"{PAGE}?sort=player&page=2")
    assert by_name == [f"RL{n:02d}" for n in range(1, 4 * TABLES + 1)]
    assert 'href="?sort=player&amp;page=2"' in client.get(f"{PAGE}?sort=player").content.decode()
    page = client.get(f"{PAGE}/publications/1").content.decode()
    share = page.partition('<textarea id="share-text"')[2].partition("</textarea>")[0]
    assert len(re.findall(r"(?m)^\d+=?\. P\d\d  ", share)) == 10
    assert share.endswith(f"\nand 46 more: http://testserver{PAGE}/publications/1"), (
        "how many it leaves out"
    )


@pytest.mark.parametrize("address", [PAGE, SEASON])
def test_order_of_a_column_keeps_the_page(client: Client, season: str, address: str) -> None:
    answer = client.get(f"{address}/standings?page=2&sort=-moons")
    assert (answer.status_code, answer["Location"]) == (302, f"{address}?page=2&sort=-moons")
    assert client.get(f"{address}/standings")["Location"] == address
    assert 'href="?sort=player&amp;page=2"' in client.get(f"{address}?page=2").content.decode()
    back = client.get(f"{address}?sort=player&page=2").content.decode()
    assert '<a href="?sort=rank&amp;page=2">Sort by place</a>' in back
    assert 'href="?sort=-player"' in client.get(f"{address}?sort=player").content.decode()


def test_short_table_has_one_page_and_no_links_to_others(client: Client) -> None:
    club = enter_the_cast().riverside
    event = league(club)
    hand(table(event, players(club, *"ABCD")), 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)
    assert len(rows(client, PAGE)) == 4
    assert current(client, PAGE) == []


PAGES = "/clubs/riverside/events/league"
E = f"/api/v1{PAGES}"


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


def played(cast: Cast) -> Event:
    """Round 1 of eight, a cut after the best four, and a final round in which RL03 is best."""
    people = players(cast.riverside, *NAMES)
    event = before_a_cut(people)
    cut(event, 4, "Final")
    final = table(event, [people[0], people[1], people[4], people[5]], round_number=2)
    hand(final, 1, [6, 4, 1, 2], queen=0)
    close(event, 2)
    make_all(event.pk)
    return event


def stage_rows(cast: Cast, stage: int) -> list[tuple[str, int, str]]:
    body = cast.client().get(f"{E}/stages/{stage}/standings").json()
    return [(row["player_id"], row["rank"], row["values"]["raw_per_hand"]) for row in body["rows"]]


def test_each_stage_counts_its_own_games(cast: Cast) -> None:
    event = played(cast)
    assert stage_rows(cast, 1) == [
        ("RL01", 1, "1"), ("RL05", 2, "2"), ("RL02", 3, "3"), ("RL06", 4, "4"),
        ("RL03", 5, "5"), ("RL07", 6, "6"), ("RL08", 7, "14"), ("RL04", 8, "17"),
    ]  # fmt: skip
    assert stage_rows(cast, 2) == [
        ("RL05", 1, "1"), ("RL06", 2, "2"), ("RL02", 3, "4"), ("RL01", 4, "19"),
    ]  # fmt: skip
    with CaptureQueriesContext(connection) as asked:
        body = cast.client().get(f"{E}/stages/2/standings").json()
    assert not any("contribution" in one["sql"] for one in asked), "reading computes nothing"
    assert (body["as_of"]["round"], body["as_of"]["hands"]) == (2, 1)
    correct(event, "r1t2", [2, 5, 5, 1])
    make_all(event.pk)
    assert {code: value for code, _rank, value in stage_rows(cast, 1)}["RL06"] == "5"


def test_penalty_counts_in_the_event_and_not_in_the_stage(cast: Cast) -> None:
    event = played(cast)
    line = {"entrant": "RL05", "kind": "penalty", "amount": "9", "reason": "Late."}
    assert save_previewed(cast.client("dirk"), f"{PAGES}/ledger/new", line).status_code == 302
    close_again(event)
    assert {
        row["player_id"]: row["values"]
        for row in cast.client().get(f"{E}/standings").json()["rows"]
    }["RL05"]["raw_per_hand"] != "1.5"
    assert stage_rows(cast, 2)[0] == ("RL05", 1, "1")


def close_again(event: Event) -> None:
    published(event)
    make_all(event.pk)


def test_page_has_what_rest_has_and_is_reached_from_the_stages(cast: Cast) -> None:
    played(cast)
    client = cast.client()
    assert f'href="{PAGES}/stages/2/standings"' in client.get(f"{PAGES}/stages").content.decode()
    page = text(client.get(f"{PAGES}/stages/2/standings"))
    assert "Standings of Final" in page
    assert "Only the games of this stage count here." in page
    names = [page.index(name) for name in ("Ivo T.", "Lena M.", "Xenia S.", "Elsa D.")]
    assert names == sorted(names)
    assert client.get(f"{PAGES}/stages/2/standings", {"sort": "player"}).status_code == 200
    etag = client.get(f"{E}/stages/2/standings").headers["ETag"]
    assert client.get(f"{E}/stages/2/standings", headers={"If-None-Match": etag}).status_code == 304


def test_stage_without_games_says_so_and_a_lone_one_has_the_events_standings(cast: Cast) -> None:
    event = before_a_cut(players(cast.riverside, *NAMES))
    make_all(event.pk)
    assert [row[0] for row in stage_rows(cast, 1)][:2] == ["RL01", "RL05"]
    cut(event, 4, "Final")
    close_again(event)
    missing = cast.client().get(f"{E}/stages/2/standings")
    assert (missing.status_code, codes(missing)) == (404, ["stage_without_standings"])
    page = cast.client().get(f"{PAGES}/stages/2/standings")
    assert page.status_code == 404
    assert "No hand of this stage counts yet" in text(page)
    assert cast.client().get(f"{E}/stages/9/standings").status_code == 404
    assert len(stage_rows(cast, 1)) == 8


@pytest.mark.parametrize("address", [PAGE, f"{PAGE}/publications/1"])
def test_print_is_of_all_places_and_paper_says_which_page_it_is(
    client: Client, event: Event, address: str
) -> None:
    page = client.get(address)
    assert 'data-print="yes"' not in page.content.decode()
    assert f'href="/api/v1{PAGE}/publications/1.pdf"' in page.content.decode()
    assert '<p class="small">Page 1 of 2</p>' in page.content.decode()
