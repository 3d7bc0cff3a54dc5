"""The rounds of a knock-out as its stage says: table sizes, who goes on, seeds, a consolation."""

import pytest

from tests.support.answers import Json, post_json
from tests.support.builders import TESTS, finished
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.cups import PLANS, E, cup, planned, play, post
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Round, RoundState, SitOut
from tournaments.services.publishing.publications import publish
from tournaments.services.stages.plan_stages import begin_stage, change_stage

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


def tables(plan: Json) -> list[list[str]]:
    return [one["seats"] for one in plan["rounds"][0]["tables"]]


def test_second_round_follows_the_rule_of_the_stage_and_nobody_who_is_out_is_missed(
    cast: Cast,
) -> None:
    dirk, event = cup(
        cast, 12, table_sizes=[4], each_round={"each_table": 1, "wild_cards": 1}, seeding="ladder"
    )
    Event.objects.update(settings={**event.settings, "table_ties": "standings"})
    first = planned(dirk)
    assert [len(table) for table in tables(first)] == [4, 4, 4]
    round_ = post(dirk, first)
    play(round_)
    second = planned(dirk)
    winners = {table[1] for table in tables(first)}
    playing = {one for table in tables(second) for one in table}
    assert winners < playing
    assert len(playing) == 4
    by_code = {one.code: one.members.get().player.name for one in event.entrants.all()}
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
    change_stage(actor=TESTS, event=event, number=1, fields={"seeding": "lot"}, now=NOW)
    shown = dirk.get(f"{E}/stages/1/bracket").json()
    order = {one["player_id"]: at for at, one in enumerate(shown["seeds"], 1)}
    seeds = [sorted(order[one] for one in table) for table in tables(planned(dirk, seed=6))]
    assert [1, 8, 9, 16] in seeds


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
    assert "3 players are here for Cup. Its smallest table has 4 seats." in error["message"]
    refused = post_json(dirk, PLANS, {"movement": "knockout", "stage": 7})
    assert codes(refused) == ["stage_not_playing"]


def test_consolation_is_for_the_losers_of_the_round_and_is_played_beside_the_cup(
    cast: Cast,
) -> None:
    dirk, event = cup(cast, table_sizes=[4])
    first = planned(dirk)
    play(post(dirk, first))
    made = post_json(
        dirk,
        f"{E}/stages",
        {
            "movement": "knockout", "name": "Consolation", "takes": "losers", "from_stage": 1,
            "from_round": 1, "table_sizes": [4], "carry": "none",
        },
    )  # fmt: skip
    assert (made.status_code, made.json()["from_round"]) == (201, 1)
    second = post(dirk, planned(dirk))
    publish(event.pk, now=NOW)
    begin_stage(actor=TESTS, event=event, number=2, now=NOW)
    losers = {table[at] for table in tables(first) for at in (0, 3)}
    beside = planned(dirk, stage=2)
    assert {one for table in tables(beside) for one in table} == losers
    post(dirk, beside)
    play(second)
    final = planned(dirk, stage=1)
    assert not losers & {one for table in tables(final) for one in table}
    drawn = dirk.get(f"{E}/stages/2/bracket").json()
    assert [one["number"] for one in drawn["rounds"]] == [3]
    assert [one["number"] for one in dirk.get(f"{E}/stages/1/bracket").json()["rounds"]] == [1, 2]
