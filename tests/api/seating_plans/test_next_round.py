"""The next round of an evening over REST: planned and seated in one request."""

import pytest
from django.test import Client

from tests.support.answers import Json, post_json
from tests.support.builders import league
from tests.support.cast import Cast
from tests.support.evenings import evening
from tests.support.rest.requests import codes
from tests.support.scenarios.cups import play
from tournaments.models.rounds import Meeting, Round
from tournaments.models.seating_plans import SeatingPlan

pytestmark = pytest.mark.django_db

E = "/api/v1/clubs/riverside/events/league"
NEXT = f"{E}/meetings/2025-11-13/next-round"


def started(cast: Cast, head_count: int) -> tuple[Client, Meeting]:
    meeting, _people = evening(league(cast.riverside), head_count)
    return cast.client("dirk"), meeting


def test_each_round_of_an_evening_is_one_request_and_a_repeated_one_makes_nothing(
    cast: Cast,
) -> None:
    dirk, _meeting = started(cast, 8)
    first = post_json(dirk, NEXT, {})
    assert (first.status_code, first["Location"]) == (201, f"{E}/rounds/1")
    row: Json = first.json()
    assert (row["number"], row["state"], len(row["tables"])) == (1, "draft", 2)
    assert codes(post_json(dirk, NEXT, {"after": 1})) == ["previous_round_open"]
    assert post_json(dirk, f"{E}/rounds/1/state", {"to": "posted"}).status_code == 200
    play(Round.objects.get())
    answers = [post_json(dirk, NEXT, body) for body in ({}, {"after": 1}, {"after": 1})]
    assert [(answer.status_code, answer.json()["number"]) for answer in answers] == [(201, 2)] * 3
    assert Round.objects.count() == 2


def test_large_evening_is_answered_with_the_plans_that_a_worker_computes(cast: Cast) -> None:
    dirk, _meeting = started(cast, 120)
    answer = post_json(dirk, NEXT, {})
    assert answer.status_code == 202
    assert answer["Location"] == f"{E}/meetings/2025-11-13/plans"
    plans = answer.json()["plans"]
    assert {plan["status"] for plan in plans} == {"computing"}
    assert len(plans) == SeatingPlan.objects.count()
    assert Round.objects.count() == 0


@pytest.mark.parametrize(
    ("who", "address", "status"),
    [("hanna", NEXT, 403), ("nora", NEXT, 403), ("dirk", NEXT.replace("13", "14"), 404)],
)
def test_only_directors_and_only_of_an_evening_that_is_planned(
    cast: Cast, who: str, address: str, status: int
) -> None:
    started(cast, 8)
    assert post_json(cast.client(who), address, {}).status_code == status
    assert Round.objects.count() == 0


@pytest.mark.parametrize("after", [0, 10000, "1", True])
def test_number_that_no_round_can_have_is_refused(cast: Cast, after: object) -> None:
    dirk, _meeting = started(cast, 8)
    assert codes(post_json(dirk, NEXT, {"after": after})) == ["bad_round_number"]
