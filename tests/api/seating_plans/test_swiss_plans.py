"""The next Swiss or knock-out round of an event over REST and on its page, by a director."""

from itertools import combinations

from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.answers import Json, post_json
from tests.support.builders import finished, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.evenings import check_in, evening
from tests.support.lengths import short_or_long
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes, refusal
from tests.support.scenarios.cuts import correct
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting, Round, RoundState
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.services.publishing.publications import publish

E = "/api/v1/clubs/riverside/events/league"
PLANS = f"{E}/meetings/2025-11-13/plans"
PAGE = "/clubs/riverside/events/league/meetings/2025-11-13/plans"


def started(cast: Cast, head_count: int = 16) -> tuple[Client, Event, list[Player]]:
    event = league(cast.riverside, settings={"primary": "placement_points"})
    _meeting, people = evening(event, head_count)
    return cast.client("dirk"), event, people


def played(event: Event, people: list[Player], number: int) -> list[frozenset[str]]:
    """Play a round at tables of four, and publish it: seat 2 wins, then 3, 1 and 4."""
    fours = [people[at : at + 4] for at in range(0, len(people), 4)]
    for at, four in enumerate(fours, 1):
        finished(table(event, four, round_number=number, table_number=at))
    Round.objects.filter(event=event, number=number).update(state=RoundState.CLOSED)
    publish(event.pk, now=NOW)
    return [frozenset(one.player_id for one in four) for four in fours]


def planned(client: Client, movement: str = "swiss", **more: object) -> Json:
    response = post_json(client, PLANS, {"movement": movement, "sizes": [4, 3], **more})
    assert response.status_code == 201, response.content
    plan: Json = response.json()["plans"][0]
    return plan


def test_first_round_is_drawn_by_lot_without_scores(cast: Cast) -> None:
    dirk, _event, _people = started(cast)
    plan = planned(dirk, seed=4)
    (round_,) = plan["rounds"]
    assert (plan["movement"], plan["status"], plan["round_count"]) == ("swiss", "ready", 1)
    assert len(round_["explanations"]) == 24
    assert {tuple(explanation["codes"]) for explanation in round_["explanations"]} == {("not_met",)}
    assert round_["floats"] == []
    assert planned(dirk, seed=4)["rounds"] == plan["rounds"]


def test_second_round_seats_equal_scores_who_have_not_met_and_says_so(cast: Cast) -> None:
    dirk, event, people = started(cast)
    before = played(event, people, 1)
    (round_,) = planned(dirk)["rounds"]
    tables = [frozenset(one["seats"]) for one in round_["tables"]]
    assert all(len(one & two) == 1 for one in tables for two in before)
    second = people[1::4]
    assert frozenset(one.player_id for one in second) in tables, "the four winners meet"
    assert {tuple(explanation["codes"]) for explanation in round_["explanations"]} == {
        ("same_score", "not_met")
    }
    winners = {one.player_id for one in second}
    (text, *_more) = [
        explanation["text"]
        for explanation in round_["explanations"]
        if {*explanation["players"]} <= winners
    ]
    assert text.endswith("both 5, not met before.")


def test_round_is_refused_while_one_is_open_or_not_published(cast: Cast) -> None:
    dirk, event, people = started(cast, 8)
    for at in (0, 4):
        finished(table(event, people[at : at + 4], table_number=1 + at // 4))
    assert refusal(post_json(dirk, PLANS, {"movement": "swiss"})) == (422, ["round_not_closed"])
    Round.objects.filter(event=event).update(state=RoundState.CLOSED)
    refused = post_json(dirk, PLANS, {"movement": "swiss"})
    assert (refused.status_code, codes(refused)) == (422, ["standings_not_published"])
    assert not SeatingPlan.objects.exists()
    publish(event.pk, now=NOW)
    assert planned(dirk)["status"] == "ready"
    refused = post_json(dirk, PLANS, {"movement": "swiss", "rounds": 3})
    assert codes(refused) == ["one_round_at_a_time"]


def test_knockout_takes_the_best_two_of_each_table(cast: Cast) -> None:
    dirk, event, people = started(cast)
    first = planned(dirk, "knockout", seed=1)
    assert post_json(dirk, f"{E}/plans/{first['id']}/choose", {}).status_code == 200
    (round_,) = first["rounds"]
    assert [len(one["tables"]) for one in round_["bracket"]] == [4, 2, 1]
    by_id = {person.player_id: person for person in people}
    tables = [[by_id[seat] for seat in each["seats"]] for each in round_["tables"]]
    meeting = SeatingPlan.objects.get().meeting
    for at, four in enumerate(tables, 1):
        finished(table(event, four, table_number=at, on=meeting.date))
    Round.objects.filter(event=event).update(state=RoundState.CLOSED)
    publish(event.pk, now=NOW)
    (next_,) = planned(dirk, "knockout")["rounds"]
    through = {one.player_id for four in tables for one in four[1:3]}
    assert {seat for each in next_["tables"] for seat in each["seats"]} == through
    met = {
        frozenset(pair) for four in tables for pair in combinations([p.player_id for p in four], 2)
    }
    for each in next_["tables"]:
        assert not met & {frozenset(pair) for pair in combinations(each["seats"], 2)}


def test_correction_of_an_early_round_makes_the_plan_outdated(cast: Cast) -> None:
    dirk, event, people = started(cast)
    played(event, people, 1)
    plan = planned(dirk)
    finished(table(event, people[:4], round_number=2))
    Round.objects.filter(event=event, number=2).update(state=RoundState.CLOSED)
    publish(event.pk, now=NOW)
    assert "The standings changed since." in dirk.get(PAGE).content.decode()
    refused = post_json(dirk, f"{E}/plans/{plan['id']}/choose", {})
    assert (refused.status_code, codes(refused)) == (409, ["plan_scores_changed"])


def test_page_of_a_table_says_why_its_players_meet_once_the_round_is_posted(cast: Cast) -> None:
    dirk, event, people = started(cast)
    played(event, people, 1)
    plan = planned(dirk)
    post_json(dirk, f"{E}/plans/{plan['id']}/choose", {})
    response = post_json(dirk, f"{E}/rounds", {"plan": plan["id"]})
    assert response.status_code == 201, response.content
    own = people[1]  # who won, and meets the other winners
    own.user = cast.users["piet"]
    own.save(update_fields=["user"])
    tables = plan["rounds"][0]["tables"]
    at = 1 + next(n for n, one in enumerate(tables) if own.player_id in one["seats"])
    page = f"/clubs/riverside/events/league/tables/r2t{at}"
    assert "Why these players meet" not in text_of(dirk.get(page))
    posted = post_json(dirk, f"{E}/rounds/2/state", {"to": "posted"})
    assert posted.status_code == 200, posted.content
    public, theirs = text_of(cast.client().get(page)), text_of(cast.client("piet").get(page))
    lines = [f"You meet {person.name}: both 5, not met before." for person in people[5::4]]
    assert [line for line in lines if line not in theirs] == []
    assert (theirs.count("You meet"), theirs.count(" meets ")) == (3, 3)
    assert (public.count("You meet"), public.count(" meets ")) == (0, 6)
    other = 1 + at % 4
    elsewhere = text_of(cast.client("piet").get(page.replace(f"t{at}", f"t{other}")))
    assert (elsewhere.count("You meet"), elsewhere.count(" meets ")) == (0, 6)


def test_page_of_plans_costs_the_same_queries_for_more_players(cast: Cast) -> None:
    dirk, event, people = started(cast, 8)
    meeting = Meeting.objects.get(event=event, date="2025-11-13")
    played(event, people, 1)
    found = []
    for head_count in (8, 16, 24):
        names = [f"Guest {at}" for at in range(len(people), head_count)]
        people += players(event.club, *names)
        check_in(meeting, people)
        planned(dirk)
        dirk.get(PAGE)
        with CaptureQueriesContext(connection) as queries:
            assert "Why these tables" in dirk.get(PAGE).content.decode()
        found.append(len(queries))
    assert len({*found}) == 1, found


def seats_of_round(number: int) -> list[set[str]]:
    ids = dict(Player.objects.values_list("pk", "player_id"))
    tables = round_seating(Round.objects.get(number=number)).tables
    return [{ids[player] for player in table.players} for table in tables]


def test_correction_of_an_early_round_plans_again_only_what_is_not_posted(db: None) -> None:
    """Whatever is corrected, and whether round 2 is a draft or posted at that moment."""

    @settings(deadline=None, max_examples=short_or_long(4, 40))
    @given(
        st.booleans(),
        st.sampled_from(["r1t1", "r1t2", "r1t4"]),
        st.permutations([4, 1, 2, 6]),
        st.integers(0, 3),
    )
    @example(True, "r1t1", [6, 4, 1, 2], 0)
    @example(False, "r1t1", [6, 4, 1, 2], 0)
    def run(is_posted: bool, table_code: str, hearts: list[int], queen: int) -> None:
        with transaction.atomic():
            dirk, event, people = started(enter_the_cast())
            played(event, people, 1)
            body = {"plan": choose_plan(dirk)["id"]}
            assert post_json(dirk, f"{E}/rounds", body).status_code == 201
            if is_posted:
                assert post_json(dirk, f"{E}/rounds/2/state", {"to": "posted"}).status_code == 200
            before = seats_of_round(2)
            correct(event, table_code, hearts, queen)
            assert seats_of_round(2) == before, "nobody moves by itself"
            if is_posted:
                again = post_json(dirk, PLANS, {"movement": "swiss", "sizes": [4, 3]})
                assert (again.status_code, codes(again)) == (422, ["round_not_closed"])
                assert seats_of_round(2) == before
            else:
                plan = choose_plan(dirk)
                tag = round_seating(Round.objects.get(number=2)).tag
                page = PAGE.replace("plans", "seating")
                used = dirk.post(page, {"do": "redraw", "round": "2", "tag": tag})
                assert used.status_code == 302, text_of(used)
                seats = [{*one["seats"]} for one in plan["rounds"][0]["tables"]]
                assert seats_of_round(2) == seats
            transaction.set_rollback(True)

    run()


def choose_plan(client: Client) -> Json:
    plan = planned(client)
    chosen = post_json(client, f"{E}/plans/{plan['id']}/choose", {})
    assert chosen.status_code == 200, chosen.content
    return plan
