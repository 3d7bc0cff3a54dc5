"""XLSX and ODS give what the same rows as CSV give; what unfolds too far is refused."""

import csv
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.builders import league
from tests.support.cast import Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import hand_scores, imported, rows, said, written
from tests.support.imports.spreadsheets import book, ods, sheet_xml, stuffed, xlsx
from tournaments.documents.read import spreadsheet_process
from tournaments.documents.read.columns import recognised
from tournaments.documents.read.csv import Unreadable, run_steps
from tournaments.documents.read.source_file import read_source
from tournaments.models.hands import Hand

pytestmark = pytest.mark.django_db
Writer = Callable[[Path, Sequence[Sequence[object]]], Path]
cast_once, cast = cast_with(*FOUR, with_league=True)


def cells_of(path: Path) -> list[list[object]]:
    """The cells of a CSV file, numbers as numbers where a person would have typed some."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file))
    return [[int(cell) if cell.isdecimal() else cell for cell in line] for line in lines]


@pytest.mark.parametrize("write", [xlsx, ods])
def test_spreadsheet_gives_what_its_csv_gives(cast: Cast, tmp_path: Path, write: Writer) -> None:
    moon = rows(2, (13, 0, 0, 0), "N", moon={"N": "others"})
    path = written(tmp_path, rows(1), moon, rows(3, (4, "O", 2, 6)), rows(4, (3, 1, 2, 6)))
    league(cast.riverside, slug="paper")
    expected = imported(path, event="paper")
    report = imported(write(tmp_path / "night.book", cells_of(path)))
    assert said(report) == said(expected)
    assert (report.rows, report.hands, report.added) == (expected.rows, 4, 2)
    assert hand_scores("league") == hand_scores("paper")


def test_sheet_with_the_known_heads_is_found_behind_a_cover(cast: Cast, tmp_path: Path) -> None:
    table = cells_of(written(tmp_path, rows(1)))
    path = xlsx(tmp_path / "season.xlsx", [["Autumn league"], ["of 2025"]], table)
    assert imported(path).added == 1


def test_sheets_of_equal_heads_are_one_and_the_others_are_named(cast: Cast, tmp_path: Path) -> None:
    evenings = [cells_of(written(tmp_path, rows(1, round_=number))) for number in (11, 12, 13)]
    path = xlsx(tmp_path / "season.xlsx", evenings[0], [["Remarks"], ["late"]], *evenings[1:])
    report = imported(path)
    assert (report.rows, report.added) == (12, 3)
    notes = [(problem.code, problem.message) for problem in report.problems]
    assert notes == [
        (
            "sheets_joined",
            "These sheets are read as one table: “S1”, “S3”, “S4”.",
        ),
        (
            "sheets_not_read",
            "These sheets have other heads and are not read: “S2”. Save them as files of their "
            "own.",
        ),
    ]
    assert sorted({line[1] for line in hand_scores("league")}) == ["11", "12", "13"]


def test_sheets_that_no_column_tells_apart_are_named_and_not_joined(tmp_path: Path) -> None:
    heads = ["table", "hand", "seat", "player", "points"]
    sheet: list[list[object]] = [[*heads], [1, 1, "N", "Ann", 4]]
    path = xlsx(tmp_path / "season.xlsx", sheet, sheet)
    with TemporaryDirectory() as folder:
        table = run_steps(read_source(path, Path(folder))).best(recognised)
        assert len(list(table.rows())) == 1
    assert [note[:3] for note in table.notes] == [("sheets_not_read", 1, "“S2”")]


def test_rows_above_the_heads_keep_their_numbers(cast: Cast, tmp_path: Path) -> None:
    table = cells_of(written(tmp_path, rows(1, (3, 1, 2, 6))))
    path = xlsx(tmp_path / "night.xlsx", [[], [], *table])
    assert said(imported(path)) == [("missing_cards", "reject", [4, 5, 6, 7])]


def test_cell_merged_over_rows_stands_in_each_and_a_title_once(cast: Cast, tmp_path: Path) -> None:
    heads, *hand = cells_of(written(tmp_path, rows(1)))
    gaps = [row if number == 0 else ["", "", "", *row[3:]] for number, row in enumerate(hand)]
    table: list[Sequence[object]] = [["Autumn league"], heads, *gaps]
    merged = ["A1:L1", "A3:A6", "B3:B6", "C3:C6", "J5:K5"]
    report = imported(book(tmp_path / "night.xlsx", [sheet_xml(table, merged)]))
    assert said(report) == [("not_a_hand_row", "skip", [1])]
    assert report.added == 1


def bomb(path: Path) -> Path:
    """A quarter of a gigabyte of zeros in as many kilobytes."""
    part = sheet_xml([["round"]]).replace("</sheetData>", " " * 10 + "</sheetData>")
    with (
        zipfile.ZipFile(book(path, [part]), "a", zipfile.ZIP_DEFLATED) as file,
        file.open("xl/media/big.bin", "w", force_zip64=True) as inside,
    ):
        for _ in range(256):
            inside.write(bytes(1024 * 1024))
    return path


def far_cell(path: Path) -> Path:
    """Two cells, so far from each other that all between them would fill any memory."""
    part = sheet_xml([["round"]]).replace(
        "</sheetData>", '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    )
    return book(path, [part])


def long_cells(path: Path) -> Path:
    """A hundred and fifty megabytes of one letter."""
    return stuffed(path, f'<c t="inlineStr"><is><t>{"A" * 1000}</t></is></c>', 150)


def many_cells(path: Path) -> Path:
    """As large as a spreadsheet may be, but each cell is one letter."""
    return stuffed(path, '<c t="str"><v>a</v></c>' * 13, 47)


def hidden(path: Path) -> Path:
    """A sheet that is forty times as large as the file says."""
    many_cells(path)
    with zipfile.ZipFile(path) as file:
        size = file.getinfo("xl/worksheets/sheet1.xml").file_size
    content = path.read_bytes()
    path.write_bytes(content.replace(size.to_bytes(4, "little"), (2**20).to_bytes(4, "little")))
    return path


def another_zip(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("night.csv", "round,table")
    return path


def broken(path: Path) -> Path:
    whole = xlsx(path, [["round", "table"]]).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    return path


def no_sheets_part(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("xl/workbook.xml", "<workbook")
    return path


@pytest.mark.parametrize(
    ("make", "say"),
    [
        (bomb, "too large"),
        (far_cell, "too large"),
        (long_cells, "too large"),
        (many_cells, "too large"),
        (hidden, "File is larger than its declared uncompressed size"),
        (another_zip, "This file is a zip file, not a spreadsheet"),
        (broken, "This file is a damaged zip file"),
        (no_sheets_part, "The spreadsheet cannot be read"),
        (lambda path: xlsx(path, []), "The spreadsheet is empty"),
    ],
)
def test_file_that_is_no_spreadsheet_or_unfolds_too_far_is_refused(
    cast: Cast, tmp_path: Path, make: Callable[[Path], Path], say: str
) -> None:
    path = make(tmp_path / "night.xlsx")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(Unreadable, match=say):
        imported(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024
    assert not Hand.objects.exists()


def test_sheet_of_twenty_thousand_hands_is_read(tmp_path: Path) -> None:
    """What ten tables play in three years, each cell as long as programs write it."""
    words = ("2025-11-13", "black-lady", "RL31", "Elsa D.")
    texts = "".join(f'<c cm="0000000" s="1" t="str"><v>{word}</v></c>' for word in words)
    path = stuffed(tmp_path / "seasons.xlsx", texts + '<c cm="0000000" s="1"><v>12</v></c>' * 9, 40)
    with zipfile.ZipFile(path) as file:
        there = file.read("xl/worksheets/sheet1.xml").count(b"</row>")
    assert there > 4 * 20_000
    reader = [sys.executable, "-I", spreadsheet_process.__file__, str(path), str(tmp_path)]
    subprocess.run(reader, check=True)
    with (tmp_path / "0.csv").open("rb") as file:
        assert sum(1 for _ in file) == there
