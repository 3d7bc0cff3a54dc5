"""A mapping that was kept in the first week reads the next weeks without a question."""

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
from tests.support.imports.uploads import IMPORTS, send_file, stored_points
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text_of
from tournaments.models.imports import ColumnMap, ImportProblem
from tournaments.models.rounds import Round

pytestmark = [pytest.mark.django_db]

NAMES: Final = ("Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk")
DAYS: Final = ("06.11.2025", "13.11.2025", "20.11.2025")

Hands = Sequence[Sequence[object]]

GAPS: Final[Hands] = (("", 13, 13, ""), (1, 12, "", 13))
"""Points as somebody writes them for whom an empty cell is no points."""
FULL: Final[Hands] = ((4, 4, 5, 13), (7, 1, 2, 16))
ZEROS_AND_A_GAP: Final[Hands] = ((13, 0, 13, 0), (13, 13, 0, ""))


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *NAMES)
    league(cast.riverside)
    return cast.client("dirk")


def evening(folder: Path, day: str, hands: Hands, *, in_title: bool = False) -> Path:
    """A sheet of one evening, whose date is its name or stands above it."""
    rows: list[list[object]] = [["Spiel", *NAMES]]
    rows += [[n, *hand] for n, hand in enumerate(hands, start=1)]
    if in_title:
        return book(folder / "b.xlsx", [sheet_xml([[f"Spielabend {day}"], *rows])], ["Liste"])
    return book(folder / "b.xlsx", [sheet_xml(rows)], [day])


def read_and_keep(client: Client, path: Path, **changed: str) -> None:
    """Import a file with the columns that are proposed, and keep them as a mapping."""
    at = send_file(client, path)
    if at.endswith("/columns"):
        form = as_shown(client.get(at).context["form"])
        client.post(at, {**form, **changed})
        at = at.removesuffix("/columns")
    client.post(f"{at}/confirm")
    client.post(f"{at}/keep-mapping", {"name": "Ours"})
    assert ColumnMap.objects.count() == 1


def days_of_rounds() -> list[tuple[int, str]]:
    rounds = Round.objects.order_by("number").values_list("number", "meeting__date")
    return [(number, f"{day:%d.%m.%Y}") for number, day in rounds]


@pytest.mark.parametrize("in_title", [False, True], ids=["name of the sheet", "title"])
def test_round_of_the_next_evening_is_told_by_its_date(
    dirk: Client, tmp_path: Path, in_title: bool
) -> None:
    read_and_keep(dirk, evening(tmp_path, DAYS[0], FULL, in_title=in_title))
    assert "round" not in ColumnMap.objects.get().plan["given"]
    for day in (DAYS[1], DAYS[1], DAYS[0]):
        path = evening(tmp_path, day, FULL, in_title=in_title)
        walk = press_defaults(dirk, f"{IMPORTS}/new", path)
        assert "Read file" not in walk.pressed
    assert days_of_rounds() == [(1, DAYS[0]), (2, DAYS[1])]
    assert len(stored_points()) == 4
    assert not ImportProblem.objects.filter(state="open").exists()


def test_what_an_empty_cell_was_said_to_be_holds_for_the_next_evenings(
    dirk: Client, tmp_path: Path
) -> None:
    read_and_keep(dirk, evening(tmp_path, DAYS[0], GAPS), reading="empty_is_zero")
    for day, hands in ((DAYS[1], FULL), (DAYS[2], ZEROS_AND_A_GAP)):
        walk = press_defaults(dirk, f"{IMPORTS}/new", evening(tmp_path, day, hands))
        assert walk.pressed == ["Check file", "Import 2 hands"]
    assert [points for _, points in stored_points()] == [
        *([0, 13, 13, 0], [1, 12, 0, 13]),
        *([4, 4, 5, 13], [7, 1, 2, 16]),
        *([13, 0, 13, 0], [13, 13, 0, 0]),
    ]


def test_reading_that_a_file_does_not_allow_is_asked_again(dirk: Client, tmp_path: Path) -> None:
    read_and_keep(dirk, evening(tmp_path, DAYS[0], GAPS), reading="empty_is_zero")
    totals = ((4, 4, 5, 13), (11, 5, 7, 29), (24, 18, 7, 29))
    walk = press_defaults(dirk, f"{IMPORTS}/new", evening(tmp_path, DAYS[1], totals))
    assert walk.pressed[:2] == ["Check file", "Read file"]


@pytest.mark.parametrize("day", ["", "2025-11-13"])
def test_file_that_was_imported_once_is_read_as_then(
    dirk: Client, tmp_path: Path, day: str
) -> None:
    path = tmp_path / "abend.csv"
    rows = [("Spiel", "A. Tarn", "Mops", "Cai", "D. Birk"), *enumerate_hands(GAPS)]
    path.write_text("\n".join(";".join(map(str, row)) for row in rows), encoding="utf-8")
    at = send_file(dirk, path, day="2025-11-06")
    form = as_shown(dirk.get(at).context["form"])
    people = {f"player-{n}": f"RL0{n}" for n in range(1, 5)}
    columns = {f"column-{n}": "player" for n in range(1, 5)}
    sent = {**form, **people, **columns, "once": "on", "reading": "empty_is_zero"}
    at = dirk.post(at, sent)["Location"]
    dirk.post(f"{at}/confirm")
    assert len(stored_points()) == 2
    again = send_file(dirk, path, day=day)
    assert again.endswith("/columns") == bool(day)
    if not day:
        assert "This file has nothing new." in text_of(dirk.get(again))
    dirk.post(f"{at}/undo")
    assert send_file(dirk, path).endswith("/columns")


def enumerate_hands(hands: Hands) -> list[tuple[object, ...]]:
    return [(n, *hand) for n, hand in enumerate(hands, start=1)]
