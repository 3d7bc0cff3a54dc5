"""Payouts: what a settlement may pay to the units, when only what was paid is known.

Pure. Units are alike, so a payout stands for all its orders; it is kept sorted. See
docs/algorithms/points-only.md.
"""

from collections.abc import Iterator

from scoring.diagnosis.shooter_hypotheses import Trial, kinds_of
from scoring.engine.distribute import TooMany
from scoring.engine.settle import settle_deal
from scoring.numbers import Complex, Real, Score

MOST_VECTORS = 10_000


def rank(score: Score) -> tuple[Real, Real, Score]:
    """A key that puts scores in an order, complex ones by their parts."""
    if isinstance(score, Complex):
        return score.re, score.im, score
    return score, 0, score


def payouts(trial: Trial) -> Iterator[tuple[tuple[Score, ...], Score]]:
    """What some deal pays, and leaves in the pool; units are alike, so their order is left open.

    Raises:
        TooMany: more than `MOST_VECTORS` ways to share out the points.
    """
    ready, rule, units = trial.ready, trial.ready.keys.settle, len(trial.points)
    if rule is None:
        return
    if rule.winners == "clean":
        takers = min(units, (ready.clean & ~trial.captured.unclaimed).bit_count())
        for taker in range(1, takers + 1):
            clean = [False] * taker + [True] * (units - taker)
            yield settle_deal(rule, [0] * units, clean, trial.pool)
        return
    for vector in deal_vectors(trial, units):
        yield settle_deal(rule, vector, [], trial.pool)


def deal_vectors(trial: Trial, units: int) -> set[tuple[Score, ...]]:
    """The deal points that some deal makes, sorted; one card after another goes to any unit."""
    ready = trial.ready
    found: set[tuple[Score, ...]] = {(ready.zero,) * units}
    for kind in kinds_of(trial, 0):
        value = ready.worth_of(kind & -kind)
        for _ in range(kind.bit_count() if value != ready.zero else 0):
            trial.budget.spend(2 * units * len(found))
            found = {
                tuple(sorted((*vector[:n], vector[n] + value, *vector[n + 1 :]), key=rank))
                for vector in found
                for n in range(units)
            }
            if len(found) > MOST_VECTORS:
                raise TooMany
    return found


def deal_points_are(trial: Trial, points: tuple[Score, ...]) -> bool:
    """Whether some deal makes these points, sorted, before anything is paid."""
    try:
        return points in deal_vectors(trial, len(points))
    except TooMany:
        return False
