"""How often each player sits out, and sits at tables of an uncommon size."""

import pytest

from scoring.seating.brackets import size_choices
from scoring.seating.plan_seats import plan_seats
from scoring.seating.requests import PlannedRound, Presence, SeatingRequest
from scoring.seating.sit_outs import shares
from tests.support.lengths import short_or_long
from tests.support.scoring.plan_checker import faults_of_plan

SIZES = (4, 3, 5, 6)
CASES = [
    (players, rounds, sizes)
    for players in range(5, 61)
    for rounds in range(1, 13)
    for _policy, sizes, _tables in size_choices(players, SIZES)
]
FIXED = CASES[:: len(CASES) // 59][:60]


def request(players: int, rounds: int, **more: object) -> SeatingRequest:
    return SeatingRequest(tuple(range(1, players + 1)), rounds, **more)  # type: ignore[arg-type]


def spreads_of(asked: SeatingRequest) -> tuple[int, int]:
    plan = plan_seats(asked)
    assert faults_of_plan(asked, plan) == ()
    assert plan.uneven == ()
    return plan.cost.sit_out_spread, plan.cost.small_table_spread


def test_sixty_fixed_plans_share_sit_outs_and_sizes_evenly() -> None:
    assert len(FIXED) == 60
    for seed, (players, rounds, sizes) in enumerate(FIXED):
        asked = request(players, rounds, sizes=sizes, seed=seed, moves=400)
        assert max(spreads_of(asked)) <= 1, (players, rounds, sizes)


@pytest.mark.tier_long
@pytest.mark.parametrize("players", range(5, 61))
def test_plans_of_every_head_count_share_sit_outs_and_sizes_evenly(players: int) -> None:
    for count, rounds, sizes in CASES:
        for seed in range(3) if count == players else ():
            asked = request(players, rounds, sizes=sizes, seed=seed, moves=short_or_long(400, 4000))
            assert max(spreads_of(asked)) <= 1, (rounds, sizes, seed)


def test_single_table_of_five_goes_round() -> None:
    plan = plan_seats(request(17, 3, sizes=(4, 5), seed=1, moves=4000))
    fives = [
        player for one in plan.rounds for table in one.tables for player in table[4:] and table
    ]
    assert len(set(fives)) == 15


def test_earlier_rounds_count_and_late_comers_have_the_average_of_those() -> None:
    """Three rounds of 4 4 3 have nine seats at threes for eleven people: a late-comer has one."""
    first = plan_seats(request(11, 3, seed=4, moves=4000))
    later = request(13, 2, seed=4, moves=4000, history=first.rounds)
    before = shares(later, ())
    assert [before[3][player] for player in (12, 13)] == [1, 1]
    assert max(spreads_of(later)) <= 1


def test_who_comes_later_and_who_leaves_early_share_evenly() -> None:
    presence = {2: Presence(3), 5: Presence(1, 2), 9: Presence(2, 3)}
    for players, sizes in ((14, (4, 3)), (18, (4,)), (18, (4, 5))):
        asked = request(players, 4, sizes=sizes, presence=presence, seed=2, moves=4000)
        assert max(spreads_of(asked)) <= 1


def test_plan_names_who_cannot_share_evenly_and_why() -> None:
    pairs = tuple((one, one + 1) for one in range(1, 8, 2))
    asked = request(9, 3, sizes=(4,), together=pairs, seed=1, moves=400)
    plan = plan_seats(asked)
    assert plan.uneven == ((0, (9,), "together"),)
    assert faults_of_plan(asked, plan) == ()


def test_earlier_rounds_that_cannot_be_made_up_for_are_the_reason() -> None:
    before = (PlannedRound(((1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11))),) * 4
    asked = request(11, 1, seed=1, history=before, moves=400)
    plan = plan_seats(asked)
    assert plan.uneven == ((3, (1, 2, 3), "history"),)
    assert not {1, 2, 3} & {player for table in plan.rounds[0].tables[2:] for player in table}
    assert faults_of_plan(asked, plan) == ()
