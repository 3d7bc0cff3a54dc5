"""The ways in which the numbers of a file may not be as written, and the plans that read them so.

A reading has some of them, and a key: `as_written`, or its ways in their order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from tournaments.documents.read.column_plan import EMPTY, RUNNING, SIGN, ColumnPlan
from tournaments.models.imports import DATES, IGNORE, SEATS

ROUND_IS_HAND: Final = "round_is_hand"
RUNNING_TOTALS: Final = "running"
MINUS: Final = "minus"
EMPTY_IS_ZERO: Final = "empty_is_zero"
DASH_IS_ZERO: Final = "dash_is_zero"

SEAT_IS_PLACE: Final = "seat_is_place"

WAYS: Final = (
    ROUND_IS_HAND,
    RUNNING_TOTALS,
    MINUS,
    EMPTY_IS_ZERO,
    DASH_IS_ZERO,
    SEAT_IS_PLACE,
)
"""In which a reading can differ from what is written."""

AS_WRITTEN: Final = "as_written"
"""The key of the reading without any of these ways."""

EMPTY_WAYS: Final[Mapping[str, tuple[str, ...]]] = {
    "": (),
    "0": (EMPTY_IS_ZERO,),
    "0-": (EMPTY_IS_ZERO, DASH_IS_ZERO),
}

ROUND_WAYS: Final[Sequence[tuple[str, ...]]] = ((), (ROUND_IS_HAND,))
SUM_WAYS: Final[Sequence[tuple[str, ...]]] = ((), (RUNNING_TOTALS,))
SIGN_WAYS: Final[Sequence[tuple[str, ...]]] = ((), (MINUS,))
SEAT_WAYS: Final[Sequence[tuple[str, ...]]] = ((), (SEAT_IS_PLACE,))

KEYS: Final = tuple(
    " ".join((*round_, *running, *sign, *empty, *seat)) or AS_WRITTEN
    for seat, empty, sign, running, round_ in product(
        SEAT_WAYS, EMPTY_WAYS.values(), SIGN_WAYS, SUM_WAYS, ROUND_WAYS
    )
)
"""The keys of all readings."""


def ways_in(key: str) -> tuple[str, ...] | None:
    """Return the ways of a reading by its key; None if no reading has it.

    >>> ways_in("running empty_is_zero"), ways_in("as_written"), ways_in("sideways")
    (('running', 'empty_is_zero'), (), None)
    """
    if key not in KEYS:
        return None
    return tuple(way for way in WAYS if way in key.split())


def ways_of(plan: ColumnPlan) -> tuple[str, ...]:
    """Return the ways in which a plan reads other than as written.

    A plan in which the round is the hand, or in which no column is the seat, does not show it.
    """
    ways = []
    if plan.cells == RUNNING:
        ways.append(RUNNING_TOTALS)
    if plan.given.get(SIGN):
        ways.append(MINUS)
    return (*ways, *EMPTY_WAYS.get(plan.given.get(EMPTY, ""), ()))


def key_of_plan(plan: ColumnPlan) -> str:
    return " ".join(ways_of(plan)) or AS_WRITTEN


def with_ways(plan: ColumnPlan, ways: Sequence[str]) -> ColumnPlan:
    """Return a plan that reads its columns in these ways, and otherwise as written."""
    columns = plan.columns
    values = {key: text for key, text in plan.given.items() if key not in (EMPTY, SIGN)}
    if ROUND_IS_HAND in ways and "hand" not in plan.means and "round" in plan.means:
        columns = tuple(
            (label, "hand" if means == "round" else means) for label, means in plan.columns
        )
        if "date" in plan.means:
            values["round"] = DATES
    if SEAT_IS_PLACE in ways:
        columns = tuple((label, IGNORE if means == "seat" else means) for label, means in columns)
    if MINUS in ways:
        values[SIGN] = "-"
    if DASH_IS_ZERO in ways:
        values[EMPTY] = "0-"
    elif EMPTY_IS_ZERO in ways:
        values[EMPTY] = "0"
    kind = plan.cells
    each_hand = "" if plan.rows == SEATS else "points"
    if RUNNING_TOTALS in ways and kind == each_hand:
        kind = RUNNING
    elif RUNNING_TOTALS not in ways and kind == RUNNING:
        kind = each_hand
    return replace(plan, columns=columns, cells=kind, given=values)
