"""Plackett-Luce ratings (mean and doubt of a skill), with ties averaged over their orders.

Pure; the update of one game is `openskill`'s. See docs/algorithms/rating-ladder.md.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import factorial, fsum, lcm, prod, sqrt
from typing import Final

from openskill.models import PlackettLuce

from scoring.ladders.games import MemberRating, Values
from scoring.ladders.rules import LadderRules

MU: Final = 25.0
SIGMA: Final = MU / 3
MOST_ORDERS: Final = 120

_MODEL: Final = PlackettLuce(mu=MU, sigma=SIGMA, beta=MU / 6, kappa=1e-4, tau=MU / 300)


def first_values(rules: LadderRules) -> Values:
    """Return what a member begins with: mu and sigma."""
    return (MU, SIGMA)


def shown(values: Values) -> float:
    """Return the number that the ladder shows and orders by: mu - 3 sigma.

    >>> shown((25.0, 25 / 3))
    0.0
    """
    return values[0] - 3 * values[1]


def after_game(
    sides: Sequence[Sequence[MemberRating]], places: Sequence[int], rules: LadderRules
) -> tuple[tuple[Values, ...], ...]:
    """Return everybody's values after a game.

    The package ranks ties wrongly, so it is never given any: mu and sigma squared are averaged
    over the orders of each tied block.

    Args:
        sides: who played, one or two a side.
        places: one a side, from 1; equal places are ties.
        rules: not asked; the parameters are the package's defaults.

    Returns:
        One tuple a side, (mu, sigma) a member.

    See docs/algorithms/rating-ladder.md; Weng and Lin 2011.

    >>> new = MemberRating((MU, SIGMA))
    >>> [round(side[0][0], 3) for side in after_game([[new]] * 4, [1, 2, 3, 4], LadderRules())]
    [27.795, 26.553, 24.689, 20.962]
    """
    values = [tuple(one.values for one in side) for side in sides]
    blocks = _blocks(values, places)
    runs: list[dict[int, tuple[Values, ...]]] = [
        dict(zip(order, _rated([values[index] for index in order]), strict=True))
        for order in _orders(blocks)
    ]
    if len(runs) == 1:
        return tuple(runs[0][index] for index in range(len(sides)))
    return tuple(
        tuple(_mean([run[index][seat] for run in runs]) for seat in range(len(side)))
        for index, side in enumerate(sides)
    )


def _blocks(
    values: Sequence[tuple[Values, ...]], places: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    """The sides by place, those of one place by their values, so that seats make no difference."""
    return tuple(
        tuple(sorted((i for i, p in enumerate(places) if p == place), key=lambda i: values[i]))
        for place in sorted(set(places))
    )


def _orders(blocks: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Every order of the tied blocks, or their simultaneous rotations where those are too many."""
    if prod(factorial(len(block)) for block in blocks) <= MOST_ORDERS:
        for chosen in product(*(permutations(block) for block in blocks)):
            yield tuple(index for block in chosen for index in block)
        return
    for turn in range(lcm(*(len(block) for block in blocks))):
        turned = (block[turn % len(block) :] + block[: turn % len(block)] for block in blocks)
        yield tuple(index for block in turned for index in block)


def _rated(sides: Sequence[tuple[Values, ...]]) -> list[tuple[Values, ...]]:
    """The sides' values after they finished in this order."""
    teams = [[_MODEL.rating(mu=mu, sigma=sigma) for mu, sigma in side] for side in sides]
    after = _MODEL.rate(teams, ranks=[float(place) for place in range(1, len(sides) + 1)])
    return [tuple((one.mu, one.sigma) for one in team) for team in after]


def _mean(values: Sequence[Values]) -> Values:
    count = len(values)
    mu = fsum(one[0] for one in values) / count
    return (mu, sqrt(fsum(one[1] * one[1] for one in values) / count))
