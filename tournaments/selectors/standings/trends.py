"""Arrows and sparklines of a table: the change of place since the last round, and all places.

A page costs one more query; a worker computes and stores the values.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, TypeAlias

from tournaments.models.events import Event
from tournaments.selectors.standings.history import stored_document

WIDTH: Final = 88
HEIGHT: Final = 22
EDGE: Final = 2
"""Room for the dot at the end of a line, in the units of the picture."""
FEWEST_ROUNDS: Final = 4
"""Fewer rounds make no line."""
Trend: TypeAlias = Mapping[str, Mapping[str, object] | None]
"""`movement` and `sparkline` of a row; None where there is nothing to compare.

`movement` says which `way` (up, dn, same) and `by` how much a place moved, and what it `was`.
`sparkline` has the `points` of a line for SVG, `x` and `y` of its last dot, and all `places`.
"""


def get_trends(
    event: Event,
    until_round: int | None,
    places: Mapping[str, str],
    codes: Collection[str] | None = None,
) -> Mapping[str, Trend]:
    """Return the trend of each row of a table, by the entrant's id; one query.

    Args:
        until_round: the table's own round; `places` are the ones after it, whether or not a worker
            has been there since.
        places: as they are written, "2="; "–" without a rank.
        codes: the rows of a page; else all.
    """
    columns = (stored_document(event, "movement") or {"rounds": ()})["rounds"]
    before = [col for col in columns if until_round is not None and col["round"] < until_round]
    if not before:
        return {}
    last = max(
        [column["last"] for column in before] + [_number(place) for place in places.values()]
    )
    return {
        code: {
            "movement": _movement(place, before[-1]["places"].get(code, "")),
            "sparkline": _sparkline([col["places"].get(code, "") for col in before], place, last),
        }
        for code, place in places.items()
        if codes is None or code in codes
    }


def _movement(place: str, was: str) -> Mapping[str, object] | None:
    if not (_number(was) and _number(place)):
        return None
    by = _number(was) - _number(place)
    return {"way": "up" if by > 0 else "dn" if by < 0 else "same", "by": abs(by), "was": was}


def _sparkline(before: Sequence[str], now: str, last: int) -> Mapping[str, object] | None:
    """Return the line from the first known place to `now`; place 1 is at the top, `last` below."""
    places = [*before, now if _number(now) else ""]
    numbers = [(at, _number(place)) for at, place in enumerate(places) if place]
    if not places[-1] or len(places) < FEWEST_ROUNDS or len(numbers) < 2:
        return None
    step = (WIDTH - 3 * EDGE) / (len(places) - 1)
    points = [(f"{EDGE + at * step:.1f}", f"{_height(place, last):.1f}") for at, place in numbers]
    return {
        "points": " ".join(f"{x},{y}" for x, y in points),
        "x": points[-1][0],
        "y": points[-1][1],
        "places": ", ".join(place or "–" for place in places),
    }


def _height(place: int, last: int) -> float:
    if last < 2:
        return EDGE
    return EDGE + (place - 1) * (HEIGHT - 2 * EDGE) / (last - 1)


def _number(place: str) -> int:
    """Return the place without its sign of a tie; 0 without a place."""
    digits = place.rstrip("=")
    return int(digits) if digits.isdecimal() else 0
