"""What a bye is worth: nothing, the mean of the scheme, or the entrant's own mean.

Pure. A bye is no game: it adds no hands and no opponent. See docs/algorithms/standings.md.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from scoring.standings.metrics import Metric
from scoring.standings.rows import Sums

BYE_AWARDS: Final = ("none", "scheme_mean", "own_mean")
"""What an event can give for a bye; nothing is the default."""


def can_award(award: str, primary: str) -> bool:
    """Return whether a bye can be worth `award` in an event ordered by `primary`.

    `scheme_mean` is a number of place points, so that it goes with placement points only;
    `own_mean` goes with every primary value: totals grow by it, means stay what they are.

    >>> [can_award("scheme_mean", key) for key in ("placement_points", "wins", "beaten_mean")]
    [True, False, False]
    """
    return award != "scheme_mean" or primary == "placement_points"


def mean_of_scheme(scheme: Sequence[int]) -> Fraction:
    """Return what a place is worth on the whole.

    See docs/algorithms/standings.md.

    >>> mean_of_scheme([5, 3, 2, 1])
    Fraction(11, 4)
    """
    return Fraction(sum(scheme), len(scheme))


def with_byes(
    value: Fraction, sums: Sums, metric: Metric, *, award: str, scheme_mean: Fraction | None
) -> Fraction:
    """Return the primary value with what the entrant's byes are worth.

    Args:
        value: the primary value of the games that count.
        sums: of those games, with the number of byes.
        scheme_mean: what a bye is worth under `scheme_mean`.

    Raises:
        ValueError: the award does not go with this primary value, or its mean is not given (a
            caller's bug: `refusals` tells of it when settings are saved).
    """
    if award == "none" or not sums.byes:
        return value
    if award == "own_mean":
        return value if metric.is_mean or not sums.games else value + sums.byes * value / sums.games
    if not can_award(award, metric.key) or scheme_mean is None:
        raise ValueError(f"a bye cannot be worth {award} under {metric.key}")
    return value + sums.byes * scheme_mean
