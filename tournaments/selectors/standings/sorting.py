"""The order in which a page shows a published table, and the lines drawn through it.

Bytes that are stored, in another order: nothing is ranked here and no place changes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from tournaments.domain.standings.standings_documents import StandingsDocumentRow

ASCENDING_AT_FIRST: Final = frozenset(
    {"rank", "player", "points", "average_per_hand", "difference"}
)
"""Columns that begin with the smallest; others begin with the most."""


TEXTS: Final = frozenset({"player", "player_id"})
"""Columns that hold no number."""


@dataclass(frozen=True, slots=True)
class SortOrder:
    """By which column a page is sorted; no key = as published."""

    key: str = ""
    is_descending: bool = False


@dataclass(frozen=True, slots=True)
class SortLink:
    """What a column's head leads to, and which way it is sorted now (empty: it is not)."""

    query: str
    aria: str


@dataclass(frozen=True, slots=True)
class CutOffLine:
    """A line below a row: how many places above it count, for what, and whether a tie spans it."""

    key: str
    places: int
    is_tied: bool


def order_of(text: str, keys: Sequence[str]) -> SortOrder:
    """Return the order that `sort=text` asks for; as published where it names no column.

    >>> order_of("-moons", ["rank", "moons"]), order_of("rank", ["rank"]), order_of("x", ["rank"])
    (Order(key='moons', is_descending=True), Order(key='', is_descending=False), \
Order(key='', is_descending=False))
    """
    key = text.removeprefix("-")
    is_descending = text.startswith("-")
    if key not in keys or (key == "rank" and not is_descending):
        return SortOrder()
    return SortOrder(key, is_descending)


def link_for(key: str, now: SortOrder, *, decides: str, ascending: bool) -> SortLink:
    """Return what the head of column `key` leads to.

    Args:
        decides: the column by which the published table is ordered, one way or the other.
        ascending: that way.
    """
    is_published = not now.key and key == decides
    if is_published or now.key == key:
        is_descending = not ascending if is_published else now.is_descending
        aria = "descending" if is_descending else "ascending"
        return SortLink(f"?sort={'' if is_descending else '-'}{key}", aria)
    begins_low = ascending if key == decides else key in ASCENDING_AT_FIRST
    if key == "rank" and not now.key:
        begins_low = False
    return SortLink(f"?sort={'' if begins_low else '-'}{key}", "")


def in_order(
    rows: Sequence[StandingsDocumentRow], order: SortOrder, decides: str, primary: str
) -> list[StandingsDocumentRow]:
    """Return published rows in the order of a page; what is not known comes last."""
    if not order.key:
        return list(rows)
    if order.key == "rank":
        return list(reversed(rows))

    def figure(row: Mapping[str, Any]) -> Any:
        if order.key in TEXTS:
            return str(row[order.key]).casefold()
        if order.key == decides:
            return _fraction(row["values"].get(primary))
        return _fraction(row.get(order.key))

    known = [row for row in rows if figure(row) is not None]
    unknown = [row for row in rows if figure(row) is None]
    return [*sorted(known, key=figure, reverse=order.is_descending), *unknown]


def cuts(
    rows: Sequence[StandingsDocumentRow], boundaries: Mapping[str, int]
) -> Mapping[str, tuple[CutOffLine, ...]]:
    """Return the lines below ranked rows, by the row's id: withdrawn entrants are passed over.

    A tie that spans a line has it below all of its rows, and the line says so.
    """
    counted = [row for row in rows if not row.get("withdrawn")]
    found: dict[str, tuple[CutOffLine, ...]] = {}
    for key, places in sorted(boundaries.items(), key=lambda one: (one[1], one[0])):
        if places >= len(counted):
            continue
        last, is_tied = counted[places - 1], False
        for row in counted[places:]:
            if row["rank"] != last["rank"]:
                break
            last, is_tied = row, True
        code = last["player_id"]
        found[code] = (*found.get(code, ()), CutOffLine(key, places, is_tied))
    return found


MOST_DECIMALS: Final = 4
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
