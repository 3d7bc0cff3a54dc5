"""Sheets with the same people in another order: each table is seated as its own columns are."""

from pathlib import Path
from typing import Final

import pytest

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.page_defaults import press_defaults
from tests.support.imports.spreadsheets import book, sheet_xml
from tests.support.imports.uploads import IMPORTS, stored_points
from tournaments.models.rounds import Sitting

pytestmark = [pytest.mark.django_db]

FIRST: Final = ("Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk")
SECOND: Final = ("Béatrice Müller", "Ann Tarn", "David Birk", "Cai Gale")
EVENINGS: Final = {
    "06.11.2025": (FIRST, ((13, 5, 8, 0), (1, 0, 13, 12))),
    "13.11.2025": (SECOND, ((4, 5, 4, 13), (7, 16, 2, 1))),
}


def seated() -> list[tuple[int, tuple[str, ...]]]:
    rounds: dict[int, list[str]] = {}
    sat = Sitting.objects.select_related("player", "round").order_by(
        "round__number", "seat__number"
    )
    for sitting in sat:
        rounds.setdefault(sitting.round.number, []).append(sitting.player.name)
    return [(number, tuple(names)) for number, names in rounds.items()]


@pytest.mark.parametrize("is_one_sheet", [False, True], ids=["sheets", "below each other"])
def test_seats_are_those_of_each_table_and_points_those_of_each_player(
    cast: Cast, tmp_path: Path, is_one_sheet: bool
) -> None:
    players(cast.riverside, *FIRST)
    league(cast.riverside)
    rows: list[list[object]] = []
    sheets = []
    for day, (names, hands) in EVENINGS.items():
        lines: list[list[object]] = [["Spiel", *names]]
        lines += [[n, *points] for n, points in enumerate(hands, start=1)]
        sheets.append(sheet_xml(lines))
        rows += [[day], *lines]
    if is_one_sheet:
        path = book(tmp_path / "book.xlsx", [sheet_xml(rows)], ["Liste"])
    else:
        path = book(tmp_path / "book.xlsx", sheets, [*EVENINGS])
    walk = press_defaults(cast.client("dirk"), f"{IMPORTS}/new", path)
    assert "4 hands imported" in walk.last
    assert seated() == [(1, FIRST), (2, SECOND)]
    assert stored_points() == [
        *(("r1t1", list(points)) for points in EVENINGS["06.11.2025"][1]),
        *(("r2t1", list(points)) for points in EVENINGS["13.11.2025"][1]),
    ]
