"""Words where players have numbers are heads: what is below them is not of the players above."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from django.test import Client

from scoring.numbers import PARTS
from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.imports.uploads import read_by_default
from tests.support.pages.text import text
from tournaments.models.hands import SeatScore
from tournaments.models.imports import ImportProblem

ONE = ("Ann Tarn", "Cai Gale", "David Birk", "Gus Hale")
OTHER = ("Holly Brook", "Ivo Sand", "Jana Kast", "Nell Linde")
HANDS = ((13, 5, 8, 0), (0, 13, 13, 0))
OTHER_HANDS = ((4, 0, 9, 13), (1, 12, 13, 0))


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *ONE)
    league(cast.riverside)
    return cast.client("dirk")


def below_each_other(
    other: Sequence[str] = OTHER, *, word: str = "Spiel", first: int = 3, titles: bool = False
) -> list[Sequence[object]]:
    rows: list[Sequence[object]] = [["Spiel", *ONE]]
    rows += [[number, *hand] for number, hand in enumerate(HANDS, start=1)]
    rows += [["Summe", 13, 18, 21, 0]]
    rows += [[word, *other]]
    rows += [[number, *hand] for number, hand in enumerate(OTHER_HANDS, start=first)]
    rows += [["Summe", 5, 12, 22, 13]]
    if titles:
        rows.insert(4, ["Tisch 2"])
        rows.insert(0, ["Tisch 1"])
    return rows


def sent(client: Client, folder: Path, rows: Sequence[Sequence[object]]) -> str:
    path = folder / "evening.csv"
    lines = [";".join(map(str, row)) for row in rows]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return read_by_default(client, path, day="2025-10-13")


def points_of_people() -> dict[str, list[object]]:
    """The points of each player, by name, hand for hand."""
    points: dict[str, list[object]] = {}
    scores = SeatScore.objects.filter(entry__hand__state="accepted").order_by("entry__hand__number")
    for name, score in scores.values_list("seat__sittings__player__name", "score"):
        points.setdefault(name, []).append(score // PARTS)
    return points


def as_written() -> dict[str, list[int]]:
    by_player = dict(zip(ONE, zip(*HANDS, strict=True), strict=True))
    by_player |= dict(zip(OTHER, zip(*OTHER_HANDS, strict=True), strict=True))
    return {name: list(points) for name, points in by_player.items()}


@pytest.mark.django_db
@pytest.mark.parametrize("word", ["Spiel", ""])
@pytest.mark.parametrize("first", [3, 1])
@pytest.mark.parametrize("known", [ONE + OTHER, ONE, OTHER, ()])
def test_hands_of_the_second_table_are_of_its_people(
    cast: Cast, tmp_path: Path, word: str, first: int, known: Sequence[str]
) -> None:
    players(cast.riverside, *known)
    league(cast.riverside)
    dirk = cast.client("dirk")
    at = sent(dirk, tmp_path, below_each_other(word=word, first=first, titles=first == 1))
    if len(known) < 8:
        dirk.post(f"{at}/players", {"all": "yes"})
    dirk.post(f"{at}/confirm")
    assert points_of_people() == as_written()


@pytest.mark.django_db
@pytest.mark.parametrize("first", [3, 1])
def test_rows_below_other_heads_wait_where_the_layout_cannot_be_told(
    dirk: Client, tmp_path: Path, first: int
) -> None:
    """The second table has two dates, so nothing says which evening it is."""
    rows = below_each_other(word="", first=first)
    rows.insert(0, ["Evening of 13.10.2025", "", "", "", ""])
    rows.insert(5, ["20.10.2025 and 27.10.2025", "", "", "", ""])
    at = sent(dirk, tmp_path, rows)
    problem = ImportProblem.objects.get(code="other_heads")
    assert (problem.lines, problem.found) == ([7, 8, 9], " ".join(OTHER))
    assert "2 ready" in text(dirk.get(at))
    dirk.post(f"{at}/confirm")
    assert points_of_people() == {name: as_written()[name] for name in ONE}


@pytest.mark.django_db
def test_heads_of_the_same_players_again_end_what_waits(dirk: Client, tmp_path: Path) -> None:
    rows = below_each_other(word="")
    rows.insert(0, ["Evening of 13.10.2025", "", "", "", ""])
    rows.insert(5, ["20.10.2025 and 27.10.2025", "", "", "", ""])
    rows += [["", *ONE], [5, 1, 0, 13, 12]]
    at = sent(dirk, tmp_path, rows)
    assert ImportProblem.objects.get(code="other_heads").lines == [7, 8, 9]
    dirk.post(f"{at}/confirm")
    assert points_of_people()["Ann Tarn"] == [*as_written()["Ann Tarn"], 1]
