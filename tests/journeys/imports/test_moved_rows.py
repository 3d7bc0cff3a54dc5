"""A row of a spreadsheet whose cells are moved to the side is said to be moved, and not read."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.imports import imported, said
from tests.support.imports.spreadsheets import xlsx
from tests.support.imports.uploads import read_by_default, stored_points
from tournaments.models.imports import ImportProblem

pytestmark = pytest.mark.django_db

NAMES = ("Ann Tarn", "Cai Gale", "David Birk", "Gus Hale")
HANDS = ((13, 5, 8, 0), (0, 13, 13, 0), (1, 0, 13, 12))
HEADS = ["round", "table", "hand", "seat", "player", "points"]


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *NAMES)
    league(cast.riverside)
    return cast.client("dirk")


def own_rows(hands: Sequence[Sequence[int]] = HANDS) -> list[list[object]]:
    return [
        [1, 1, number, seat, name, points]
        for number, hand in enumerate(hands, start=1)
        for seat, name, points in zip("NESW", NAMES, hand, strict=True)
    ]


def test_row_moved_to_the_right_is_no_hand_of_three(dirk: Client, tmp_path: Path) -> None:
    """The first three of 13, 5 and 8 would be a hand of three players."""
    rows = [*HANDS[1:], ("", *HANDS[0])]
    at = read_by_default(dirk, xlsx(tmp_path / "night.xlsx", [NAMES, *rows]), day="2025-10-13")
    dirk.post(f"{at}/confirm")
    assert stored_points() == [("r1t1", list(hand)) for hand in HANDS[1:]]
    problem = ImportProblem.objects.get(state="open")
    assert (problem.code, problem.lines, problem.found) == ("row_moved", [4], "5")


@pytest.mark.parametrize(
    ("before", "after", "n_moved"), [([""], [], 1), ([], ["late"], 0), ([], [99], 0)]
)
def test_cell_beside_the_columns_of_a_whole_row_moves_it_not(
    dirk: Client, tmp_path: Path, before: list[object], after: list[object], n_moved: int
) -> None:
    rows = own_rows()
    rows[-1] = [*before, *rows[-1], *after]
    report = imported(xlsx(tmp_path / "night.xlsx", [HEADS, *rows]))
    assert [code for code, _, _ in said(report)].count("row_moved") == n_moved


def test_row_moved_to_the_left_is_said_to_be_moved(dirk: Client, tmp_path: Path) -> None:
    rows = own_rows()
    rows[-1] = rows[-1][1:]
    report = imported(xlsx(tmp_path / "night.xlsx", [HEADS, *rows]))
    assert ("row_moved", "reject", [13]) in said(report)
    assert report.accepted == 2


def test_empty_last_cell_is_one_of_its_row(dirk: Client, tmp_path: Path) -> None:
    rows = own_rows()
    rows[3][-1] = ""
    report = imported(xlsx(tmp_path / "night.xlsx", [HEADS, *rows]))
    assert [code for code, severity, _ in said(report) if severity == "reject"] == []
    assert report.accepted == 3


def test_date_in_the_first_row_of_an_evening_only_moves_no_row(
    dirk: Client, tmp_path: Path
) -> None:
    heads = ["Date", "Hand", *NAMES]
    rows: list[list[object]] = [["2025-10-13", 1, *HANDS[0]]]
    rows += [["", number, *hand, "late"] for number, hand in enumerate(HANDS[1:], start=2)]
    at = read_by_default(dirk, xlsx(tmp_path / "night.xlsx", [heads, *rows]))
    dirk.post(f"{at}/confirm")
    assert stored_points() == [("r1t1", list(hand)) for hand in HANDS]
