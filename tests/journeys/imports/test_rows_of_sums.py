"""Rows of totals, averages and places are no hands, with a word for it or without one."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.spreadsheets import book, sheet_xml
from tests.support.imports.uploads import read_by_default, stored_points
from tests.support.pages.text import text
from tournaments.models.imports import ImportProblem
from tournaments.models.rounds import Round

pytestmark = pytest.mark.django_db

ONE = ("Ann Tarn", "Cai Gale", "David Birk", "Gus Hale")
OTHER = ("Holly Brook", "Ivo Sand", "Jana Kast", "Nell Linde")
HANDS = ((13, 5, 8, 0), (0, 13, 13, 0), (1, 0, 13, 12))
OTHER_HANDS = ((4, 4, 5, 13), (7, 1, 2, 16))
SUMS = tuple(map(sum, zip(*HANDS, strict=True)))


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *ONE, *OTHER)
    league(cast.riverside)
    return cast.client("dirk")


def written(folder: Path, *rows: Sequence[object]) -> Path:
    path = folder / "file.csv"
    lines = [";".join(map(str, row)) for row in rows]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def imported(client: Client, path: Path, **fields: str) -> str:
    """Import a file as its pages propose it; return the text of its page."""
    at = read_by_default(client, path, **{"day": "2025-10-13", **fields})
    client.post(f"{at}/confirm")
    return text(client.get(at))


def waiting() -> list[tuple[str, list[int]]]:
    open_ones = ImportProblem.objects.filter(state="open").order_by("position")
    return [(problem.code, problem.lines) for problem in open_ones]


def test_sums_below_two_sheets_of_one_evening_leave_no_problem_and_close_the_round(
    dirk: Client, tmp_path: Path
) -> None:
    sheets = [
        sheet_xml([["Club night 13.10.2025"], ["Hand", *names], *numbered, ["Summe", *sums]])
        for names, hands in ((ONE, HANDS), (OTHER, OTHER_HANDS))
        for numbered in [[[n, *hand] for n, hand in enumerate(hands, start=1)]]
        for sums in [tuple(map(sum, zip(*hands, strict=True)))]
    ]
    page = imported(dirk, book(tmp_path / "two.xlsx", sheets, ["Tisch 1", "Tisch 2"]), day="")
    tables = [("r1t1", list(hand)) for hand in HANDS]
    assert stored_points() == [*tables, *(("r1t2", list(hand)) for hand in OTHER_HANDS)]
    assert (waiting(), Round.objects.get().state) == ([], "closed"), page


@pytest.mark.parametrize(
    "words",
    [
        ("Datum", "Tisch", "Summe"),
        ("13.10.2025", "2", "Summe"),
        ("13.10.2025", "Summe", ""),
        ("", "A", "Total (3 hands)"),
        ("", "", "Summe Tisch 2"),
        ("", "", "Platz"),
    ],
)
def test_row_of_sums_with_a_date_or_a_table_before_its_word_is_no_hand(
    dirk: Client, tmp_path: Path, words: tuple[str, str, str]
) -> None:
    hands = [("13.10.2025", 2, n, *hand) for n, hand in enumerate(HANDS, start=1)]
    path = written(tmp_path, ("Datum", "Tisch", "Spiel", *ONE), *hands, (*words, *SUMS))
    imported(dirk, path, day="")
    assert stored_points() == [("r1t2", list(hand)) for hand in HANDS]
    assert waiting() == []


def test_row_with_the_sums_of_those_above_and_no_word_is_no_hand(
    dirk: Client, tmp_path: Path
) -> None:
    rows = [*HANDS, SUMS]
    page = imported(dirk, written(tmp_path, ONE, *rows), round="1")
    assert stored_points() == [("r1t1", list(hand)) for hand in HANDS]
    assert (waiting(), Round.objects.get().state) == ([], "closed")
    assert "Line 5 is not a row of a hand" in page


@pytest.mark.parametrize(("change", "n_waiting"), [(0, 0), (1, 1)])
def test_last_row_is_a_sum_only_if_each_number_is(
    dirk: Client, tmp_path: Path, change: int, n_waiting: int
) -> None:
    last = (SUMS[0] + change, *SUMS[1:])
    imported(dirk, written(tmp_path, ONE, *HANDS, last))
    assert len(waiting()) == n_waiting


def test_hand_with_a_number_that_is_like_the_sum_of_those_above_is_a_hand(
    dirk: Client, tmp_path: Path
) -> None:
    """Three hands of thirteens, then a moon: the numbers of the moon are their sums."""
    hands = ((13, 13, 0, 0), (13, 0, 13, 0), (0, 13, 13, 0), (26, 26, 26, 0))
    numbered = [(n, *hand) for n, hand in enumerate(hands, start=1)]
    imported(dirk, written(tmp_path, ("Hand", *ONE), *numbered))
    assert stored_points() == [("r1t1", list(hand)) for hand in hands]
    path = written(tmp_path, ("Hand", *ONE), *numbered[:3], ("", *hands[3]))
    imported(dirk, path, day="2025-10-20")
    assert len(stored_points()) == 7


def test_sums_of_each_table_and_of_the_whole_file_are_no_hands(
    dirk: Client, tmp_path: Path
) -> None:
    first = tuple(map(sum, zip(*HANDS[:2], strict=True)))
    rows = [
        *(("6.10.2025", *hand) for hand in HANDS[:2]),
        ("", *first),
        *(("13.10.2025", *hand) for hand in (*HANDS[2:], (3, 3, 7, 13))),
        ("", 4, 3, 20, 25),
        ("", *(a + b for a, b in zip(first, (4, 3, 20, 25), strict=True))),
    ]
    imported(dirk, written(tmp_path, ("Datum", *ONE), *rows), day="")
    assert len(stored_points()) == 4
    assert waiting() == []


def test_sum_below_each_table_of_a_row_a_player_is_no_player(dirk: Client, tmp_path: Path) -> None:
    rows: list[Sequence[object]] = [("Datum", "Tisch", "Spieler", "Punkte")]
    for hand in HANDS:
        rows += [("13.10.2025", 1, name, n) for name, n in zip(ONE, hand, strict=True)]
        rows.append(("13.10.2025", 1, "Summe", sum(hand)))
    imported(dirk, written(tmp_path, *rows), day="", holds="hands")
    assert stored_points() == [("r1t1", list(hand)) for hand in HANDS]
    assert waiting() == []
