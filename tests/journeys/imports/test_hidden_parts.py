"""Hidden sheets and hidden rows of a spreadsheet: left out and named, read if somebody says so."""

import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.commands import run_command
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.spreadsheets import book, ods, sheet_xml, xlsx
from tests.support.imports.uploads import IMPORTS, read_by_default, stored_points
from tests.support.pages.text import text
from tournaments.documents.read.columns import recognised
from tournaments.documents.read.csv import TextTable, Unreadable, run_steps
from tournaments.documents.read.source_file import read_source
from tournaments.models.imports import ImportBatch, ImportProblem

ONE = ("Ann Tarn", "Cai Gale", "David Birk", "Gus Hale")
HANDS = ((13, 5, 8, 0), (0, 13, 13, 0), (1, 0, 13, 12))
ROWS: Sequence[Sequence[object]] = [
    ["round", "table", "hand", "seat", "player", "points"],
    *([1, 1, 1, seat, name, n] for seat, name, n in zip("NESW", ONE, HANDS[0], strict=True)),
    *([1, 1, 2, seat, name, n] for seat, name, n in zip("NESW", ONE, HANDS[1], strict=True)),
]
"""A head and two hands in lines 2 to 9."""


def night(folder: Path) -> Path:
    """Two hands, a hidden row with a third, and a hidden sheet with another evening."""
    rows: list[list[object]] = [["Hand", *ONE]]
    rows += ([n, *hand] for n, hand in enumerate(HANDS, start=1))
    sheets = [sheet_xml(rows, hidden_rows={4}), sheet_xml(rows)]
    names = ["13 Oct 2025", "6 Oct 2025 (draft)"]
    return book(folder / "night.xlsx", sheets, names, hidden=names[1:])


def opened(path: Path, *, reads_hidden: bool = False) -> TextTable:
    folder = path.parent / f"folder-{len(list(path.parent.iterdir()))}"
    folder.mkdir()
    source = run_steps(read_source(path, folder, reads_hidden=reads_hidden))
    return source.best(recognised)


def with_repeated_row(path: Path, at: int, times: int) -> Path:
    """The same ODS file, of which a row, counted from 0, stands for several equal ones."""
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name).decode() for name in file.namelist()}
    before, *after = parts["content.xml"].split("<table:table-row>")
    after[at] = f' table:number-rows-repeated="{times}">{after[at]}'
    joined = "".join(
        f"<table:table-row{text}" if n == at else f"<table:table-row>{text}"
        for n, text in enumerate(after)
    )
    parts["content.xml"] = before + joined
    with zipfile.ZipFile(path, "w") as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return path


def notes(table: TextTable) -> list[tuple[str, str]]:
    return [(code, found) for code, _, found, _ in table.notes if code.startswith("hidden")]


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *ONE)
    league(cast.riverside)
    return cast.client("dirk")


@pytest.mark.django_db
def test_page_leaves_out_what_is_hidden_and_reads_it_by_a_button(
    dirk: Client, tmp_path: Path
) -> None:
    at = read_by_default(dirk, night(tmp_path))
    page = text(dirk.get(at))
    assert "2 hands in the file: 2 ready" in page
    assert "Hidden sheets are not read: “6 Oct 2025 (draft)”." in page
    assert "Hidden rows are not read. They are, by sheet: “13 Oct 2025”: 4." in page
    mapping = f"{at}/columns"
    for button, n_hands in (("yes", 6), ("no", 2)):
        dirk.post(mapping, {"holds": "hands", "sheet": "", "hidden": button})
        form = dirk.get(mapping).context["form"]
        dirk.post(mapping, {name: form[name].initial or "" for name in form.fields})
        assert ImportBatch.objects.get().hands == n_hands
    assert stored_points() == []
    dirk.post(f"{at}/confirm")
    assert stored_points() == [("r1t1", list(hand)) for hand in HANDS[:2]]


@pytest.mark.django_db
def test_file_whose_hidden_sheet_is_not_read_is_not_called_without_news(
    dirk: Client, tmp_path: Path
) -> None:
    dirk.post(f"{read_by_default(dirk, night(tmp_path))}/confirm")
    page = text(dirk.get(read_by_default(dirk, night(tmp_path))))
    assert "Nothing of what was read is new. A part of the file is not read" in page
    assert "This file has nothing new." not in page
    assert "Not read" in page
    assert "Read as intended" not in page


@pytest.mark.django_db
def test_mapping_page_names_what_is_hidden_and_has_the_button(dirk: Client, tmp_path: Path) -> None:
    with night(tmp_path).open("rb") as file:
        at = dirk.post(f"{IMPORTS}/new", {"file": file})["Location"]
    page = dirk.get(at)
    assert "Hidden sheets are not read: “6 Oct 2025 (draft)”." in text(page)
    assert 'name="hidden" value="yes"' in page.content.decode()
    page = dirk.post(f"{at}/columns", {"holds": "auto", "hidden": "yes"}, follow=True)
    assert "Hidden sheets and rows are read too." in text(page)
    assert 'name="hidden" value="no"' in page.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(("fields", "n_hands"), [({}, 1), ({"hidden": "true"}, 2)])
def test_rest_reads_what_is_hidden_only_if_told(
    dirk: Client, tmp_path: Path, fields: dict[str, str], n_hands: int
) -> None:
    path = book(tmp_path / "night.xlsx", [sheet_xml(ROWS, hidden_rows=range(6, 10))], ["League"])
    with path.open("rb") as file:
        report = dirk.post(f"/api/v1{IMPORTS}", {"file": file, **fields}).json()
    codes = {problem["code"]: problem["found"] for problem in report["problems"]}
    code = "hidden_rows_read" if fields else "hidden_rows_left_out"
    assert (report["hands"], codes[code]) == (n_hands, "“League”: 6–9")


@pytest.mark.django_db
@pytest.mark.parametrize(("flags", "n_hands"), [((), 1), (("--hidden",), 2)])
def test_command_reads_what_is_hidden_only_if_told(
    dirk: Client, tmp_path: Path, flags: Sequence[str], n_hands: int
) -> None:
    path = book(tmp_path / "night.xlsx", [sheet_xml(ROWS, hidden_rows=range(6, 10))])
    _, report, _ = run_command(
        "import_sheets", path, "--club", "riverside", "--event", "league", *flags
    )
    assert len(stored_points()) == n_hands
    verb = "read too" if flags else "not read"
    assert f"Hidden rows are {verb}. They are, by sheet: “S1”: 6–9." in report


@pytest.mark.django_db
def test_file_that_waits_for_a_worker_keeps_the_choice(
    dirk: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.v1.imports.import_upload.AT_ONCE", 0)
    with xlsx(tmp_path / "night.xlsx", ROWS).open("rb") as file:
        answer = dirk.post(f"/api/v1{IMPORTS}", {"file": file, "hidden": "true"})
    assert answer.status_code == 202
    assert ImportBatch.objects.get().upload.reads_hidden
    assert not ImportProblem.objects.exists()


def test_hidden_rows_keep_their_numbers_and_those_without_content_are_not_named(
    tmp_path: Path,
) -> None:
    rows = [*ROWS[:5], ["", "", "", "", "", ""], *ROWS[5:]]
    path = book(tmp_path / "night.xlsx", [sheet_xml(rows, hidden_rows={2, 6, 8, 9})], ["A"])
    table = opened(path)
    assert [line for line, row in table.rows() if any(row)] == [3, 4, 5, 7, 10]
    assert notes(table) == [("hidden_rows_left_out", "“A”: 2, 8–9")]
    table = opened(path, reads_hidden=True)
    assert [line for line, row in table.rows() if any(row)] == [2, 3, 4, 5, 7, 8, 9, 10]
    assert notes(table) == [("hidden_rows_read", "“A”: 2, 8–9")]


def test_row_without_a_number_follows_the_one_before(tmp_path: Path) -> None:
    part = sheet_xml(ROWS, hidden_rows={3, 4})
    for number in range(1, 10):
        part = part.replace(f'<row r="{number}"', "<row")
    table = opened(book(tmp_path / "night.xlsx", [part]))
    assert notes(table) == [("hidden_rows_left_out", "“S1”: 3–4")]


def test_formula_without_value_in_a_hidden_row_is_no_matter(tmp_path: Path) -> None:
    part = sheet_xml(ROWS, hidden_rows={9}).replace(
        '<c r="F9"><v>0</v></c>', '<c r="F9"><f>F8</f></c>'
    )
    path = book(tmp_path / "night.xlsx", [part])
    assert not opened(path).formulas
    assert list(opened(path, reads_hidden=True).formulas) == [9]


def test_hidden_rows_and_sheets_of_ods_are_left_out_and_named(tmp_path: Path) -> None:
    path = ods(tmp_path / "night.ods", ROWS, hidden_rows={6, 7, 8, 9})
    table = opened(path)
    assert [line for line, row in table.rows() if any(row)] == [2, 3, 4, 5]
    assert notes(table) == [
        ("hidden_sheets_left_out", "“S2”"),
        ("hidden_rows_left_out", "“S1”: 6–9"),
    ]
    n_rows = sum(1 for _, row in opened(path, reads_hidden=True).rows() if any(row))
    assert n_rows == 16


def test_repeated_hidden_rows_of_ods_are_counted(tmp_path: Path) -> None:
    """A row that a program writes once for three equal ones moves those below it."""
    path = ods(tmp_path / "night.ods", ROWS, hidden_rows={4})
    repeated = opened(with_repeated_row(path, at=1, times=3))
    assert notes(repeated)[1] == ("hidden_rows_left_out", "“S1”: 6")


def test_spreadsheet_of_which_all_is_hidden_says_so(tmp_path: Path) -> None:
    path = book(tmp_path / "night.xlsx", [sheet_xml(ROWS)], ["A"], hidden=["A"])
    with pytest.raises(Unreadable, match="All rows of the spreadsheet are hidden"):
        opened(path)
    assert len(list(opened(path, reads_hidden=True).rows())) == 8
