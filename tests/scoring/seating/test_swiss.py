"""Swiss rounds: who meets whom by score, repeats, floats, byes, small tables, and their reasons."""

import json
import random
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import Refused
from scoring.seating.cost import meetings
from scoring.seating.movements.plan_movement import plan_movement
from scoring.seating.movements.swiss_checker import faults_of_swiss
from scoring.seating.movements.swiss_rounds import scaled
from scoring.seating.movements.swiss_search import KICKS
from scoring.seating.plan_json import plan_as_json
from scoring.seating.plan_seats import plan_seats
from scoring.seating.requests import PlannedRound, SeatingPlan, SeatingRequest
from tests.support.lengths import short_or_long
from tests.support.scoring.plan_checker import faults_of_plan

PLACE_POINTS = (5, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0)


def swiss(players: int, **more: object) -> SeatingRequest:
    fields: dict[str, object] = {"sizes": (4, 3), "seed": 1} | more
    return SeatingRequest(tuple(range(1, players + 1)), 1, movement="swiss", **fields)  # type: ignore[arg-type]


def season(
    players: int, rounds: int, seed: int = 1, **more: object
) -> list[tuple[SeatingRequest, SeatingPlan]]:
    """Swiss rounds of players with real differences in skill, by place points."""
    chance = random.Random(seed)  # noqa: S311 - play, no secret
    skill = {player: chance.gauss(0, 1) for player in range(1, players + 1)}
    scores = dict.fromkeys(skill, 0)
    history: tuple[PlannedRound, ...] = ()
    floated: frozenset[int] = frozenset()
    found = []
    for number in range(rounds):
        asked = swiss(
            players, seed=seed, history=history, floated=floated,
            scores=dict(scores) if number else {}, **more,
        )  # fmt: skip
        plan = plan_movement(asked)
        found.append((asked, plan))
        floated = frozenset(one.player for one in plan.floats if one.direction == "down")
        history = (*history, *plan.rounds)
        for table in plan.rounds[0].tables:
            order = sorted(table, key=lambda one: skill[one] + chance.gauss(0, 1), reverse=True)
            for player, points in zip(order, PLACE_POINTS, strict=False):
                scores[player] += points
    return found


def faults(asked: SeatingRequest, plan: SeatingPlan) -> tuple[str, ...]:
    document = plan_as_json(plan)
    return (
        *faults_of_plan(asked, plan),
        *faults_of_swiss(plan.rounds[0], document, asked.history, asked.scores, asked.apart),
    )


@pytest.mark.parametrize(
    ("played", "fault"),
    [
        (1, "Players 5 and 1 can be exchanged for more even small tables."),
        (2, "Players 1 and 5 can be exchanged for fewer third meetings."),
    ],
)
def test_checker_finds_better_exchanges(played: int, fault: str) -> None:
    same = PlannedRound(((1, 2, 3, 4), (5, 6, 7)))
    everybody = [{"players": pair, "met": 0, "codes": ()} for pair in combinations(range(1, 8), 2)]
    small = [[player, (played + 1) * (player > 4)] for player in range(1, 8)]
    document = {"reasons": everybody, "small_seats": small}
    sentences = faults_of_swiss(same, document, [same] * played)
    assert fault in sentences
    assert len([text for text in sentences if "reason" not in text]) == 12
    assert fault not in faults_of_swiss(same, document, [same] * played, apart=[(1, 6), (1, 7)])


HEAD_COUNTS = [8, 9, 11, 12, 14, 18, 23, 24, 30, 36, 41, 48, 64, 100, 200, 400]
MORE_COUNTS = [*range(8, 65), *range(65, 401, 15)]


@pytest.mark.parametrize("players", short_or_long(HEAD_COUNTS, MORE_COUNTS))
def test_small_tables_go_round_and_nobody_meets_three_times(players: int) -> None:
    rounds = max(3, min(8, players // 4))
    rounds = rounds if players <= 100 else short_or_long(2, rounds)
    for seed in range(1, short_or_long(2, 4)):
        for asked, plan in season(players, rounds, seed):
            assert max(reason.met for reason in plan.reasons) <= 1
            assert max(plan.small_seats.values()) - min(plan.small_seats.values()) <= 1
            assert faults(asked, plan) == ()


def test_twelve_players_repeat_no_more_than_they_must() -> None:
    _, plan = season(12, 2)[1]
    assert plan.cost.known_pairs == plan.least_repeats == 3


@pytest.mark.parametrize(
    ("players", "size", "rounds"), [(10, 5, 3), (15, 5, 4), (12, 6, 3), (14, 7, 3), (22, 11, 2)]
)
def test_larger_tables_repeat_little_more_than_equals(players: int, size: int, rounds: int) -> None:
    everybody = tuple(range(1, players + 1))
    plan = plan_seats(SeatingRequest(everybody, rounds, sizes=(size,), seed=1, moves=60_000))
    met = meetings([one.rounds[0] for _, one in season(players, rounds, sizes=(size,))])
    assert 2 * (met.total() - len(met)) <= 3 * plan.cost.repeats
    assert plan.cost.repeats > 0


@st.composite
def requests(draw: st.DrawFn) -> SeatingRequest:
    """A later round: history, scores, late entries, withdrawals, constraints, fixed tables."""
    players = draw(st.integers(8, 26))
    rounds = draw(st.integers(1, 3))
    seed = draw(st.integers(0, 10_000))
    sizes = draw(st.sampled_from([(4, 3), (4,), (4, 5), (5, 6, 7, 8), (4, 3, 5, 6)]))
    last, plan = season(players, rounds, seed, sizes=sizes)[-1]
    anybody = st.integers(1, players)
    two = st.tuples(anybody, anybody).filter(lambda pair: pair[0] != pair[1])
    gone = draw(st.sets(anybody, max_size=2))
    late = draw(st.integers(0, 2))
    there = tuple(one for one in range(1, players + 1 + late) if one not in gone)
    apart = tuple(pair for pair in draw(st.lists(two, max_size=2)) if not {*pair} & gone)
    fixed = draw(st.dictionaries(anybody, st.just(1), max_size=1))
    values = st.integers(0, 12) | st.sampled_from([360_360 * 7, 120_120 * 5, -4])
    scores = {one: draw(values) for one in there if one <= players}
    return replace(
        last,
        players=there,
        seed=draw(st.integers(0, 2**64)),
        history=(*last.history, *plan.rounds),
        scores=scores,
        apart=apart,
        together=tuple(pair for pair in draw(st.lists(two, max_size=1)) if not {*pair} & gone)
        if not apart
        else (),
        fixed_tables={one: table for one, table in fixed.items() if one in there},
        floated=frozenset(draw(st.sets(anybody, max_size=3))),
    )


@settings(deadline=None, max_examples=short_or_long(12, 300))
@given(requests())
def test_every_round_is_right_and_the_same_again(asked: SeatingRequest) -> None:
    try:
        plan = plan_movement(asked)
    except Refused as refused:
        codes = {problem.code for problem in refused.problems}
        assert codes <= {"constraints_not_met", "apart_with_one_table"}
        return
    assert faults(asked, plan) == ()
    assert plan_movement(asked) == plan
    turned = replace(asked, players=asked.players[::-1])
    assert plan_movement(turned) == plan, "the order of the players is not looked at"
    assert plan.cost.known_pairs >= plan.least_repeats


def test_nobody_has_a_third_small_table_while_somebody_had_none() -> None:
    """Player 7 of 14 sat at tables of four only; 5 and 8, whom the scores would put at a table of
    three again, sat there twice."""
    rounds = (
        ((7, 8, 11, 13), (6, 10, 12, 14), (2, 3, 4), (1, 5, 9)),
        ((4, 6, 7, 9), (1, 2, 13, 12), (5, 8, 10), (3, 11, 14)),
        ((3, 12, 5, 7), (10, 1, 4, 11), (9, 14, 13), (6, 2, 8)),
    )
    high = {player: 2_522_520 for player in (1, 2, 9, 10)} | {4: 600_600, 14: 600_600}
    low = {3: 5, 5: 11, 6: 5, 7: 1, 8: 0, 11: -4, 12: 12, 13: -4}
    asked = swiss(
        14, seed=814, apart=((5, 7), (2, 8)), history=tuple(map(PlannedRound, rounds)),
        scores=high | low,
    )  # fmt: skip
    plan = plan_movement(asked)
    assert faults(asked, plan) == ()
    small = {player for table in plan.rounds[0].tables if len(table) == 3 for player in table}
    assert not small & {2, 3, 5, 8, 9, 14}


def test_floats_are_named_with_their_direction_and_do_not_float_twice() -> None:
    scores = {1: 9, 2: 9, 3: 9, 4: 9, 5: 9, 6: 6, 7: 6, 8: 4}
    plan = plan_movement(swiss(8, scores=scores, floated=frozenset({1, 2, 3, 4})))
    floats = {one.player: (one.direction, one.again) for one in plan.floats}
    assert floats == {5: ("down", False), 8: ("up", False)}


def test_reasons_say_both_scores_and_whether_the_two_met() -> None:
    history = (PlannedRound(((1, 2, 3, 4), (5, 6, 7, 8))),)
    scores = {1: 12, 2: 9, 3: 9, 4: 4, 5: 12, 6: 9, 7: 9, 8: 4}
    plan = plan_movement(swiss(8, scores=scores, history=history))
    by_pair = {tuple(sorted(reason.players)): reason for reason in plan.reasons}
    assert len(by_pair) == 12
    assert by_pair[1, 5].codes == ("same_score", "not_met")
    assert by_pair[1, 5].scores == (12, 12)
    assert sum("met" in reason.codes for reason in plan.reasons) == plan.cost.known_pairs == 4


def test_first_round_is_drawn_by_lot_or_dealt_out_by_seeds() -> None:
    assert len({plan_movement(swiss(16, seed=seed)).rounds for seed in range(6)}) == 6
    plan = plan_movement(swiss(16, standing={one: one for one in range(1, 17)}))
    assert [sum(table) for table in plan.rounds[0].tables] == [34, 34, 34, 34]


@pytest.mark.parametrize("players", [9, 10, 11, 13])
def test_everybody_has_one_bye_before_anybody_has_two(players: int) -> None:
    outside: Counter[int] = Counter()
    for _asked, plan in season(players, 6, sizes=(4,)):
        outside.update(plan.rounds[0].sitting_out)
        counts = [outside[player] for player in range(1, players + 1)]
        assert max(counts) - min(counts) <= 1


def test_player_without_a_score_floats_among_players_with_the_lowest_score() -> None:
    history = (PlannedRound(((1, 2, 3, 4), (5, 6, 7))),)
    plan = plan_movement(
        swiss(8, scores={1: 5, 5: 5, 2: 3, 6: 3, 3: 1, 7: 1, 4: 0}, history=history)
    )
    assert {3, 4, 7} & {*next(table for table in plan.rounds[0].tables if 8 in table)}
    assert 8 not in [one.player for one in plan.floats]


def test_seats_are_shared_over_nine_rounds() -> None:
    held: Counter[tuple[int, int]] = Counter()
    for _asked, plan in season(40, 9):
        for table in plan.rounds[0].tables:
            held.update((player, seat) for seat, player in enumerate(table))
    spread = [
        max(held[player, seat] for seat in range(4)) - min(held[player, seat] for seat in range(4))
        for player in range(1, 41)
    ]
    assert max(spread) <= 2


def test_pairs_who_must_be_apart_are_never_at_one_table() -> None:
    for asked, plan in season(24, 4, apart=tuple((one, one + 1) for one in range(1, 24, 2))):
        assert faults(asked, plan) == ()
    with pytest.raises(Refused, match="constraints_not_met"):
        plan_movement(swiss(8, apart=((1, 2), (2, 3), (1, 3))))


@pytest.mark.parametrize("pairs", [4, 6, 9, 12, 30])
def test_pairs_meet_other_pairs_on_opposite_sides(pairs: int) -> None:
    units = tuple((2 * one - 1, 2 * one) for one in range(1, pairs + 1))
    sides = ((0, 2), (1, 3))
    history: tuple[PlannedRound, ...] = ()
    scores: dict[int, int] = {}
    for number in range(1, min(4, pairs)):
        asked = swiss(
            2 * pairs, units=units, sides=sides, sizes=(4,), history=history, scores=scores
        )
        plan = plan_movement(asked)
        assert faults(replace(asked, together=units), plan) == ()
        met = meetings([*history, *plan.rounds])
        others = [count for pair, count in met.items() if pair not in units]
        assert max(others) == 1, f"a pair met again in round {number}"
        history = (*history, *plan.rounds)
        for table in plan.rounds[0].tables:
            for seat, player in enumerate(table):
                scores[player] = scores.get(player, 0) + (2, 0)[seat % 2]


def test_only_one_round_is_planned_at_a_time() -> None:
    with pytest.raises(Refused, match="one_round_at_a_time"):
        plan_movement(replace(swiss(8), rounds=2))


@pytest.mark.parametrize("seed", range(6))
def test_leader_does_not_meet_the_last_where_others_are_nearer(seed: int) -> None:
    """With score groups before distances the leader met the last for three of these histories."""
    values = (13, 12, 12, 11, 10, 10, 7, 7, 7, 6, 5, 3)
    (_, first), (_, second), (_, third) = season(12, 3, seed)
    rounds = (*first.rounds, *second.rounds, *third.rounds)
    scores = dict(enumerate(values, 1))
    plan = plan_movement(swiss(12, seed=seed, history=rounds, scores=scores))
    assert 12 not in next(table for table in plan.rounds[0].tables if 1 in table)


def test_near_scores_weigh_more_than_equal_ones() -> None:
    """Two tables 7 7 2 2 have more equal scores than 7 7 6 5 and 6 5 2 2."""
    scores = dict(enumerate((7, 7, 6, 6, 5, 5, 2, 2), 1))
    first = PlannedRound(((1, 3, 5, 7), (2, 4, 6, 8)))
    plan = plan_movement(swiss(8, history=(first,), scores=scores))
    tables = sorted(sorted(scores[one] for one in table) for table in plan.rounds[0].tables)
    assert tables == [[2, 2, 5, 5], [6, 6, 7, 7]]
    assert plan.cost.repeats == plan.cost.known_pairs == plan.least_repeats == 4


def test_scores_of_any_unit_weigh_the_same() -> None:
    asked, _ = season(20, 3)[2]
    larger = {player: 360_360 * value - 7 for player, value in asked.scores.items()}
    assert plan_movement(replace(asked, scores=larger)).rounds == plan_movement(asked).rounds
    assert scaled({1: 0, 2: 1_000_003, 3: 20_000}, (1, 2, 3)) == {1: 0, 2: 100, 3: 1}


def test_search_of_a_large_field_is_bounded_by_moves() -> None:
    _, plan = season(100, 3)[2]
    assert plan.iterations == KICKS


DIGESTS = {
    (8, 1): "94ccee7bd51cbeec",
    (16, 5): "1a03926f0dad3452",
    (18, 3): "6921e51c18c46d3b",
    (24, 4): "65f964f192cea182",
    (40, 6): "ae6acb7a7641f1ac",
    (100, 3): "7755b22e12964738",
}


@pytest.mark.parametrize(("players", "rounds"), DIGESTS)
def test_rounds_never_change(players: int, rounds: int) -> None:
    played = season(players, rounds, seed=7)
    text = json.dumps([plan_as_json(plan) for _, plan in played])
    assert sha256(text.encode()).hexdigest()[:16] == DIGESTS[players, rounds]
