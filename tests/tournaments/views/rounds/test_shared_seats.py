"""A seat that two players shared: each has its place, the own hands and the own points."""

import pytest
import time_machine
from django.test import Client

from tests.support.builders import by_tests, hand, league, pairs, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.services.hands.change_players import change_players
from tournaments.services.hands.plan_player_changes import PlayerChange
from tournaments.services.publishing.publications import publish
from tournaments.views.rounds import big_screens

pytestmark = pytest.mark.django_db

EVENING = f"{ADDRESS}/meetings/2025-11-06"
API = "/api/v1/clubs/riverside/events/league"
RULE = "Two who shared a seat both have its place, and each the points of their own hands."


@pytest.fixture
def evening(clock: time_machine.Traveller, cast: Cast) -> Event:
    """Greta takes 4 in hand 1, Hanna 1 and 20 in hands 2 and 3 for her; Bert plays all hands."""
    event = league(cast.riverside, settings={"primary": "placement_points"})
    people = players(cast.riverside, "Greta L.", "Bert O.", "Cleo S.", "Dora K.", "Hanna N.")
    game = table(event, people[:4])
    hand(game, 1, [4, 1, 2, 6], queen=3)
    change = PlayerChange("substitute", seat=1, player_id="RL05", from_hand=2)
    change_players(by_tests(), game, change=change, reason="She leaves.")
    hand(game, 2, [1, 1, 5, 6], queen=3)
    hand(game, 3, [7, 0, 0, 6], queen=0)
    Game.objects.update(state="complete")
    publish(event.pk, now=NOW)
    make_all(event.pk)
    return event


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return text_of(answer)


@pytest.mark.parametrize("path", [EVENING, f"{ADDRESS}/rounds/1"])
def test_card_of_a_table_says_who_played_how_much_and_for_whom(
    evening: Event, client: Client, path: str
) -> None:
    page = read(client, path)
    assert "Greta L. 1 of 3 hands Taken over by Hanna N. 4" in page
    assert "Hanna N. 2 of 3 hands Played for Greta L. 21" in page
    assert "Bert O. 2" in page
    assert RULE in page


@pytest.mark.parametrize(
    ("owner", "rule"),
    [
        ("regular", "goes to the player who was there first."),
        ("by_hands", "the two share the seat’s place by the hands they played."),
    ],
)
@pytest.mark.parametrize(
    "path",
    [f"{ADDRESS}/rounds/1", f"{ADDRESS}/tables/r1t1", f"{EVENING}/players/RL01"],
    ids=["card", "sheet", "own tables"],
)
def test_rule_below_a_table_is_that_of_the_settings(
    evening: Event, client: Client, owner: str, rule: str, path: str
) -> None:
    evening.settings["substitutes"] = owner
    evening.save(update_fields=["settings"])
    page = read(client, path)
    assert rule in page
    assert "both have its place" not in page


def test_points_of_hands_are_never_shared_by_the_rule(evening: Event, client: Client) -> None:
    evening.settings |= {"primary": "raw_per_hand", "substitutes": "regular"}
    evening.save(update_fields=["settings"])
    assert RULE in read(client, f"{ADDRESS}/rounds/1")


def test_sheet_has_the_points_of_each_below_those_of_the_seat(
    evening: Event, client: Client
) -> None:
    page = read(client, f"{ADDRESS}/tables/r1t1")
    assert "25 3rd Greta L.: 4 in 1 hand Hanna N.: 21 in 2 hands" in page
    assert RULE in page
    assert "Bert O.:" not in page


@pytest.mark.parametrize(("player", "totals"), [("RL01", [4]), ("RL05", [1, 21])])
def test_own_page_has_the_place_of_the_seat_and_own_totals(
    evening: Event, client: Client, player: str, totals: list[int]
) -> None:
    answer = client.get(f"{EVENING}/players/{player}")
    page = text_of(answer)
    assert "Round 1, 3rd" in page
    assert "Hanna N. (Greta L. to hand 1)" in page
    assert [cell.total for _hand, cell in answer.context["tables"][0]["hands"]] == totals


def test_results_by_rest_have_hands_and_substitutes(evening: Event, client: Client) -> None:
    results = client.get(f"{API}/rounds/1").json()["tables"][0]["results"]
    by_name = {row["player"]: row for row in results}
    greta = {"player_id": "RL01", "player": "Greta L."}
    hanna = {"player_id": "RL05", "player": "Hanna N."}
    assert (by_name["Greta L."]["hands"], by_name["Greta L."]["replaced_by"]) == (1, [hanna])
    assert (by_name["Hanna N."]["hands"], by_name["Hanna N."]["plays_for"]) == (2, [greta])
    assert (by_name["Bert O."]["hands"], by_name["Bert O."]["plays_for"]) == (3, [])


def test_both_are_ranked_with_what_they_played(evening: Event, client: Client) -> None:
    rows = client.get(f"{API}/meetings/2025-11-06/standings").json()["rows"]
    played = {row["player"]: (row["hands"], row["points"]) for row in rows}
    assert played["Greta L."] == (1, 4)
    assert played["Hanna N."] == (2, 21)


@pytest.mark.parametrize("path", [f"{ADDRESS}/projector", f"{ADDRESS}/screen"])
def test_big_screen_says_who_played_for_whom(evening: Event, client: Client, path: str) -> None:
    page = read(client, path)
    assert "Hanna N. Played for Greta L." in page
    assert page.count("Played for") == 1
    assert "Played for" not in read(client, f"{ADDRESS}/projector?table=season")


@pytest.mark.parametrize(("spare", "n_pages"), [(3, 2), (4, 1)])
def test_page_of_a_screen_has_room_for_the_lines_below_its_names(
    evening: Event, client: Client, monkeypatch: pytest.MonkeyPatch, spare: int, n_pages: int
) -> None:
    monkeypatch.setattr(big_screens, "ROWS_OF_EVENING", 5)
    monkeypatch.setattr(big_screens, "SPARE_OF_EVENING", spare)
    content = client.get(f"{ADDRESS}/screen").content.decode()
    assert content.count('class="podium"') == n_pages


def test_table_of_one_player_a_seat_says_nothing_of_sharing(cast: Cast, client: Client) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, "Greta L.", "Bert O.", "Cleo S.", "Dora K.")
    hand(table(event, people), 1, [4, 1, 2, 6], queen=3)
    for path in (f"{ADDRESS}/rounds/1", f"{ADDRESS}/tables/r1t1"):
        page = read(client, path)
        assert "of 1 hand" not in page
        assert RULE not in page


def test_substitute_of_a_pair_is_named_beside_the_pair(cast: Cast, client: Client) -> None:
    event = league(cast.riverside, variant="partnership-hearts")
    people = players(cast.riverside, "Greta L.", "Bert O.", "Cleo S.", "Dora K.", "Hanna N.")
    pairs(event, people[:4])
    game = table(event, [people[0], people[2], people[1], people[3]])
    hand(game, 1, [4, 1, 2, 6], queen=3)
    change = PlayerChange("substitute", seat=1, player_id="RL05", from_hand=2, split_sides=True)
    change_players(by_tests(), game, change=change, reason="She leaves.")
    hand(game, 2, [1, 1, 5, 6], queen=3)
    page = read(client, f"{ADDRESS}/rounds/1")
    assert "Bert O. & Greta L. Substitute: Hanna N. 12" in page
    assert RULE not in page
