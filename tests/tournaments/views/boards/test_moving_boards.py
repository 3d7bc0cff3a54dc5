"""Boards that move between the tables: each table is offered its own, and refused another's."""

import json
from pathlib import Path

import pytest

from tests.support.answers import post_json
from tests.support.cast import NOW
from tests.support.imports.imports import imported, written
from tests.support.pages.text import text
from tests.support.rest.requests import codes, errors
from tests.support.scenarios.duplicate_nights import ROUNDS, DuplicateNight, E, duplicate_night
from tournaments.documents.round_documents import round_document
from tournaments.domain.sheets.sheet_fields import SHEETS, PrintOptions
from tournaments.models.deals import Board
from tournaments.models.meetings import Round

pytestmark = pytest.mark.django_db

PAGES = "/clubs/riverside/events/league"
MOVING = {"count": 10, "boards_per_round": 2, "tables": 5}


@pytest.fixture
def undealt(db: None) -> DuplicateNight:
    return duplicate_night(boards=0)


@pytest.fixture
def night(undealt: DuplicateNight) -> DuplicateNight:
    made = post_json(undealt.director, f"{E}/boards", MOVING)
    assert made.status_code == 201, made.content
    return undealt


def test_director_deals_boards_that_move_and_the_page_says_where(undealt: DuplicateNight) -> None:
    form = text(undealt.director.get(f"{PAGES}/boards/new"))
    assert "The same boards at every table in a round Boards move between the tables" in form
    typed = {"deal": "yes", "count": "10", "boards_per_round": "2", "movement": "moving"}
    for tables, said in (("4", "4"), ("", "0")):
        refused = undealt.director.post(f"{PAGES}/boards/new", {**typed, "tables": tables})
        assert f"no movement of boards for {said} tables" in text(refused)
    typed |= {"tables": "5", "first_round": "2"}
    page = text(undealt.director.post(f"{PAGES}/boards/new", typed, follow=True))
    assert "Board 3 Moves, set 2" in page
    assert "Round 2 Table 1: boards 1–2 Table 2: boards 3–4 Table 3: boards 5–6" in page
    assert "Round 3 Table 1: boards 3–4" in page
    assert "Round 6 Table 1: boards 9–10" in page
    assert "Round 7" not in page


def test_table_is_offered_its_own_boards_in_each_round(night: DuplicateNight) -> None:
    for number, offered in ((1, "3 4"), (2, "5 6")):
        night.seat(number)
        form = night.host.get(f"{PAGES}/tables/r{number}t2/hands/new").content.decode()
        assert f'data-boards="{offered}"' in form
    assert night.enter(1, 2, 1, 3).status_code == 201
    form = night.host.get(f"{PAGES}/tables/r1t2/hands/new").content.decode()
    assert 'data-boards="4"' in form


def test_sheet_without_hands_offers_hands_and_no_totals(night: DuplicateNight) -> None:
    night.seat(1)
    sheet = text(night.host.get(f"{PAGES}/tables/r1t2"))
    assert "Enter hand 1" in sheet
    assert "Totals only" not in sheet


def test_board_of_another_table_is_refused_with_where_it_is(
    night: DuplicateNight, tmp_path: Path
) -> None:
    night.seat(1)
    refused = night.enter(1, 1, 1, 3)
    assert (refused.status_code, codes(refused)) == (422, ["board_at_another_table"])
    assert "Board 3 is at table 2 in round 1, and this is table 1." in refused.content.decode()
    assert post_json(night.director, f"{E}/rounds", seated(night, 9)).status_code == 201
    assert post_json(night.director, f"{E}/rounds/9/state", {"to": "posted"}).status_code == 200
    refused = night.enter(9, 1, 1, 3)
    assert codes(refused) == ["board_not_in_round"]
    heads = "round,table,hand,board,seat,player_id,hearts,queen_spades"
    rows = [
        f"1,1,1,3,{'NESW'[at]},{night.codes[one - 1]},{hearts},{at // 3}"
        for at, (one, hearts) in enumerate(zip(ROUNDS[0][0], (4, 1, 2, 6), strict=True))
    ]
    report = imported(written(tmp_path, rows, heads=heads))
    assert [one.code for one in report.problems] == ["board_at_another_table"]


def seated(night: DuplicateNight, number: int) -> dict[str, object]:
    return {"number": number, "tables": [{"seats": list(night.codes[:4])}]}


@pytest.mark.parametrize(
    ("change", "code", "at"),
    [
        ({"tables": 4}, "no_moving_boards", "/tables"),
        ({"tables": -5}, "no_moving_boards", "/tables"),
        ({"count": 9}, "boards_fill_no_sets", "/count"),
        ({"boards_per_round": 0}, "bad_board_rounds", "/boards_per_round"),
    ],
)
def test_movement_that_cannot_be_is_refused(
    undealt: DuplicateNight, change: dict[str, int], code: str, at: str
) -> None:
    refused = post_json(undealt.director, f"{E}/boards", MOVING | change)
    assert refused.status_code == 422
    assert errors(refused) == [(code, at)]
    assert not Board.objects.exists()


def test_list_has_the_set_of_each_board(night: DuplicateNight) -> None:
    listed = night.cast.client().get(f"{E}/boards").json()["results"]
    assert [one["board_set"] for one in listed] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert {one["round"] for one in listed} == {None}


def test_printed_sheets_name_the_boards_of_each_table(night: DuplicateNight) -> None:
    night.seat(1)
    round_ = Round.objects.get(number=1)
    made = round_document(
        night.event, round_, (SHEETS,), options=PrintOptions(), entrance="", now=NOW
    )
    printed = json.dumps(made.pages, default=str, ensure_ascii=False)
    for numbers in ("1–2", "3–4", "5–6"):
        assert f"boards {numbers}" in printed
    drawn = json.dumps(made.frames, default=str, ensure_ascii=False)
    assert "Hand, board" in drawn
    assert drawn.count("'Board'") == 4  # a place for the number beside each hand
    assert "deals" not in drawn
