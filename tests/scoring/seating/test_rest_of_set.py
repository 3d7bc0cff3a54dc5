"""An all-play-all goes on after pairs or teams left, came late or came back: nobody meets twice."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest

from scoring.seating.checker import faults_of_partners
from scoring.seating.movements.all_play_all import full_set
from scoring.seating.movements.plan_movement import plan_movement
from scoring.seating.plan_json import plan_as_json
from scoring.seating.requests import PlannedRound, Presence, SeatingPlan, SeatingRequest
from tests.support.lengths import short_or_long
from tests.support.scoring.plan_checker import faults_of_plan

Pair = tuple[int, int]


def pairs(numbers: Sequence[int]) -> tuple[Pair, ...]:
    return tuple((2 * number + 1, 2 * number + 2) for number in numbers)


def planned(
    units: Sequence[Pair], rounds: int, history: Sequence[PlannedRound] = (), **more: object
) -> SeatingPlan:
    players = tuple(player for unit in units for player in unit)
    asked = SeatingRequest(
        players, rounds, movement="pairs", units=tuple(units), history=tuple(history),
        **{"seed": 3} | more,  # type: ignore[arg-type]
    )  # fmt: skip
    plan = plan_movement(asked)
    assert faults_of_plan(asked, plan) == ()
    assert faults_of_partners(plan_as_json(plan), plan.rounds, history) == ()
    return plan


def met(rounds: Sequence[PlannedRound]) -> Counter[frozenset[frozenset[int]]]:
    return Counter(
        frozenset((frozenset(table[::2]), frozenset(table[1::2])))
        for one in rounds
        for table in one.tables
    )


@pytest.mark.parametrize("gone", [1, 2])
@pytest.mark.parametrize("count", [5, 6, 8, 9, 12, *short_or_long((), (7, 10, 11, 16, 21, 30))])
def test_rest_of_an_all_play_all_has_no_repeat_after_pairs_left(count: int, gone: int) -> None:
    everybody = pairs(range(count))
    length = full_set(count, "")
    for played in range(1, length - (4 if gone > 1 else 0), short_or_long(max(1, count // 4), 1)):
        history = planned(everybody, length, seed=played).rounds[:played]
        plan = planned(everybody[gone:], length - played, history)
        times = met((*history, *plan.rounds))
        assert max(times.values()) == 1
        stay = {frozenset(unit) for unit in everybody[gone:]}
        n = count - gone
        assert sum(pair <= stay for pair in times) == n * (n - 1) // 2, "the rest is complete"
        assert all(one.tables for one in plan.rounds)
        assert plan.figures is not None
        assert (plan.figures.opponent_excess, plan.figures.sets, plan.figures.unmet) == (0, 1, 0)


def test_eight_pairs_of_which_one_leaves_after_two_rounds() -> None:
    history = planned(pairs(range(8)), 7).rounds[:2]
    plan = planned(pairs(range(7)), 5, history)
    assert [len(one.tables) for one in plan.rounds] == [3] * 5
    assert max(met((*history, *plan.rounds)).values()) == 1
    against = {player for one in history for t in one.tables if 15 in t for player in t}
    out = Counter(player for one in plan.rounds for player in one.sitting_out)
    assert {out[player] for player in range(1, 15)} == {0, 1}
    assert {player for player in range(1, 15) if not out[player]} == against - {15, 16}


def test_pair_that_joins_meets_as_many_as_the_rounds_allow() -> None:
    history = planned(pairs(range(8)), 7).rounds[:2]
    plan = planned(pairs(range(9)), 7, history)
    assert {len(one.tables) for one in plan.rounds} == {4}
    times = met((*history, *plan.rounds))
    assert sum(count - 1 for count in times.values()) == 1, "28 are left, 27 fit into 7 rounds"
    assert plan.figures is not None
    assert (plan.figures.opponent_excess, plan.figures.unmet) == (1, 1)


def test_pair_that_comes_back_plays_whom_it_has_not_met() -> None:
    first = planned(pairs(range(8)), 2).rounds
    second = planned(pairs(range(7)), 2, first).rounds
    plan = planned(pairs(range(8)), 3, (*first, *second))
    assert max(met((*first, *second, *plan.rounds)).values()) == 1
    assert {len(one.tables) for one in plan.rounds} == {4}


def test_new_pair_of_two_that_broke_up_goes_on_as_one_of_them() -> None:
    """That both of its players met a pair is no match played twice, and ends no set."""
    everybody = pairs(range(6))
    history = planned(everybody, 5, seed=2).rounds[:3]
    for one, other in combinations(everybody, 2):
        stay = [unit for unit in everybody if unit not in (one, other)]
        plan = planned([(other[1], one[0]), *stay], 2, history)
        assert plan.figures is not None
        assert plan.figures.opponent_excess == 0
        old = {frozenset(unit) for unit in stay}
        assert not {match for match in met(plan.rounds) if match <= old} & set(met(history))


def test_pair_that_says_when_it_leaves_is_planned_for_without_repeats() -> None:
    leaves = {15: Presence(1, 2), 16: Presence(1, 2)}
    plan = planned(pairs(range(8)), 7, presence=leaves)
    assert [len(one.tables) for one in plan.rounds] == [4, 4, 3, 3, 3, 3, 3]
    assert max(met(plan.rounds).values()) == 1


def test_pairs_that_must_be_apart_never_meet() -> None:
    plan = planned(pairs(range(8)), 6, apart=((1, 3),))
    assert max(met(plan.rounds).values()) == 1
    assert frozenset((frozenset((1, 2)), frozenset((3, 4)))) not in met(plan.rounds)
    assert {len(one.tables) for one in plan.rounds} == {4}


def test_shorter_rest_has_full_rounds_and_sit_outs_that_differ_by_one() -> None:
    history = planned(pairs(range(10)), 9).rounds[:3]
    plan = planned(pairs(range(9)), 4, history)
    assert {len(one.tables) for one in plan.rounds} == {4}
    assert max(met((*history, *plan.rounds)).values()) == 1
    assert plan.cost.sit_out_spread == 1


def test_set_that_is_over_begins_again() -> None:
    history = planned(pairs(range(6)), 5).rounds
    plan = planned(pairs(range(6)), 5, history)
    assert set(met((*history, *plan.rounds)).values()) == {2}
    assert plan.figures is not None
    assert (plan.figures.opponent_excess, plan.figures.sets) == (0, 2)


def test_figures_count_repeats_of_earlier_rounds() -> None:
    history = planned(pairs(range(6)), 2).rounds
    plan = planned(pairs(range(6)), 4, history)
    assert plan.figures is not None
    assert (plan.figures.sets, plan.figures.unmet) == (2, 12), "six rounds are more than a set"


@pytest.mark.parametrize(("variation", "size"), [("one_table", 3), ("two_tables", 4)])
def test_teams_go_on_without_a_repeat_after_one_left(variation: str, size: int) -> None:
    teams = tuple(tuple(range(1 + size * at, 1 + size * at + size)) for at in range(6))
    asked = SeatingRequest(
        tuple(range(1, 6 * size + 1)), 5, movement="teams", units=teams, variation=variation
    )
    history = [PlannedRound(one.tables) for one in plan_movement(asked).rounds[:2]]
    rest = SeatingRequest(
        tuple(range(1, 5 * size + 1)), 3, movement="teams", units=teams[:5], variation=variation,
        history=tuple(history),
    )  # fmt: skip
    plan = plan_movement(rest)
    assert faults_of_partners(plan_as_json(plan), plan.rounds, history) == ()
    of = {player: at for at, team in enumerate(teams) for player in team}
    times = Counter(
        pair
        for one in (*history, *plan.rounds)
        for pair in {frozenset(of[player] for player in table) for table in one.tables}
    )
    assert max(times.values()) == 1
    assert sum(5 not in pair for pair in times) == 10


@pytest.mark.parametrize("seed", range(short_or_long(4, 40)))
def test_evenings_on_which_pairs_come_and_go_are_planned_in_any_order_of_entry(seed: int) -> None:
    lot = Random(seed)  # noqa: S311  # a fixed evening, no secret
    here = list(range(lot.randint(4, 10)))
    history: list[PlannedRound] = []
    for at in range(lot.randint(1, 4)):
        if len(here) > 4 and lot.random() < 0.5:
            here.remove(lot.choice(here))
        if lot.random() < 0.5:
            here.append(10 + at)
        plan = planned(pairs(here), lot.randint(1, 3), history, seed=at)
        assert all(one.tables for one in plan.rounds)
        history += plan.rounds
    other = planned(pairs(here[::-1]), 2, history)
    assert other.figures == planned(pairs(here), 2, history).figures
