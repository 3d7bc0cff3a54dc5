"""Movements of players and boards: who meets whom, and constructions without a repeat."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import combinations
from random import Random

import pytest

from scoring.errors import Refused
from scoring.seating.brackets import table_sizes
from scoring.seating.checker import faults_of_partners
from scoring.seating.constructions import (
    Schedule,
    construction,
    cyclic_rounds,
    starters,
    stored_designs,
    transversal_rounds,
    without_points,
)
from scoring.seating.finite_fields import ring_of
from scoring.seating.movements.all_play_all import full_set
from scoring.seating.movements.moving_boards import TABLES, moving_boards, table_with
from scoring.seating.movements.plan_movement import free_tables, next_table, plan_movement
from scoring.seating.plan_json import plan_as_json
from scoring.seating.plan_seats import by_standing
from scoring.seating.requests import PlannedRound, Presence, SeatingPlan, SeatingRequest
from scoring.seating.splitmix import SplitMix
from tests.support.lengths import short_or_long
from tests.support.scoring.plan_checker import faults_of_plan

LAST = {
    14: 4, 16: 5, 20: 5, 24: 7, 26: 8, 28: 9, 29: 9, 32: 10, 36: 11, 38: 12, 40: 13, 41: 13, 44: 14,
    48: 15,
}  # fmt: skip
ROUNDS = {9: 4, 52: 17, 56: 18, 60: 19, 64: 21, 72: 23, 84: 24, 100: 24} | {
    players: next(rounds for last, rounds in LAST.items() if players <= last)
    for players in range(13, 49)
}


def night(players: int, rounds: int, movement: str, **more: object) -> SeatingRequest:
    """A request for players 1 to n, in this order in the ladder."""
    ladder = {one: one for one in range(1, players + 1)} if movement == "ladder" else {}
    fields = {"standing": ladder, "seed": 3} | more
    return SeatingRequest(tuple(range(1, players + 1)), rounds, movement=movement, **fields)  # type: ignore[arg-type]


def tables(plan: SeatingPlan, number: int = 1) -> list[list[int]]:
    return [sorted(table) for table in plan.rounds[number - 1].tables]


@pytest.mark.parametrize("movement", ["ladder", "open"])
def test_every_head_count_has_a_plan_that_the_checker_accepts(movement: str) -> None:
    for players in [3, 4, 5, 6, 7, *range(8, 61, short_or_long(7, 1))]:
        asked = night(players, 3, movement, moves=1000)
        assert faults_of_plan(asked, plan_movement(asked)) == (), players
    with pytest.raises(Refused, match="too_few_to_seat"):
        plan_movement(night(2, 1, movement))


def test_ladder_night_divides_the_list_from_the_top() -> None:
    plan = plan_movement(night(14, 1, "ladder"))
    assert tables(plan) == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11], [12, 13, 14]]


@pytest.mark.parametrize("players", [8, 16, 17, 23, 40])
def test_ladder_neighbours_stay_near_and_meet_others(players: int) -> None:
    plan = plan_movement(night(players, 4, "ladder"))
    assert max([table[-1] - table[0] for at in (1, 2, 3, 4) for table in tables(plan, at)]) <= 7
    same = plan_movement(night(players, 1, "ladder"))
    pairs = sum(len(table) * (len(table) - 1) // 2 for table in same.rounds[0].tables)
    assert plan.cost.repeats < 3 * pairs, "the tables of the first round, again and again"
    means = [sum(table) / len(table) for table in tables(plan, 3)]
    assert means == sorted(means)


def test_players_without_a_place_end_the_list_by_lot() -> None:
    people = tuple(range(1, 9))
    assert by_standing(people, {8: 1, 7: 2}, SplitMix(1))[:2] == (8, 7)
    assert len({by_standing(people, {8: 1}, SplitMix(seed)) for seed in range(9)}) > 5


def test_lowest_in_the_list_sits_out_first_and_then_the_next() -> None:
    plan = plan_movement(night(9, 3, "ladder", sizes=(4,)))
    assert [round_.sitting_out for round_ in plan.rounds] == [(9,), (8,), (7,)]


@pytest.mark.parametrize("movement", ["ladder", "open"])
def test_constraints_hold_in_every_round(movement: str) -> None:
    asked = night(
        18, 3, movement,
        apart=((1, 2), (3, 4)), together=((5, 14),), fixed_tables={7: 3}, presence={6: Presence(2)},
    )  # fmt: skip
    assert faults_of_plan(asked, plan_movement(asked)) == ()


def test_open_night_looks_back_only() -> None:
    """A longer night begins with the rounds of a shorter one."""
    short, whole = (plan_movement(night(18, rounds, "open")) for rounds in (2, 4))
    assert whole.rounds[:2] == short.rounds
    assert whole.cost.repeats == 0


def test_meeting_of_tonight_weighs_more_than_earlier_ones() -> None:
    """2 and 3 are the only ones whom 1 has not met tonight; both met 1 five times before."""
    before = (PlannedRound(((1, 2, 10),)), PlannedRound(((1, 3, 11),))) * 5
    asked = SeatingRequest((1, 2, 3, 4, 5, 6), 1, sizes=(3,), seed=1, history=before)
    tonight = [PlannedRound((table,)) for table in ((1, 4, 7), (1, 5, 8), (1, 6, 9))]
    assert {1, 2, 3} in map(set, free_tables(asked, tonight).tables)
    assert {1, 2, 3} not in map(set, free_tables(asked, []).tables)


def test_who_waited_plays_and_first_comes_the_table_of_who_waits_longest() -> None:
    tonight = [PlannedRound(((1, 2, 3, 4),), (9,))]
    found = free_tables(SeatingRequest((1, 2, 3, 4, 9), 1, sizes=(4,), seed=2), tonight)
    assert 9 in found.tables[0]
    assert next_table(PlannedRound(((4, 3, 2), (1, 9, 8))), (9, 1, 2, 3, 4, 8)) == (1, 9, 8)


DIGESTS = {
    ("ladder", 5, 2): "f6b802d91821",
    ("ladder", 9, 3): "d82058d45578",
    ("ladder", 16, 4): "1dc8c82fda25",
    ("ladder", 17, 5): "915296a82939",
    ("ladder", 22, 4): "a177a453383b",
    ("ladder", 40, 3): "221fa70f5607",
    ("open", 5, 2): "f744f951cea2",
    ("open", 9, 3): "c7df54bf33eb",
    ("open", 16, 4): "aa83a8f414b4",
    ("open", 17, 5): "368523196759",
    ("open", 22, 4): "80b2aadde97b",
    ("open", 40, 3): "d04d67dfd9a9",
}


@pytest.mark.parametrize("case", DIGESTS)
def test_plans_never_change(case: tuple[str, int, int]) -> None:
    movement, players, rounds = case
    plan = plan_as_json(plan_movement(night(players, rounds, movement)))
    assert sha256(json.dumps(plan).encode()).hexdigest()[:12] == DIGESTS[case]


def repeats(schedule: Schedule) -> int:
    """Meetings beyond the first."""
    met = Counter(
        frozenset(pair)
        for tables in schedule
        for table in tables
        for pair in combinations(table, 2)
    )
    return sum(met.values()) - len(met)


def seated_once(tables: Iterable[Iterable[int]], count: int) -> bool:
    return sorted(point for table in tables for point in table) == list(range(count))


@pytest.mark.parametrize("players", sorted(starters()))
def test_starter_turns_into_rounds_without_a_repeat(players: int) -> None:
    schedule = cyclic_rounds(players)
    assert len(schedule) == starters()[players][0]
    assert repeats(schedule) == 0
    assert all(seated_once(tables, players) for tables in schedule)


@pytest.mark.parametrize(("players", "most"), ROUNDS.items())
def test_as_many_rounds_as_are_known_have_no_repeat(players: int, most: int) -> None:
    sizes = table_sizes(players, (4, 3))
    assert sizes is not None
    schedule = construction(sizes.tables, most)
    assert schedule is not None
    assert (len(schedule), repeats(schedule)) == (most, 0)
    for tables in schedule:
        assert seated_once(tables, players)
        assert tuple(map(len, tables)) == sizes.tables
    assert most == 24 or construction(sizes.tables, most + 1) is None


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_ten_rounds_of_32_serve_fewer_rounds_and_up_to_two_players_fewer(missing: int) -> None:
    ten = stored_designs()[0]
    for rounds in range(1, 11):
        schedule = without_points(ten, missing, rounds)
        assert schedule is not None
        assert (len(schedule), repeats(schedule)) == (rounds, 0)
        assert all(seated_once(tables, 32 - missing) for tables in schedule)


def test_stored_designs_seat_everybody_once_in_tables_of_the_same_sizes() -> None:
    for schedule in stored_designs():
        sizes = [*map(len, schedule[0])]
        assert sizes == sorted(sizes, reverse=True)
        for tables in schedule:
            assert seated_once(tables, sum(sizes))
            assert [*map(len, tables)] == sizes


@pytest.mark.parametrize(("tables", "seats", "rounds"), [(5, 5, 6), (16, 4, 21), (9, 3, 13)])
def test_lines_of_a_field_meet_every_pair_once(tables: int, seats: int, rounds: int) -> None:
    schedule = transversal_rounds(tables, seats)
    points = tables * seats
    assert len(schedule) == rounds
    assert repeats(schedule) == 0
    assert sum(len(table) * (seats - 1) for one in schedule for table in one) == points * (
        points - 1
    )


@pytest.mark.parametrize("size", [8, 9, 25, 20])
def test_products_of_differences_of_multipliers_are_all_different(size: int) -> None:
    ring = ring_of(size)
    for one, other in combinations(ring.multipliers, 2):
        difference = next(step for step in range(size) if ring.add(other, step) == one)
        assert len({ring.times(number, difference) for number in range(size)}) == size


@pytest.mark.parametrize("tables", TABLES)
def test_every_player_keeps_the_line_and_meets_every_set_once_and_nobody_twice(tables: int) -> None:
    rounds = moving_boards(tables)
    met = {
        (player, board_set)
        for number, seated in enumerate(rounds, start=1)
        for board_set in range(1, tables + 1)
        for player in seated[table_with(board_set, number, tables) - 1]
    }
    assert len(rounds) == tables
    assert len(met) == 4 * tables * tables
    pairs = [pair for seated in rounds for players in seated for pair in combinations(players, 2)]
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == 6 * tables * tables
    for seated in rounds:
        assert seated_once([[player - 1 for player in players] for players in seated], 4 * tables)
        for players in seated:
            assert [(player - 1) // tables for player in players] == [0, 1, 2, 3]


@pytest.mark.parametrize("tables", [1, 2, 3, 4, 6, 9, 25])
def test_other_numbers_of_tables_are_refused(tables: int) -> None:
    with pytest.raises(Refused, match=r"^no_moving_boards$"):
        moving_boards(tables)


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
        for round_ in rounds
        for table in round_.tables
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
        assert all(round_.tables for round_ in plan.rounds)
        assert plan.figures is not None
        assert (plan.figures.opponent_excess, plan.figures.sets, plan.figures.unmet) == (0, 1, 0)


def test_eight_pairs_of_which_one_leaves_after_two_rounds() -> None:
    history = planned(pairs(range(8)), 7).rounds[:2]
    plan = planned(pairs(range(7)), 5, history)
    assert [len(round_.tables) for round_ in plan.rounds] == [3] * 5
    assert max(met((*history, *plan.rounds)).values()) == 1
    against = {player for one in history for t in one.tables if 15 in t for player in t}
    out = Counter(player for round_ in plan.rounds for player in round_.sitting_out)
    assert {out[player] for player in range(1, 15)} == {0, 1}
    assert {player for player in range(1, 15) if not out[player]} == against - {15, 16}


def test_pair_that_joins_meets_as_many_as_the_rounds_allow() -> None:
    history = planned(pairs(range(8)), 7).rounds[:2]
    plan = planned(pairs(range(9)), 7, history)
    assert {len(round_.tables) for round_ in plan.rounds} == {4}
    times = met((*history, *plan.rounds))
    assert sum(count - 1 for count in times.values()) == 1, "28 are left, 27 fit into 7 rounds"
    assert plan.figures is not None
    assert (plan.figures.opponent_excess, plan.figures.unmet) == (1, 1)


def test_pair_that_comes_back_plays_whom_it_has_not_met() -> None:
    first = planned(pairs(range(8)), 2).rounds
    second = planned(pairs(range(7)), 2, first).rounds
    plan = planned(pairs(range(8)), 3, (*first, *second))
    assert max(met((*first, *second, *plan.rounds)).values()) == 1
    assert {len(round_.tables) for round_ in plan.rounds} == {4}


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
    assert [len(round_.tables) for round_ in plan.rounds] == [4, 4, 3, 3, 3, 3, 3]
    assert max(met(plan.rounds).values()) == 1


def test_pairs_that_must_be_apart_never_meet() -> None:
    plan = planned(pairs(range(8)), 6, apart=((1, 3),))
    assert max(met(plan.rounds).values()) == 1
    assert frozenset((frozenset((1, 2)), frozenset((3, 4)))) not in met(plan.rounds)
    assert {len(round_.tables) for round_ in plan.rounds} == {4}


def test_shorter_rest_has_full_rounds_and_sit_outs_that_differ_by_one() -> None:
    history = planned(pairs(range(10)), 9).rounds[:3]
    plan = planned(pairs(range(9)), 4, history)
    assert {len(round_.tables) for round_ in plan.rounds} == {4}
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
    history = [PlannedRound(round_.tables) for round_ in plan_movement(asked).rounds[:2]]
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
        assert all(round_.tables for round_ in plan.rounds)
        history += plan.rounds
    other = planned(pairs(here[::-1]), 2, history)
    assert other.figures == planned(pairs(here), 2, history).figures
