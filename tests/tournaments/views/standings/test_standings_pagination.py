"""The page of a large league: fifty rows at a time, and every entrant on one of the pages."""

import re

import pytest
from django.test import Client

from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.seasons import assign_event
from tournaments.models.events import Event
from tournaments.selectors.standings.standings_view import ROWS_A_PAGE
from tournaments.services.events.seasons import make_season
from tournaments.services.publishing.publications import publish
from tournaments.tasks import publish_season

pytestmark = pytest.mark.django_db

TABLES = 14
PAGE = "/clubs/riverside/events/league"
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
    """The entrants on a page, from above."""
    answer = client.get(address)
    assert answer.status_code == 200
    assert len(answer.content) < MOST_BYTES
    return re.findall(r'<tr id="(RL\d+)">', answer.content.decode())


def current(client: Client, address: str) -> list[str]:
    """The number of the page, as the links to the pages have it."""
    text = client.get(address).content.decode()
    return re.findall(r'aria-current="page">(\d+)</a>', text)


@pytest.fixture
def season(event: Event) -> str:
    """The address of a season that has this league; its table is made."""
    made = make_season(
        actor=TESTS,
        club=event.club,
        slug="autumn",
        name="Autumn",
        preset="places",
        now=NOW,
        starts_on="2025-09-01",
        ends_on="2025-12-31",
    )
    assign_event(actor=TESTS, event=event, season=made, now=NOW)
    publish_season(made.pk)
    return "/clubs/riverside/seasons/autumn"


def test_table_of_a_season_comes_in_pages_too(client: Client, season: str) -> None:
    first, second = rows(client, season), rows(client, f"{season}?page=2")
    assert (len(first), len(second)) == (ROWS_A_PAGE, 4 * TABLES - ROWS_A_PAGE)
    assert sorted(first + second) == sorted(f"RL{n:02d}" for n in range(1, 4 * TABLES + 1))
    assert "56 players" in client.get(season).content.decode()
    assert (current(client, season), current(client, f"{season}?page=2")) == (["1"], ["2"])
    assert rows(client, f"{season}/publications/1?page=2") == second


@pytest.mark.parametrize("address", [PAGE, f"{PAGE}/publications/1"])
def test_long_table_comes_in_pages_that_hold_everybody_once(
    client: Client, event: Event, address: str
) -> None:
    first, second = rows(client, address), rows(client, f"{address}?page=2")
    assert (len(first), len(second)) == (ROWS_A_PAGE, 4 * TABLES - ROWS_A_PAGE)
    assert sorted(first + second) == sorted(f"RL{n:02d}" for n in range(1, 4 * TABLES + 1))
    assert "56 players" in client.get(address).content.decode()
    assert (current(client, address), current(client, f"{address}?page=2")) == (["1"], ["2"])


def test_address_of_rest_leads_to_the_page_that_was_asked_for(
    client: Client, season: str, event: Event
) -> None:
    for address in (season, PAGE):
        answer = client.get(f"{address}/standings?page=2&sort=-moons")
        assert (answer.status_code, answer["Location"]) == (302, f"{address}?page=2&sort=-moons")
        assert client.get(f"{address}/standings")["Location"] == address


def test_page_that_is_not_there_is_the_nearest_one(client: Client, event: Event) -> None:
    assert rows(client, f"{PAGE}?page=9") == rows(client, f"{PAGE}?page=2")
    for asked in ("0", "-1", "x", "²", "9" * 30):
        assert rows(client, f"{PAGE}?page={asked}") == rows(client, PAGE)


def test_page_on_which_somebody_is_can_be_asked_for(client: Client, event: Event) -> None:
    last = rows(client, f"{PAGE}?page=2")[-1]
    assert rows(client, f"{PAGE}?player={last}") == rows(client, f"{PAGE}?page=2")
    assert rows(client, f"{PAGE}?player=nobody") == rows(client, PAGE)
    history = client.get(f"{PAGE}/players/{last}").content.decode()
    assert f'href="{PAGE}?player={last}#{last}"' in history


def test_order_of_a_column_goes_through_all_pages(client: Client, event: Event) -> None:
    by_name = rows(client, f"{PAGE}?sort=player") + rows(client, f"{PAGE}?sort=player&page=2")
    assert by_name == [f"RL{n:02d}" for n in range(1, 4 * TABLES + 1)]
    assert 'href="?sort=player&amp;page=2"' in client.get(f"{PAGE}?sort=player").content.decode()


@pytest.mark.parametrize("season_too", [False, True])
def test_order_of_a_column_keeps_the_page(client: Client, season: str, season_too: bool) -> None:
    address = season if season_too else PAGE
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


def test_text_to_share_says_how_many_it_leaves_out(event: Event) -> None:
    page = Client().get(PAGE).content.decode()
    text = page.partition('<textarea id="share-text"')[2].partition("</textarea>")[0]
    assert len(re.findall(r"(?m)^\d+=?\. P\d\d  ", text)) == 10
    assert text.endswith(f"\nand 46 more: http://testserver{PAGE}")
