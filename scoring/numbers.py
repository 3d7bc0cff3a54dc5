"""Exact numbers that a score can be: whole points, fractions, and complex pairs.

Pure. No floats anywhere: what is split is a `Fraction`, a complex score is a pair of exact parts.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeGuard

Real: TypeAlias = int | Fraction
LARGEST = 10**9
"""No score, amount or target is farther from zero; what is longer is a mistake or an attack."""
LARGEST_STORED = 10**12
"""The same in what is stored already: earlier releases took in so much."""
PARTS = 360360
"""Parts of a point in which scores are stored: the least common multiple of 1 to 15."""

_FRACTION = re.compile(r"-?[1-9][0-9]{0,12}/[1-9][0-9]{0,12}")


@dataclass(frozen=True, slots=True)
class Complex:
    """An exact complex score, `re + im·i`; only rules that say `number: complex` use it.

    >>> (Complex(5, 13) * Complex(0, 2)).norm
    776
    """

    re: Real
    im: Real = 0

    def __add__(self, other: "Score") -> "Complex":
        added = as_complex(other)
        return Complex(tidy(self.re + added.re), tidy(self.im + added.im))

    __radd__ = __add__

    def __neg__(self) -> "Complex":
        return Complex(-self.re, -self.im)

    def __sub__(self, other: "Score") -> "Complex":
        return self + -as_complex(other)

    def __rsub__(self, other: "Score") -> "Complex":
        return as_complex(other) + -self

    def __mul__(self, other: "Score") -> "Complex":
        re, im = as_complex(other).re, as_complex(other).im
        return Complex(tidy(self.re * re - self.im * im), tidy(self.re * im + self.im * re))

    __rmul__ = __mul__

    @property
    def norm(self) -> Real:
        """The square of the magnitude, exact: what rules compare instead of a square root."""
        return self.re * self.re + self.im * self.im


Score: TypeAlias = int | Fraction | Complex
ScoreJson: TypeAlias = int | str | list[int | str]
"""A score as JSON writes it: 26, `"26/3"`, `"6.5000"` or `[re, im]`."""


def as_complex(score: Score) -> Complex:
    """The score as a complex number; a complex score stays itself."""
    if isinstance(score, Complex):
        return score
    return Complex(score)


def tidy(value: Real) -> Real:
    """A fraction that is whole becomes an `int`, so that equal scores look equal."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def real(score: Score) -> Real:
    """The score as a number with an order; a complex score has none: ask for its norm."""
    if isinstance(score, Complex):
        raise ValueError("a complex score has no order")  # noqa: TRY004 - a number, without an order
    return score


def score_json(score: Score) -> ScoreJson:
    """The score as JSON writes it: an integer, `"26/3"`, or `[re, im]`.

    >>> score_json(Fraction(26, 3)), score_json(Complex(-26, 10))
    ('26/3', [-26, 10])
    """
    if type(score) is int:
        return score  # nearly all
    if isinstance(score, Complex):
        return [_real_json(score.re), _real_json(score.im)]
    return _real_json(score)


def _real_json(value: Real) -> int | str:
    value = tidy(value)
    if isinstance(value, int):
        return value
    return f"{value.numerator}/{value.denominator}"


def is_whole(value: object) -> TypeGuard[int]:
    """Whether `value` is a whole number and nothing that merely behaves like one."""
    return type(value) is int


def read_score(value: object, *, pairs: bool = False, stored: bool = False) -> Score | None:
    """The score in a JSON value, or `None` if it is not a score.

    The bounds apply to new values; `stored` values are not checked against them again.
    Nothing is coerced: no float, no boolean, no text but a fraction in lowest terms.

    >>> read_score("26/3"), read_score("26 "), read_score(1.0), read_score(True)
    (Fraction(26, 3), None, None, None)
    >>> read_score("1/17"), read_score(10**9), read_score(10**9 + 1)
    (None, 1000000000, None)
    >>> read_score("1/17", stored=True), read_score(10**12, stored=True)
    (Fraction(1, 17), 1000000000000)
    """
    most = LARGEST_STORED if stored else LARGEST
    if type(value) is int:
        return value if -most <= value <= most else None
    if isinstance(value, str):
        if not _FRACTION.fullmatch(value):
            return None
        fraction = Fraction(value)
        if f"{fraction.numerator}/{fraction.denominator}" != value or abs(fraction) > most:
            return None
        return fraction if stored or PARTS % fraction.denominator == 0 else None
    if pairs and isinstance(value, list) and len(value) == 2:
        parts = [read_score(part, stored=stored) for part in value]
        numbers = [part for part in parts if isinstance(part, int | Fraction)]
        if len(numbers) != 2:
            return None
        return Complex(*numbers)
    return None
