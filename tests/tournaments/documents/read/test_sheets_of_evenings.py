"""Sheets of one workbook, an evening each: what says the date, and tables side by side on them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from scoring.rules.catalogue import catalogue
from tests.support.imports.spreadsheets import book, sheet_xml
from tournaments.documents.read.blocks import find_table, is_table, title_of
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


OTHERS = ("Holly Brook", "Ivo Sand", "Jana Kast", "Nell Linde")
EIGHT = (*NAMES, *OTHERS)
HANDS = ((13, 5, 8, 0), (0, 13, 13, 0), (1, 0, 13, 12))
OTHER_HANDS = ((4, 0, 9, 13), (1, 12, 13, 0), (26, 0, 26, 26))
BESIDE: Rows = [["Hand", *EIGHT]]
BESIDE += [
    [number, *hand, *other]
    for number, (hand, other) in enumerate(zip(HANDS, OTHER_HANDS, strict=True), start=1)
]
ALONE: Rows = [["Hand", *OTHERS], [1, *OTHER_HANDS[0]]]
IMPOSSIBLE: Rows = [["Hand", *EIGHT], [1, 13, 5, 8, 0, 4, 0, 9, 12]]


def of_table(table: TextTable, day: str) -> list[list[str]]:
    """The rows of a day: the table, the hand, and who has a number."""
    place = {head: at for at, head in enumerate(table.heads)}
    return [
        [row[place["Table"]], row[place["Hand"]], *(row[place[name]] for name in EIGHT)]
        for row in read(table)
        if row[place["Date"]] == day
    ]


@pytest.mark.parametrize("second", [BESIDE, ALONE, IMPOSSIBLE], ids=["two", "one", "impossible"])
@pytest.mark.parametrize("is_first", [True, False])
def test_sheets_of_tables_side_by_side_are_joined_whatever_the_others_have(
    tmp_path: Path, second: Rows, *, is_first: bool
) -> None:
    """A sheet that is no two tables is one; its impossible hands are asked about."""
    sheets = {"30.9.2025": BESIDE, "7.10.2025": second}
    if not is_first:
        sheets = dict(reversed(sheets.items()))
    table = opened(tmp_path, sheets, names=EIGHT)
    assert of_table(table, "30.9.2025") == [
        *(["1", str(n), *map(str, hand), "", "", "", ""] for n, hand in enumerate(HANDS, 1)),
        *(["2", str(n), "", "", "", "", *map(str, hand)] for n, hand in enumerate(OTHER_HANDS, 1)),
    ]
    tables_of_second = {row[0] for row in of_table(table, "7.10.2025")}
    assert tables_of_second == ({"1", "2"} if second is BESIDE else {"1"})
    assert table.other_sheets == ()


def test_joined_tables_side_by_side_keep_their_lines_and_places(tmp_path: Path) -> None:
    sheets = {"30.9.2025": BESIDE, "7.10.2025": ALONE}
    before = opened(tmp_path, sheets, names=EIGHT)
    after = opened(tmp_path, sheets, names=(), heads=before.heads)
    assert (after.heads, read(after)) == (before.heads, read(before))
    places = [before.file_places.place(line) for line in (2, 5, 8)]
    assert [(place.sheet, place.row) for place in places if place] == [
        ("30.9.2025", 2),
        ("30.9.2025", 2),
        ("7.10.2025", 2),
    ]


def test_sheets_of_tables_side_by_side_without_a_date_are_named(tmp_path: Path) -> None:
    table = opened(tmp_path, {"One": BESIDE, "Two": BESIDE}, names=EIGHT)
    assert table.heads == ("Table", "Hand", *EIGHT)
    assert ("sheets_alike_not_read", 1, "“Two”", "") in table.notes


@pytest.mark.parametrize("at", [0, 1, 2])
def test_sheet_without_a_date_leaves_the_dated_ones_to_be_read(tmp_path: Path, at: int) -> None:
    names = ["30.9.2025", "7.10.2025", "14.10.2025"]
    names[at] = "Nachtrag"
    hands = dict(zip(names, HANDS, strict=True))
    sheets: dict[str, Rows] = {name: [["Hand", *NAMES], [1, *hand]] for name, hand in hands.items()}
    table = opened(tmp_path, sheets, names=NAMES)
    assert table.heads == ("Date", "Hand", *NAMES)
    dated = [name for name in names if name != "Nachtrag"]
    assert read(table) == [[name, "1", *map(str, hands[name])] for name in dated]
    assert table.other_sheets == ("Nachtrag",)
    codes = {code: found for code, _, found, _ in table.notes}
    assert codes["sheets_alike_not_read"] == "“Nachtrag”"
    assert "sheets_not_read" not in codes


def test_only_sheet_with_a_date_is_the_one_that_is_read(tmp_path: Path) -> None:
    rows: Rows = [["Hand", *NAMES], [1, *HANDS[0]]]
    other: Rows = [["Hand", *NAMES], [1, *HANDS[1]]]
    table = opened(tmp_path, {"Nachtrag": other, "7.10.2025": rows}, names=NAMES)
    assert read(table) == [["7.10.2025", "1", *map(str, HANDS[0])]]


@pytest.mark.parametrize(
    ("row", "title"),
    [
        (("Table", "3", ""), "Table 3"),
        (("Table", "3", "4"), ""),
        (("Thursday", "5.11.2026"), "Thursday 5.11.2026"),
        (("Thursday", "5.11.2026", "4"), ""),
        (("3", "Table 3"), ""),
        (("", "Final"), "Final"),
    ],
)
def test_row_of_several_cells_is_a_title_with_a_date_or_one_number_of_a_table(
    row: Sequence[str], title: str
) -> None:
    assert title_of(row) == title


@pytest.mark.parametrize(
    ("heads", "is_one"),
    [(NAMES, True), ((*NAMES, "ann  tarn"), False), (("Hand", "Ann Tarn"), False)],
)
def test_columns_of_players_are_a_table_unless_two_have_one_name(
    heads: Sequence[str], *, is_one: bool
) -> None:
    people = People(ClubPlayer(n, f"RL{n:02}", name) for n, name in enumerate(NAMES))
    assert is_table(heads, range(len(heads)), people) is is_one
