"""The results of an evening on its page, on a page of their own, and by REST."""

import re
from datetime import date, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.support.builders import by_tests, hand, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import make_tables_of, work_on_evenings
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.evenings import ADDRESS
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.selectors.events.entrants import get_line
from tournaments.selectors.events.meetings import LULL, meeting_on
from tournaments.selectors.standings.evening_results import get_next_result_time
from tournaments.services.clubs.clubs import change_player
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.events.adjustments import withdraw_line
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.people.merge_players import merge_players, undo_merge
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
    second = read(client, f"{PAGE}/results/2").partition("Result 1 named Elsa D. first.")[2]
    assert second.index("Zoë K.") < second.index("Elsa D.")
    assert client.get(f"{PAGE}/results/3").status_code == 404


def test_page_of_a_result_has_the_penalties_of_its_evening_as_they_were(
    night: Event, client: Client
) -> None:
    penalize(night, "RL01", "2", "Of the season.")
    end(night)
    penalize(night, "RL01", "9", "Came late.", meeting=TONIGHT)
    work_on_evenings(night, NOW)
    work_on_evenings(night, NOW + LULL)
    listed = "Penalties and bonuses of this evening"
    assert listed not in read(client, f"{PAGE}/results/1")
    second = read(client, f"{PAGE}/results/2")
    assert f"{listed} Elsa D. +9 : “Came late.”" in second
    assert "Of the season." not in second
    later = NOW + 2 * LULL
    withdraw_line(by_tests(later), get_line(night, 2), reason="The bus was late.")
    work_on_evenings(night, later)
    work_on_evenings(night, later + LULL)
    assert listed in read(client, f"{PAGE}/results/2")
    assert listed not in read(client, f"{PAGE}/results/3")


def test_rows_of_a_result_lead_to_the_evening_as_those_of_its_page_do(
    night: Event, client: Client
) -> None:
    end(night)
    for path in (PAGE, f"{PAGE}/results/1"):
        page = client.get(path)
        links = set(re.findall(r'href="([^"]*/RL\d\d)"', page.content.decode()))
        assert links == {f"{PAGE}/players/RL0{number}" for number in range(1, 5)}, path
        assert "Tables of Elsa D. this evening" in text_of(page)
        assert client.get(f"{PAGE}/players/RL01").status_code == 200


def test_why_calls_place_points_so_on_the_page_of_an_evening_and_of_the_season(
    night: Event, client: Client
) -> None:
    settings = {"primary": "placement_points"}
    event = league(night.club, slug="places", settings=settings)
    game = table(event, list(Player.objects.order_by("player_id")))
    hand(game, 1, [0, 8, 3, 2], queen=3)
    move_game(by_tests(), game, to="complete")
    make_tables_of(event, NOW)
    end(event)
    address = "/clubs/riverside/events/places"
    evening = f"{address}/meetings/2025-11-06"
    for path in (evening, f"{evening}/results/1", address):
        page = read(client, path)
        assert "5 place points against 3" in page, path
        assert "3 place points, 2 behind Elsa D." in page, path
        assert "5 points" not in page, path


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
    answer = client.get(f"{REST}/results/1.csv")
    assert 'filename="riverside-league-2025-11-06-1.csv"' in answer["Content-Disposition"]
    of_evening = client.get(f"{REST}/standings.csv")["Content-Disposition"]
    assert 'filename="riverside-league-2025-11-06.csv"' in of_evening
    csv = answer.content.decode().splitlines()
    assert csv[1].startswith("1,")
    assert "Elsa D." in csv[1]
    missing = client.get(f"{REST}/results/3")
    assert (missing.status_code, codes(missing)) == (404, ["unknown_evening_result"])
    publications = client.get(f"/api/v1{ADDRESS}/publications").json()["results"]
    assert sorted(row["number"] for row in publications) == list(range(1, len(publications) + 1))


def test_page_says_that_the_result_comes_until_it_is_there(night: Event, cast: Cast) -> None:
    coming = "The result is being stored. It is on this page in a few seconds."
    pressed = cast.client("dirk").post(f"{PAGE}/end", follow=True)
    assert pressed.redirect_chain[-1][0] == PAGE
    assert coming in text_of(pressed)
    assert f'href="{PAGE}">Load page again</a>' in pressed.content.decode()
    work_on_evenings(night, timezone.now())
    page = read(cast.client(), PAGE)
    assert "Result 1" in page
    assert coming not in page


def test_evening_of_which_no_hand_counts_any_more_says_so_wherever_its_result_is(
    night: Event, client: Client
) -> None:
    end(night)
    paths = (PAGE, f"{PAGE}/results/1")
    gone = "No hand of this evening counts any more. The result stays as it was stored."
    game = Game.objects.get(event=night)
    void_hand(by_tests(), game, number=1, based_on=1, reason="Wrong table.")
    make_tables_of(night, NOW)
    for path in paths:
        assert gone not in read(client, path), path
    assert client.get(f"{REST}/results").json()["results"][0]["has_hands"] is True

    void_hand(by_tests(), game, number=2, based_on=1, reason="Wrong table.")
    make_tables_of(night, NOW)
    work_on_evenings(night, NOW + LULL)
    for path in paths:
        page = read(client, path)
        assert gone in page, path
        assert "Something was changed since" not in page
    assert "counts yet" not in read(client, PAGE)
    (row,) = client.get(f"{REST}/results").json()["results"]
    assert (row["number"], row["has_hands"]) == (1, False)
    Round.objects.update(state="playing", closed_at=None)
    assert gone in read(client, PAGE)


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


def test_correction_says_who_was_announced_also_after_a_new_name(
    night: Event, client: Client
) -> None:
    end(night)
    announced = "Corrected. Result 1 named Elsa D. first."
    assert "Corrected" not in read(client, PAGE)
    correct(night)
    assert "Corrected" not in read(client, PAGE), "the next result is not drawn yet"
    work_on_evenings(night, NOW + LULL)
    for path in (PAGE, f"{PAGE}/results/2"):
        page = client.get(path)
        assert announced in text_of(page)
        assert f'href="{PAGE}/results/1"' in page.content.decode()
    assert "Corrected" not in read(client, f"{PAGE}/results/1")
    feed = client.get(f"{ADDRESS}/evenings.atom").content.decode()
    assert feed.count(announced) == 2, "in the summary and in the content"

    renamed_at = NOW + 2 * LULL
    player = Player.objects.get(club=night.club, name__startswith="Anton")
    change_player(by_tests(renamed_at), player, name="Antonio S.")
    work_on_evenings(night, renamed_at)
    work_on_evenings(night, renamed_at + LULL)
    for path in (PAGE, f"{PAGE}/results/3"):
        assert announced in read(client, path)
    results = client.get(f"{REST}/results").json()["results"]
    assert [(row["number"], row["corrects"]) for row in results] == [(3, 1), (2, 1), (1, None)]


def test_results_cost_as_many_queries_with_three_as_with_two(night: Event, client: Client) -> None:
    end(night)
    counts = []
    for number in (1, 2):
        at = NOW + 2 * number * LULL
        points = [8 - number, number, 3, 2]
        game = Game.objects.get(event=night)
        hand(game, 1, points, queen=3, based_on=number, reason="Read anew.", now=at)
        work_on_evenings(night, at)
        work_on_evenings(night, at + LULL)
        with CaptureQueriesContext(connection) as queries:
            results = client.get(f"{REST}/results").json()["results"]
        assert len(results) == number + 1
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_merge_that_changes_no_byte_of_a_result_is_not_said_to_change_it(
    night: Event, client: Client
) -> None:
    end(night)
    (spare,) = players(night.club, "Anton Z.")
    merge = merge_players(by_tests(), Player.objects.get(name="Anton S."), target=spare)
    make_tables_of(night, NOW)
    for path in (PAGE, f"{PAGE}/results/1"):
        assert "Something was changed since" in read(client, path), path
    undo_merge(by_tests(), merge)
    make_tables_of(night, NOW)
    assert get_next_result_time(meeting_on(night, TONIGHT)) is not None
    for path in (PAGE, f"{PAGE}/results/1"):
        assert "Something was changed since" not in read(client, path), path
    work_on_evenings(night, NOW + LULL)
    assert client.get(f"{PAGE}/results/2").status_code == 404
