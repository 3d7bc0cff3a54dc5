"""Totals of whole games: all that hands can make are taken, and the others refused."""

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.engine.progress import GameState, advance
from scoring.game.game import new_game, totals_problems
from scoring.numbers import Score
from scoring.rules.catalogue import catalogue
from scoring.rules.rules import Rules
from tests.support.lengths import short_or_long
from tests.support.scoring.play import rules
from tests.support.scoring.random_hands import dealt_at, option_sets, settled

MOST = 999


def after_hands(played: Rules, start: GameState, number: int, chance: Random) -> GameState:
    """A game after so many legal hands, each moon settled in any way that is open."""
    state = start
    for _ in range(number):
        dealt = dealt_at(chance, played, start.seats)
        hand = settled(dealt, dealt.entry, state, chance.randrange(2))
        state = advance(played, state, hand.scores, hand.effects)
    return state


def begun(played: Rules, chance: Random) -> GameState:
    """A game at any number of players, with chips where they are played for."""
    seats = chance.randint(*played.keys.players)
    state = new_game(played, seats)
    chips = any(test.kind.startswith("chips") for test in played.keys.finish)
    return state._replace(totals=(20,) * len(state.totals)) if chips else state


@pytest.mark.parametrize("variant", catalogue().ids)
@settings(max_examples=short_or_long(6, 150), deadline=None, print_blob=True)
@given(chance=st.randoms(use_true_random=True))
def test_totals_of_any_legal_hands_are_taken(variant: str, chance: Random) -> None:
    played = catalogue().rules(variant, chance.choice(option_sets(variant)))
    start, number = begun(played, chance), chance.randint(1, 12)
    totals = after_hands(played, start, number, chance).totals
    for hands in (number, None):
        told = totals_problems(played, start, totals, hands, MOST)
        assert told == [], (played.options, totals, number)


def reasons(
    totals: list[Score], hands: int | None, variant: str = "hearts", **options: Any
) -> list[tuple[object, ...]]:
    played = rules(variant, **options)
    told = totals_problems(played, new_game(played, len(totals)), totals, hands, MOST)
    assert {problem.code for problem in told} <= {"impossible_totals"}
    return [(problem.at, problem.facts["why"]) for problem in told]


@pytest.mark.parametrize(
    ("totals", "hands", "why"),
    [
        ([10**9, 1, 2, 3], 5, [(("points", 0), "seat")]),
        ([100, 0, 0, 0], 1, [(("points", 0), "seat")]),
        ([1, 1, 1, 1], 10, [(("points",), "sum")]),
        ([1, 1, 1, 1], None, [(("points",), "sum")]),
        ([-(10**8), 1, 2, 3], 5, [(("points", 0), "seat")]),
        ([10**18] * 4, None, [(("points", seat), "seat") for seat in range(4)]),
        ([Fraction(3, 2), 1, 2, 3], 5, [(("points", 0), "fraction")]),
        ([Fraction(1, 3), 1, 2, 3], None, [(("points", 0), "fraction")]),
        ([0, 0, 0, 26], 1000, [(("points",), "sum")]),
        ([61, 43, 70, 86], 10, []),
        ([61, 43, 70, 86], 9, [(("points",), "sum")]),
        ([61, 43, 70, 86], None, []),
    ],
)  # fmt: skip
def test_totals_that_no_hands_make_are_refused(
    totals: list[Score], hands: int | None, why: list[tuple[object, ...]]
) -> None:
    assert reasons(totals, hands) == why


@pytest.mark.parametrize(
    ("variant", "options", "totals", "hands", "why"),
    [
        ("hearts", {"moon": "none"}, [-1, 9, 9, 9], 1, [(("points", 0), "seat")]),
        ("omnibus-hearts", {}, [36, 36, 36, 36], 9, []),
        ("omnibus-hearts", {}, [36, 36, 36, 37], 9, [(("points",), "sum")]),
        (
            "omnibus-hearts",
            {"bonus_floor": "total"},
            [-5, 26, 26, 26],
            4,
            [(("points", 0), "seat")],
        ),
        ("reversis", {}, [30, 40, 50, 30], 10, []),
        ("reversis", {}, [30, 40, 50, 31], 10, [(("points",), "sum")]),
        ("pinochle-two-hand", {}, [-10, 500], 3, [(("points", 0), "seat")]),
        ("black-lady-low-hand", {}, [Fraction(26, 3), Fraction(26, 3), Fraction(26, 3), 0], 1, []),
        ("super-hearts", {}, [-21, 21, 0, 0], 1, [(("points", 0), "seat")]),
        ("super-hearts", {"pledge": True}, [24, -2, -46, 24], 1, []),
        ("hearts-traditional", {"bonus_floor": "both", "deals": 12}, [0, 0, 5], 2, []),
        ("hearts-chip-pool", {}, [-11, 0, 0, 0], 10, [(("points", 0), "seat")]),
        ("complex-hearts", {}, [1, 1, 1, 1], 1, []),
    ],
)
def test_bounds_follow_from_the_rules(
    variant: str,
    options: Mapping[str, Any],
    totals: list[Score],
    hands: int,
    why: list[tuple[object, ...]],
) -> None:
    assert reasons(totals, hands, variant, **options) == why


def test_refusal_says_what_is_expected() -> None:
    played = rules()
    start = new_game(played, 4)
    wrong: list[tuple[list[Score], int | None]] = [
        ([200, 1, 2, 3], 5), ([1, 1, 1, 1], 10), ([1, 1, 1, 1], None),
        ([Fraction(3, 2), 1, 2, 3], 5),
    ]  # fmt: skip
    told = [
        totals_problems(played, start, totals, hands, MOST)[0].message for totals, hands in wrong
    ]
    a_hand = "can make that: the points of a hand total 26, moons aside."
    assert told == [
        "Seat N has 200, and no five hands can make that. Expected: −130 to 130.",
        f"All totals together are 4, and no 10 hands {a_hand}",
        f"All totals together are 4, and no number of hands {a_hand}",
        "Seat N has 3/2. These rules give whole points only.",
    ]
