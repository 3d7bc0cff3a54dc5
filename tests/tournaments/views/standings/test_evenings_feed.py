"""The feed of an event's evenings: an entry for each, updated by a new result."""

import re
from datetime import date, datetime, timedelta
from typing import Any

import feedparser
import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.support.builders import by_tests, hand, ladder, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import make_tables_of
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Meeting, Round
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.events.change_event import change_event
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.publishing.evening_results import publish_result

pytestmark = pytest.mark.django_db

FIRST = date(2025, 11, 6)
ADDRESS = "/clubs/riverside/events/league"
FEED = f"{ADDRESS}/evenings.atom"
SITE = "http://testserver"
CELL = re.compile(r"<td>([^<]*)</td>")


@pytest.fixture
def event(cast: Cast) -> Event:
    """Two evenings: Elsa wins the first, Anton the second; Elsa leads the season."""
    event = league(cast.riverside, name="Autumn league")
    people = players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")
    for number, hearts in enumerate(([0, 1, 5, 7], [2, 5, 6, 0]), start=1):
        day = FIRST + timedelta(weeks=number - 1)
        game = table(event, people, round_number=number, on=day)
        hand(game, 1, hearts, queen=2)
        draw(event, day, NOW + timedelta(weeks=number - 1))
    return event


def draw(event: Event, day: date, now: datetime) -> None:
    make_tables_of(event, now)
    assert publish_result(meeting_on(event, day), now=now) is not None


def read(client: Client, path: str = FEED) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    feed = feedparser.parse(answer.content)
    assert not feed.bozo
    return feed


def test_feed_has_an_entry_for_each_evening_with_its_own_table(
    event: Event, client: Client
) -> None:
    feed = read(client)
    assert [entry.title for entry in feed.entries] == [
        "Autumn league: evening of Thursday 13 November 2025",
        "Autumn league: evening of Thursday 6 November 2025",
    ]
    second, first = feed.entries
    assert CELL.findall(second.content[0].value)[:3] == ["1", "Anton S.", "0.0000"]
    assert CELL.findall(first.content[0].value)[:3] == ["1", "Elsa D.", "0.0000"]
    assert "1. Anton S. 0.0000" in second.summary
    assert second.link == f"{SITE}{ADDRESS}/meetings/2025-11-13"
    assert feed.feed.updated == second.updated
    links = {link.rel: link.href for link in feed.feed.links}
    assert links["self"] == SITE + FEED
    assert len({feed.feed.id, first.id, second.id}) == 3


def test_new_result_updates_its_entry_and_makes_none(event: Event, client: Client) -> None:
    before = read(client).entries[1]
    tag = client.get(FEED)["ETag"]
    game = Game.objects.get(event=event, table__round__number=1)
    hand(game, 1, [7, 1, 5, 0], queen=2, based_on=1, reason="The sheet says so.")
    later = NOW + timedelta(days=9)
    draw(event, FIRST, later)
    answer = client.get(FEED, headers={"If-None-Match": tag})
    assert answer.status_code == 200
    feed = read(client)
    assert len(feed.entries) == 2
    entry = feed.entries[1]
    assert (entry.id, entry.published) == (before.id, before.published)
    assert entry.updated > before.updated
    assert feed.feed.updated == entry.updated
    assert CELL.findall(entry.content[0].value)[:2] == ["1", "Anton S."]


def test_unchanged_feed_is_a_304_of_two_queries(
    event: Event, client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    tag = client.get(FEED)["ETag"]
    with django_assert_num_queries(2):
        assert client.get(FEED, headers={"If-None-Match": tag}).status_code == 304


def test_feed_costs_as_many_queries_with_ten_evenings_as_with_two(
    event: Event, client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    people = list(event.club.players.order_by("pk"))
    for number in range(3, 13):
        day = FIRST + timedelta(weeks=number)
        hand(table(event, people, round_number=number, on=day), 1, [0, 1, 5, 7], queen=3)
        draw(event, day, NOW + timedelta(weeks=number))
    with django_assert_num_queries(3):
        feed = read(client)
    assert len(feed.entries) == 10
    links = {link.rel: link.href for link in feed.feed.links}
    older = read(client, links["next"].removeprefix(SITE))
    days = [entry.title.rpartition("Thursday ")[2] for entry in older.entries]
    assert days == ["13 November 2025", "6 November 2025"]


def test_hidden_names_are_hidden_in_every_entry(event: Event, client: Client) -> None:
    tag = client.get(FEED)["ETag"]
    set_names_policy(by_tests(), event.club, policy="number")
    answer = client.get(FEED, headers={"If-None-Match": tag})
    assert answer.status_code == 200
    assert "Anton S." not in answer.content.decode()


def test_evening_without_a_result_has_no_entry(event: Event, client: Client) -> None:
    Meeting.objects.create(club=event.club, event=event, date=date(2025, 12, 4))
    assert len(read(client).entries) == 2


def test_evening_whose_hands_are_all_deleted_has_no_entry(event: Event, client: Client) -> None:
    game = Game.objects.get(event=event, table__round__number=2)
    tag = client.get(FEED)["ETag"]
    void_hand(by_tests(), game, number=1, based_on=1, reason="Wrong evening.")
    make_tables_of(event, NOW + timedelta(weeks=2))
    answer = client.get(FEED, headers={"If-None-Match": tag})
    assert answer.status_code == 200
    titles = [entry.title for entry in read(client).entries]
    assert titles == ["Autumn league: evening of Thursday 6 November 2025"]


def test_held_event_has_no_feed(event: Event, client: Client) -> None:
    change_event(by_tests(), event, visibility="held")
    assert client.get(FEED).status_code == 404


def test_ladder_has_its_moves_of_each_evening_that_is_over(cast: Cast, client: Client) -> None:
    event = ladder(cast.riverside, slug="rungs", name="Rungs")
    people = players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")
    hand(table(event, people, on=FIRST), 1, [0, 1, 5, 7], queen=3)
    make_tables_of(event, NOW)
    feed = "/clubs/riverside/events/rungs/evenings.atom"
    assert read(client, feed).entries == []
    Round.objects.filter(event=event).update(state="closed", closed_at=NOW)
    Meeting.objects.filter(event=event).update(ended_at=NOW)
    (entry,) = read(client, feed).entries
    assert entry.summary.startswith("First: Elsa D.; Elsa D. – → 1")
    assert "<table>" not in entry.content[0].value


def test_pages_name_it_as_their_feed_and_the_first_of_the_evening(
    event: Event, client: Client
) -> None:
    Meeting.objects.filter(event=event).update(ended_at=NOW + timedelta(weeks=1))
    Round.objects.filter(event=event).update(state="closed", closed_at=NOW)
    for path in (ADDRESS, f"{ADDRESS}/meetings/2025-11-13"):
        page = client.get(path).content.decode()
        assert f'title="Results of evenings" href="{SITE}{FEED}">' in page
    page = client.get(f"{ADDRESS}/meetings/2025-11-13").content.decode()
    (picture,) = re.findall(r'<meta property="og:image" content="([^"]*)">', page)
    assert picture == f"{SITE}/api/v1{ADDRESS}/meetings/2025-11-13/results/1.png"
    assert client.get(picture.removeprefix(SITE))["Content-Type"] == "image/png"
    (description,) = re.findall(r'<meta property="og:description" content="([^"]*)">', page)
    assert description == (
        "Evening of 13 Nov 2025 of Autumn league, a Hearts event of Riverside. "
        "1. Anton S.; 2. Elsa D.; 3. Zoë K."
    )
