"""The checker finds each kind of fault, put into a good plan."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from scoring.seating.checker import faults_of_rounds
from scoring.seating.plan_seats import plan_seats
from scoring.seating.requests import PlannedRound, SeatingPlan, SeatingRequest
from tests.support.scoring.plan_checker import faults_of_plan

ASKED = SeatingRequest(
    tuple(range(1, 11)),
    2,
    sizes=(4,),
    seed=1,
    sides=((0, 2), (1, 3)),
    together=((1, 2), (3, 4), (5, 6), (7, 8), (9, 10)),
    apart=((1, 3),),
    fixed_tables={5: 2},
    moves=2000,
)

Spoil = Callable[[PlannedRound], PlannedRound]


def spoilt(spoil: Spoil) -> tuple[str, ...]:
    """The faults of a plan whose first round is changed; wrong figures are left out."""
    good = plan_seats(ASKED)
    bad = replace(good, rounds=(spoil(good.rounds[0]), *good.rounds[1:]))
    return tuple(fault for fault in faults_of_plan(ASKED, bad) if fault.startswith("Round"))


def with_table(planned: PlannedRound, *seats: int) -> PlannedRound:
    return replace(planned, tables=(seats, *planned.tables[1:]))


def test_good_plan_has_no_fault() -> None:
    assert faults_of_plan(ASKED, plan_seats(ASKED)) == ()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda one: replace(one, sitting_out=()), "is missing"),
        (lambda one: replace(one, sitting_out=(*one.sitting_out, 99)), "99 is not present"),
        (lambda one: with_table(one, *one.tables[1]), "is there 2 times"),
        (lambda one: with_table(one, *one.tables[0][:3]), "3 seats are not allowed"),
        (lambda one: replace(one, tables=one.tables[::-1]), "player 5 is not at table 2"),
        (lambda one: with_table(one, *sorted(one.tables[0])), "are not on one side"),
        (lambda one: replace(one, tables=((1, 3, 2, 4),)), "players 1 and 3 are not apart"),
        (lambda one: replace(one, tables=((1, 7, 9, 8),)), "players 1 and 2 are not together"),
    ],
)
def test_spoilt_round_is_found(spoil: Spoil, words: str) -> None:
    assert any(words in fault for fault in spoilt(spoil))


@pytest.mark.parametrize(
    "figure", ["repeats", "max_meet", "neighbour_repeats", "seat_spread", "sit_out_spread"]
)
def test_wrong_figure_is_found(figure: str) -> None:
    good = plan_seats(ASKED)
    bad = replace(good, cost=replace(good.cost, **{figure: getattr(good.cost, figure) + 1}))
    assert [fault.split()[0] for fault in faults_of_plan(ASKED, bad)] == [figure]


def test_uneven_shares_are_found() -> None:
    asked = SeatingRequest(tuple(range(1, 12)), 2, seed=1, moves=400)
    good = plan_seats(asked)
    once = good.rounds[0]
    bad = replace(good, rounds=(once, replace(once, tables=once.tables[::-1])))
    found = [fault for fault in faults_of_plan(asked, bad) if "shared" in fault]
    assert found == ["Tables of 3 are not shared evenly, and nothing prevents it."]
    constrained = replace(asked, apart=((1, 2),))
    found = [fault for fault in faults_of_plan(constrained, bad) if "shared" in fault]
    assert found == ["Tables of 3 are not shared evenly, and the plan does not name everybody."]
    named = replace(good, uneven=((3, (1,), "apart"),))
    assert faults_of_plan(asked, named) == (
        "Tables of 3 are shared evenly; the plan names 1 players.",
    )


def test_missing_round_is_found() -> None:
    good = plan_seats(ASKED)
    bad: SeatingPlan = replace(good, rounds=good.rounds[:1])
    assert faults_of_plan(ASKED, bad) == ("The plan has 1 rounds; 2 were requested.",)


def test_rounds_without_a_request_hold_everybody_once() -> None:
    rounds = (PlannedRound(((1, 2, 3),), (5,)), PlannedRound(((1, 2, 4), (3,)), (5,)))
    assert faults_of_rounds(rounds) == (
        "Round 1: player 4 is missing.",
        "Round 2, table 2: a table needs two players or more.",
    )
