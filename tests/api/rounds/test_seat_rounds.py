"""Rounds over REST: seated from a plan or as listed, with pairs and teams, and seated anew."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Json, post_json
from tests.support.builders import by_tests, hand, league, players
from tests.support.cast import Cast
from tests.support.evenings import check_in, evening
from tests.support.pages.text import text_of
from tests.support.players import stored_player
from tests.support.rest.requests import codes, refusal
from tests.support.scenarios.planned_evenings import PlannedEvening, planned_evening
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Meeting, Round, SitOut
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.services.events.entrants import add_entrant

ROUNDS = "/api/v1/clubs/riverside/events/league/rounds"
E = "/api/v1/clubs/riverside/events/league"
PLANS = f"{E}/meetings/2025-11-13/plans"
PAGE = "/clubs/riverside/events/league/meetings/2025-11-13/plans"
SEATING = "/clubs/riverside/events/league/meetings/2025-11-13/seating"


@pytest.fixture
def night(cast: Cast) -> PlannedEvening:
    made = planned_evening(cast, [([(1, 2, 3, 4), (5, 6, 7, 8)], [9])])
    made.here(*range(1, 10))
    return made


@pytest.fixture
def dirk(night: PlannedEvening, cast: Cast) -> Client:
    return cast.client("dirk")


def test_listed_tables_are_seated_whole_or_not_at_all(dirk: Client) -> None:
    tables = [{"number": 3, "seats": ["RL01", "RL02", "RL03"]}, {"seats": ["RL04", "RL05", "RL06"]}]
    game = {"variant": "omnibus", "options": {"target": 61}}
    response = post_json(dirk, ROUNDS, {"tables": tables, "date": "2025-11-13", **game})
    assert [(table["code"], table["variant"]) for table in response.json()["tables"]] == [
        ("r1t3", "omnibus-hearts"), ("r1t4", "omnibus-hearts"),
    ]  # fmt: skip
    twice = [{"seats": ["RL01", "RL02", "RL03"]}, {"seats": ["RL01", "RL05", "RL06"]}]
    assert refusal(post_json(dirk, ROUNDS, {"tables": twice})) == (422, ["same_player_twice"])
    unknown = post_json(dirk, ROUNDS, {"tables": [{"seats": ["RL01", "XX", "RL03"]}]})
    assert [error["pointer"] for error in unknown.json()["errors"]] == ["/tables/0/seats/1"]
    assert Round.objects.count() == 1


@pytest.mark.parametrize(
    "body",
    [{}, {"tables": []}, {"tables": "RL01"}, {"tables": [{"seats": "RL01"}]}, {"tables": [[]]}],
)
def test_body_that_names_no_round_is_refused(dirk: Client, body: object) -> None:
    assert refusal(post_json(dirk, ROUNDS, body)) == (422, ["bad_tables"])


@pytest.mark.parametrize("day", ["0001-01-01", "1899-12-31", "3000-01-01", "9999-12-31"])
def test_round_of_a_day_far_off_is_refused_and_makes_no_evening(dirk: Client, day: str) -> None:
    tables = [{"seats": ["RL01", "RL02", "RL03"]}]
    refused = post_json(dirk, ROUNDS, {"tables": tables, "date": day})
    assert (refused.status_code, codes(refused)) == (422, ["bad_day"])
    assert "from 1900 to 2999" in refused.json()["detail"]
    assert not Round.objects.exists()
    assert not Meeting.objects.filter(date=day).exists()


def started(cast: Cast, head_count: int) -> tuple[Client, Event, Meeting, list[Player]]:
    event = league(
        cast.riverside, variant="partnership-hearts-pooled", settings={"primary": "wins"}
    )
    meeting, people = evening(event, head_count)
    return cast.client("dirk"), event, meeting, people


def enter(event: Event, people: list[Player], size: int) -> None:
    kind = "pair" if size == 2 else "team"
    for at in range(0, len(people), size):
        add_entrant(by_tests(), event, kind=kind, players=people[at : at + size])


def test_odd_pair_is_named_with_what_would_help(cast: Cast) -> None:
    dirk, event, _meeting, people = started(cast, 10)
    enter(event, people, 2)
    (plan,) = post_json(dirk, PLANS, {"movement": "pairs", "rounds": 5}).json()["plans"]
    said = "The number of pairs is odd. With one more pair nobody would sit out."
    assert plan["advice"] == said
    assert [len(round_["sitting_out"]) for round_ in plan["rounds"]] == [2] * 5
    assert said in dirk.get(PAGE).content.decode()


def test_team_without_enough_players_is_refused_with_a_proposal(cast: Cast) -> None:
    dirk, event, meeting, people = started(cast, 8)
    enter(event, people, 4)
    check_in(meeting, people[:1], state="left")
    sent = {"movement": "teams", "variation": "two_tables", "rounds": 1}
    refused = post_json(dirk, PLANS, sent)
    assert (refused.status_code, codes(refused)) == (422, ["team_incomplete"])
    said = refused.json()["errors"][0]["message"]
    assert "3 of the 4 players" in said
    assert "Not here: Alma D." in said
    assert "check its players out" in said
    assert not SeatingPlan.objects.exists()
    page = " ".join(dirk.get(PAGE).content.decode().split())
    assert page.count("2 teams: 1 table a round") == 1, "not for two tables, and not for pairs"
    post_json(dirk, PLANS, sent | {"variation": "one_table"})
    assert SeatingPlan.objects.get().inputs["variation"] == "one_table", "two of each play"


def test_player_without_a_team_is_named_before_teams_are_planned(cast: Cast) -> None:
    dirk, event, _meeting, people = started(cast, 9)
    enter(event, people[:8], 4)
    refused = post_json(dirk, PLANS, {"movement": "teams", "rounds": 1})
    assert (refused.status_code, codes(refused)) == (422, ["players_without_team"])
    assert people[8].name in refused.json()["errors"][0]["message"]


def pairs_night(cast: Cast, head_count: int, rounds: int) -> tuple[Client, Event, Meeting, Json]:
    """A night of pairs whose plan is chosen; nothing is seated yet."""
    dirk, event, meeting, people = started(cast, head_count)
    enter(event, people, 2)
    (plan,) = post_json(dirk, PLANS, {"movement": "pairs", "rounds": rounds}).json()["plans"]
    assert post_json(dirk, f"{E}/plans/{plan['id']}/choose", {}).status_code == 200
    return dirk, event, meeting, plan


def arrive(event: Event, meeting: Meeting, *names: str) -> list[Player]:
    people = [
        stored_player(club=event.club, player_id=f"NEW{at}", name=name)
        for at, name in enumerate(names)
    ]
    check_in(meeting, people)
    return people


def sides_of(round_: Json) -> set[frozenset[str]]:
    tables = round_seating(Round.objects.get(number=round_["number"])).tables
    ids = dict(Player.objects.values_list("pk", "player_id"))
    sides = [side for table in tables for side in (table.players[::2], table.players[1::2])]
    return {frozenset(ids[player] for player in side) for side in sides}


def test_pair_that_arrives_plays_the_pair_that_would_sit_out(cast: Cast) -> None:
    dirk, event, meeting, plan = pairs_night(cast, 6, 3)
    newcomers = arrive(event, meeting, "Ann", "Bea")
    enter(event, newcomers, 2)
    response = post_json(dirk, ROUNDS, {"plan": plan["id"]})
    assert refusal(response) == (409, ["planned_players_changed"])
    body = post_json(dirk, ROUNDS, {"plan": plan["id"], "adjust": True}).json()
    pairs = {
        frozenset(entrant.members.values_list("player__player_id", flat=True))
        for entrant in event.entrants.all()
    }
    assert sides_of(body) == pairs


def test_pair_without_a_table_waits_and_no_other_pair_is_split(cast: Cast) -> None:
    dirk, event, meeting, plan = pairs_night(cast, 8, 3)
    enter(event, arrive(event, meeting, "Ann", "Bea"), 2)
    body = post_json(dirk, ROUNDS, {"plan": plan["id"], "adjust": True}).json()
    assert len(sides_of(body)) == 4
    assert not any("NEW0" in side for side in sides_of(body))
    assert set(SitOut.objects.values_list("reason", flat=True)) == {"rest"}


@pytest.mark.parametrize("variation", ["one_table", "two_tables"])
def test_team_that_arrives_in_a_plan_waits_and_no_team_is_split(cast: Cast, variation: str) -> None:
    dirk, event, meeting, people = started(cast, 8)
    enter(event, people, 4)
    sent = {"movement": "teams", "variation": variation, "rounds": 1}
    (plan,) = post_json(dirk, PLANS, sent).json()["plans"]
    assert post_json(dirk, f"{E}/plans/{plan['id']}/choose", {}).status_code == 200
    enter(event, arrive(event, meeting, "Ann", "Bea", "Cid", "Dan"), 4)
    asked = post_json(dirk, ROUNDS, {"plan": plan["id"]})
    assert refusal(asked) == (409, ["planned_players_changed"])
    response = post_json(dirk, ROUNDS, {"plan": plan["id"], "adjust": True})
    assert response.status_code == 201
    teams = [
        set(entrant.members.values_list("player__player_id", flat=True))
        for entrant in event.entrants.exclude(code="team-3")
    ]
    for side in sides_of(response.json()):
        assert any(side <= team for team in teams)
    assert SitOut.objects.get(entrant__code="team-3").reason == "rest"


def test_newcomer_without_a_partner_and_a_second_meeting_are_asked_about(cast: Cast) -> None:
    dirk, event, meeting, plan = pairs_night(cast, 6, 3)
    newcomers = arrive(event, meeting, "Ann", "Bea")
    sent = {"plan": plan["id"], "adjust": True}
    response = post_json(dirk, ROUNDS, sent)
    assert refusal(response) == (422, ["newcomers_without_partner"])
    assert "No partner is here for Ann, Bea." in response.json()["detail"]
    assert not Round.objects.exists()
    enter(event, newcomers, 2)
    bye = plan["rounds"][0]["sitting_out"]
    earlier = [*bye, *(player.player_id for player in newcomers)]
    seated = [earlier[0], earlier[2], earlier[1], earlier[3]]
    table = {"tables": [{"seats": seated}], "date": "2025-11-13"}
    assert post_json(dirk, ROUNDS, table).status_code == 201
    Game.objects.update(state="complete")
    Round.objects.update(state="closed")
    assert refusal(post_json(dirk, ROUNDS, sent)) == (422, ["pairs_met_before"])
    assert post_json(dirk, ROUNDS, sent | {"split_sides": True}).status_code == 201


def test_redrawing_a_night_of_pairs_keeps_them_whole(cast: Cast) -> None:
    dirk, _event, _meeting, plan = pairs_night(cast, 8, 3)
    body = post_json(dirk, ROUNDS, {"plan": plan["id"]}).json()
    before = sides_of(body)
    redrawn = post_json(dirk, f"{ROUNDS}/{body['number']}/redraw", {"scope": "unplayed"})
    assert redrawn.status_code == 200
    assert sides_of(body) == before


def test_page_asks_about_a_newcomer_without_a_partner_and_seats_anyway(cast: Cast) -> None:
    dirk, event, meeting, _plan = pairs_night(cast, 6, 3)
    arrive(event, meeting, "Ann")
    sent = {"plan_round": "1", "adjust": "yes"}
    text = text_of(dirk.post(SEATING, sent))
    assert "No partner is here for Ann." in text
    assert "Seat anyway" in text
    assert not Round.objects.exists()
    assert dirk.post(SEATING, {**sent, "split": "yes"}).status_code == 302
    assert Round.objects.count() == 1


def test_whist_goes_on_with_new_plans_when_a_player_leaves(cast: Cast) -> None:
    dirk, _event, meeting, people = started(cast, 9)
    (plan,) = post_json(dirk, PLANS, {"movement": "whist", "rounds": 3}).json()["plans"]
    assert plan["advice"] == "With 3 more players nobody would sit out."
    assert post_json(dirk, f"{E}/plans/{plan['id']}/choose", {}).status_code == 200
    check_in(meeting, people[:1], state="left")
    sent = {"plan": plan["id"], "adjust": True}
    refused = post_json(dirk, f"{E}/rounds", sent)
    assert (refused.status_code, codes(refused)) == (409, ["plan_partners_left"])
    assert "Alma D. cannot play this round" in refused.json()["detail"]
    assert "Create new plans for those who stay" in refused.json()["detail"]
    assert not Round.objects.exists()
    (plan,) = post_json(dirk, PLANS, {"movement": "whist", "rounds": 2}).json()["plans"]
    assert plan["advice"] == ""
    assert [round_["sitting_out"] for round_ in plan["rounds"]] == [[], []]
    assert post_json(dirk, f"{E}/plans/{plan['id']}/choose", {}).status_code == 200
    seated = post_json(dirk, f"{E}/rounds", {"plan": plan["id"]})
    assert (seated.status_code, len(seated.json()["tables"])) == (201, 2)


def test_queries_of_the_plan_page_do_not_grow_with_pairs(cast: Cast) -> None:
    dirk, event, meeting, people = started(cast, 24)
    enter(event, people, 2)

    def queries(there: int, rounds: int) -> int:
        check_in(meeting, people[:there])
        check_in(meeting, people[there:], state="left")
        made = post_json(dirk, PLANS, {"movement": "pairs", "rounds": rounds})
        assert made.status_code == 201, made.content
        with CaptureQueriesContext(connection) as found:
            assert dirk.get(PAGE).status_code == 200
        return len(found)

    few = queries(8, 2)
    assert queries(24, 5) == few


def test_team_with_too_few_members_is_named_where_all_of_them_are_here(cast: Cast) -> None:
    dirk, event, _meeting, people = started(cast, 7)
    enter(event, people, 4)
    sent = {"movement": "teams", "variation": "two_tables", "rounds": 1}
    refused = post_json(dirk, PLANS, sent)
    assert (refused.status_code, codes(refused)) == (422, ["team_too_small"])
    message = refused.json()["errors"][0]["message"]
    assert " is a team of 3, and a match needs 4. Add a player to the team" in message
    assert not SeatingPlan.objects.exists()


REDRAW = f"{E}/rounds/1/redraw"


@pytest.fixture
def eight_here(cast: Cast) -> Cast:
    evening(league(cast.riverside), 8)
    return cast


def chosen(dirk: Client, seed: int) -> Json:
    wanted = {"rounds": 1, "sizes": [4], "seed": seed}
    plan: Json = post_json(dirk, f"{E}/meetings/2025-11-13/plans", wanted).json()["plans"][0]
    assert post_json(dirk, f"{E}/plans/{plan['id']}/choose", {}).status_code == 200
    return plan


def seats() -> list[list[str]]:
    ids = dict(Player.objects.values_list("pk", "player_id"))
    tables = round_seating(Round.objects.get(number=1)).tables
    return [[ids[player] for player in table.players] for table in tables]


def test_round_with_a_hand_keeps_its_seats(eight_here: Cast) -> None:
    dirk = eight_here.client("dirk")
    chosen(dirk, 1)
    post_json(dirk, f"{E}/rounds", {"date": "2025-11-13"})
    post_json(dirk, f"{E}/rounds/1/state", {"to": "posted"})
    hand(Game.objects.get(table__code="r1t1"), 1, [4, 1, 2, 6], 3)
    wanted = {"movement": "individual", "rounds": 1, "sizes": [4], "seed": 7}
    response = post_json(dirk, f"{E}/meetings/2025-11-13/plans", wanted)
    post_json(dirk, f"{E}/plans/{response.json()['plans'][0]['id']}/choose", {})
    assert refusal(post_json(dirk, REDRAW, {"scope": "plan"})) == (409, ["table_has_hands"])


def test_round_without_an_evening_has_no_plan(eight_here: Cast) -> None:
    dirk = eight_here.client("dirk")
    ids = [
        player.player_id for player in players(eight_here.riverside, "Zoe Z.", "Yara Y.", "Wim W.")
    ]
    tables = [{"seats": ids}]
    assert post_json(dirk, f"{E}/rounds", {"tables": tables}).status_code == 201
    assert refusal(post_json(dirk, REDRAW, {"scope": "plan"})) == (409, ["no_plan_chosen"])
    assert "unplayed, all, plan" in post_json(dirk, REDRAW, {"scope": "some"}).content.decode()
