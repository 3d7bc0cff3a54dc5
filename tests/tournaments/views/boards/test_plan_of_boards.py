"""One plan seats all rounds of a duplicate evening: while boards move, and in a barometer."""

from collections import Counter

import pytest

from tests.support.answers import Answer, Json, post_json
from tests.support.evenings import EVENING, check_in, evening
from tests.support.pages.text import text
from tests.support.rest.requests import codes
from tests.support.scenarios.duplicate_nights import DuplicateNight, E, duplicate_night
from tournaments.models.clubs import Player
from tournaments.models.meetings import Meeting, Sitting

pytestmark = pytest.mark.django_db

PAGES = "/clubs/riverside/events/league"
DAY = EVENING.isoformat()
MOVING = {"count": 10, "boards_per_round": 2, "tables": 5}


def night_of(players: int, **deal: int) -> tuple[DuplicateNight, Meeting]:
    """A duplicate night with so many people here, its boards dealt over REST."""
    night = duplicate_night(boards=0, hands=deal["boards_per_round"])
    meeting, _people = evening(night.event, players)
    made = post_json(night.director, f"{E}/boards", deal)
    assert made.status_code == 201, made.content
    return night, meeting


def planned(night: DuplicateNight, **wanted: object) -> Json:
    made = post_json(night.director, f"{E}/meetings/{DAY}/plans", wanted)
    assert made.status_code == 201, made.content
    plan: Json = made.json()["plans"][0]
    chosen = post_json(night.director, f"{E}/plans/{plan['id']}/choose", {})
    assert chosen.status_code == 200, chosen.content
    return plan


def play_all(night: DuplicateNight, rounds: int, *, tables: int, boards: int) -> None:
    """Seat, post, play and close each round of the plan; each table plays what it is offered."""
    for number in range(1, rounds + 1):
        made = post_json(night.director, f"{E}/rounds", {"date": DAY})
        assert made.status_code == 201, made.content
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
    assert "20 players are needed, 20 are here." in text(page)
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
        for one in plan["rounds"]
        for table in one["tables"]
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
