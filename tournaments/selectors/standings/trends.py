"""Arrows and small lines beside a table: the place against the round before, and places so far.

One query more for a page; whatever it prints was made by a worker and is stored.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tournaments.models.events import Event
from tournaments.models.standings import StoredHistory

WIDTH: Final = 88
HEIGHT: Final = 22
EDGE: Final = 2
"""Room for the dot at the end of a line, in the units of the picture."""


@dataclass(frozen=True, slots=True)
class Movement:
    """How far a place is from that of the round before; `was` is that one as it is written."""

    way: Literal["up", "dn", "same"]
    by: int
    was: str


@dataclass(frozen=True, slots=True)
class Sparkline:
    """Places round by round as a line: `points` for SVG, the dot of now, all values in words."""

    points: str
    x: str
    y: str
    places: str


@dataclass(frozen=True, slots=True)
class EntrantTrend:
    """Movement and sparkline of one row; either part is None where there is nothing to compare."""

    movement: Movement | None
    sparkline: Sparkline | None


def paths_of(
    event: Event,
    until_round: int | None,
    places: Mapping[str, str],
    shown: Collection[str] | None = None,
) -> Mapping[str, EntrantTrend]:
    """Return the trend of each row of a table, by the entrant's id; one query.

    Args:
        until_round: the table's own round; `places` are the ones after it, whether or not a worker
            has been there since.
        places: as they are written, "2="; "–" without a rank.
        shown: the rows of a page; else all.
    """
    rows = StoredHistory.objects.filter(event=event, kind="movement", key="")
    body = rows.values_list("body", flat=True).first()
    stored = json.loads(bytes(body))["rounds"] if body is not None else ()
    before = [one for one in stored if until_round is not None and one["round"] < until_round]
    if not before:
        return {}
    last = max([one["last"] for one in before] + [_number(place) for place in places.values()])
    return {
        code: EntrantTrend(
            movement=_movement(place, before[-1]["places"].get(code, "")),
            sparkline=_sparkline([one["places"].get(code, "") for one in before], place, last),
        )
        for code, place in places.items()
        if shown is None or code in shown
    }


def _movement(place: str, was: str) -> Movement | None:
    if not (_number(was) and _number(place)):
        return None
    by = _number(was) - _number(place)
    return Movement("up" if by > 0 else "dn" if by < 0 else "same", abs(by), was)


def _sparkline(before: Sequence[str], now: str, last: int) -> Sparkline | None:
    """The line from the first known place to `now`; place 1 is at the top, `last` at the foot."""
    places = [*before, now if _number(now) else ""]
    known = [(at, place) for at, place in enumerate(places) if place]
    if not places[-1] or len(known) < 2:
        return None
    step = (WIDTH - 3 * EDGE) / (len(places) - 1)
    points = [
        (f"{EDGE + at * step:.1f}", f"{_height(_number(place), last):.1f}") for at, place in known
    ]
    return Sparkline(
        points=" ".join(f"{x},{y}" for x, y in points),
        x=points[-1][0],
        y=points[-1][1],
        places=", ".join(place or "–" for place in places),
    )


def _height(place: int, last: int) -> float:
    if last < 2:
        return EDGE
    return EDGE + (place - 1) * (HEIGHT - 2 * EDGE) / (last - 1)


def _number(place: str) -> int:
    """The place without its sign of a tie; 0 where there is none."""
    digits = place.rstrip("=")
    return int(digits) if digits.isdecimal() else 0
