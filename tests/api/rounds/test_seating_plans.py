"""Seating plans and constraints over REST: made, read, chosen, refused."""

import csv
import io

import pytest
from django.test import Client

from tests.support.answers import post_json
from tests.support.builders import hand, league, table
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in, evening
from tests.support.rest.requests import codes
from tournaments.models.clubs import Player
from tournaments.models.meetings import Meeting
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.publishing.publications import publish
from tournaments.tasks import plan_seating

pytestmark = pytest.mark.django_db

E = "/api/v1/clubs/riverside/events/league"
PLANS = f"{E}/meetings/2025-11-13/plans"


def started(cast: Cast, head_count: int) -> tuple[Client, Meeting]:
    meeting, _people = evening(league(cast.riverside), head_count)
    return cast.client("dirk"), meeting


def test_small_evening_is_planned_at_once_and_chosen(cast: Cast) -> None:
    dirk, _meeting = started(cast, 9)
    made = post_json(dirk, PLANS, {"rounds": 2, "seed": 5}, Idempotency_Key="one")
    assert made.status_code == 201
    assert made["Location"] == PLANS
    first = made.json()["plans"][0]
    assert (first["policy"], first["status"], first["state"]) == ("threes", "ready", "draft")
    seated = [one for table in first["rounds"][0]["tables"] for one in table["seats"]]
    assert sorted(seated) == [f"RL0{number}" for number in range(1, 10)]
    again = post_json(dirk, PLANS, {"rounds": 2, "seed": 5}, Idempotency_Key="one")
    assert again.content == made.content
    assert dirk.get(PLANS).json()["results"] == made.json()["plans"]
    chosen = post_json(dirk, f"{E}/plans/{first['id']}/choose", {})
    assert (chosen.status_code, chosen.json()["state"]) == (200, "chosen")
    assert dirk.get(f"{E}/plans/{first['id']}").json() == chosen.json()


def test_csv_of_plans_has_a_line_for_each_seat_and_each_sit_out(cast: Cast) -> None:
    dirk, _meeting = started(cast, 9)
    made = post_json(dirk, PLANS, {"rounds": 2, "sizes": [4], "seed": 5}).json()["plans"]
    rows = list(csv.DictReader(io.StringIO(dirk.get(f"{PLANS}.csv").content.decode())))
    assert len(rows) == 9 * 2 * len(made)
    for plan in made:
        for round_ in plan["rounds"]:
            of_round = {"id": plan["id"], "round": str(round_["number"])}
            own = [row for row in rows if of_round.items() <= row.items()]
            seats = [
                (str(table["number"]), str(seat), player)
                for table in round_["tables"]
                for seat, player in enumerate(table["seats"], 1)
            ]
            outside = [("", "", player) for player in round_["sitting_out"]]
            assert len(outside) == 1
            told = [(row["table"], row["seat"], row["player_id"]) for row in own]
            assert told == [*seats, *outside]


def test_larger_evening_is_a_job_with_progress(cast: Cast) -> None:
    dirk, _meeting = started(cast, 22)
    made = post_json(dirk, PLANS, {"rounds": 6, "sizes": [4, 5], "seed": 1})
    assert made.status_code == 202
    plan = made.json()["plans"][0]
    assert plan["status"] == "computing"
    assert post_json(dirk, f"{E}/plans/{plan['id']}/take", {}).status_code == 200
    plan_seating(SeatingPlan.objects.get(public_id=plan["id"]).pk)
    ready = dirk.get(f"{E}/plans/{plan['id']}").json()
    assert (ready["status"], ready["iterations"] < ready["progress"]["of"]) == ("ready", True)


def test_ladder_night_needs_a_list_and_seats_by_it(cast: Cast) -> None:
    event = league(cast.riverside, settings={"primary": "beaten_mean"})
    meeting, people = evening(event, 8)
    dirk = cast.client("dirk")
    sent = {"rounds": 1, "movement": "ladder", "sizes": [4]}
    assert codes(post_json(dirk, PLANS, sent)) == ["no_ladder_order"]
    hand(table(event, [people[7], people[6], people[5], people[4]]), 1, [0, 2, 5, 6], 3)
    publish(event.pk, now=NOW)
    (plan,) = post_json(dirk, PLANS, sent).json()["plans"]
    assert plan["movement"] == "ladder"
    assert sorted(plan["rounds"][0]["tables"][0]["seats"]) == ["RL05", "RL06", "RL07", "RL08"]
    check_in(meeting, people[:1], state="left")
    (plan,) = post_json(dirk, PLANS, sent).json()["plans"]
    outside = plan["rounds"][0]["sitting_out"]
    assert outside == ["RL05", "RL06", "RL07"], "the last places; newcomers play"


def test_open_night_forms_tables_from_who_is_free(cast: Cast) -> None:
    dirk, _meeting = started(cast, 9)
    tables = f"{E}/meetings/2025-11-13/tables"
    (plan,) = post_json(dirk, PLANS, {"movement": "open", "sizes": [4]}).json()["plans"]
    assert (plan["round_count"], plan["rounds"], plan["status"]) == (0, [], "ready")
    assert post_json(dirk, f"{E}/plans/{plan['id']}/choose", {}).status_code == 200
    made = post_json(dirk, tables, {"players": ["RL01", "RL05", "RL07", "RL09"]})
    assert made.status_code == 201
    (first,) = made.json()["tables"]
    assert (first["code"], first["round"], first["number"]) == ("r1t1", 1, 1)
    assert sorted(first["seats"]) == ["RL01", "RL05", "RL07", "RL09"]
    assert sorted(made.json()["waiting"]) == ["RL02", "RL03", "RL04", "RL06", "RL08"]
    for sent in ({"players": "RL02"}, {"players": [2]}, {"single": "yes"}, {"all": True}):
        assert post_json(dirk, tables, sent).status_code == 422


def test_what_cannot_be_planned_is_refused(cast: Cast) -> None:
    dirk, meeting = started(cast, 2)
    assert codes(post_json(dirk, PLANS, {"rounds": 2})) == ["too_few_to_seat"]
    swiss = post_json(dirk, PLANS, {"rounds": 2, "movement": "swiss"})
    assert (swiss.status_code, codes(swiss)) == (422, ["too_few_to_seat"])
    for sent in ({"rounds": "two"}, {}, {"rounds": 2, "sizes": "4"}, {"rounds": 2, "seed": 1.5}):
        assert post_json(dirk, PLANS, sent).status_code == 422
    check_in(meeting, list(Player.objects.all()), state="left")
    assert codes(post_json(dirk, PLANS, {"rounds": 2})) == ["too_few_to_seat"]
    assert post_json(dirk, f"{E}/meetings/2025-11-14/plans", {"rounds": 2}).status_code == 404
    assert dirk.get(f"{E}/plans/nothing").status_code == 404
    assert not SeatingPlan.objects.exists()
