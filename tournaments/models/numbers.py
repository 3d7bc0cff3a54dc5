"""Exact numbers in integer columns: scores, points and shares in units of 1/360360.

360360 is the least common multiple of 1..15, so every share that a table of up to thirteen can
split something into is a whole number of units (docs/algorithms/standings.md,
"Place points"). Complex scores
use two columns. Pure: no rule of the game lives here, only the change of unit.
"""

from fractions import Fraction
from typing import Final

from scoring.numbers import ScoreJson

UNIT: Final = 360360


def units_of(value: int | Fraction) -> int:
    """Return `value` (points) in units of 1/360360.

    Raises:
        ValueError: the value is no whole number of units (a caller's bug).

    >>> units_of(26), units_of(Fraction(26, 3))
    (9369360, 3123120)
    """
    scaled = value * UNIT
    if isinstance(scaled, Fraction):
        if scaled.denominator != 1:
            raise ValueError(f"{value} is not a whole number of 1/{UNIT}")
        return scaled.numerator
    return scaled


def exact(units: int) -> int | Fraction:
    """Return the stored `units` as points, an `int` where it is whole.

    >>> exact(9369360), exact(3123120)
    (26, Fraction(26, 3))
    """
    whole, rest = divmod(units, UNIT)
    return Fraction(units, UNIT) if rest else whole


def as_json(units: int, imaginary: int | None = None) -> ScoreJson:
    """Return a stored score as JSON writes it: an integer, `"26/3"`, or `[re, im]`.

    >>> as_json(9369360), as_json(3123120), as_json(360360, -360360)
    (26, '26/3', [1, -1])
    """
    if imaginary is not None:
        return [_plain(units), _plain(imaginary)]
    return _plain(units)


def _plain(units: int) -> int | str:
    value = exact(units)
    return value if isinstance(value, int) else f"{value.numerator}/{value.denominator}"
