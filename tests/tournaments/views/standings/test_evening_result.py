"""The results of an evening on its page, on a page of their own, and by REST."""

from datetime import date, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import make_tables_of, work_on_evenings
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.evenings import ADDRESS
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.selectors.events.meetings import LULL, meeting_on
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.rounds.evenings import end_evening

pytestmark = pytest.mark.django_db

TONIGHT = date(2025, 11, 6)
PAGE = f"{ADDRESS}/meetings/2025-11-06"
REST = f"/api/v1{PAGE}"


@pytest.fixture
def night(cast: Cast) -> Event:
    """Two hands that Elsa has won, at one complete table."""
    event = league(cast.riverside, name="Autumn league")
    game = table(event, players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S."))
    hand(game, 1, [0, 8, 3, 2], queen=3)
    hand(game, 2, [3, 0, 5, 5], queen=2)
    move_game(by_tests(), game, to="complete")
    make_tables_of(event, NOW)
    return event


def end(event: Event) -> None:
    end_evening(by_tests(), meeting_on(event, TONIGHT))
    work_on_evenings(event, NOW)


def correct(event: Event) -> None:
    """Take the first hand away, so that Zoë has won."""
    game = Game.objects.get(event=event)
    void_hand(by_tests(), game, number=1, based_on=1, reason="Wrong table.")
    make_tables_of(event, NOW)


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return text_of(answer)


def test_page_is_so_far_until_the_end_and_leads_to_the_result_then(
    night: Event, client: Client
) -> None:
    before = read(client, PAGE)
    assert "The evening so far" in before
    assert "Result 1" not in before
    end(night)
    page = client.get(PAGE)
    assert "so far" not in text_of(page)
    assert "Result 1" in text_of(page)
    assert f'href="{PAGE}/results/1"' in page.content.decode()


def test_page_of_a_result_stays_and_names_the_newer_one(night: Event, client: Client) -> None:
    end(night)
    page = read(client, f"{PAGE}/results/1")
    assert "Evening of Thursday 6 November 2025, result 1" in page
    assert "Newest" in page
    correct(night)
    changed = "Something was changed since"
    assert changed in read(client, PAGE)
    assert changed in read(client, f"{PAGE}/results/1")
    work_on_evenings(night, NOW + LULL)
    assert changed not in read(client, PAGE)
    assert changed not in read(client, f"{PAGE}/results/1")
    assert changed not in read(client, f"{PAGE}/results/2")
    first = read(client, f"{PAGE}/results/1")
    assert "Superseded by 2" in first
    assert first.index("Elsa D.") < first.index("Zoë K.")
    second = read(client, f"{PAGE}/results/2")
    assert second.index("Zoë K.") < second.index("Elsa D.")
    assert client.get(f"{PAGE}/results/3").status_code == 404


def test_page_of_the_newest_result_has_its_tables_while_they_are_those_of_it(
    night: Event, client: Client
) -> None:
    end(night)
    tables = "Result of table 1"
    assert tables in read(client, f"{PAGE}/results/1")
    correct(night)
    assert tables not in read(client, f"{PAGE}/results/1")
    work_on_evenings(night, NOW + LULL)
    assert tables not in read(client, f"{PAGE}/results/1")
    assert tables in read(client, f"{PAGE}/results/2")
    table(night, list(night.club.players.order_by("pk")), round_number=2)
    assert tables not in read(client, f"{PAGE}/results/2")


def test_rest_lists_results_and_gives_each_as_stored_under_its_etag(
    night: Event, client: Client
) -> None:
    assert client.get(f"{REST}/results").json()["results"] == []
    end(night)
    correct(night)
    work_on_evenings(night, NOW + LULL)
    listed = client.get(f"{REST}/results").json()["results"]
    assert [row["number"] for row in listed] == [2, 1]
    newest = client.get(f"{REST}/results/2")
    stored = client.get(f"{REST}/standings").json()
    document = newest.json()
    assert document.pop("publication")["digest"] == listed[0]["digest"]
    assert document == stored
    known = client.get(f"{REST}/results/2", headers={"If-None-Match": newest["ETag"]})
    assert known.status_code == 304
    csv = client.get(f"{REST}/results/1.csv").content.decode().splitlines()
    assert csv[1].startswith("1,")
    assert "Elsa D." in csv[1]
    missing = client.get(f"{REST}/results/3")
    assert (missing.status_code, codes(missing)) == (404, ["unknown_evening_result"])
    publications = client.get(f"/api/v1{ADDRESS}/publications").json()["results"]
    assert sorted(row["number"] for row in publications) == list(range(1, len(publications) + 1))


def test_public_reads_an_older_result_with_the_names_of_today(
    night: Event, cast: Cast, client: Client
) -> None:
    end(night)
    set_names_policy(by_tests(), cast.riverside, policy="number")
    assert "Elsa D." not in client.get(f"{REST}/results/1").content.decode()
    assert "Elsa D." not in client.get(f"{PAGE}/results/1").content.decode()
    assert "Elsa D." in cast.client("piet").get(f"{PAGE}/results/1").content.decode()


def test_result_costs_as_many_queries_as_there_are_results_to_read(
    night: Event, client: Client
) -> None:
    end(night)
    client.get(PAGE)
    with CaptureQueriesContext(
        connection,
    ) as one:
        client.get(f"{REST}/results/1")
    correct(night)
    work_on_evenings(night, NOW + LULL + timedelta(seconds=1))
    with CaptureQueriesContext(connection) as two:
        client.get(f"{REST}/results/1")
    assert len(one) == len(two)
