"""Multi-player Elo: each opponent is one small game, shared out over the table.

Pure. See docs/algorithms/rating-ladder.md.
"""

from collections.abc import Sequence
from math import fsum, pow

from scoring.ladders.games import MemberRating, Values
from scoring.ladders.rules import LadderRules

SCALE = 400.0


def expected(own: float, other: float) -> float:
    """Return the share of the points that a rating of `own` expects against `other`.

    >>> expected(1500, 1500), round(expected(1600, 1400), 4)
    (0.5, 0.7597)
    """
    return 1.0 / (1.0 + pow(10.0, (other - own) / SCALE))


def first_values(rules: LadderRules) -> Values:
    """Return what a member begins with."""
    return (float(rules.start),)


def shown(values: Values) -> float:
    """Return the number that the ladder shows and orders by."""
    return values[0]


def after_game(
    sides: Sequence[Sequence[MemberRating]], places: Sequence[int], rules: LadderRules
) -> tuple[tuple[Values, ...], ...]:
    """Return everybody's values after a game.

    Args:
        sides: who played, one or two a side; a side's rating is the mean of its members'.
        places: one a side, from 1; equal places are ties.
        rules: K, and the K of a member's first games.

    Returns:
        One tuple a side, one value a member. The members of a side get the same change, by the
        mean of their K. Where all K are equal the changes sum to 0.

    See docs/algorithms/rating-ladder.md. Sums are exact before they are rounded (`fsum`), so that
    the order of the seats changes no bit.

    >>> new = MemberRating((1500.0,), games=10)
    >>> [round(side[0][0], 3) for side in after_game([[new]] * 4, [1, 2, 3, 4], LadderRules())]
    [1516.0, 1505.333, 1494.667, 1484.0]
    """
    ratings = [fsum(one.values[0] for one in side) / len(side) for side in sides]
    others = len(sides) - 1
    after = []
    for index, side in enumerate(sides):
        own, place = ratings[index], places[index]
        surplus = fsum(
            (1.0 if place < places[j] else 0.5 if place == places[j] else 0.0)
            - expected(own, ratings[j])
            for j in range(len(sides))
            if j != index
        )
        change = _k(side, rules) / others * surplus
        after.append(tuple((one.values[0] + change,) for one in side))
    return tuple(after)


def _k(side: Sequence[MemberRating], rules: LadderRules) -> float:
    return fsum(rules.k_new if one.games < rules.new_games else rules.k for one in side) / len(side)
