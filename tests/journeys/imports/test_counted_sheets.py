"""A workbook that grows by a sheet an evening, whose names have no dates but count."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from django.test import Client

from tests.journeys.imports.test_growing_files import ONE, OTHER, WEEKS, evenings
from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.commands import run_command
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.page_defaults import Walk, press_defaults
from tests.support.imports.spreadsheets import book, sheet_xml
from tests.support.imports.uploads import IMPORTS, send_file
from tests.support.pages.text import text
from tournaments.models.imports import ImportProblem

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NAMES: Final = pytest.mark.parametrize("name", ["Sheet{}", "Tabelle {}", "{}", "Evening {}"])
OPTIONS: Final = ("--club", "riverside", "--event", "league", "--round", "1", "--table", "1")


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *ONE, *OTHER)
    league(cast.riverside)
    return cast.client("dirk")


def workbook(
    folder: Path,
    name: str,
    numbers: Sequence[int],
    heads: Sequence[str] = ("Hand",),
    people: Sequence[Sequence[str]] = (ONE, ONE, ONE),
) -> Path:
    sheets = []
    for number in numbers:
        _, hands = WEEKS[number - 1]
        lines = [[*([n] if heads else []), *hand] for n, hand in enumerate(hands, start=1)]
        sheets.append(sheet_xml([[*heads, *people[number - 1]], *lines]))
    return book(folder / "season.xlsx", sheets, [name.format(number) for number in numbers])


def send(client: Client, path: Path) -> Walk:
    return press_defaults(client, f"{IMPORTS}/new", path)


def hands_of_rounds() -> list[tuple[int, int]]:
    return [(number, n_hands) for number, _, n_hands in evenings()]


def open_codes() -> list[str]:
    return list(ImportProblem.objects.filter(state="open").values_list("code", flat=True))


EACH_ONCE: Final = [(1, 3), (2, 3), (3, 3)]


@NAMES
@pytest.mark.parametrize("heads", [("Hand",), ()], ids=["with hands", "without"])
def test_each_sheet_is_a_round_once(
    dirk: Client, tmp_path: Path, name: str, heads: Sequence[str]
) -> None:
    for weeks in (1, 2, 3, 3):
        send(dirk, workbook(tmp_path, name, range(1, weeks + 1), heads))
        assert hands_of_rounds() == EACH_ONCE[:weeks]
    assert open_codes() == []


@NAMES
def test_rounds_that_begin_again_on_each_sheet_count_hands(
    dirk: Client, tmp_path: Path, name: str
) -> None:
    for weeks in (2, 3, 3):
        send(dirk, workbook(tmp_path, name, range(1, weeks + 1), ("Round",)))
        assert hands_of_rounds() == EACH_ONCE[:weeks]
    assert open_codes() == []


def test_newest_sheet_first(dirk: Client, tmp_path: Path) -> None:
    for weeks in (1, 2, 3):
        send(dirk, workbook(tmp_path, "Sheet{}", range(weeks, 0, -1)))
        assert hands_of_rounds() == EACH_ONCE[:weeks]


def test_command_and_rest_with_a_kept_mapping(dirk: Client, tmp_path: Path) -> None:
    send(dirk, workbook(tmp_path, "Sheet{}", [1]))
    dirk.post(f"{IMPORTS}/1/keep-mapping", {"name": "Wednesdays"})
    path = workbook(tmp_path, "Sheet{}", [1, 2])
    with path.open("rb") as content:
        answer = dirk.post(f"/api/v1{IMPORTS}", {"file": content, "round": "1", "table": "1"})
    assert answer.status_code == 200, answer.content
    assert hands_of_rounds() == EACH_ONCE[:2]
    path = workbook(tmp_path, "Sheet{}", [1, 2, 3])
    for _ in range(2):
        status, out, err = run_command("import_sheets", *OPTIONS, path)
        assert (status, err) == (0, ""), out
        assert hands_of_rounds() == EACH_ONCE


def test_sheet_that_came_in_as_another_round_is_asked_about(dirk: Client, tmp_path: Path) -> None:
    send(dirk, workbook(tmp_path, "Sheet{}", [2]))
    assert hands_of_rounds() == [(1, 3)]
    send(dirk, workbook(tmp_path, "Sheet{}", [2, 3]))
    assert open_codes() == ["sheet_elsewhere"]
    assert hands_of_rounds() == [(1, 3), (3, 3)]
    dirk.post(f"{IMPORTS}/2/answers", {"code": "sheet_elsewhere", "answer": "one_sheet"})
    page = dirk.get(f"{IMPORTS}/2/problems/1")
    assert page.status_code == 200
    number = ImportProblem.objects.get(code="sheet_elsewhere").position
    dirk.post(f"{IMPORTS}/2/problems/{number}", {"do": "offer-0"})
    assert open_codes() == []
    assert hands_of_rounds() == [(1, 3), (3, 3)]


def test_sheets_of_other_people_may_be_tables_of_one_evening(dirk: Client, tmp_path: Path) -> None:
    walk = send(dirk, workbook(tmp_path, "Sheet{}", [1, 2], people=(ONE, OTHER, ONE)))
    assert any("not read" in page for page in walk.texts)
    assert hands_of_rounds() in ([], [(1, 3)])


def test_preview_counts_what_is_there_and_what_is_new(dirk: Client, tmp_path: Path) -> None:
    send(dirk, workbook(tmp_path, "Sheet{}", [1, 2]))
    page = text(dirk.get(send_file(dirk, workbook(tmp_path, "Sheet{}", [1, 2, 3]))))
    assert "9 hands in the file: 3 ready, 0 pending" in page
    assert "6 hands were already in the event." in page
    assert "Import 3 hands" in page
