"""Sheets of one workbook, an evening each, that have a column of rounds."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from scoring.rules.catalogue import catalogue
from tests.support.imports.spreadsheets import book, sheet_xml
from tournaments.documents.read.blocks import find_table
from tournaments.documents.read.columns import recognised
from tournaments.documents.read.csv import TextTable, run_steps
from tournaments.documents.read.people import ClubPlayer, People
from tournaments.documents.read.source_file import read_source

HEARTS = catalogue().rules("hearts")
NAMES = ("Ann Tarn", "Cai Gale", "David Birk", "Gus Hale")
FIRST_SUMS = ((2, 16, 3, 5), (10, 16, 18, 8))
SECOND_SUMS = ((15, 7, 0, 4), (21, 8, 17, 6))

Rows = list[list[object]]


def opened(
    folder: Path, sheets: Mapping[str, Rows], *, heads: Sequence[str] = (), names: Sequence[str]
) -> TextTable:
    texts = [sheet_xml(rows) for rows in sheets.values()]
    path = book(folder / "file.xlsx", texts, list(sheets))
    inside = folder / f"folder-{len(list(folder.iterdir()))}"
    inside.mkdir()
    people = People(ClubPlayer(n, f"RL{n:02}", name) for n, name in enumerate(names))
    source = run_steps(read_source(path, inside))
    return run_steps(find_table(source, (recognised,), people, rules=HEARTS, heads=heads))


def evening(sums: Sequence[Sequence[int]], first_round: int = 1) -> Rows:
    rows: Rows = [["Round", *NAMES]]
    rows += [[number, *line] for number, line in enumerate(sums, start=first_round)]
    return rows


def read(table: TextTable) -> list[list[str]]:
    return [row[: len(table.heads)] for _, row in table.rows()]


def test_round_that_begins_again_on_each_sheet_leaves_the_date_to_their_names(
    tmp_path: Path,
) -> None:
    sheets = {"2025-10-06": evening(FIRST_SUMS), "2025-10-13": evening(SECOND_SUMS)}
    table = opened(tmp_path, sheets, names=NAMES)
    assert table.heads == ("Date", "Round", *NAMES)
    assert [row[:3] for row in read(table)] == [
        ["2025-10-06", "1", "2"],
        ["2025-10-06", "2", "10"],
        ["2025-10-13", "1", "15"],
        ["2025-10-13", "2", "21"],
    ]


@pytest.mark.parametrize(("first_round", "is_dated"), [(2, True), (3, False)])
def test_rounds_that_go_on_tell_the_evenings_apart(
    tmp_path: Path, first_round: int, is_dated: bool
) -> None:
    sheets = {
        "2025-10-06": evening(FIRST_SUMS),
        "2025-10-13": evening(SECOND_SUMS, first_round),
    }
    table = opened(tmp_path, sheets, names=NAMES)
    assert ("Date" in table.heads) == is_dated
    assert len(read(table)) == 4


def test_sheets_that_were_read_without_their_dates_keep_their_lines(tmp_path: Path) -> None:
    sheets = {"2025-10-06": evening(FIRST_SUMS), "2025-10-13": evening(SECOND_SUMS)}
    before = ("Round", *NAMES)
    table = opened(tmp_path, sheets, names=NAMES, heads=before)
    assert (table.heads, len(read(table))) == (before, 4)
