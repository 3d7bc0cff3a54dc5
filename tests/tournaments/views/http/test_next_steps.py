"""The one filled button of a view is the next step, through the states of an event and a round."""

import re
from html import unescape

import pytest

from tests.support.builders import hand, league, players, table
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS
from tests.support.scenarios.table_links import linked
from tournaments.models.hands import Game

pytestmark = [pytest.mark.django_db]

PEOPLE = ("Ada", "Ben", "Cem", "Dora")


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
    assert filled(cast, direct) == ["Seat a table"]
    assert filled(cast, round_) == ["Seat a table"]
    seats = {f"seat-{n}": one.player_id for n, one in enumerate(people, start=1)}
    client.post(f"{event}/rounds/1/new-table", seats)
    assert filled(cast, direct) == ["Post round 1"]
    assert filled(cast, round_) == ["Post round"]
    moved(cast, round_, "posted")
    assert filled(cast, direct) == filled(cast, round_) == ["Enter sheets"]
    assert filled(cast, sheet) == ["Enter hand 1"]
    hand(Game.objects.get(table__code="r1t1"), 1, [4, 2, 1, 6], 3)
    assert filled(cast, round_) == ["Enter sheets"]
    assert filled(cast, sheet) == ["Enter hand 2"]
    assert filled(cast, f"{sheet}/close") == ["Close table"]
    moved(cast, f"{sheet}/close", "complete")
    assert filled(cast, sheet) == ["Check against the sheet"]
    # The table was closed by a person, so another hand is folded away, not gone.
    assert "Another hand The table is closed." in text_of(client.get(sheet))
    assert filled(cast, direct) == ["Close round 1"]
    assert filled(cast, round_) == ["Close round"]
    moved(cast, round_, "closed")
    assert filled(cast, sheet) == []
    assert filled(cast, round_) == ["New round"]
    assert filled(cast, direct) == ["New round"]
    moved(cast, direct, "closed")
    assert filled(cast, direct) == ["Make final"]
    assert filled(cast, round_) == ["Standings"]
    moved(cast, direct, "final")
    assert filled(cast, direct) == ["Create next season"]


def test_no_hand_is_offered_after_the_rules_have_ended_the_game(cast: Cast) -> None:
    event = league(cast.riverside, length="variant")
    game = table(event, players(cast.riverside, *PEOPLE), variant="hearts", options={"target": 50})
    sheet, client = f"{ADDRESS}/tables/r1t1", cast.client("dirk")
    for number in (1, 2, 3):
        assert f"Enter hand {number}" in text_of(client.get(sheet))
        hand(game, number, [4, 2, 1, 6], 3)
    assert filled(cast, sheet) == ["Check against the sheet"]
    assert "Enter hand" not in text_of(client.get(sheet))
    page = client.get(f"{sheet}/hands/new")
    assert "The game is over. This hand comes after its end." in text_of(page)
    assert filled(cast, f"{sheet}/hands/new") == ["Sheet so far"]
    # A correction after which the game goes on offers the next hand again.
    hand(game, 3, [13, 0, 0, 0], 1, based_on=1, reason="Misread.")
    assert filled(cast, sheet) == ["Enter hand 4"]


def test_link_of_a_complete_table_leads_to_its_check(cast: Cast) -> None:
    night = linked(cast)
    moved(cast, f"{night.table}/close", "complete")
    assert "Check against the sheet Sheet so far Another hand" in text_of(night.holder().get("/t"))
    assert night.holder().get(f"{night.table}/read-back").status_code == 200
