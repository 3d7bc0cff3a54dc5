"""How finishers rank: the first is who the game says is in front, whatever decides."""

from random import Random

import pytest

from scoring.engine.deciding import finishers, rank_keys, win_criteria
from scoring.game.game import GameState, new_game, outcome
from scoring.numbers import Complex, Score
from scoring.rules.catalogue import catalogue
from scoring.rules.rules import Rules
from tests.support.scoring.catalogue_facts import VARIANTS

STATES = 40


def states(rules: Rules, seats: int) -> list[GameState]:
    """Games in which anything may have happened, ends and ties among them."""
    chance = Random(rules.id)  # noqa: S311 - makes up totals, keeps no secret
    plain = new_game(rules, seats)

    def total() -> Score:
        number = chance.choice([0, 3, 50, 99, 100, 101, 108, chance.randint(-1100, 1100)])
        return Complex(number, chance.randint(-9, 9)) if isinstance(rules.zero, Complex) else number

    return [
        plain._replace(
            totals=tuple(total() for _ in plain.totals),
            lives=tuple(chance.randint(0, 3) for _ in plain.lives),
            deals=chance.randint(1, 12),
        )
        for _ in range(STATES)
    ]


@pytest.mark.parametrize("variant", VARIANTS)
def test_first_in_rank_is_who_leads(variant: str) -> None:
    rules = catalogue().rules(variant)
    for state in states(rules, rules.keys.players[0]):
        keys = rank_keys(rules, state)
        first = {number for number, key in enumerate(keys) if key == min(keys)}
        assert set(outcome(rules, state).leaders) == first, state
        assert sorted(seat for side in finishers(rules, state) for seat in side) == list(
            range(state.seats)
        )


def test_seat_without_lives_is_behind_all_who_have_some() -> None:
    rules = catalogue().rules("danger-hearts")
    state = new_game(rules, 4)._replace(totals=(10, 50, 40, 60), lives=(0, 1, 3, 0))
    keys = rank_keys(rules, state)
    assert sorted(range(4), key=keys.__getitem__) == [2, 1, 0, 3]
    assert win_criteria(rules).lives


def test_side_ranks_by_its_worst_total_or_by_its_sum() -> None:
    worst, summed = (catalogue().rules(one) for one in VARIANTS if _by(one) != "total")
    state = new_game(worst, 4)._replace(totals=(90, 70, 10, 80))
    assert (win_criteria(worst).by, win_criteria(summed).by) == ("side_worst", "side_sum")
    assert rank_keys(worst, state)[0] > rank_keys(worst, state)[1]
    assert rank_keys(summed, state)[0] < rank_keys(summed, state)[1]


def _by(variant: str) -> str:
    return win_criteria(catalogue().rules(variant)).by


def test_moon_that_wins_the_match_puts_its_shooter_first() -> None:
    rules = catalogue().rules("hearts")
    state = new_game(rules, 4)._replace(totals=(10, 50, 40, 60), won_by=3)
    keys = rank_keys(rules, state)
    assert sorted(range(4), key=keys.__getitem__) == [3, 0, 2, 1]
