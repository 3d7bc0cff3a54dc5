"""Pasting entrants: a player, a pair or a team a line; new names are added after a question."""

import re
from html import unescape

import pytest

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.pages.text import beside, text_of
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant
from tournaments.selectors.rounds.resolve_players import read_entrants

pytestmark = pytest.mark.django_db

PAGE = "/clubs/riverside/events/league/add-entrants"


def read(club: Club, *texts: str) -> list[tuple[str, list[str]]]:
    return [
        (line.name, [one if isinstance(one, str) else one.player_id for one in line.players])
        for line in read_entrants(club, texts)[0]
    ]


def test_line_is_a_player_a_pair_or_a_team_with_its_name_first(cast: Cast) -> None:
    players(cast.riverside, "Ada", "Ben", "Tom & Jerry", "José Ortega y Gasset")
    assert read(
        cast.riverside,
        *("Ada", "Ada & Ben", "ada und Cy", "Spades: Ada, Ben, Cy, Dee", "Aces: Ada + RL02"),
        *("Tom & Jerry", "José Ortega y Gasset", "Nobody: "),
    ) == [
        ("", ["RL01"]),
        ("", ["RL01", "RL02"]),
        ("", ["RL01", "Cy"]),
        ("Spades", ["RL01", "RL02", "Cy", "Dee"]),
        ("Aces", ["RL01", "RL02"]),
        ("", ["RL03"]),
        ("", ["RL04"]),
        ("Nobody", []),
    ]


def test_new_names_are_asked_about_and_added_with_their_pairs(cast: Cast) -> None:
    league(cast.riverside)
    players(cast.riverside, "Anna K.", "Ben")
    dirk = cast.client("dirk")
    names = "Ana K. & Ben\nKay & Lee"
    asked = dirk.post(PAGE, {"names": names})
    says = "Not on the club's list of players: Ana K. (Anna K. (RL01)?) · Kay · Lee."
    assert beside(asked, "names") == says
    assert not Entrant.objects.exists()
    button = re.search(r'name="add_players" value="([^"]+)">\s*([^<]+)<', asked.content.decode())
    assert button is not None
    assert button[2] == "Add 3 new players and entrants"
    seen = unescape(button[1])
    other = dirk.post(PAGE, {"names": names + "\nMax & Ida", "add_players": seen})
    assert "Max · Ida" in beside(other, "names"), "names that were not seen are asked about"
    added = dirk.post(PAGE, {"names": names, "add_players": seen}, follow=True)
    assert "2 entrants added." in text_of(added)
    assert list(Player.objects.order_by("pk").values_list("name", flat=True)) == [
        *("Anna K.", "Ben", "Ana K.", "Kay", "Lee")
    ]


def test_refusal_names_the_pair_that_competes_already(cast: Cast) -> None:
    league(cast.riverside)
    players(cast.riverside, "Ada", "Ben", "Cy")
    dirk = cast.client("dirk")
    dirk.post(PAGE, {"names": "Ada & Ben"})
    refused = dirk.post(PAGE, {"names": "Ada & Cy\nSmith, John"})
    assert (
        "“Smith, John” has a comma and is not on the club's list of players. Add the player first, "
        "or enter the name without a comma."
    ) in beside(refused, "names")
    refused = dirk.post(PAGE, {"names": "Ada & Cy"})
    assert "Ada already competes in this event with pair-1." in beside(refused, "names")
    assert Entrant.objects.count() == 1
