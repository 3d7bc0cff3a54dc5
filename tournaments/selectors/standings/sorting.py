"""The order in which a page shows a published table, and the lines drawn through it.

Bytes that are stored, in another order: nothing is ranked here and no place changes.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from operator import itemgetter
from typing import Any, Final

from scoring.json_types import JsonObject
from tournaments.domain.name_matching import sort_key
from tournaments.domain.standings.standings_documents import StandingsDocumentRow

ASCENDING_AT_FIRST: Final = frozenset(
    {"rank", "player", "points", "average_per_hand", "difference"}
)
"""Columns that begin with the smallest; others begin with the most."""
TEXTS: Final = frozenset({"player", "player_id"})
"""Columns that hold no number."""

MOST_DECIMALS: Final = 4


def order_of(text: str, keys: Sequence[str]) -> tuple[str, bool]:
    """Return the column of `sort=text` and whether it descends; "" for the published order.

    >>> order_of("-moons", ["rank", "moons"]), order_of("rank", ["rank"]), order_of("x", ["rank"])
    (('moons', True), ('', False), ('', False))
    """
    key = text.removeprefix("-")
    is_descending = text.startswith("-")
    if key not in keys or (key == "rank" and not is_descending):
        return "", False
    return key, is_descending


def link_for(
    key: str, order: tuple[str, bool], *, decides: str, ascending: bool
) -> tuple[str, str]:
    """Return the query of the head of column `key`, and its `aria-sort` ("": not sorted by it)."""
    sorted_by, is_descending = order
    is_published = not sorted_by and key == decides
    if is_published or sorted_by == key:
        if is_published:
            is_descending = not ascending
        aria = "descending" if is_descending else "ascending"
        return f"sort={'' if is_descending else '-'}{key}", aria
    begins_low = ascending if key == decides else key in ASCENDING_AT_FIRST
    if key == "rank" and not sorted_by:
        begins_low = False
    return f"sort={'' if begins_low else '-'}{key}", ""


def rows_in_order(
    rows: Sequence[StandingsDocumentRow], order: tuple[str, bool], decides: str, primary: str
) -> list[StandingsDocumentRow]:
    """Return published rows in the order of a page; unknown values come last."""
    key, is_descending = order
    if not key:
        return list(rows)
    if key == "rank":
        return list(reversed(rows))

    def figure(row: JsonObject) -> Any:
        if key in TEXTS:
            return sort_key(str(row[key]))
        return _fraction(row["values"].get(primary) if key == decides else row.get(key))

    values = [(figure(row), row) for row in rows]
    ranked = [pair for pair in values if pair[0] is not None]
    ranked.sort(key=itemgetter(0), reverse=is_descending)
    return [row for _, row in ranked] + [row for value, row in values if value is None]


def cuts(
    rows: Sequence[StandingsDocumentRow], boundaries: Mapping[str, int]
) -> Mapping[str, Sequence[Mapping[str, object]]]:
    """Return the lines below ranked rows, by the row's id; withdrawn entrants are left out.

    A line has its `key`, the number of `places` above it, and `is_tied`: a tie that spans a line
    has it below all of its rows.
    """
    counted = [row for row in rows if not row.get("withdrawn")]
    lines: dict[str, list[Mapping[str, object]]] = defaultdict(list)
    for key, places in sorted(boundaries.items(), key=itemgetter(1, 0)):
        if places >= len(counted):
            continue
        last = counted[places - 1]
        tied = [row for row in counted[places:] if row["rank"] == last["rank"]]
        line = {"key": key, "places": places, "is_tied": bool(tied)}
        lines[[last, *tied][-1]["player_id"]].append(line)
    return lines


_FRACTION: Final = re.compile(r"-?[0-9]+/[0-9]+")


def decimals_of(values: Sequence[object]) -> int:
    """Return how many decimals a column of exact figures needs; 0 where none is a fraction.

    >>> decimals_of([11, "15/2", None]), decimals_of(["10/3", 1]), decimals_of(["4.7759"])
    (1, 4, 0)
    >>> decimals_of(["Ada/Bert", "1/2/3"])  # columns of names
    0
    """
    texts = [value for value in values if isinstance(value, str)]
    parts = [Fraction(value) for value in texts if _FRACTION.fullmatch(value)]
    if not parts:
        return 0
    exact = (
        places
        for places in range(1, MOST_DECIMALS)
        if all(10**places % part.denominator == 0 for part in parts)
    )
    return next(exact, MOST_DECIMALS)


def decimals_to_tell(values: Sequence[object]) -> int:
    """Return how many decimals tell neighbours of a column apart: two, or as many as it takes.

    >>> decimals_to_tell(["4.7759", "5.1538"]), decimals_to_tell(["4.7759", "4.7761", None])
    (2, 4)
    >>> decimals_to_tell(["15/2", 7, "22/3"]), decimals_to_tell(["15/2", 7]), decimals_to_tell([3])
    (2, 1, 0)
    """
    most = MOST_DECIMALS if any("." in str(value) for value in values) else decimals_of(values)
    pairs = [(a, b) for a, b in pairwise(filter(None, values)) if a != b]
    digits = (n for n in range(2, most) if all(decimal(a, n) != decimal(b, n) for a, b in pairs))
    return next(digits, most)


def decimal(value: Any, decimals: int) -> Any:
    """Return an exact figure with so many decimals, as the others of its column have them.

    >>> decimal("15/2", 1), decimal(11, 1), decimal("-5/2", 1), decimal(11, 0), decimal(None, 1)
    ('7.5', '11.0', '-2.5', 11, None)
    """
    if value is None or not decimals:
        return value
    return f"{Decimal(round(Fraction(value) * 10**decimals)).scaleb(-decimals):.{decimals}f}"


def _fraction(value: object) -> Fraction | None:
    if value is None or isinstance(value, list):
        return None
    return Fraction(str(value))
