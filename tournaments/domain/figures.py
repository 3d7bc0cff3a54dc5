"""Numbers as people read them: figures and ranges."""

from collections.abc import Iterable
from typing import Final

from django.utils import formats

MINUS: Final = "\u2212"
NONE_KNOWN: Final = "\u2013"


def points(value: object) -> str:
    """Format a score given as JSON, or a dash if there is none.

    >>> points(-8), points("26/3"), points([3, -2]), points("4.7759"), points(None)
    ('−8', '26/3', '3 − 2i', '4.7759', '–')
    """
    if value is None or value == "":
        return NONE_KNOWN
    if isinstance(value, list):
        real, imaginary = (str(part) for part in value)
        sign = MINUS if imaginary.startswith("-") else "+"
        return f"{points(real)} {sign} {imaginary.removeprefix('-')}i"
    text = str(value)
    whole, dot, decimals = text.partition(".")
    if dot:
        text = whole + formats.get_format("DECIMAL_SEPARATOR") + decimals
    return text.replace("-", MINUS)


def in_short(numbers: Iterable[int]) -> str:
    """Write ascending numbers in short.

    >>> in_short([6, 7, 8, 9, 12, 14, 15])
    '6–9, 12, 14–15'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in runs)
