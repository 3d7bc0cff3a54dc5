"""An evening of two-hand Pinochle: tables of two, a phone, the grid, a correction, a ladder."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.support.answers import Json
from tests.support.builders import by_tests, league, players, publish_all, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.imports.imports import imported, said
from tests.support.scenarios.ladders import ladder as challenge_ladder
from tests.support.scenarios.ladders import member, order
from tournaments.models.clubs import Player
from tournaments.models.columns import as_json
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, SeatScore
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.ladders.challenges import answer_challenge, enter_result, issue_challenge
from tournaments.services.operations import Operation
from tournaments.tasks import publish_event

pytestmark = [pytest.mark.django_db, pytest.mark.tier_all]

GAME = "pinochle-two-hand"
EVENT = "/clubs/riverside/events/league"
HANDS = f"{EVENT}/tables/r1t1/hands"
FIRST = {
    "trick_points-1": "133", "trick_points-2": "117",
    "melds-1-royal_marriage": "1", "melds-1-pinochle": "1", "melds-2-marriage": "1",
}  # fmt: skip


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, "Ada", "Ben", "Cem", "Dora")


@pytest.fixture
def event(cast: Cast, people: list[Player]) -> Event:
    own = {"primary": "beaten_mean", "mixed_raw": False}
    made = league(cast.riverside, variant=GAME, settings=own, length="variant")
    table(made, people[:2])
    table(made, people[2:], table_number=2)
    return made


def saved(client: Client, fields: Json, **more: object) -> int:
    form = {"number": 1, "way": "counts", "go": "save", **fields, **more}
    return client.post(f"{HANDS}/new", form).status_code


def booked(event: Event, number: int = 1) -> list[Any]:
    rows = SeatScore.objects.filter(
        entry__hand__game__event=event, entry__hand__number=number, seat__table__code="r1t1"
    )
    scores = rows.order_by("seat__number").values_list("score", "score_im")
    return [as_json(*score) for score in scores]


def test_host_enters_melds_and_the_rest_of_the_trick_points(hanna: Client, event: Event) -> None:
    page = hanna.get(f"{HANDS}/new").content.decode()
    for name in FIRST:
        assert f'name="{name}"' in page
    assert "Did a player declare out?" in page
    one = {"number": 1, "way": "counts", "trick_points-1": "133", "go": "rest:2"}
    page = hanna.post(f"{HANDS}/new", one).content.decode()
    assert re.search(r'name="trick_points-2" value="117"', page)
    assert "250 of 250 trick points" in page
    step = one | {"go": "plus:melds-2-aces"}
    assert 'name="melds-2-aces" value="1"' in hanna.post(f"{HANDS}/new", step).content.decode()
    assert saved(hanna, FIRST) == 302
    assert booked(event) == [210, 140]
    assert Entry.objects.get().typed == {
        "trick_points": [133, 117], "melds": [["royal_marriage", "pinochle"], ["marriage"]],
    }  # fmt: skip


def test_refused_hand_says_why_and_offers_corrections(hanna: Client, event: Event) -> None:
    answer = hanna.post(
        f"{HANDS}/new",
        {"number": 1, "way": "counts", "go": "save", **FIRST, "trick_points-2": "107"},
    )
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "The trick points total 240." in page
    assert "Ben: 117 instead of 107" in page
    flushes = {"melds-1-flush": "2", "melds-2-flush": "1"}
    answer = hanna.post(
        f"{HANDS}/new", {"number": 1, "way": "counts", "go": "save", **FIRST, **flushes}
    )
    assert answer.status_code == 422
    assert "Flush is written three times" in answer.content.decode()
    assert booked(event) == []


def test_declaration_ends_the_game_and_everybody_reads_the_melds(cast: Cast, event: Event) -> None:
    client = cast.client("hanna")
    assert saved(client, {**FIRST, "melds-1-double_pinochle": "1", "melds-1-flush": "2"}) == 302
    more = {"trick_points-1": "150", "trick_points-2": "100", "melds-2-aces": "1"}
    assert saved(client, more, number=2) == 302
    last = {"trick_points-1": "20", "trick_points-2": "30", "melds-1-kings": "1"}
    assert saved(client, {**last, "declared_out": "1"}, number=3) == 302
    game = Game.objects.get(table__code="r1t1")
    assert game.progress is not None
    assert game.progress["won_by"] == 0
    assert saved(client, FIRST, number=4) in (409, 422)
    assert booked(event, 4) == []
    page = Client().get(f"{EVENT}/tables/r1t1").content.decode()
    assert "royal marriage" in page.lower()
    assert "133 trick points" in page


def test_grid_has_a_code_for_each_meld(hanna: Client, event: Event) -> None:
    assert saved(hanna, FIRST) == 302
    page = hanna.get(f"{EVENT}/tables/r1t1/grid").content.decode()
    assert 'value="133 rm p"' in page
    assert 'value="117 m"' in page
    assert "Royal marriage 40" in page


@pytest.mark.parametrize(
    ("melds", "score"),
    [
        ("rm 2d", 190),
        ("RM, 2 dix", 190),
        ("royal marriage 2 dix", 190),
        ("Royal marriage, 2 dix", 190),
        ("Royal marriage 40; Dix; Dix", 190),
        ("2x Four aces, m", 350),
        ("four aces four aces marriage", 350),
    ],
)
def test_file_names_melds_as_the_sheet_and_the_grid_do(
    event: Event, tmp_path: Path, melds: str, score: int
) -> None:
    path = tmp_path / "names.csv"
    path.write_text(
        "round,table,hand,seat,player,melds,trick_points\n"
        f'1,1,1,N,Ada,"{melds}",133\n'
        "1,1,1,E,Ben,-,117\n"
    )
    assert said(imported(path, event=event.slug)) == []
    assert booked(event) == [score, 120]


def test_game_of_a_challenge_comes_from_a_file(cast: Cast, tmp_path: Path) -> None:
    event = challenge_ladder(cast, "ABCDE", variant=GAME, length="variant", now=NOW)
    issue_challenge(Operation(member(cast, "E"), NOW), event, challenged="C")
    answer_challenge(Operation(member(cast, "C"), NOW), challenge_at(event, 1), to="accepted")
    path = tmp_path / "challenge.csv"
    path.write_text(
        "round,table,hand,seat,player_id,melds,trick_points,declared_out,date\n"
        f'1,1,1,N,C,"2 flush, dp, 2 aces",150,,{NOW:%Y-%m-%d}\n'
        f"1,1,1,E,E,,100,,{NOW:%Y-%m-%d}\n"
        f"1,1,2,N,C,,0,x,{NOW:%Y-%m-%d}\n"
        f"1,1,2,E,E,rm,20,,{NOW:%Y-%m-%d}\n"
    )
    assert said(imported(path, event=event.slug)) == []
    assert Game.objects.get(event=event).state == "complete"
    publish_all(event)
    enter_result(Operation(member(cast, "E"), NOW), challenge_at(event, 1), table="r1t1")
    answer_challenge(Operation(member(cast, "C"), NOW), challenge_at(event, 1), to="confirmed")
    assert order(event) == "ABECD"  # C declared out with 950 of 1,000


def test_totals_of_a_challenge_make_the_higher_one_win(cast: Cast) -> None:
    event = challenge_ladder(cast, "ABCDE", variant=GAME, length="variant", now=NOW)
    issue_challenge(Operation(member(cast, "E"), NOW), event, challenged="C")
    answer_challenge(Operation(member(cast, "C"), NOW), challenge_at(event, 1), to="accepted")
    totals = {"E": 1020, "C": 870}
    enter_result(Operation(member(cast, "E"), NOW), challenge_at(event, 1), points=totals)
    answer_challenge(Operation(member(cast, "C"), NOW), challenge_at(event, 1), to="confirmed")
    assert order(event) == "ABECD"


def test_file_lists_the_cards_and_the_last_trick(event: Event, tmp_path: Path) -> None:
    """Two suits of both packs each are 120; the last trick makes 130 of the second seat's."""
    path = tmp_path / "cards.csv"
    first, second = (
        " ".join(f"{rank}{suit}" for suit in suits * 2 for rank in ("A", "10", "K", "Q", "J"))
        for suits in ("CD", "HS")
    )
    path.write_text(
        "round,table,hand,seat,player,melds,cards,last_trick\n"
        f"1,1,1,N,Ada,marriage,{first},\n"
        f"1,1,1,E,Ben,,{second},x\n"
    )
    assert said(imported(path, event=event.slug)) == []
    assert booked(event) == [140, 130]
    page = Client().get(f"{EVENT}/tables/r1t1").content.decode()
    assert "marriage" in page.partition("<tbody")[2]  # beside the cards


def rows_of(page: str) -> dict[str, str]:
    """The rows of a matrix by the name at their beginning."""
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    return dict(re.findall(r"<tr>.*?>([A-Z][a-z]+)</a>(.*?)</tr>", body, re.DOTALL))


def test_match_play_is_told_player_against_player(event: Event, people: list[Player]) -> None:
    entry = {"melds": [["double_pinochle", "flush"], []], "trick_points": [150, 100]}
    for code in ("r1t1", "r1t2"):
        game = Game.objects.get(table__code=code)
        for number in (1, 2):
            record_entry(by_tests(), game, number=number, entry=entry, source="host")
        assert Game.objects.get(pk=game.pk).state == "complete"
    second = table(event, [people[2], people[0]], round_number=2)
    for number in (1, 2):
        record_entry(by_tests(), second, number=number, entry=entry, source="host")
    publish_event(event.pk)
    make_all(event.pk)
    page = Client().get(EVENT).content.decode()
    assert sorted(("Ada", "Ben", "Cem", "Dora"), key=page.index)[:2] == ["Cem", "Ada"]
    page = Client().get(f"{EVENT}/head-to-head").content.decode()
    matrix = {name: re.findall(r"[0-9]/[0-9]", row) for name, row in rows_of(page).items()}
    assert matrix == {"Ada": ["0/1", "1/1"], "Ben": ["0/1"], "Cem": ["1/1", "1/1"], "Dora": ["0/1"]}
