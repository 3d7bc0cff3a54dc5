"""The same three hands as others write them down: `by_seat(path)`, `by_hand(path)`, and as ours."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.support.imports.imports import CAST, rows, written
from tests.support.imports.spreadsheets import xlsx

NAMES = [who.partition(",")[2] for who in CAST.values()]
HEARTS = ((4, 1, 2, 6), (0, 13, 0, 0), (2, 2, 8, 1))
QUEENS = ("W", "E", "S")
"""Three hands of one table on 13 November, round 11: the second is a moon, added to the others."""

BY_SEAT = ("Datum", "Tisch", "Spieler", "Herzen", "Pik-Dame", "Bemerkung")
"""A row for each player in each hand; no round, no number of the hand, no seat, no moon."""

BY_HAND = ("Wann", "Tisch", "Spiel", *NAMES, "Dame bei", "Mond", "Wie")
"""A row for each hand, a column for each player."""

SEATS_PLAN: Final[dict[str, Any]] = {
    "rows": "seats",
    "columns": {
        "Datum": "date", "Tisch": "table", "Spieler": "player", "Herzen": "hearts",
        "Pik-Dame": "queen_spades", "Bemerkung": "ignore",
    },
    "given": {},
}  # fmt: skip
HANDS_PLAN: Final[dict[str, Any]] = {
    "rows": "hands",
    "columns": {
        "Wann": "date", "Tisch": "table", "Spiel": "hand", **dict.fromkeys(NAMES, "player"),
        "Dame bei": "queen_spades", "Mond": "moon", "Wie": "moon_choice",
    },
    "cells": "hearts",
    "players": {},
    "given": {},
}  # fmt: skip


def ours(folder: Path) -> Path:
    moon = {"E": "others"}
    first, second, third = zip(HEARTS, QUEENS, strict=True)
    return written(folder, rows(1, *first), rows(2, *second, moon=moon), rows(3, *third))


def seat_rows(hands: Sequence[int] = (0, 2)) -> list[list[object]]:
    """The rows of some hands, a row for each player; the moon has no column there."""
    found: list[list[object]] = []
    for hand in hands:
        for seat, name, hearts in zip("NESW", NAMES, HEARTS[hand], strict=True):
            queen = 1 if seat == QUEENS[hand] else 0
            found.append(["13.11.2025", 1, name, hearts, queen, ""])
    return found


def hand_rows() -> list[list[object]]:
    who = dict(zip("NESW", NAMES, strict=True))
    moons = {1: ("Bruno", "others")}
    return [
        ["13.11.2025", 1, number + 1, *hearts, who[QUEENS[number]], *moons.get(number, ("", ""))]
        for number, hearts in enumerate(HEARTS)
    ]


def as_csv(path: Path, heads: Sequence[str], cells: Sequence[Sequence[object]]) -> Path:
    """Write a table with semicolons, as spreadsheet programs in Germany do."""
    lines = [";".join(map(str, row)) for row in (heads, *cells)]
    path.write_text("".join(f"{line}\r\n" for line in lines), encoding="utf-8", newline="")
    return path


def as_xlsx(path: Path, heads: Sequence[str], cells: Sequence[Sequence[object]]) -> Path:
    return xlsx(path.with_suffix(".xlsx"), [list(heads), *cells])
