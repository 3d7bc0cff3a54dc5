"""Stages over REST: planned, begun, their bracket, late entrants, who comes back."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from scoring.errors import Refused
from tests.support.answers import Json, SignIn, codes, post_json, text_of
from tests.support.builders import (
    NOW,
    Cast,
    Evening,
    by_tests,
    finished,
    hand,
    league,
    players,
    table,
)
from tests.support.evenings import check_in, evening
from tests.support.scenarios.cuts import LATER, NAMES, asked, before_a_cut, chosen, close, correct
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event, Stage
from tournaments.models.hands import Game
from tournaments.models.rounds import Meeting, Round, RoundState, Sitting
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.stages import get_stage
from tournaments.services.events.events import enter_players
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import move_round
from tournaments.services.stages.cuts import undo_cut
from tournaments.services.stages.plan_stages import (
    begin_stage,
    change_stage,
    move_stage,
    remove_stage,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_bracket_has_seeds_then_tables_and_who_went_on(over: Evening, signed_in: SignIn) -> None:
    dirk = signed_in("dirk")
    post_json(dirk, f"{over.at}/stages", {"movement": "knockout", "name": "Cup"})
    public = over.cast.client()
    first = public.get(f"{over.at}/stages/2/bracket").json()
    assert (first["rounds"], len(first["seeds"]), first["seeding"]) == ([], 4, "standings")
    lots = public.get(f"{over.at}/stages/2/bracket?seeding=lot").json()
    assert sorted(one["player_id"] for one in lots["seeds"]) == ["RL01", "RL02", "RL03", "RL04"]
    assert public.get(f"{over.at}/stages/2/bracket?seeding=age").status_code == 400
    assert public.get(f"{over.at}/stages/1/bracket").status_code == 404
    post_json(dirk, f"{over.at}/stages/2/begin", {})
    hand(table(over.event, over.people, round_number=2), 1, [1, 2, 4, 6], 3)
    close(over.event, 2)
    post_json(dirk, f"{over.at}/stages", {"advance": {"each_table": 2}, "movement": "knockout"})
    post_json(dirk, f"{over.at}/stages/3/begin", {})
    drawn = public.get(f"{over.at}/stages/3/bracket").json()
    assert drawn["seeds"] == []
    (round_,) = drawn["rounds"]
    (cup,) = round_["tables"]
    assert [(one["player_id"], one["place"], one["went_on"]) for one in cup["entrants"]] == [
        ("RL01", 1, True), ("RL02", 2, True), ("RL03", 3, False), ("RL04", 4, False),
    ]  # fmt: skip
    page = public.get(f"/clubs/riverside/events/{over.event.slug}/stages/3/bracket")
    assert page.status_code == 200
    assert page.content.decode().count("went on</span>") == 2


EVENT = "/clubs/riverside/events/league"
BRACKET = f"{EVENT}/stages/1/bracket"
API = f"/api/v1{EVENT}"


def cup(cast: Cast, head_count: int, sizes: list[int]) -> tuple[Client, Event, Meeting]:
    """A cup whose first round is posted."""
    event = league(cast.riverside, settings={"primary": "placement_points"})
    meeting, people = evening(event, head_count)
    enter_players(event=event, players=people)
    fields: dict[str, Any] = {"movement": "knockout", "name": "Cup", "table_sizes": sizes}
    change_stage(by_tests(), get_stage(event, 1), fields=fields)
    dirk = cast.client("dirk")
    draw(dirk)
    return dirk, event, meeting


def plan(dirk: Client) -> Json:
    made = post_json(dirk, f"{API}/meetings/2025-11-13/plans", {"movement": "knockout"})
    assert made.status_code == 201, made.content
    found: Json = made.json()["plans"][0]
    return found


def draw(dirk: Client) -> None:
    code = plan(dirk)["id"]
    assert post_json(dirk, f"{API}/plans/{code}/choose", {}).status_code == 200
    chosen = SeatingPlan.objects.select_related("event__club", "meeting", "club").get(
        public_id=code
    )
    round_ = make_round_of_plan(by_tests(), chosen)
    move_round(by_tests(), round_, to="posted")


def enter(event: Event, meeting: Meeting, *names: str) -> None:
    people = players(event.club, *names)
    check_in(meeting, people)
    enter_players(event=event, players=people)


def late(client: Client) -> list[Json]:
    found: list[Json] = client.get(f"/api/v1{BRACKET}").json()["late"]
    return found


def test_who_enters_after_the_draw_gets_a_bye_and_plays_the_next_round(cast: Cast) -> None:
    dirk, event, meeting = cup(cast, 16, [3, 4])
    assert late(dirk) == []
    enter(event, meeting, "Kim L.")
    (row,) = late(dirk)
    assert (row["kind"], row["round"], row["tables"]) == ("entered", 1, [])
    assert row["text"] == (
        "Kim L. is not in the draw of Cup. No table without hands has a free place. Kim L. can "
        "get a bye in round 1 and go on to the next round."
    )
    assert row["text"] in text_of(dirk.get(BRACKET))
    assert late(cast.client()) == []
    assert "Kim L." not in text_of(cast.client().get(BRACKET))

    seated = Sitting.objects.count()
    form = {"entrant": row["player_id"], "reason": "bye"}
    assert dirk.post(f"{EVENT}/rounds/1/sit-outs", form).status_code == 302
    assert (late(dirk), Sitting.objects.count()) == ([], seated)
    for game in Game.objects.all():
        finished(game, (4, 1, 2, 6))
    Round.objects.update(state=RoundState.CLOSED)
    publish(event.pk, now=NOW)
    (round_,) = plan(dirk)["rounds"]
    playing = {one for table in round_["tables"] for one in table["seats"]}
    assert row["player_id"] in playing | set(round_["sitting_out"])


def test_no_bye_is_proposed_after_which_the_next_rounds_cannot_be_seated(cast: Cast) -> None:
    dirk, event, meeting = cup(cast, 16, [4])
    enter(event, meeting, "Kim L.")
    (row,) = late(dirk)
    assert (row["tables"], row["may_bye"]) == ([], False)
    assert row["text"].endswith(
        "the next rounds do not fit the table sizes of the stage. Kim L. can take the place of "
        "somebody who leaves before the first hand of a table."
    )
    page = dirk.get(BRACKET).content.decode()
    assert f'{EVENT}/rounds/1"' in page
    assert "Bye for Kim L." not in page


def test_who_enters_can_take_a_free_place_at_a_table_without_hands(cast: Cast) -> None:
    dirk, event, meeting = cup(cast, 10, [3, 4])
    enter(event, meeting, "Kim L.")
    (row,) = late(dirk)
    assert len(row["tables"]) == 2
    first, other = row["tables"]
    assert (
        f"can take a free place at table {first[3:]}, {other[3:]}. Kim L. can get a bye"
        in row["text"]
    )
    hand(Game.objects.get(table__code=first), 1, [4, 5, 4], 1)
    assert late(dirk)[0]["tables"] == [other]
    page = dirk.get(BRACKET).content.decode()
    assert f'href="{EVENT}/tables/{other}/seating"' in page
    assert f'href="{EVENT}/tables/{first}/seating"' not in page


def test_who_withdraws_after_the_draw_is_at_a_table_until_a_walk_over(cast: Cast) -> None:
    dirk, event, _meeting = cup(cast, 8, [4])
    Entrant.objects.filter(event=event, code="RL03").update(state="withdrawn")
    (row,) = late(dirk)
    (table,) = row["tables"]
    assert (row["kind"], row["player_id"]) == ("withdrew", "RL03")
    assert f"Record a walk-over at table {table[3:]}, and the others go on or play" in row["text"]
    assert f"Walk-over at table {table[3:]}" in text_of(dirk.get(BRACKET))
    said = post_json(
        dirk, f"{API}/tables/{table}/walk-overs", {"player_id": "RL03", "reason": "Ill."}
    )
    assert said.status_code in (200, 201), said.content
    assert late(dirk) == []


def test_bracket_costs_the_same_queries_for_more_players(cast: Cast) -> None:
    dirk, event, meeting = cup(cast, 8, [3, 4])
    found = []
    for names in (("Kim L.",), tuple(f"Guest {at}" for at in range(12))):
        enter(event, meeting, *names)
        dirk.get(BRACKET)
        with CaptureQueriesContext(connection) as queries:
            dirk.get(BRACKET)
        found.append(len(queries))
    assert len({*found}) == 1, found


def test_who_enters_after_the_first_round_is_named(cast: Cast) -> None:
    dirk, event, meeting = cup(cast, 16, [4])
    for game in Game.objects.all():
        finished(game, (4, 1, 2, 6))
    Round.objects.update(state=RoundState.CLOSED)
    publish(event.pk, now=NOW)
    assert late(dirk) == []
    enter(event, meeting, "Kim L.")
    (row,) = late(dirk)
    assert (row["kind"], row["tables"], row["may_bye"]) == ("too_late", [], False)
    assert row["text"] == (
        "Kim L. entered after round 1 of Cup and is not in its draw. Nobody can join a knock-out "
        "after its first round. Kim L. can play in a consolation, or as a substitute."
    )
    assert row["text"] in text_of(dirk.get(BRACKET))
    assert "Kim L." not in text_of(cast.client().get(BRACKET))
    page = f"{EVENT}/meetings/2025-11-13/plans"
    assert row["text"] in text_of(dirk.get(page))


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
        made = post_json(dirk, f"{E}/stages", body)
        assert made.status_code == 201, made.content
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


def test_best_of_the_consolation_come_back_into_the_final_table(
    cast: Cast, event: Event, people: list[Player]
) -> None:
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
    by_code = {one.player_id: one for one in people}
    four = [by_code[code] for code in chosen(final)]
    hand(table(event, four, round_number=3), 1, [1, 2, 4, 6], 3)
    close(event, 3)
    cup, last = dirk.get(f"{E}/stages/3/bracket").json()["rounds"]
    went_on = [one["player_id"] for at in cup["tables"] for one in at["entrants"] if one["went_on"]]
    assert sorted(went_on) == ["RL01", "RL05"]
    (at_table,) = last["tables"]
    back = {one["player_id"]: one["came_back_from"] for one in at_table["entrants"]}
    assert {code for code, name in back.items() if name == "Consolation"} == set(back) - {
        "RL01", "RL05",
    }  # fmt: skip
    page = text_of(cast.client().get("/clubs/riverside/events/league/stages/3/bracket"))
    assert "from Consolation" in page


def test_tie_for_the_last_place_back_is_named_or_shared(
    cast: Cast, event: Event, people: list[Player]
) -> None:
    planned(cast, also_best=1)
    consoled(event, people, [3, 3, 4, 3])
    Event.objects.filter(pk=event.pk).update(settings={**event.settings, "playoff": "share"})
    assert len(chosen(begin(event, 3))) >= 3
    undo_cut(by_tests(LATER), get_stage(event, 3), reason="Another rule.")
    tied = Stage.objects.get(number=3)
    assert (tied.plan, tied.also_best) == ("planned", 1)


def test_correction_of_the_consolation_asks_who_comes_back(
    cast: Cast, event: Event, people: list[Player]
) -> None:
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


def test_stage_that_some_come_back_from_stays_before_and_is_not_removed(
    cast: Cast, event: Event
) -> None:
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
