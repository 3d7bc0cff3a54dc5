"""The rounds of a player that are refused: whose they are, what was typed, and where they are."""

import re
from datetime import date

import pytest
from django.test import Client

from tests.support.builders import by_tests, league, players
from tests.support.cast import Cast
from tests.support.pages.text import summary
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = pytest.mark.django_db

DAY = date(2025, 11, 6)
PAGE = f"/clubs/riverside/events/league/meetings/{DAY}/attendance"


@pytest.fixture
def dirk(cast: Cast) -> Client:
    event = league(cast.riverside)
    players(cast.riverside, "Ada", "Ben", "Cleo")
    plan_meeting(by_tests(), event, day=DAY)
    return cast.client("dirk")


def typed(page: str, name: str) -> dict[str, str]:
    found = re.findall(rf'id="{name}-(RL\d+)"[^>]*value="([^"]*)"', page)
    return {player: value for player, value in found if value}


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        ("two", "", "Enter the number of a round."),
        ("0", "3", "An evening has no round 0."),
        ("4", "3", "A player who comes from round 4 cannot leave after round 3."),
    ],
)
def test_refusal_names_the_player_and_keeps_what_was_typed(
    dirk: Client, first: str, last: str, said: str
) -> None:
    sent = {"times": "RL02", "from_round": first, "leaves_after_round": last}
    answer = dirk.post(PAGE, sent)
    words = summary(answer, 422)
    assert words.startswith("Not saved yet: Ben")
    assert said in words
    page = answer.content.decode()
    assert typed(page, "from") == ({"RL02": first} if first else {})
    assert typed(page, "leaves") == ({"RL02": last} if last else {})
    links = set(re.findall(r'<li><a href="#([^"]+)"', page))
    assert links <= {"menu-of-RL02"}
    assert 'id="menu-of-RL02"' in page


def test_what_is_refused_of_nobody_in_the_list_names_nobody(dirk: Client) -> None:
    refused = dirk.post(PAGE, {"name": ""})
    assert summary(refused, 422).startswith("Not saved yet ")
