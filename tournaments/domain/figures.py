"""Numbers as people read them: figures and ranges."""

from collections.abc import Iterable
from fractions import Fraction
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


def signed(value: object) -> str:
    """Format a score with its sign; zero has none.

    >>> signed(18), signed(-26), signed(0), signed(None)
    ('+18', '−26', '0', '–')
    """
    text = points(value)
    is_plain = value is None or isinstance(value, list) or text[:1] in (MINUS, NONE_KNOWN)
    if is_plain or text == "0":
        return text
    return f"+{text}"


def exact_json(value: Fraction) -> int | str:
    """Return an exact value as JSON has it.

    >>> exact_json(Fraction(4)), exact_json(Fraction(9, 2))
    (4, '9/2')
    """
    if value.denominator == 1:
        return value.numerator
    return str(value)


def place_text(rank: int | None, *, is_tied: bool) -> str:
    """Return a place as tables show it; "" without one.

    >>> place_text(2, is_tied=True), place_text(3, is_tied=False), place_text(None, is_tied=False)
    ('2=', '3', '')
    """
    if rank is None:
        return ""
    return f"{rank}{'=' * is_tied}"


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
