"""Two tables on one sheet, with a column of running sums behind each player."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.page_defaults import press_defaults
from tests.support.imports.spreadsheets import book, sheet_xml
from tests.support.imports.uploads import IMPORTS, stored_points
from tournaments.models.clubs import Player
from tournaments.models.imports import ImportProblem

pytestmark = [pytest.mark.django_db]

PEOPLE: Final = ("Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk", "Gus Hale",
                 "Holly Brook", "Ivo Sand", "Jana Kast", "Nell Linde")  # fmt: skip
FOUR: Final = ((13, 5, 8, 0), (0, 13, 13, 0), (1, 0, 13, 12))
FIVE: Final = ((4, 0, 9, 13, 0), (1, 12, 13, 0, 0), (2, 3, 6, 14, 1))

Hands = Sequence[Sequence[int]]


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *PEOPLE)
    league(cast.riverside)
    return cast.client("dirk")


def heads_of(names: Sequence[str]) -> list[object]:
    heads: list[object] = ["Spiel"]
    for name in names:
        heads += [name, "Summe"]
    return heads


def rows_of(hands: Hands, slip: int = 0) -> list[list[object]]:
    """Rows with the sums so far; the first player's last sum is wrong by a slip."""
    rows: list[list[object]] = []
    for n in range(1, len(hands) + 1):
        row: list[object] = [n]
        for at, points in enumerate(hands[n - 1]):
            is_wrong = at == 0 and n == len(hands)
            row += [points, sum(hand[at] for hand in hands[:n]) + (slip if is_wrong else 0)]
        rows.append(row)
    return rows


def beside(folder: Path, one: Hands, other: Hands, titles: bool, slip: int = 0) -> Path:
    n_first = len(one[0])
    left = [heads_of(PEOPLE[:n_first]), *rows_of(one)]
    right = [heads_of(PEOPLE[n_first : n_first + len(other[0])]), *rows_of(other, slip)]
    rows = [[*a, "", *b] for a, b in zip(left, right, strict=True)]
    if titles:
        rows.insert(0, ["Tisch 1", *[""] * len(left[0]), "Tisch 2"])
    return book(folder / "abend.xlsx", [sheet_xml(rows)], ["06.11.2025"])


def below(folder: Path, one: Hands, other: Hands, titles: bool, slip: int = 0) -> Path:
    n_first = len(one[0])
    first = [heads_of(PEOPLE[:n_first]), *rows_of(one)]
    second = [heads_of(PEOPLE[n_first : n_first + len(other[0])]), *rows_of(other, slip)]
    if titles:
        first.insert(0, ["Tisch 1"])
        second.insert(0, ["Tisch 2"])
    return book(folder / "abend.xlsx", [sheet_xml([*first, [], *second])], ["06.11.2025"])


@pytest.mark.parametrize("titles", [True, False], ids=["titles", "no titles"])
@pytest.mark.parametrize("shape", [beside, below])
@pytest.mark.parametrize(("one", "other"), [(FOUR, FOUR), (FOUR, FIVE), (FIVE, FOUR)],
                         ids=["4 and 4", "4 and 5", "5 and 4"])  # fmt: skip
def test_points_of_both_tables_are_read(
    dirk: Client, tmp_path: Path, one: Hands, other: Hands, shape: object, titles: bool
) -> None:
    path = (
        beside(tmp_path, one, other, titles)
        if shape is beside
        else below(tmp_path, one, other, titles)
    )
    walk = press_defaults(dirk, f"{IMPORTS}/new", path)
    assert stored_points() == [
        *(("r1t1", list(hand)) for hand in one),
        *(("r1t2", list(hand)) for hand in other),
    ], walk.texts
    assert not ImportProblem.objects.filter(state="open").exists()
    assert Player.objects.count() == len(PEOPLE)


@pytest.mark.parametrize("shape", [beside, below])
def test_wrong_sum_of_the_second_table_is_asked_about(
    dirk: Client, tmp_path: Path, shape: object
) -> None:
    path = (
        beside(tmp_path, FOUR, FIVE, titles=True, slip=2)
        if shape is beside
        else below(tmp_path, FOUR, FIVE, titles=True, slip=2)
    )
    press_defaults(dirk, f"{IMPORTS}/new", path)
    problem = ImportProblem.objects.get(state="open")
    assert (problem.code, problem.table, problem.hand) == ("sum_beside_disagrees", 2, 3)
    assert problem.found == "Gus Hale: 2 points, sum 9 instead of 7"


def test_tables_that_share_the_column_of_hands_are_read_too(dirk: Client, tmp_path: Path) -> None:
    left = [heads_of(PEOPLE[:4]), *rows_of(FOUR)]
    right = [heads_of(PEOPLE[4:9]), *rows_of(FIVE)]
    rows = [[*a, "", *b[1:]] for a, b in zip(left, right, strict=True)]
    path = book(tmp_path / "abend.xlsx", [sheet_xml(rows)], ["06.11.2025"])
    press_defaults(dirk, f"{IMPORTS}/new", path)
    assert stored_points() == [
        *(("r1t1", list(hand)) for hand in FOUR),
        *(("r1t2", list(hand)) for hand in FIVE),
    ]
