"""Whole plans of every head-count, and the checker that finds each fault put into one."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import Refused
from scoring.rules.catalogue import catalogue
from scoring.seating.brackets import sizes_of_rules, table_sizes
from scoring.seating.checker import faults_of_rounds
from scoring.seating.constraints import path_between
from scoring.seating.plan_json import plan_as_json, rounds_of_json
from scoring.seating.plan_seats import Planning, plan_seats
from scoring.seating.requests import PlannedRound, Presence, SeatingRequest
from tests.support.lengths import short_or_long
from tests.support.scoring.plan_checker import faults_of_plan
from tests.support.sources import ROOT

PAGE = (ROOT / "docs/algorithms/seating.md").read_text(encoding="utf-8")
ROWS = [
    list(map(int, re.findall(r"\d+", line.rpartition(" | ")[0])))
    for line in PAGE.split("## Known seatings", 1)[1].split("\n## ", 1)[0].splitlines()
    if re.match(r"\| \d", line)
]
"""Players, rounds, allowed sizes, ours, best known and bound."""

VARIANTS = {"hearts": [], "cancellation-hearts": [3, 4], "partnership-hearts-pooled": [3]}
HEAD_COUNTS = range(3, 61)
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


def request(players: int, rounds: int, **more: object) -> SeatingRequest:
    return SeatingRequest(tuple(range(1, players + 1)), rounds, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_head_count_has_a_plan_with_the_fewest_sit_outs(variant: str) -> None:
    rules = catalogue().rules(variant)
    sizes, sides = sizes_of_rules(rules), rules.keys.teams.shape
    refused = []
    for players in [*range(3, 13), *HEAD_COUNTS[10 :: short_or_long(7, 1)]]:
        pairs = tuple((one, one + 1) for one in range(1, players, 2)) if sides else ()
        asked = request(
            players, 4, sizes=sizes, seed=players, together=pairs, sides=sides,
            moves=short_or_long(4000, 500_000),
        )  # fmt: skip
        fewest = table_sizes(players, sizes)
        if fewest is None:
            with pytest.raises(Refused, match="too_few_to_seat"):
                plan_seats(asked)
            refused.append(players)
            continue
        plan = plan_seats(asked)
        assert faults_of_plan(asked, plan) == (), players
        assert {len(round_.sitting_out) for round_ in plan.rounds} == {fewest.sit_outs}
        assert plan.cost.pair_cost >= plan.lower_bound
    print(f"{variant}: refused are {refused or 'none'}")
    assert refused == VARIANTS[variant]


@st.composite
def requests(draw: st.DrawFn) -> SeatingRequest:
    """Players with constraints that do not contradict each other, a history and late-comers."""
    players = draw(st.integers(8, 30))
    anybody = st.integers(1, players)
    two = st.tuples(anybody, anybody).filter(lambda pair: pair[0] != pair[1])
    together = tuple(draw(st.lists(two, max_size=1)))
    apart = tuple(
        pair for pair in draw(st.lists(two, max_size=2)) if not path_between(*pair, together)
    )
    late = draw(st.dictionaries(anybody, st.integers(2, 3), max_size=1))
    history: tuple[PlannedRound, ...] = ()
    if draw(st.booleans()):
        history = plan_seats(request(players, 2, seed=draw(anybody), moves=400)).rounds
    return request(
        players,
        draw(st.integers(1, 4)),
        sizes=draw(st.sampled_from([(4, 3, 5, 6), (4,), (4, 5), (5, 6, 7, 8), (3, 4, 5)])),
        seed=draw(st.integers(0, 2**64)),
        apart=apart,
        together=together,
        presence={player: Presence(first) for player, first in late.items()},
        history=history,
        moves=2000,
    )


@settings(max_examples=short_or_long(60, 1000), deadline=None)
@given(requests())
def test_every_plan_passes_the_checker_or_fails_for_constraints(asked: SeatingRequest) -> None:
    try:
        plan = plan_seats(asked)
    except Refused as refusal:
        codes = {problem.code for problem in refusal.problems}
        assert codes <= {"apart_with_one_table", "constraints_not_met"}
        return
    assert faults_of_plan(asked, plan) == ()
    assert plan.cost.pair_cost >= plan.lower_bound
    if not asked.sides:
        assert plan.cost.seat_spread <= 1
    if not (asked.together or asked.presence or asked.history):
        assert max(plan.cost.sit_out_spread, plan.cost.small_table_spread) <= 1


@settings(max_examples=short_or_long(15, 200), deadline=None)
@given(requests(), st.randoms(use_true_random=False))
def test_same_request_gives_the_same_bytes_in_any_order_of_players(
    asked: SeatingRequest, random: object
) -> None:
    shuffled = list(asked.players)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    fields = {name: getattr(asked, name) for name in SeatingRequest.__slots__}
    again = SeatingRequest(**fields | {"players": tuple(shuffled)})
    assert plan_or_codes(asked) == plan_or_codes(again)


def plan_or_codes(asked: SeatingRequest) -> str:
    try:
        return json.dumps(plan_as_json(plan_seats(asked)))
    except Refused as refusal:
        return str(refusal)


@pytest.mark.parametrize(("players", "rounds"), [(15, 4), (33, 9), (32, 9), (36, 11), (100, 12)])
def test_constructions_are_taken_where_they_are_known(players: int, rounds: int) -> None:
    plan = plan_seats(request(players, rounds, seed=3))
    assert (plan.cost.repeats, plan.iterations, plan.method) == (0, 0, "construction")
    assert plan.cost.small_table_spread <= 1


@pytest.mark.parametrize(("players", "rounds"), [(20, 8), (12, 8)])
def test_search_reaches_the_lower_bound(players: int, rounds: int) -> None:
    plan = plan_seats(request(players, rounds, seed=1))
    assert plan.cost.pair_cost == plan.lower_bound
    assert plan.method == "search"


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_plan_costs_at_most_what_the_documentation_says(row: list[int]) -> None:
    players, rounds, *sizes, ours, known, bound = row
    for seed in range(short_or_long(1, 6)):
        asked = request(players, rounds, sizes=tuple(sizes), seed=seed)
        plan = plan_seats(asked)
        assert faults_of_plan(asked, plan) == ()
        assert plan.cost.pair_cost <= ours
        assert plan.lower_bound == bound <= known


def test_stored_design_is_taken_only_as_far_as_history_and_constraints_allow() -> None:
    before = plan_seats(request(18, 1, seed=8)).rounds
    asked = request(18, 5, seed=1, history=before, apart=((1, 2), (3, 4)))
    assert faults_of_plan(asked, plan_seats(asked)) == ()
    assert plan_seats(request(18, 5, seed=1)).method == "construction"
    late = request(18, 5, seed=1, presence={7: Presence(2)}, moves=4000)
    assert faults_of_plan(late, plan_seats(late)) == ()


@pytest.mark.parametrize("seed", [3, 6])
def test_of_two_plans_of_one_cost_the_one_without_a_third_meeting_is_taken(seed: int) -> None:
    cost = plan_seats(request(11, 3, seed=seed, moves=30_000)).cost
    assert (cost.pair_cost, cost.max_meet) == (9, 2)


def test_pairs_of_the_history_are_avoided() -> None:
    first = plan_seats(request(32, 3, seed=1))
    second = plan_seats(request(32, 3, seed=1, history=first.rounds, moves=300_000))
    assert (second.cost.repeats, second.cost.known_pairs) == (0, 0)


def test_pairs_who_always_play_together_meet_other_pairs_once() -> None:
    pairs = tuple((one, one + 1) for one in range(1, 24, 2))
    asked = request(24, 5, sizes=(4,), together=pairs, sides=((0, 2), (1, 3)), seed=1)
    plan = plan_seats(asked)
    assert faults_of_plan(asked, plan) == ()
    assert plan.cost.repeats == 4 * len(pairs)


def test_long_history_costs_few_repeats_within_the_plan() -> None:
    """Ten earlier rounds of a club: meeting somebody known is better than meeting twice tonight."""
    history = tuple(
        PlannedRound(plan_seats(request(40, 1, seed=seed, moves=0)).rounds[0].tables)
        for seed in range(10)
    )
    people = tuple(range(2, 36, 2))
    plan = plan_seats(SeatingRequest(people, 5, sizes=(4,), seed=1, history=history))
    assert plan.cost.pair_cost <= 4
    assert plan.cost.known_pairs > 0


def test_who_sat_out_in_the_history_plays_now() -> None:
    first = plan_seats(request(11, 2, sizes=(4,), seed=5, moves=400))
    second = plan_seats(request(11, 1, sizes=(4,), seed=5, history=first.rounds, moves=400))
    outside = {player for planned in first.rounds for player in planned.sitting_out}
    assert len(outside) == 6
    assert not outside & set(second.rounds[0].sitting_out)


def test_fixed_players_sit_at_their_table_in_every_round() -> None:
    asked = request(18, 5, fixed_tables={7: 2, 9: 2, 11: 5}, seed=2, moves=20_000)
    plan = plan_seats(asked)
    assert faults_of_plan(asked, plan) == ()
    assert all({7, 9} <= set(round_.tables[1]) and 11 in round_.tables[4] for round_ in plan.rounds)


def test_plan_taken_early_comes_again_from_its_iterations() -> None:
    planning = Planning(request(20, 8, seed=4))
    for _ in range(3):
        planning.advance()
    early = planning.plan()
    assert plan_seats(request(20, 8, seed=4, stop_after=early.iterations)) == early
    assert 0 < early.iterations < plan_seats(request(20, 8, seed=4, moves=50_000)).iterations


def test_json_of_a_plan_is_read_again() -> None:
    plan = plan_seats(request(17, 3, sizes=(4,), seed=1, moves=2000))
    assert rounds_of_json(json.loads(json.dumps(plan_as_json(plan)))) == plan.rounds


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (request(0, 1), "too_few_to_seat"),
        (request(2, 1), "too_few_to_seat"),
        (request(401, 1), "too_many_to_seat"),
        (request(8, 0), "bad_round_count"),
        (request(8, 1, sizes=()), "no_table_sizes"),
        (request(8, 1, apart=((1, 9),)), "constraint_player_unknown"),
        (request(8, 1, together=((1, 1),)), "constraint_of_one_player"),
        (request(8, 1, apart=((1, 3),), together=((1, 2), (2, 3))), "apart_and_together"),
        (request(8, 1, together=((1, 2),), fixed_tables={1: 1, 2: 2}), "together_at_two_tables"),
        (request(8, 1, apart=((1, 2),), fixed_tables={1: 1, 2: 1}), "apart_at_one_table"),
        (request(5, 1, apart=((1, 2),)), "apart_with_one_table"),
        (request(8, 1, sizes=(4,), fixed_tables=dict.fromkeys(range(1, 6), 1)), "fixed_table_full"),
        (request(8, 1, fixed_tables={1: 3}), "fixed_table_missing"),
        (request(12, 1, sizes=(4,), together=((1, 2), (2, 3), (3, 4), (4, 5))),
         "together_too_many"),
        (request(8, 1, sizes=(4,), apart=((1, 2), (2, 3), (1, 3))), "constraints_not_met"),
    ],
)  # fmt: skip
def test_impossible_request_is_refused_with_a_reason(asked: SeatingRequest, code: str) -> None:
    with pytest.raises(Refused) as refused:
        plan_seats(asked)
    assert [problem.code for problem in refused.value.problems] == [code]
    assert refused.value.problems[0].message


def test_players_who_fill_the_largest_table_sit_together() -> None:
    together = ((1, 2), (2, 3), (3, 4))
    round_ = plan_seats(request(7, 1, sizes=(3, 4), together=together)).rounds[0]
    assert {1, 2, 3, 4} in map(set, round_.tables)


def test_contradiction_names_the_pairs_that_it_comes_from() -> None:
    with pytest.raises(Refused) as refused:
        plan_seats(request(8, 1, apart=((1, 3),), together=((1, 2), (2, 3))))
    assert refused.value.problems[0].facts == {"pair": [1, 3], "together": [[1, 2], [2, 3]]}


def test_groups_that_do_not_fit_get_other_tables_before_anybody_sits_out() -> None:
    plan = plan_seats(request(6, 1, together=((1, 2), (3, 4), (5, 6))))
    assert [len(table) for table in plan.rounds[0].tables] == [6]


FEW: dict[str, object] = {"moves": 4000}

TWENTY = (
    (request(3, 2), "8794d9a87e59"),
    (request(5, 3, seed=1), "8c99663ccb50"),
    (request(9, 4), "0d1f87779bec"),
    (request(10, 4, seed=2, **FEW), "e8ea7091d610"),
    (request(13, 4, seed=1), "4184c58acaa6"),
    (request(16, 5, seed=9), "14227ec27d87"),
    (request(16, 8, seed=9, **FEW), "ab70f2e6ea60"),
    (request(17, 5), "371f83b34f20"),
    (request(17, 5, sizes=(4,), **FEW), "9682ff44b5e0"),
    (request(18, 4, sizes=(4, 5), seed=3, **FEW), "eeea91cb56eb"),
    (request(22, 7, seed=2**64 - 1), "26fbbc8b786f"),
    (request(24, 6, apart=((1, 2), (3, 4))), "180865fc4732"),
    (request(24, 5, together=((1, 2),), seed=4, **FEW), "167ffcd13e75"),
    (request(30, 9), "4492922956d8"),
    (request(36, 4, sizes=(5, 6, 7, 8, 9, 10, 11)), "084bc3faa57d"),
    (request(11, 3, sizes=(5, 6, 7, 8, 9, 10, 11)), "37df72b10ba4"),
    (request(20, 4, fixed_tables={5: 1, 6: 3}, **FEW), "50c782255969"),
    (request(14, 5, presence={3: Presence(2), 8: Presence(1, 3)}, **FEW), "8b432a9dfd7d"),
    (
        request(
            10, 3, sizes=(4,), sides=((0, 2), (1, 3)), together=((1, 2), (3, 4), (5, 6)), **FEW
        ),
        "91f9e5189a21",
    ),
    (request(100, 12, seed=7), "832e11bc8335"),
)


@pytest.mark.parametrize(("asked", "expected"), TWENTY)
def test_twenty_plans_never_change(asked: SeatingRequest, expected: str) -> None:
    assert sha256(json.dumps(plan_as_json(plan_seats(asked))).encode()).hexdigest()[:12] == expected


def spoilt(spoil: Spoil) -> tuple[str, ...]:
    """The faults of a plan whose first round is changed; wrong figures are left out."""
    good = plan_seats(ASKED)
    bad = replace(good, rounds=(spoil(good.rounds[0]), *good.rounds[1:]))
    return tuple(fault for fault in faults_of_plan(ASKED, bad) if fault.startswith("Round"))


def with_table(planned: PlannedRound, *seats: int) -> PlannedRound:
    return replace(planned, tables=(seats, *planned.tables[1:]))


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


def test_rounds_without_a_request_hold_everybody_once() -> None:
    rounds = (PlannedRound(((1, 2, 3),), (5,)), PlannedRound(((1, 2, 4), (3,)), (5,)))
    assert faults_of_rounds(rounds) == (
        "Round 1: player 4 is missing.",
        "Round 2, table 2: a table needs two players or more.",
    )
