"""Rounds of a chosen plan: made whole, once, and only when what they need is there."""

import pytest

from tests.support.builders import TESTS, hand
from tests.support.cast import NOW, Cast
from tests.support.scenarios.planned_evenings import PlannedEvening, planned_evening
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Game
from tournaments.models.meetings import Round, SitOut
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.services.rounds.arrange_round import SeatingTarget, arrange_round
from tournaments.services.rounds.plan_rounds import make_round_of_plan, redraw_round
from tournaments.services.rounds.rounds import move_round

pytestmark = pytest.mark.django_db

ROUNDS = [([(1, 2, 3, 4), (5, 6, 7, 8)], [9]), ([(9, 5, 1, 6), (2, 7, 3, 8)], [4])]


@pytest.fixture
def evening(cast: Cast) -> PlannedEvening:
    night = planned_evening(cast, ROUNDS)
    night.here(*range(1, 10))
    return night


def tables(round_: Round) -> list[list[str]]:
    people = Game.objects.filter(table__round=round_).order_by("table__number")
    return [
        list(
            game.table.seats.order_by("number").values_list(
                "sittings__player__player_id", flat=True
            )
        )
        for game in people.select_related("table")
    ]


def code_of(refused: pytest.ExceptionInfo[Conflict]) -> str:
    return refused.value.problem.code


def test_round_is_made_whole_with_seats_in_order_and_sit_outs(evening: PlannedEvening) -> None:
    made = evening.seat()
    assert tables(made) == [["RL01", "RL02", "RL03", "RL04"], ["RL05", "RL06", "RL07", "RL08"]]
    assert list(SitOut.objects.values_list("entrant__code", "reason")) == [("RL09", "bye")]
    assert (made.state, made.number, made.plan_round) == ("draft", 1, 1)
    line = AuditLine.objects.get(act="make_round_of_plan")
    assert line.facts["sit_outs"] == {"RL09": "bye"}
    assert line.facts["tables"]["2"] == ["RL05", "RL06", "RL07", "RL08"]


def test_second_tap_returns_the_round_that_was_made(evening: PlannedEvening) -> None:
    first = evening.seat()
    again = make_round_of_plan(actor=TESTS, plan=evening.plan, plan_round=1, now=NOW)
    assert (again.pk, Round.objects.count()) == (first.pk, 1)
    assert AuditLine.objects.filter(act="make_round_of_plan").count() == 1


def test_next_round_waits_for_the_tables_of_the_one_before(evening: PlannedEvening) -> None:
    first = evening.seat()
    move_round(actor=TESTS, round_=first, to="posted", now=NOW)
    hand(Game.objects.get(table__code="r1t1"), 1, [4, 1, 2, 6], 3)
    Game.objects.filter(table__code="r1t1").update(state="complete")
    with pytest.raises(Conflict) as refused:
        evening.seat()
    assert code_of(refused) == "previous_round_open"
    assert refused.value.problem.facts["tables"] == "2"


def test_next_round_follows_once_the_one_before_is_closed(evening: PlannedEvening) -> None:
    evening.play(evening.seat())
    assert tables(evening.seat())[0] == ["RL09", "RL05", "RL01", "RL06"]


def test_who_left_and_who_came_are_named_before_anything_happens(evening: PlannedEvening) -> None:
    evening.here(2, state="left")
    with pytest.raises(Conflict) as refused:
        evening.seat()
    assert code_of(refused) == "planned_players_changed"
    assert refused.value.problem.facts["gone"] == "Bruno K. (RL02)"
    assert Round.objects.count() == 0
    made = evening.seat(adjust=True)
    assert tables(made)[0] == ["RL01", "RL09", "RL03", "RL04"]
    assert SitOut.objects.count() == 0


def test_plan_that_was_superseded_makes_no_round(evening: PlannedEvening) -> None:
    evening.plan.state = "superseded"
    evening.plan.save()
    with pytest.raises(Conflict) as refused:
        evening.seat()
    assert code_of(refused) == "plan_not_chosen"


def test_only_directors_make_rounds(evening: PlannedEvening, cast: Cast) -> None:
    with pytest.raises(Forbidden):
        make_round_of_plan(actor=cast.actor("hanna"), plan=evening.plan, now=NOW)


def test_posting_names_who_has_no_seat_and_sets_the_clock(evening: PlannedEvening) -> None:
    made = evening.seat()
    SitOut.objects.all().delete()
    with pytest.raises(Conflict) as refused:
        move_round(actor=TESTS, round_=made, to="posted", now=NOW)
    assert code_of(refused) == "present_without_seat"
    assert refused.value.problem.facts["players"] == "Ines S. (RL09)"
    evening.here(9, state="left")
    assert move_round(actor=TESTS, round_=made, to="posted", now=NOW).posted_at == NOW
    back = move_round(actor=TESTS, round_=made, to="draft", now=NOW)
    assert back.posted_at is None


def test_posting_names_who_left_and_has_a_seat(evening: PlannedEvening) -> None:
    made = evening.seat()
    evening.here(3, state="left")
    with pytest.raises(Conflict) as refused:
        move_round(actor=TESTS, round_=made, to="posted", now=NOW)
    assert code_of(refused) == "seated_player_left"


def test_seats_are_exchanged_between_tables_in_one_act(evening: PlannedEvening) -> None:
    made = evening.seat()
    seating = round_seating(made)
    one, two = (table.players for table in seating.tables)
    target = SeatingTarget({1: (two[0], *one[1:]), 2: (one[0], *two[1:])}, {evening.row(9): "bye"})
    arrange_round(actor=TESTS, round_=made, target=target, now=NOW, tag=seating.tag)
    assert tables(made) == [["RL05", "RL02", "RL03", "RL04"], ["RL01", "RL06", "RL07", "RL08"]]
    with pytest.raises(Conflict) as refused:
        arrange_round(actor=TESTS, round_=made, target=target, now=NOW, tag=seating.tag)
    assert code_of(refused) == "round_seating_outdated"


def test_table_with_hands_keeps_its_people(evening: PlannedEvening) -> None:
    made = evening.seat()
    move_round(actor=TESTS, round_=made, to="posted", now=NOW)
    hand(Game.objects.get(table__code="r1t1"), 1, [4, 1, 2, 6], 3)
    one, two = (table.players for table in round_seating(made).tables)
    with pytest.raises(Conflict) as refused:
        arrange_round(actor=TESTS, round_=made, target=SeatingTarget({1: two, 2: one}), now=NOW)
    assert code_of(refused) == "table_has_hands"
    assert tables(made)[0] == ["RL01", "RL02", "RL03", "RL04"]


def test_another_plan_seats_a_round_anew_until_it_has_a_hand(evening: PlannedEvening) -> None:
    made = evening.seat()
    first = evening.plan
    outside = [evening.row(n) for n in range(1, 7)]
    rounds = [{"tables": [[evening.row(n) for n in (9, 8, 7)]], "sitting_out": outside}]
    first.state = "superseded"
    first.save()
    other = type(first).objects.create(
        club=first.club, event=first.event, meeting=first.meeting, state="chosen", seed=8,
        round_count=1, inputs={}, rounds=rounds, is_ready=True, created_at=NOW,
    )  # fmt: skip
    done = redraw_round(actor=TESTS, round_=made, plan=other, now=NOW)
    assert tables(made) == [["RL09", "RL08", "RL07"]]
    assert (done.plan_id, done.plan_round, SitOut.objects.count()) == (other.pk, 1, 6)
