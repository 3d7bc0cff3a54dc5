"""Why a row stands where it stands, as one sentence of numbers.

Pure. The sentences are English data of the publication, the same on page, CSV and REST.
"""

from fractions import Fraction

from scoring.standings.rank import Standing


def four_places(value: Fraction) -> str:
    """Return `value` rounded half to even to four places, as text with all four digits.

    Source: design.md 8.7 (`average_per_hand`).

    >>> four_places(Fraction(277, 58)), four_places(Fraction(-1, 3)), four_places(Fraction(5))
    ('4.7759', '-0.3333', '5.0000')
    """
    scaled = round(value * 10_000)
    sign = "-" if scaled < 0 else ""
    return f"{sign}{abs(scaled) // 10_000}.{abs(scaled) % 10_000:04d}"


def reason(row: Standing, above: Standing | None) -> str:
    """Return what separates `row` from the row `above` it; empty for the first row.

    >>> reason.__name__
    'reason'
    """
    if above is None or (row.rank is None) != (above.rank is None):
        return ""
    if row.decided_by is None:
        return f"level with {above.sums.code}: {_sum(row)}"
    primary = next(iter(row.values), row.decided_by)
    if row.decided_by != primary:
        key = row.decided_by
        own, other = _exact(row.values[key]), _exact(above.values[key])
        return f"level with {above.sums.code}: {_sum(row)}; {key} {own} against {other}"
    gap = abs(row.value - above.value)
    words = _exact(gap) if primary == "wins" else four_places(gap)
    return f"{_sum(row)}, {words} behind {above.sums.code}"


def _sum(row: Standing) -> str:
    primary = next(iter(row.values), row.decided_by)
    if row.decided_by == "raw_per_hand" and row.sums.hands:
        return f"{row.sums.points} ÷ {row.sums.hands} = {four_places(row.value)}"
    if primary == "wins":
        return f"{_exact(row.value)} {'win' if row.value == 1 else 'wins'}"
    return four_places(row.value)


def _exact(value: Fraction) -> str:
    """A whole number as it is, anything else to four places."""
    return str(value) if value.denominator == 1 else four_places(value)
