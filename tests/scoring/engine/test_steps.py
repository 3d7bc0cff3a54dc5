"""The steps of the engine one by one, and how finishers rank."""

import doctest
import importlib
import pkgutil
from fractions import Fraction
from random import Random

import pytest

import scoring
from scoring.cases import winner
from scoring.engine.deal_points import Hand, is_met, settle_deal
from scoring.engine.deciding import finishers, rank_keys, win_criteria
from scoring.game.game import GameState, new_game, outcome
from scoring.numbers import Complex, Score
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import prepare
from scoring.rules.rules import Rules
from scoring.rules.types import SameCard, Settle
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.play import rules

MODULES = [name for _, name, is_package in pkgutil.walk_packages(scoring.__path__, "scoring.")
           if not is_package and not name.endswith("__main__")]  # fmt: skip
STATES = 40


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_condition_looks_at_what_was_declared() -> None:
    ready = prepare(rules("test-charged"), 4)
    charged = ready.card_modifiers[0].when
    assert not is_met(charged, Hand(0, ready.counting, frozenset(), False, None))
    assert is_met(charged, Hand(0, ready.counting, frozenset({"AH"}), False, None))


LOW = Settle(stake="deal_points", winners="lowest", pays="pot")
SWEEP = Settle(stake="deal_points", winners="lowest_nonpositive", pays="pot")
CHIPS = Settle(stake="ante", ante=1, winners="clean", pays="pot", remainder="stay")
SUPER = Settle(stake="none", winners="lowest_positive", pays="difference")


@pytest.mark.parametrize(
    ("rule", "points", "clean", "pool", "expected"),
    [
        (LOW, [1, 13, 5, 7], [], 0, ((26, 0, 0, 0), 0)),
        (LOW, [0, 26, 0, 0], [], 0, ((Fraction(26, 3), 0, Fraction(26, 3), Fraction(26, 3)), 0)),
        (SWEEP, [1, 13, 5, 7], [], 0, ((0, 0, 0, 0), 26)),
        (SWEEP, [0, 13, 13, 0], [], 26, ((26, 0, 0, 26), 0)),
        (SWEEP, [-10, 13, 13, 0], [], 0, ((16, 0, 0, 0), 0)),
        (CHIPS, [0, 0, 0, 0], [True, True, True, False], 0, ((0, 0, 0, -1), 1)),
        (CHIPS, [0, 0, 0, 0], [False, False, False, False], 2, ((-1, -1, -1, -1), 6)),
        (SUPER, [1, 7, 12, 0], [], 0, ((17, -6, -11, 0), 0)),
        (SUPER, [2, 2, 16, 0], [], 0, ((7, 7, -14, 0), 0)),
        (SUPER, [0, 0, 0, 0], [], 0, ((0, 0, 0, 0), 0)),
    ],
)
def test_settlement_pays_what_the_rule_says(
    rule: Settle, points: list[int], clean: list[bool], pool: int, expected: object
) -> None:
    assert settle_deal(rule, points, clean, pool) == expected


CANCEL = SameCard(rule="cancel")


@pytest.mark.parametrize(
    ("plays", "same", "expected"),
    [
        (["JC", "10C", "9C", "8C", "4C", "JC"], CANCEL, 1),
        (["QS", "2S", "QS", "5S", "AH", "3S"], CANCEL, 3),
        (["9D", "9D", "KH", "2H", "KH", "3C"], CANCEL, None),
        (["KD", "2D", "KD", "3D", "KD", "4D"], CANCEL, 4),
        (["JC", "10C", "10C", "8C", "4C", "JC"], SameCard("cancel", void_on="two_pairs"), None),
        (["JC", "10C", "10C", "8C", "4C", "JC"], CANCEL, 3),
        (["JC", "10C", "JC"], SameCard(rule="later"), 2),
        (["JC", "10C", "JC"], SameCard(rule="earlier"), 0),
        (["2C", "AH", "3C", "KD"], SameCard(), 2),
    ],
)
def test_trick_is_won_by_the_highest_card_that_stands(
    plays: list[str], same: SameCard, expected: int | None
) -> None:
    assert winner(plays, same) == expected


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
    worst, summed = (catalogue().rules(variant) for variant in VARIANTS if _by(variant) != "total")
    state = new_game(worst, 4)._replace(totals=(90, 70, 10, 80))
    assert (win_criteria(worst).by, win_criteria(summed).by) == ("side_worst", "side_sum")
    assert rank_keys(worst, state)[0] > rank_keys(worst, state)[1]
    assert rank_keys(summed, state)[0] < rank_keys(summed, state)[1]


def _by(variant: str) -> str:
    return win_criteria(catalogue().rules(variant)).by


def test_moon_that_wins_the_match_puts_its_shooter_first() -> None:
    rules = catalogue().rules("hearts")
    keys = rank_keys(rules, new_game(rules, 4)._replace(totals=(10, 50, 40, 60), won_by=3))
    assert sorted(range(4), key=keys.__getitem__) == [3, 0, 2, 1]
