"""Forming tables on an open night: who is free, who waits, which round, what is refused."""

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, league
from tests.support.cast import Cast
from tests.support.evenings import check_in, plans
from tests.support.fixtures import cast_with
from tests.support.scenarios.open_nights import OpenNightEvening, ids
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.rounds import Round, Sitting
from tournaments.models.seating_plans import SeatingPlan
from tournaments.models.standings import Change
from tournaments.selectors.seating_plans.people_here import OpenNight
from tournaments.services.events.entrants import add_entrant
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import move_round
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.constraints import add_constraint
from tournaments.services.seating_plans.form_tables import form_tables

pytestmark = pytest.mark.django_db

cast_once, cast = cast_with()


def code_of(night: OpenNightEvening, *picked: str) -> str:
    try:
        night.form(*picked)
    except Conflict as conflict:
        return conflict.problem.code
    except Refused as refused:
        return refused.problems[0].code
    return ""


def test_plan_of_an_open_night_has_no_rounds_and_is_chosen_at_once(event: Event) -> None:
    night = OpenNightEvening(event, 9)
    plan = SeatingPlan.objects.get()
    assert (plan.state, plan.movement, plan.rounds, plan.is_ready) == ("chosen", "open", [], True)
    check_in(night.meeting, night.people[:5], state="left")
    choose_plan(by_tests(), plan)
    with pytest.raises(Conflict, match="open_night_has_no_rounds"):
        make_round_of_plan(by_tests(), plan)


def test_tables_form_from_everybody_who_is_free_and_are_posted(event: Event) -> None:
    night = OpenNightEvening(event, 9, sizes=(4,))
    formed = night.form()
    assert [(one["code"], len(one["seats"])) for one in formed] == [("r1t1", 4), ("r1t2", 4)]
    assert Round.objects.get().state == "posted"
    (waits,) = OpenNight(night.meeting).free
    assert waits.player_id not in ids(formed[0]) | ids(formed[1])
    assert set(AuditLine.objects.get(act="form_tables").facts["tables"]["r1t1"]) == ids(formed[0])


def test_players_of_a_table_that_ended_play_again_while_the_other_one_goes_on(event: Event) -> None:
    night = OpenNightEvening(event, 8)
    first, second = night.form()
    assert code_of(night) == "too_few_free"
    night.end("r1t1")
    night.come("Wim W.", "Xaver W.")
    (new, other) = night.form()
    assert ids(new) | ids(other) == ids(first) | {"RL09", "RL10"}
    assert not ids(new) & ids(second)
    assert {new["round"], other["round"]} == {2}
    assert max([len(ids(one) & ids(first)) for one in (new, other)]) == 2
    assert {new["number"], other["number"]} == {1, 3}, "at table 2 they still play"
    seated = list(Sitting.objects.filter(round__number=2).values_list("player_id", flat=True))
    assert len(seated) == len(set(seated)) == 6


def test_walk_ins_alone_play_in_the_first_round_that_is_open(event: Event) -> None:
    night = OpenNightEvening(event, 4)
    night.form()
    night.come("Wim W.", "Xaver W.", "Yann W.")
    (table,) = night.form()
    assert table["code"] == "r1t2"
    night.end("r1t1")
    night.end("r1t2")
    move_round(by_tests(), Round.objects.get(), to="closed")
    night.come("Zita W.", "Anna W.", "Bela W.")
    assert {one["round"] for one in night.form()} == {2}


def test_table_that_is_formed_after_the_end_is_in_the_change_log(event: Event) -> None:
    night = OpenNightEvening(event, 8)
    night.form()
    night.end("r1t1")
    night.end("r1t2")
    end_evening(by_tests(), night.meeting)
    night.form()
    lines = Change.objects.filter(kind__contains="_evening").order_by("pk")
    assert [(line.kind, line.facts.get("rounds")) for line in lines] == [
        ("end_evening", None),
        ("continue_evening", [2]),
    ]


def test_who_waited_gets_the_next_table(event: Event) -> None:
    night = OpenNightEvening(event, 5, sizes=(4,))
    (first,) = night.form()
    (waits,) = OpenNight(night.meeting).free
    night.end("r1t1")
    assert OpenNight(night.meeting).free[0].player_id == waits.player_id
    (second,) = night.form()
    assert waits.player_id in ids(second)
    assert ids(second) != ids(first)


def test_single_table_is_that_of_who_waits_longest(event: Event) -> None:
    night = OpenNightEvening(event, 12)
    line = [one.player_id for one in OpenNight(night.meeting).free]
    (table,) = night.form(single=True)
    assert line[0] in ids(table)
    assert len(OpenNight(night.meeting).free) == 8


def test_ticked_players_form_their_table(event: Event) -> None:
    night = OpenNightEvening(event, 9)
    (table,) = night.form("RL02", "RL05", "RL09")
    assert ids(table) == {"RL02", "RL05", "RL09"}
    assert code_of(night, "RL02", "RL01", "RL03") == "player_not_free"
    assert code_of(night, "RL01", "RL03") == "seat_count"
    assert code_of(night, "RL01", "RL03", "RL01") == "same_player_twice"
    assert code_of(night, "RL01", "RL03", "XX99") == "player_not_free"
    assert Sitting.objects.count() == 3


def test_players_who_must_be_apart_never_share_a_table(event: Event) -> None:
    night = OpenNightEvening(event, 8)
    add_constraint(by_tests(), event, kind="apart", player="RL01", other="RL02")
    add_constraint(by_tests(), event, kind="fixed_table", player="RL03", table=2)
    assert code_of(night, "RL01", "RL02", "RL04") == "apart_with_one_table"
    for table in night.form():
        assert not {"RL01", "RL02"} <= ids(table)
        assert ("RL03" in ids(table)) == (table["number"] == 2)


def test_who_leaves_after_some_rounds_has_had_as_many_tables(event: Event) -> None:
    night = OpenNightEvening(event, 4)
    check_in(night.meeting, night.people[:1], last=1)
    night.form()
    night.end("r1t1")
    assert "RL01" not in {one.player_id for one in OpenNight(night.meeting).free}
    assert len(OpenNight(night.meeting).free) == 3


def test_another_plan_and_other_roles_form_no_tables(cast: Cast, event: Event) -> None:
    night = OpenNightEvening(event, 8)
    with pytest.raises(Forbidden):
        form_tables(cast.operation("hanna"), night.meeting)
    choose_plan(by_tests(), plans(night.meeting, 1)[0])
    assert code_of(night) == "no_open_night"
    assert not Sitting.objects.exists()


def test_open_night_of_pairs_splits_none_and_asks_about_a_table_that_would(cast: Cast) -> None:
    event = league(cast.riverside, variant="partnership-hearts-pooled")
    night = OpenNightEvening(event, 4, sizes=(4,))
    for at in (0, 2):
        pair = night.people[at : at + 2]
        add_entrant(by_tests(), event, kind="pair", players=pair)
    night.come("Wim W.", "Xaver W.")
    assert code_of(night, "RL01", "RL02", "RL03", "RL05") == "side_with_a_partner"
    assert code_of(night, "RL01", "RL03", "RL05", "RL06") == "side_with_a_partner"
    assert code_of(night, "RL01", "RL02", "RL05", "RL06") == "side_of_singles"
    assert not Sitting.objects.exists()
    (table,) = night.form()
    assert ids(table) == {"RL01", "RL02", "RL03", "RL04"}
    sides = list(
        Sitting.objects.order_by("seat__number").values_list("player__player_id", flat=True)
    )
    assert {frozenset(sides[::2]), frozenset(sides[1::2])} == {
        frozenset(("RL01", "RL02")), frozenset(("RL03", "RL04")),
    }  # fmt: skip
