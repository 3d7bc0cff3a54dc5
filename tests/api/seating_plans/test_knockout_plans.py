"""Rounds of a knock-out or Swiss stage follow the stage: sizes, who goes on, what is carried."""

import pytest
from django.test import Client

from tests.support.answers import Json, post_json
from tests.support.builders import by_tests, finished, league, table
from tests.support.cast import NOW, Cast
from tests.support.evenings import evening
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.cups import PLANS, E, cup, planned, play, post
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event, Stage
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, RoundState, SitOut
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.stages import get_stage
from tournaments.services.publishing.publications import publish
from tournaments.services.stages.plan_stages import begin_stage, change_stage, plan_stage

PAGE = "/clubs/riverside/events/league/meetings/2025-11-13/plans"


def tables(plan: Json) -> list[list[str]]:
    return [one["seats"] for one in plan["rounds"][0]["tables"]]


def test_second_round_follows_the_stage_rule_and_nobody_out_is_missed(cast: Cast) -> None:
    dirk, event = cup(
        cast, 12, table_sizes=[4], each_round={"each_table": 1, "wild_cards": 1}, seeding="ladder"
    )
    Event.objects.update(settings={**event.settings, "table_ties": "standings"})
    first = planned(dirk)
    assert [len(table) for table in tables(first)] == [4, 4, 4]
    play(post(dirk, first))
    second = planned(dirk)
    winners = {table[1] for table in tables(first)}
    playing = {one for table in tables(second) for one in table}
    assert winners < playing
    assert len(playing) == 4
    by_code = {entrant.code: entrant.members.get().player.name for entrant in event.entrants.all()}
    wild = by_code[(playing - winners).pop()]
    others = [by_code[table[2]] for table in tables(first) if by_code[table[2]] != wild]
    (line,) = second["rounds"][0]["forced"]
    assert line.startswith(f"{wild} before ")
    assert all(name in line for name in others)
    page = text_of(dirk.get("/clubs/riverside/events/league/meetings/2025-11-13/plans"))
    assert f"By seed 1 {line}" in page
    post(dirk, second)
    assert Round.objects.get(number=2).state == RoundState.POSTED
    assert not SitOut.objects.exists()


def test_first_round_is_seeded_by_what_is_stored(cast: Cast) -> None:
    dirk, event = cup(cast, table_sizes=[4], seeding="ladder")
    codes_ = sorted(Entrant.objects.filter(event=event).values_list("code", flat=True))
    for place, code in enumerate(reversed(codes_), 1):
        Entrant.objects.filter(event=event, code=code).update(start_position=place)
    by_place = {code: place for place, code in enumerate(reversed(codes_), 1)}
    seeds = [sorted(by_place[one] for one in table) for table in tables(planned(dirk, seed=5))]
    assert sorted(seeds) == [[1, 8, 9, 16], [2, 7, 10, 15], [3, 6, 11, 14], [4, 5, 12, 13]]
    change_stage(by_tests(), get_stage(event, 1), fields={"seeding": "lot"})
    body = dirk.get(f"{E}/stages/1/bracket").json()
    order = {one["player_id"]: at for at, one in enumerate(body["seeds"], 1)}
    seeds = [sorted(order[one] for one in table) for table in tables(planned(dirk, seed=6))]
    assert [1, 8, 9, 16] in seeds


@pytest.mark.parametrize(
    ("people", "repeats", "text"),
    [
        (20, 0, "No pair met before."),
        (8, 2, "Fewer are not possible where ranks decide who sits at which table."),
    ],
)
def test_second_round_says_its_repeats(cast: Cast, people: int, repeats: int, text: str) -> None:
    dirk, _event = cup(cast, people)
    play(post(dirk, planned(dirk)))
    plan = planned(dirk)
    assert (plan["cost"]["repeats"], plan["cost"]["known_pairs"]) == (repeats, repeats)
    (round_,) = plan["rounds"]
    assert (round_["least_repeats"], round_["is_exact"]) == (repeats, True)
    assert f"Repeated pairs {repeats} {text}" in text_of(dirk.get(PAGE))


def test_tie_at_a_table_is_named_with_what_to_do(cast: Cast) -> None:
    dirk, event = cup(cast, 8, table_sizes=[4])
    round_ = post(dirk, planned(dirk))
    for game in Game.objects.filter(table__round=round_):
        finished(game, (5, 5, 3, 0))
    Round.objects.filter(pk=round_.pk).update(state=RoundState.CLOSED)
    publish(event.pk, now=NOW)
    refused = post_json(dirk, PLANS, {"movement": "knockout"})
    assert (refused.status_code, codes(refused)) == (422, ["table_tie_found"] * 2)
    error, _other = refused.json()["errors"]
    assert "are tied for place 2 at table 1 of round 1, the last one that goes" in error["message"]
    assert error["message"].endswith(
        "Their play-off is being prepared. Try again in a few seconds."
    )


def test_too_few_for_a_table_of_the_stage_is_named(cast: Cast) -> None:
    dirk, _event = cup(cast, 3, table_sizes=[4])
    refused = post_json(dirk, PLANS, {"movement": "knockout"})
    assert (refused.status_code, codes(refused)) == (422, ["knockout_too_few"])
    (error,) = refused.json()["errors"]
    assert "Players here for Cup: 3. Its smallest table has 4 seats." in error["message"]
    refused = post_json(dirk, PLANS, {"movement": "knockout", "stage": 7})
    assert codes(refused) == ["stage_not_playing"]


def test_consolation_is_for_losers_of_the_round_and_is_played_beside_the_cup(cast: Cast) -> None:
    dirk, event = cup(cast, table_sizes=[4])
    first = planned(dirk)
    play(post(dirk, first))
    response = post_json(
        dirk,
        f"{E}/stages",
        {
            "movement": "knockout", "name": "Consolation", "takes": "losers", "from_stage": 1,
            "from_round": 1, "table_sizes": [4], "carry": "none",
        },
    )  # fmt: skip
    assert (response.status_code, response.json()["from_round"]) == (201, 1)
    second = post(dirk, planned(dirk))
    publish(event.pk, now=NOW)
    begin_stage(by_tests(), get_stage(event, 2))
    losers = {table[at] for table in tables(first) for at in (0, 3)}
    beside = planned(dirk, stage=2)
    assert {one for table in tables(beside) for one in table} == losers
    post(dirk, beside)
    play(second)
    final = planned(dirk, stage=1)
    assert not losers & {one for table in tables(final) for one in table}
    drawn = dirk.get(f"{E}/stages/2/bracket").json()
    assert [round_["number"] for round_ in drawn["rounds"]] == [3]
    assert [round_["number"] for round_ in dirk.get(f"{E}/stages/1/bracket").json()["rounds"]] == [
        1,
        2,
    ]


def swiss(cast: Cast, head_count: int = 16, **more: object) -> tuple[Client, Event, list[Player]]:
    event = league(cast.riverside, settings={"primary": "placement_points"})
    _meeting, people = evening(event, head_count)
    fields = {"name": "Qualifying", "movement": "swiss", "rounds": 2, "table_sizes": [4], **more}
    change_stage(by_tests(), get_stage(event, 1), fields=fields)
    return cast.client("dirk"), event, people


def played(event: Event, people: list[Player], number: int) -> None:
    """Play a round at tables of four, and publish it: seat 2 wins, then 3, 1 and 4."""
    for at in range(0, len(people), 4):
        finished(table(event, people[at : at + 4], round_number=number, table_number=1 + at // 4))
    Round.objects.filter(event=event, number=number).update(state=RoundState.CLOSED)
    publish(event.pk, now=NOW)


def second_stage(event: Event, **fields: object) -> Stage:
    plan_stage(by_tests(), event, fields={"movement": "swiss", **fields})
    stage = begin_stage(by_tests(), get_stage(event, 2))
    publish(event.pk, now=NOW)
    return stage


def make_plan(client: Client, **body: object) -> Json:
    response = post_json(client, PLANS, {"seed": 3, **body})
    assert response.status_code == 201, response.content
    plan: Json = response.json()["plans"][0]
    return plan


def test_plan_without_a_movement_is_the_one_of_the_stage(cast: Cast) -> None:
    dirk, _event, _people = swiss(cast, 15)
    plan = make_plan(dirk)
    (round_,) = plan["rounds"]
    assert (plan["movement"], plan["round_count"]) == ("swiss", 1)
    assert [len(one["seats"]) for one in round_["tables"]] == [4, 4, 4]
    assert len(round_["sitting_out"]) == 3
    named = make_plan(dirk, movement="individual", sizes=[4, 3])
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
    plan = make_plan(dirk, sizes=[4])
    assert {
        tuple(explanation["codes"]) for explanation in plan["rounds"][0]["explanations"]
    } <= codes
    said = [explanation["scores"] for explanation in plan["rounds"][0]["explanations"]]
    assert {text for pair in said for text in pair} == texts
    chosen = post_json(dirk, f"{E}/plans/{plan['id']}/choose", {})
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
    make_plan(dirk, sizes=[4])
    order = sorted(SeatingPlan.objects.get().inputs["standing"], key=lambda row: row[1])
    ids = {person.pk: person.player_id for person in people}
    found = [ids[player] for player, _place in order][:4]
    assert (sorted(found) if seeds[:1] == ["RL02"] else found) == seeds


def test_somebody_who_has_not_played_in_the_stage_has_what_is_carried_over(cast: Cast) -> None:
    dirk, event, people = swiss(cast)
    played(event, people, 1)
    second_stage(event, carry="none")
    played(event, people[:12], 2)
    (round_,) = make_plan(dirk, sizes=[4])["rounds"]
    said = {
        who: score
        for explanation in round_["explanations"]
        for who, score in zip(explanation["players"], explanation["scores"], strict=False)
    }
    assert said[people[1].player_id] == "5"
    assert said.get(people[13].player_id, "") == ""


def test_page_proposes_what_the_stage_says(cast: Cast) -> None:
    dirk, event, people = swiss(cast)
    page = dirk.get(PAGE).content.decode()
    assert "Next: Qualifying, round 1 of 2." in page
    assert '<option value="swiss" selected>' in page
    played(event, people, 1)
    played(event, people, 2)
    plan_stage(by_tests(), event, fields={"name": "Final", "carry": "half"})
    page = dirk.get(PAGE).content.decode()
    assert (
        "All 2 rounds of Qualifying are seated. Close the last round, then begin Final."
        in " ".join(page.split())
    )
    begin_stage(by_tests(), get_stage(event, 2))
    page = dirk.get(PAGE).content.decode()
    assert "Next: Final, round 1. Earlier games count half." in page
