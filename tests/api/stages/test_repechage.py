"""Losers of a knock-out come back: the best of the consolation play in the final table."""

import json
from typing import Any

import pytest
from django.test import Client

from scoring.errors import Refused
from tests.support.answers import Json, post_json
from tests.support.builders import by_tests, hand, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.cuts import LATER, NAMES, asked, before_a_cut, chosen, close, correct
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.selectors.stages import get_stage
from tournaments.services.publishing.publications import publish
from tournaments.services.stages.cuts import undo_cut
from tournaments.services.stages.plan_stages import (
    begin_stage,
    change_stage,
    move_stage,
    remove_stage,
)

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]

E = "/api/v1/clubs/riverside/events/league"
PAGES = "/clubs/riverside/events/league"
CONSOLATION = {
    "name": "Consolation", "movement": "knockout", "takes": "losers", "from_stage": 1,
    "from_round": 1, "carry": "none",
}  # fmt: skip
FINAL = {
    "name": "Final", "movement": "knockout", "from_stage": 1, "advance": {"each_table": 1},
    "also_from": 2, "also_best": 2, "carry": "none",
}  # fmt: skip


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *NAMES)


@pytest.fixture
def event(people: list[Player]) -> Event:
    """A cup of eight after its first round: RL01 and RL05 won, six lost."""
    event = before_a_cut(people)
    first = {"movement": "knockout", "name": "Cup"}
    Stage.objects.filter(event=event, number=1).update(kind="knockout", name=first["name"])
    publish(event.pk, now=NOW)
    return event


def planned(cast: Cast, **final: object) -> Client:
    dirk = cast.client("dirk")
    for body in (CONSOLATION, {**FINAL, **final}):
        response = post_json(dirk, f"{E}/stages", body)
        assert response.status_code == 201, response.content
    return dirk


def begin(event: Event, number: int) -> Stage:
    return begin_stage(by_tests(LATER), get_stage(event, number))


def consoled(event: Event, people: list[Player], hearts: list[int]) -> None:
    """The consolation begins, and four of it play a round: RL02, RL03, RL06 and RL07."""
    begin(event, 2)
    publish(event.pk, now=NOW)
    hand(table(event, [people[at] for at in (1, 2, 5, 6)], round_number=2), 1, hearts, 3)
    close(event, 2)


def ranks(event: Event) -> dict[str, Any]:
    publication = publish(event.pk, now=LATER)
    assert publication is not None
    rows: list[Json] = json.loads(bytes(publication.body))["rows"]
    return {row["player_id"]: row.get("stage") for row in rows}


def test_best_of_the_consolation_come_back(cast: Cast, event: Event, people: list[Player]) -> None:
    read = planned(cast).get(f"{E}/stages/3").json()
    assert (read["also_from"], read["also_best"]) == (2, 2)
    listed = text_of(cast.client().get("/clubs/riverside/events/league/stages"))
    assert "the best of each table of Cup, and the best 2 of Consolation" in listed
    begin(event, 2)
    assert chosen(Stage.objects.get(number=2)) == ["RL02", "RL03", "RL04", "RL06", "RL07", "RL08"]
    publish(event.pk, now=NOW)
    hand(table(event, [people[at] for at in (1, 2, 5, 6)], round_number=2), 1, [6, 1, 4, 2], 1)
    with pytest.raises(Conflict, match="cut_round_open"):
        begin(event, 3)
    close(event, 2)
    final = begin(event, 3)
    came_back = set(chosen(final)) - {"RL01", "RL05"}
    assert (final.cut, len(came_back)) == (4, 2)
    assert came_back < {"RL03", "RL06", "RL07"}
    on = ranks(event)
    assert list(on)[:4] == [code for code in on if code in chosen(final)]
    assert all(on[code] == "Final" for code in chosen(final))


def test_bracket_says_who_came_back_and_that_they_did_not_go_on(
    cast: Cast, event: Event, people: list[Player]
) -> None:
    dirk = planned(cast)
    consoled(event, people, [6, 1, 2, 4])
    final = begin(event, 3)
    by_code = {person.player_id: person for person in people}
    four = [by_code[code] for code in chosen(final)]
    hand(table(event, four, round_number=3), 1, [1, 2, 4, 6], 3)
    close(event, 3)
    cup, last = dirk.get(f"{E}/stages/3/bracket").json()["rounds"]
    went_on = [
        entrant["player_id"]
        for at in cup["tables"]
        for entrant in at["entrants"]
        if entrant["went_on"]
    ]
    assert sorted(went_on) == ["RL01", "RL05"]
    (at_table,) = last["tables"]
    back = {entrant["player_id"]: entrant["came_back_from"] for entrant in at_table["entrants"]}
    assert {code for code, name in back.items() if name == "Consolation"} == set(back) - {
        "RL01", "RL05",
    }  # fmt: skip
    page = text_of(cast.client().get("/clubs/riverside/events/league/stages/3/bracket"))
    assert "from Consolation" in page


def test_tie_for_the_last_place_is_shared(cast: Cast, event: Event, people: list[Player]) -> None:
    planned(cast, also_best=1)
    consoled(event, people, [3, 3, 4, 3])
    Event.objects.filter(pk=event.pk).update(settings={**event.settings, "playoff": "share"})
    assert len(chosen(begin(event, 3))) >= 3
    undo_cut(by_tests(LATER), get_stage(event, 3), reason="Another rule.")
    tied = Stage.objects.get(number=3)
    assert (tied.plan, tied.also_best) == ("planned", 1)


def test_correction_of_consolation_asks(cast: Cast, event: Event, people: list[Player]) -> None:
    planned(cast)
    consoled(event, people, [6, 1, 2, 4])
    final = begin(event, 3)
    publish(event.pk, now=LATER)
    correct(event, "r2t1", [5, 1, 3, 4])
    assert asked(final) is None
    correct(event, "r2t1", [1, 6, 4, 2], 1)
    question = asked(final)
    assert question is not None
    assert question["above"] == 4


@pytest.mark.parametrize(
    ("change", "code", "at"),
    [
        ({"also_best": 0}, "bad_also_best", "/also_best"),
        ({"also_best": "many"}, "bad_also_best", "/also_best"),
        ({"also_best": None}, "also_from_alone", "/also_best"),
        ({"also_from": None}, "also_from_alone", "/also_from"),
        ({"also_from": 1}, "also_from_twice", "/also_from"),
        ({"also_from": 3}, "unknown_also_from", "/also_from"),
        ({"also_from": "x"}, "unknown_also_from", "/also_from"),
        ({"advance": None}, "also_from_without_rule", "/advance"),
    ],
)
def test_second_stage_that_does_not_fit_is_refused(
    cast: Cast, event: Event, change: dict[str, object], code: str, at: str
) -> None:
    dirk = cast.client("dirk")
    assert post_json(dirk, f"{E}/stages", CONSOLATION).status_code == 201
    answer = post_json(dirk, f"{E}/stages", {**FINAL, **change})
    assert (answer.status_code, codes(answer)) == (422, [code])
    assert answer.json()["errors"][0]["pointer"] == at
    assert Stage.objects.count() == 2


def test_stage_some_come_back_from_stays_before_it_and_is_kept(cast: Cast, event: Event) -> None:
    planned(cast)
    with pytest.raises(Conflict, match="stage_is_source"):
        remove_stage(by_tests(LATER), get_stage(event, 2))
    with pytest.raises(Refused, match="unknown_also_from"):
        move_stage(by_tests(LATER), get_stage(event, 3), to=2)
    nobody = {"also_from": None, "also_best": None}
    change_stage(by_tests(LATER), get_stage(event, 3), fields=nobody)
    remove_stage(by_tests(LATER), get_stage(event, 2))


def test_page_plans_a_stage_with_those_who_come_back(cast: Cast, event: Event) -> None:
    dirk = cast.client("dirk")
    post_json(dirk, f"{E}/stages", CONSOLATION)
    typed = {
        "name": "Final", "movement": "knockout", "from_stage": "1", "advance": "each_table",
        "qualifiers": "1", "also_from": "2", "also_best": "",
    }  # fmt: skip
    refused = dirk.post(f"{PAGES}/stages/add", typed)
    assert refused.status_code == 422
    assert "Choose a second stage and how many of its best come back" in text_of(refused)
    assert dirk.post(f"{PAGES}/stages/add", {**typed, "also_best": "2"}).status_code == 302
    final = Stage.objects.get(number=3)
    assert (final.also_from, final.also_best) == (Stage.objects.get(number=2), 2)
    again = dirk.get(f"{PAGES}/stages/3/plan").content.decode()
    assert '<option value="2" selected>Consolation</option>' in again


def test_no_more_come_back_than_play_in_the_second_stage(cast: Cast, event: Event) -> None:
    dirk = planned(cast)
    begin_stage(by_tests(), get_stage(event, 2))

    def change(also_best: int) -> Any:
        return dirk.patch(
            f"{E}/stages/3", {"also_best": also_best}, "application/json",
            headers={"If-Match": "*"},
        )  # fmt: skip

    refused = change(7)
    assert (refused.status_code, codes(refused)) == (422, ["also_best_too_many"])
    assert "Only 6 play in Consolation, so 7 cannot come back" in refused.content.decode()
    assert change(6).status_code == 200
