"""Words where players have numbers are heads: what is below them is not of the players above."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.imports.uploads import send_file
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text
from tournaments.models.hands import Hand
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


def read(client: Client, folder: Path, rows: Sequence[Sequence[object]]) -> str:
    path = folder / "evening.csv"
    lines = [";".join(map(str, row)) for row in rows]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    at = send_file(client, path, day="2025-10-13")
    if not at.endswith("/columns"):
        return at
    form = as_shown(client.get(f"{at}?rows=hands").context["form"])
    columns = {"round": "1", "table": "1", **form}
    response = client.post(at, columns, follow=True)
    return str(response.redirect_chain[-1][0])


def hands_of(names: Sequence[str]) -> list[list[int]]:
    """The points of the hands at whose table all of these people sit."""
    hands = Hand.objects.filter(state="accepted").order_by("game__table__code", "number")
    print([(h.game_id, h.number) for h in hands])
    return []


@pytest.mark.django_db
@pytest.mark.parametrize("word", ["Spiel", ""])
@pytest.mark.parametrize("first", [3, 1])
def test_rows_below_unknown_heads_are_nobodys(
    dirk: Client, tmp_path: Path, word: str, first: int
) -> None:
    at = read(dirk, tmp_path, below_each_other(word=word, first=first))
    page = text(dirk.get(at))
    print(at, page)
    problem = ImportProblem.objects.get(code="other_heads")
    assert problem.lines == [5, 6, 7]
    assert "2 ready" in page
