"""Evenings with partners over REST: odd pairs, teams that are short, a player who leaves early."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.answers import post_json
from tests.support.builders import TESTS, league
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.evenings import check_in, evening
from tests.support.rest.requests import codes
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting, Round
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.events.entrants import add_entrant

pytestmark = pytest.mark.django_db

E = "/api/v1/clubs/riverside/events/league"
PLANS = f"{E}/meetings/2025-11-13/plans"
PAGE = "/clubs/riverside/events/league/meetings/2025-11-13/plans"


@pytest.fixture
def cast(db: None) -> Cast:
    return enter_the_cast()


def started(cast: Cast, head_count: int) -> tuple[Client, Event, Meeting, list[Player]]:
    event = league(
        cast.riverside, variant="partnership-hearts-pooled", settings={"primary": "wins"}
    )
    meeting, people = evening(event, head_count)
    return cast.client("dirk"), event, meeting, people


def enter(event: Event, people: list[Player], size: int) -> None:
    kind = "pair" if size == 2 else "team"
    for at in range(0, len(people), size):
        own = people[at : at + size]
        add_entrant(actor=TESTS, event=event, kind=kind, players=own, now=NOW)


def test_odd_pair_is_named_with_what_would_help(cast: Cast) -> None:
    dirk, event, _meeting, people = started(cast, 10)
    enter(event, people, 2)
    made = post_json(dirk, PLANS, {"movement": "pairs", "rounds": 5})
    (plan,) = made.json()["plans"]
    said = "The number of pairs is odd. With one more pair nobody would sit out."
    assert plan["advice"] == said
    assert [len(one["sitting_out"]) for one in plan["rounds"]] == [2] * 5
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
    assert [one["sitting_out"] for one in plan["rounds"]] == [[], []]
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
    assert " has 3 players, and a match needs 4. Add a player to the team" in message
    assert not SeatingPlan.objects.exists()
