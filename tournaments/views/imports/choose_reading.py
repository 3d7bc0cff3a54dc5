"""The readings of a file that a person chooses from, in words and with their first hands."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonDict
from tournaments.documents.read.readings import Reading
from tournaments.documents.read.ways import (
    DASH_IS_ZERO,
    EMPTY_IS_ZERO,
    MINUS,
    ROUND_IS_HAND,
    RUNNING_TOTALS,
    SEAT_IS_PLACE,
)

SHOWN: Final = 3
"""Number of hands that are shown of a reading."""

NOBODY: Final = "–"

WORDS: Final[Mapping[str, tuple[str | Promise, str | Promise]]] = {
    ROUND_IS_HAND: (
        _("The round column counts the hands of one table."),
        _("The round column counts rounds, each with its own tables."),
    ),
    RUNNING_TOTALS: (
        _("Each row has the running totals."),
        _("Each row has the points of one hand."),
    ),
    MINUS: (_("A minus marks penalty points."), _("A minus is part of the number.")),
    EMPTY_IS_ZERO: (
        _("An empty cell means no points."),
        _("An empty cell means that the player did not sit there."),
    ),
    SEAT_IS_PLACE: (
        _("The column of places has places by points, and is not read."),
        _("The column of places has seats."),
    ),
    DASH_IS_ZERO: (
        _("A dash means no points."),
        _("A dash means that the player did not sit there."),
    ),
}
"""Way of a reading → what is said where a reading has it, and where it has not."""


def reading_choices(readings: Sequence[Reading], chosen: str) -> list[JsonDict]:
    """Return the readings to choose from: their keys, what tells them apart, their first hands."""
    open_ways = [way for way in WORDS if len({way in reading.ways for reading in readings}) > 1]
    is_one = len(readings) == 1
    return [
        {
            "key": reading.key,
            "is_chosen": reading.key == chosen,
            "words": _words(reading, reading.ways if is_one else open_ways),
            **_first_hands(reading),
        }
        for reading in readings
    ]


def _words(reading: Reading, ways: Sequence[str]) -> list[str | Promise]:
    words: list[str | Promise] = []
    for way in ways:
        of_way, otherwise = WORDS[way]
        words.append(of_way if way in reading.ways else otherwise)
    return words or [_("The numbers are as written.")]


def _first_hands(reading: Reading) -> JsonDict:
    hands = list(islice(reading.hands, SHOWN))
    names = list(dict.fromkeys(name for hand in hands for name in hand.names))
    rows = []
    for hand in hands:
        points = dict(zip(hand.names, hand.points, strict=True))
        rows.append(
            {
                "round": hand.round,
                "table": hand.table,
                "number": hand.number,
                "points": [points.get(name, NOBODY) for name in names],
            }
        )
    return {"names": names, "rows": rows}
