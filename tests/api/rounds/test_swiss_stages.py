"""A Swiss plan reads the stage that is played: movement, rounds, table sizes, what is carried."""

import pytest
from django.test import Client

from tests.support.answers import Json, post_json
from tests.support.builders import TESTS, finished, league, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.evenings import evening
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event, Stage
from tournaments.models.meetings import Round, RoundState
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.publishing.publications import publish
from tournaments.services.stages.plan_stages import begin_stage, change_stage, plan_stage

pytestmark = pytest.mark.django_db

EVENT = "/api/v1/clubs/riverside/events/league"
PLANS = f"{EVENT}/meetings/2025-11-13/plans"
PAGE = "/clubs/riverside/events/league/meetings/2025-11-13/plans"


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


def swiss(cast: Cast, head_count: int = 16, **more: object) -> tuple[Client, Event, list[Player]]:
    event = league(cast.riverside, settings={"primary": "placement_points"})
    _meeting, people = evening(event, head_count)
    fields = {"name": "Qualifying", "movement": "swiss", "rounds": 2, "table_sizes": [4], **more}
    change_stage(actor=TESTS, event=event, number=1, fields=fields, now=NOW)
    return cast.client("dirk"), event, people


def played(event: Event, people: list[Player], number: int) -> None:
    """Play a round at tables of four, and publish it: seat 2 wins, then 3, 1 and 4."""
    for at in range(0, len(people), 4):
        finished(table(event, people[at : at + 4], round_number=number, table_number=1 + at // 4))
    Round.objects.filter(event=event, number=number).update(state=RoundState.CLOSED)
    publish(event.pk, now=NOW)


def second_stage(event: Event, **fields: object) -> Stage:
    plan_stage(actor=TESTS, event=event, fields={"movement": "swiss", **fields}, now=NOW)
    stage = begin_stage(actor=TESTS, event=event, number=2, now=NOW)
    publish(event.pk, now=NOW)
    return stage


def planned(client: Client, **body: object) -> Json:
    made = post_json(client, PLANS, {"seed": 3, **body})
    assert made.status_code == 201, made.content
    plan: Json = made.json()["plans"][0]
    return plan


def explained(plan: Json) -> set[tuple[str, ...]]:
    return {tuple(one["codes"]) for one in plan["rounds"][0]["explanations"]}


def test_plan_without_a_movement_is_the_one_of_the_stage(cast: Cast) -> None:
    dirk, _event, _people = swiss(cast, 15)
    plan = planned(dirk)
    (round_,) = plan["rounds"]
    assert (plan["movement"], plan["round_count"]) == ("swiss", 1)
    assert [len(one["seats"]) for one in round_["tables"]] == [4, 4, 4]
    assert len(round_["sitting_out"]) == 3
    named = planned(dirk, movement="individual", sizes=[4, 3])
    assert (named["movement"], named["round_count"]) == ("individual", 2)
    assert [len(one["seats"]) for one in named["rounds"][0]["tables"]] == [4, 4, 4, 3]


@pytest.mark.parametrize(
    ("carry", "codes", "texts"),
    [
        ("all", {("same_score", "not_met")}, {"5", "3", "2", "1"}),
        ("half", {("same_score", "not_met")}, {"2.50", "1.50", "1", "0.50"}),
        ("none", {("not_met",), ("met",)}, set()),
        ("seeding", {("not_met",), ("met",)}, set()),
    ],
)
def test_points_that_a_stage_carries_over_order_its_first_round(
    cast: Cast, carry: str, codes: set[tuple[str, ...]], texts: set[str]
) -> None:
    dirk, event, people = swiss(cast)
    played(event, people, 1)
    second_stage(event, carry=carry)
    plan = planned(dirk, sizes=[4])
    assert explained(plan) <= codes
    said = [one["scores"] for one in plan["rounds"][0]["explanations"]]
    assert {text for pair in said for text in pair} == texts
    chosen = post_json(dirk, f"{EVENT}/plans/{plan['id']}/choose", {})
    assert chosen.status_code == 200, chosen.content


@pytest.mark.parametrize(
    ("fields", "seeds"),
    [
        ({"carry": "seeding"}, ["RL02", "RL06", "RL10", "RL14"]),
        ({"carry": "seeding", "seeding": "ladder"}, ["RL16", "RL15", "RL14", "RL13"]),
        ({"carry": "seeding", "seeding": "lot"}, []),
        ({"carry": "none"}, []),
    ],
)
def test_seeding_of_a_stage_orders_a_first_round_without_scores(
    cast: Cast, fields: dict[str, object], seeds: list[str]
) -> None:
    dirk, event, people = swiss(cast)
    played(event, people, 1)
    for at, one in enumerate(Entrant.objects.filter(event=event).order_by("-code"), 1):
        one.start_position = at
        one.save(update_fields=["start_position"])
    second_stage(event, **fields)
    planned(dirk, sizes=[4])
    order = sorted(SeatingPlan.objects.get().inputs["standing"], key=lambda row: row[1])
    ids = {one.pk: one.player_id for one in people}
    found = [ids[player] for player, _place in order][:4]
    assert (sorted(found) if seeds[:1] == ["RL02"] else found) == seeds


def test_somebody_who_has_not_played_in_the_stage_has_what_is_carried_over(cast: Cast) -> None:
    dirk, event, people = swiss(cast)
    played(event, people, 1)
    second_stage(event, carry="none")
    played(event, people[:12], 2)
    (round_,) = planned(dirk, sizes=[4])["rounds"]
    said = {
        who: score
        for one in round_["explanations"]
        for who, score in zip(one["players"], one["scores"], strict=False)
    }
    assert said[people[1].player_id] == "5"
    assert said.get(people[13].player_id, "") == ""


def test_page_proposes_what_the_stage_says(cast: Cast) -> None:
    dirk, event, people = swiss(cast)
    page = dirk.get(PAGE).content.decode()
    assert "Next: Qualifying, round 1 of 2." in page
    assert 'value="swiss" id="id_movement_2" checked' in page
    played(event, people, 1)
    played(event, people, 2)
    plan_stage(actor=TESTS, event=event, fields={"name": "Final", "carry": "half"}, now=NOW)
    page = dirk.get(PAGE).content.decode()
    assert (
        "All 2 rounds of Qualifying are seated. Close the last round, then begin Final."
        in " ".join(page.split())
    )
    begin_stage(actor=TESTS, event=event, number=2, now=NOW)
    page = dirk.get(PAGE).content.decode()
    assert "Next: Final, round 1. Earlier games count half." in page
