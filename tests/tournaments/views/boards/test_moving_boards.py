"""Boards that move between the tables, and one plan that seats all rounds of their evening."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.support.answers import Answer, Json, post_json
from tests.support.cast import NOW
from tests.support.evenings import EVENING, check_in, evening
from tests.support.imports.imports import imported, written
from tests.support.pages.text import text
from tests.support.rest.requests import codes, errors
from tests.support.scenarios.duplicate_nights import ROUNDS, DuplicateNight, E, duplicate_night
from tournaments.documents.round_documents import round_document
from tournaments.domain.sheets.sheet_fields import SHEETS, PrintOptions
from tournaments.models.boards import Board
from tournaments.models.clubs import Player
from tournaments.models.rounds import Meeting, Round, Sitting

pytestmark = pytest.mark.django_db

PAGES = "/clubs/riverside/events/league"
MOVING = {"count": 10, "boards_per_round": 2, "tables": 5}


@pytest.fixture
def undealt(db: None) -> DuplicateNight:
    return duplicate_night(boards=0)


@pytest.fixture
def night(undealt: DuplicateNight) -> DuplicateNight:
    response = post_json(undealt.director, f"{E}/boards", MOVING)
    assert response.status_code == 201, response.content
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
    sheet = text(night.host.get(f"{PAGES}/tables/r1t1"))
    assert "Enter hand 1" in sheet
    assert "Totals only" not in sheet


def test_board_of_another_table_is_told_where_it_is(night: DuplicateNight, tmp_path: Path) -> None:
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
    assert [problem.code for problem in report.problems] == ["board_at_another_table"]


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


def test_printed_sheets_of_an_ordinary_event_have_no_place_for_boards(
    night: DuplicateNight,
) -> None:
    night.seat(1)
    night.event.settings["duplicate"] = False
    night.event.save()
    made = round_document(
        night.event, Round.objects.get(), (SHEETS,), options=PrintOptions(), entrance="", now=NOW
    )
    drawn = json.dumps(made.frames, default=str, ensure_ascii=False)
    assert "Hand, pass, dealer" in drawn
    assert "'Board'" not in drawn


DAY = EVENING.isoformat()


def night_of(players: int, **deal: int) -> tuple[DuplicateNight, Meeting]:
    night = duplicate_night(boards=0, hands=deal["boards_per_round"])
    meeting, _people = evening(night.event, players)
    response = post_json(night.director, f"{E}/boards", deal)
    assert response.status_code == 201, response.content
    return night, meeting


def planned(night: DuplicateNight, **wanted: object) -> Json:
    response = post_json(night.director, f"{E}/meetings/{DAY}/plans", wanted)
    assert response.status_code == 201, response.content
    plan: Json = response.json()["plans"][0]
    chosen = post_json(night.director, f"{E}/plans/{plan['id']}/choose", {})
    assert chosen.status_code == 200, chosen.content
    return plan


def play_all(night: DuplicateNight, rounds: int, *, tables: int, boards: int) -> None:
    for number in range(1, rounds + 1):
        response = post_json(night.director, f"{E}/rounds", {"date": DAY})
        assert response.status_code == 201, response.content
        state = f"{E}/rounds/{number}/state"
        assert post_json(night.director, state, {"to": "posted"}).status_code == 200
        for table in range(1, tables + 1):
            for hand in range(1, boards + 1):
                form = night.host.get(f"{PAGES}/tables/r{number}t{table}/hands/new")
                offered = form.content.decode().split('data-boards="')[1].split('"')[0].split()
                answer = night.enter(number, table, hand, int(offered[0]))
                assert answer.status_code == 201, (number, table, answer.content)
        assert post_json(night.director, state, {"to": "closed"}).status_code == 200


@pytest.mark.both_databases
def test_one_plan_seats_all_rounds_while_boards_move() -> None:
    night, _meeting = night_of(20, **MOVING)
    plan = planned(night)
    assert (plan["movement"], plan["round_count"], plan["sizes"]) == ("moving", 5, [4])
    assert (plan["cost"]["repeats"], plan["cost"]["sit_outs"]) == (0, 0)
    play_all(night, 5, tables=5, boards=2)
    sat = Sitting.objects.filter(round__event=night.event)
    assert Counter(sat.values_list("player", flat=True)) == dict.fromkeys(
        Player.objects.filter(club=night.event.club).values_list("pk", flat=True)[:20], 5
    )
    assert len(set(sat.values_list("player", "seat__number"))) == 20, "everybody keeps a line"


def test_page_proposes_the_movement_of_the_boards() -> None:
    night, _meeting = night_of(20, **MOVING)
    address = f"{PAGES}/meetings/{DAY}/plans"
    page = night.director.get(address)
    assert "Boards move between 5 tables in 5 more rounds. Boards" in text(page)
    assert "Players needed: 20, here: 20." in text(page)
    initial = page.context["form"].initial
    assert (initial["movement"], initial["rounds"], initial["sizes"]) == ("moving", 5, ["4"])
    sent = {"make": "yes", **{key: value for key, value in initial.items() if value is not None}}
    made = text(night.director.post(address, sent, follow=True))
    assert "Plan A: boards move between 5 tables" in made
    assert "Boards twice 0 Everybody plays each set of boards once at most." in made


def test_too_few_players_are_refused_with_the_number_that_is_needed() -> None:
    night, meeting = night_of(19, **MOVING)
    refused = post_json(night.director, f"{E}/meetings/{DAY}/plans", {})
    assert (refused.status_code, codes(refused)) == (422, ["moving_head_count"])
    assert "19 players are here" in refused.content.decode()
    assert "is 20: four at each table" in refused.content.decode()
    spare = Player.objects.filter(club=night.event.club).order_by("pk")[18]
    check_in(meeting, [spare], last=3)
    evening(night.event, 20, on=EVENING.replace(day=20))
    check_in(meeting, list(Player.objects.filter(club=night.event.club).order_by("pk")[19:20]))
    refused = post_json(night.director, f"{E}/meetings/{DAY}/plans", {})
    assert codes(refused) == ["moving_needs_everybody"]
    assert spare.name in refused.content.decode()
    assert post_json(night.director, f"{E}/meetings/{DAY}/plans", {"rounds": 3}).status_code == 201


def test_second_plan_goes_on_where_the_first_ended_with_a_guest_in_a_place() -> None:
    night, meeting = night_of(20, **MOVING)
    planned(night, rounds=2)
    play_all(night, 2, tables=5, boards=2)
    gone = Player.objects.filter(club=night.event.club).order_by("pk")[4]
    check_in(meeting, [gone], state="left")
    evening(night.event, 21, on=EVENING.replace(day=20))
    guest = Player.objects.filter(club=night.event.club).order_by("pk")[20]
    check_in(meeting, [guest], first=3)
    plan = planned(night)
    assert (plan["round_count"], plan["first_round"]) == (3, 3)
    sat = Sitting.objects.exclude(player=gone)
    before = set(sat.values_list("player__player_id", "seat__number"))
    after = {
        (player, seat)
        for round_ in plan["rounds"]
        for table in round_["tables"]
        for seat, player in enumerate(table["seats"], 1)
    }
    assert {one for one in after if one[0] != guest.player_id} == before
    assert len(after) == 20


def test_round_seated_otherwise_stops_the_plan_of_its_boards() -> None:
    night, _meeting = night_of(20, **MOVING)
    planned(night)
    night.seat(1)
    refused = post_json(night.director, f"{E}/rounds", {"date": DAY})
    assert codes(refused) == ["plan_of_other_boards"]
    refused = post_json(night.director, f"{E}/meetings/{DAY}/plans", {})
    assert codes(refused) == ["moving_seats_differ"]
    refused = post_json(night.director, f"{E}/meetings/{DAY}/plans", {"rounds": 9})
    assert codes(refused) == ["moving_seats_differ"]


def test_plan_of_more_rounds_than_boards_is_refused() -> None:
    night, _meeting = night_of(20, **MOVING)
    refused = post_json(night.director, f"{E}/meetings/{DAY}/plans", {"rounds": 6})
    assert codes(refused) == ["moving_rounds_left"]
    assert codes(duplicate_without_boards(night)) == ["no_boards_move"]


def duplicate_without_boards(night: DuplicateNight) -> Answer:
    commitment = night.director.get(f"{E}/boards").json()["results"][0]["commitment"]
    gone = post_json(night.director, f"{E}/boards/delete", {"commitment": commitment})
    assert gone.status_code == 200, gone.content
    wanted = {"movement": "moving", "rounds": 2}
    return post_json(night.director, f"{E}/meetings/{DAY}/plans", wanted)


def test_barometer_is_planned_without_a_number_of_rounds() -> None:
    night, _meeting = night_of(12, count=12, boards_per_round=4)
    page = text(night.director.get(f"{PAGES}/meetings/{DAY}/plans"))
    assert "Every table plays the same boards. 3 more rounds have boards." in page
    plan = planned(night)
    assert (plan["movement"], plan["round_count"], plan["sizes"]) == ("individual", 3, [4])
    play_all(night, 3, tables=3, boards=4)
    for number in (1, 12):
        found = night.cast.client().get(f"{E}/boards/{number}/results").json()["results"]
        assert len({one["table"] for one in found}) == 3
