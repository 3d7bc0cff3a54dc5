"""The one filled button of a view is the next step, through the states of an event and a round."""

import re
from html import unescape

import pytest

from tests.builders import hand, league, players
from tests.cast import Cast, enter_the_cast
from tests.web.conftest import ADDRESS
from tournaments.models.hands import Game

pytestmark = [pytest.mark.django_db]

PEOPLE = ("Ada", "Ben", "Cem", "Dora")


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


def filled(cast: Cast, path: str, name: str = "dirk") -> list[str]:
    """The words of the filled buttons and links of a page."""
    answer = cast.client(name).get(path)
    assert answer.status_code == 200, path
    found = re.findall(
        r'<(?:a|button)[^>]*class="[^"]*\bpri\b[^"]*"[^>]*>(.*?)</(?:a|button)>',
        answer.content.decode(),
        re.DOTALL,
    )
    return [unescape(re.sub(r"<[^>]+>", "", one)).strip() for one in found]


def moved(cast: Cast, path: str, to: str, reason: str = "") -> None:
    answer = cast.client("olga").post(path, {"to": to, "reason": reason})
    assert answer.status_code == 302, (path, to, answer.content.decode()[:500])


def test_filled_button_is_the_next_step_in_every_state(cast: Cast) -> None:
    client = cast.client("dirk")
    event, direct = f"{ADDRESS}", f"{ADDRESS}/direct"
    league(cast.riverside)
    people = players(cast.riverside, *PEOPLE)
    round_, sheet = f"{event}/rounds/1/direct", f"{event}/tables/r1t1"
    assert filled(cast, direct) == ["New round"]
    client.post(f"{event}/new-round", {"number": 1})
    assert filled(cast, direct) == ["Manage round 1"]
    assert filled(cast, round_) == ["Seat a table"]
    seats = {f"seat-{n}": one.player_id for n, one in enumerate(people, start=1)}
    client.post(f"{event}/rounds/1/new-table", seats)
    assert filled(cast, round_) == ["Post the round"]
    moved(cast, round_, "posted")
    assert filled(cast, round_) == ["Enter sheets"]
    assert filled(cast, sheet) == ["Enter hand 1"]
    game = Game.objects.get(table__code="r1t1")
    hand(game, 1, [4, 2, 1, 6], 3)
    assert filled(cast, round_) == ["Enter sheets"]
    assert filled(cast, sheet) == ["Enter hand 2"]
    assert filled(cast, f"{sheet}/close") == ["Close the table"]
    moved(cast, f"{sheet}/close", "complete")
    assert filled(cast, sheet) == ["Check against the sheet"]
    assert filled(cast, round_) == ["Close the round"]
    moved(cast, round_, "closed")
    assert filled(cast, sheet) == []
    assert filled(cast, round_) == ["New round"]
    assert filled(cast, direct) == ["New round"]
    moved(cast, direct, "closed")
    assert filled(cast, direct) == ["Make it final"]
    assert filled(cast, round_) == ["Standings"]
    moved(cast, direct, "final")
    assert filled(cast, direct) == ["The next season from this one"]
