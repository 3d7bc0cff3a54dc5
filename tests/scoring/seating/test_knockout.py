"""Knock-outs: seeds, pairing crosswise, ranking anew, wild cards, byes, walk-overs."""

from dataclasses import replace

import pytest

from scoring.errors import Refused
from scoring.seating.brackets import bracket_of
from scoring.seating.movements.knockout import going_on, ranked_table
from scoring.seating.movements.plan_movement import plan_movement
from scoring.seating.movements.swiss_checker import faults_of_knockout
from scoring.seating.requests import PlannedRound, SeatingPlan, SeatingRequest
from tests.support.lengths import short_or_long
from tests.support.scoring.plan_checker import faults_of_plan


def knockout(players: int, **more: object) -> SeatingRequest:
    everybody = tuple(range(1, players + 1))
    fields: dict[str, object] = {"sizes": (4, 3), "standing": {one: one for one in everybody}}
    return SeatingRequest(everybody, 1, movement="knockout", **(fields | more))  # type: ignore[arg-type]


def scores_of(planned: PlannedRound) -> dict[int, int]:
    return {
        player: points
        for table in planned.tables
        for points, player in enumerate(sorted(table, reverse=True))
    }


def played(asked: SeatingRequest) -> list[SeatingPlan]:
    """All rounds down to the final, where the better seed always wins."""
    plans: list[SeatingPlan] = []
    now = asked
    while True:
        plan = plan_movement(now)
        assert faults_of_plan(replace(now, players=tuple(people(plan.rounds[0]))), plan) == ()
        scores = scores_of(now.history[-1]) if now.history else {}
        last = (now.history, scores, asked.advance, asked.wild_cards)
        assert faults_of_knockout(plan.rounds[0], *last) == ()
        plans.append(plan)
        if len(plan.rounds[0].tables) == 1 and not plan.rounds[0].sitting_out:
            return plans
        (done,) = plan.rounds
        now = replace(now, history=(*now.history, done), scores=scores_of(done))


def people(planned: PlannedRound) -> list[int]:
    return sorted([*(one for table in planned.tables for one in table), *planned.sitting_out])


@pytest.mark.parametrize("players", range(6, 129, short_or_long(11, 1)))
def test_every_field_comes_down_to_a_final_and_the_best_seed_wins(players: int) -> None:
    plans = played(knockout(players))
    assert len(plans) == len(bracket_of(players))
    assert 1 in people(plans[-1].rounds[0])
    foreseen = [round_.seated for round_ in plans[0].bracket]
    assert foreseen == [sum(map(len, plan.rounds[0].tables)) for plan in plans]


@pytest.mark.parametrize("players", [16, 24, 32, 48, 64, 128])
def test_nobody_meets_a_player_of_the_table_before(players: int) -> None:
    first = plan_movement(knockout(players)).rounds[0]
    plan = plan_movement(knockout(players, history=(first,), scores=scores_of(first)))
    before = {player: at for at, table in enumerate(first.tables) for player in table}
    for table in plan.rounds[0].tables:
        assert len({before[player] for player in table}) == 4


def test_best_seeds_have_byes_where_tables_are_of_four_only() -> None:
    first, second, *_ = played(knockout(14, sizes=(4,)))
    assert first.rounds[0].sitting_out == (1, 2)
    assert {1, 2} <= {*people(second.rounds[0])}


def test_wild_cards_are_the_best_of_the_others() -> None:
    first = plan_movement(knockout(12, advance=1, wild_cards=1)).rounds[0]
    better = sorted(first.tables[2])[1]
    scores = {player: 3 * points for player, points in scores_of(first).items()}
    scores[better] += 1
    plan = plan_movement(knockout(12, advance=1, wild_cards=1, history=(first,), scores=scores))
    assert people(plan.rounds[0]) == sorted({1, 2, 3, better})


def test_seed_that_alone_decides_a_wild_card_is_told() -> None:
    first = plan_movement(knockout(12, advance=1, wild_cards=1)).rounds[0]
    asked = knockout(12, advance=1, wild_cards=1, history=(first,), scores=scores_of(first))
    seconds = tuple(sorted(sorted(table)[1] for table in first.tables))
    assert plan_movement(asked).by_seed == (((seconds[0],), seconds[1:]),)
    decided = {player: rank for rank, player in enumerate(reversed(seconds), 1)}
    plan = plan_movement(replace(asked, wild_ranks=decided))
    assert (people(plan.rounds[0]), plan.by_seed) == ([1, 2, 3, seconds[2]], ())
    with pytest.raises(Refused, match="wild_card_tie") as refused:
        plan_movement(replace(asked, wild_ranks=dict.fromkeys(seconds, 1)))
    assert refused.value.problems[0].facts["players"] == list(seconds)


def test_tie_for_the_last_place_is_for_a_playoff() -> None:
    first = plan_movement(knockout(8)).rounds[0]
    scores = scores_of(first)
    tied = sorted(first.tables[0])[1:3]
    scores |= dict.fromkeys(tied, 2)
    with pytest.raises(Refused, match="knockout_tie") as refused:
        plan_movement(knockout(8, history=(first,), scores=scores))
    assert refused.value.problems[0].facts == {"players": tied, "place": 2}


def test_absent_player_comes_last_and_withdrawn_winner_is_replaced() -> None:
    order = (1, 2, 3, 4)
    assert ranked_table(order, {2: 5, 3: 3, 4: 1}, 2, order, order).places == (2, 3, 4, 1)
    assert ranked_table(order, {1: 9, 2: 5, 3: 3, 4: 1}, 2, (2, 3, 4), order).places == (2, 3, 4)


def test_consolation_is_drawn_from_those_who_are_out() -> None:
    first = plan_movement(knockout(16)).rounds[0]
    results = [
        ranked_table(table, scores_of(first), 2, table, range(1, 17)) for table in first.tables
    ]
    going, _by_place, _by_seed = going_on(results, (), range(1, 17), 2)
    out = tuple(player for player in range(1, 17) if player not in going)
    assert len(out) == 8
    seeds = {player: at for at, player in enumerate(out, 1)}
    draw = plan_movement(SeatingRequest(out, 1, sizes=(4, 3), movement="knockout", standing=seeds))
    assert people(draw.rounds[0]) == sorted(out)


def test_knockout_that_would_not_end_is_refused() -> None:
    with pytest.raises(Refused, match="knockout_does_not_shrink"):
        plan_movement(knockout(12, advance=3, sizes=(3,)))
    final = plan_movement(knockout(4)).rounds[0]
    with pytest.raises(Refused, match="knockout_is_over"):
        plan_movement(knockout(4, history=(final,), scores=scores_of(final)))
