"""Points with a running sum beside them: the sums are compared, and asked about."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.page_defaults import press_defaults
from tests.support.imports.spreadsheets import book, sheet_xml
from tests.support.imports.uploads import IMPORTS, stored_points
from tests.support.pages.text import text
from tournaments.models.imports import ImportProblem

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PEOPLE: Final = ("Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk")
HANDS: Final = ((13, 5, 8, 0), (0, 13, 13, 0), (1, 0, 13, 12), (2, 3, 6, 15), (7, 1, 2, 16))
CODE: Final = "sum_beside_disagrees"

Change = tuple[int, int, int]
"""Hand from 1, player from 0, and what is written."""


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *PEOPLE)
    league(cast.riverside)
    return cast.client("dirk")


def totals() -> list[list[int]]:
    return [[sum(hand[at] for hand in HANDS[:n]) for at in range(4)] for n in range(1, 6)]


def changed(lines: Sequence[Sequence[int]], *changes: Change) -> list[list[int]]:
    new = [list(line) for line in lines]
    for hand, player, number in changes:
        new[hand - 1][player] = number
    return new


def repeated(folder: Path, points: Sequence[Sequence[int]], sums: Sequence[Sequence[int]]) -> Path:
    """All points, then all sums below the same names again."""
    lines = [
        [number, *hand, "", *total]
        for number, (hand, total) in enumerate(zip(points, sums, strict=True), start=1)
    ]
    table = sheet_xml([["Hand", *PEOPLE, "", *PEOPLE], *lines])
    return book(folder / "night.xlsx", [table], ["12 Nov 2026"])


def alternating(
    folder: Path, points: Sequence[Sequence[int]], sums: Sequence[Sequence[int]]
) -> Path:
    """A column Sum behind that of each player."""
    heads: list[object] = ["Hand"]
    for person in PEOPLE:
        heads += [person, "Sum"]
    lines: list[list[object]] = []
    for number, (hand, total) in enumerate(zip(points, sums, strict=True), start=1):
        cells: list[object] = [number]
        for pair in zip(hand, total, strict=True):
            cells += pair
        lines.append(cells)
    return book(folder / "night.xlsx", [sheet_xml([heads, *lines])], ["12 Nov 2026"])


FILES = pytest.mark.parametrize("file", [repeated, alternating])


def send(client: Client, path: Path) -> None:
    press_defaults(client, f"{IMPORTS}/new", path)


def asked() -> list[tuple[int | None, str]]:
    problems = ImportProblem.objects.filter(state="open").order_by("position")
    assert {problem.code for problem in problems} <= {CODE}, list(problems.values())
    return [(problem.hand, problem.found) for problem in problems]


def points() -> list[list[object]]:
    return [written for _, written in stored_points()]


@FILES
def test_sums_that_agree_are_no_question(dirk: Client, tmp_path: Path, file: Any) -> None:
    send(dirk, file(tmp_path, HANDS, totals()))
    assert points() == [list(hand) for hand in HANDS]
    assert asked() == []


@FILES
@pytest.mark.parametrize(
    ("change", "found"),
    [
        ((1, 0, 14), (1, "Ann Tarn: 13 points, sum 14 instead of 13")),
        ((3, 2, 33), (3, "Cai Gale: 13 points, sum 33 instead of 34")),
        ((5, 3, 44), (5, "David Birk: 16 points, sum 44 instead of 43")),
    ],
    ids=["first row", "a row between", "last row"],
)
def test_one_wrong_sum_is_named_once(
    dirk: Client, tmp_path: Path, file: Any, change: Change, found: tuple[int, str]
) -> None:
    send(dirk, file(tmp_path, HANDS, changed(totals(), change)))
    assert asked() == [found]
    assert len(points()) == 4


@FILES
def test_of_points_corrected_without_their_sums_the_first_row_is_named(
    dirk: Client, tmp_path: Path, file: Any
) -> None:
    corrected = changed(HANDS, (2, 0, 1), (2, 1, 12))
    send(dirk, file(tmp_path, corrected, totals()))
    (question,) = asked()
    assert question == (
        2,
        "Ann Tarn: 1 points, sum 13 instead of 14; "
        "Béatrice Müller: 12 points, sum 18 instead of 17",
    )


@FILES
def test_two_wrong_sums_are_two_questions_with_one_button(
    dirk: Client, tmp_path: Path, file: Any
) -> None:
    send(dirk, file(tmp_path, HANDS, changed(totals(), (2, 0, 12), (4, 1, 22))))
    assert [hand for hand, _ in asked()] == [2, 4]
    page = dirk.get(f"{IMPORTS}/1")
    assert "2 hands where points and sum disagree" in text(page)
    assert "Sheet “12 Nov 2026”, row 3" in text(page) or "Line 3" in text(page), text(page)
    dirk.post(f"{IMPORTS}/1/answers", {"code": CODE, "answer": "take_points"})
    assert asked() == []
    assert points() == [list(hand) for hand in HANDS]


@FILES
def test_sums_that_are_right(dirk: Client, tmp_path: Path, file: Any) -> None:
    corrected = changed(HANDS, (2, 0, 1), (2, 1, 12))
    send(dirk, file(tmp_path, corrected, totals()))
    dirk.post(f"{IMPORTS}/1/answers", {"code": CODE, "answer": "take_sums"})
    assert asked() == []
    assert points() == [list(hand) for hand in HANDS]


@FILES
def test_points_that_are_right_above_sums_that_are_not(
    dirk: Client, tmp_path: Path, file: Any
) -> None:
    corrected = changed(HANDS, (2, 0, 1), (2, 1, 12))
    send(dirk, file(tmp_path, corrected, totals()))
    dirk.post(f"{IMPORTS}/1/answers", {"code": CODE, "answer": "take_points"})
    assert asked() == []
    assert points() == corrected


@FILES
def test_sums_of_each_evening_begin_again(dirk: Client, tmp_path: Path, file: Any) -> None:
    sums = [
        *totals()[:3],
        *[[a - b for a, b in zip(line, totals()[2], strict=True)] for line in totals()[3:]],
    ]
    send(dirk, file(tmp_path, HANDS, sums))
    assert asked() == []
    assert len(points()) == 5


def test_sum_that_no_hand_can_make_is_not_offered(dirk: Client, tmp_path: Path) -> None:
    send(dirk, alternating(tmp_path, HANDS, changed(totals(), (3, 2, 33))))
    problem = ImportProblem.objects.get(code=CODE)
    assert [offer.get("alike") for offer in problem.offers if "text" in offer] == ["take_points"]
