"""Layouts that the shape alone tells: nobody of the file is known, or some of its people are."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from scoring.rules.catalogue import catalogue
from tests.support.imports.spreadsheets import book, sheet_xml
from tournaments.documents.read.blocks import find_table
from tournaments.documents.read.columns import recognised
from tournaments.documents.read.csv import TextTable, run_steps
from tournaments.documents.read.guess_columns import guess
from tournaments.documents.read.head_rows import are_words_of_heads
from tournaments.documents.read.people import ClubPlayer, People
from tournaments.documents.read.source_file import read_source
from tournaments.models.imports import IGNORE, PLAYER

HEARTS = catalogue().rules("hearts")
ONE = ("Gerda", "Uschi", "H.P.", "Moni")
OTHER = ("Klaus S.", "Klaus B.", "Bärbel", "J.O.")
HANDS = ((20, "", 5, 1), ("", 19, 4, 3), (26, 26, "Mond", 26))
OTHER_HANDS = ((4, 16, 5, 1), (26, "Mond", 26, 26), (3, "", 7, 16))

Rows = list[list[object]]


def opened(
    folder: Path,
    sheets: Mapping[str, Rows],
    *,
    names: Sequence[str] = (),
    heads: Sequence[str] = (),
) -> TextTable:
    path = book(folder / "file.xlsx", [sheet_xml(rows) for rows in sheets.values()], list(sheets))
    inside = folder / f"folder-{len(list(folder.iterdir()))}"
    inside.mkdir()
    people = People(ClubPlayer(n, f"RL{n:02}", name) for n, name in enumerate(names))
    source = run_steps(read_source(path, inside))
    return run_steps(find_table(source, (recognised,), people, rules=HEARTS, heads=heads))


def section(
    title: Sequence[object], heads: Sequence[object], hands: Sequence[Sequence[object]], first: int
) -> Rows:
    rows: Rows = [list(title)] if title else []
    rows.append(list(heads))
    rows += [[number, *hand] for number, hand in enumerate(hands, start=first)]
    rows.append(["Summe", 46, 45, 9, 30])
    rows.append(["Platz", "4.", "3.", "1.", "2."])
    return rows


def below(
    *,
    day: str = "2. November 2026",
    words: Sequence[str] = ("Spiel", "Spiel"),
    first: int = 1,
    titles: bool = True,
    people: Sequence[Sequence[str]] = (ONE, OTHER),
) -> Rows:
    rows: Rows = [[f"Hearts-Abend {day}"], []]
    rows += section(["Tisch 1"] * titles, [words[0], *people[0]], HANDS, 1)
    rows += [[]]
    rows += section(["Tisch 2"] * titles, [words[1], *people[1]], OTHER_HANDS, first)
    return rows


def numbers_by_table(table: TextTable, names: Sequence[str]) -> dict[str, list[list[str]]]:
    """The cells of these people in each table, without the rows of sums and places."""
    place = {head: at for at, head in enumerate(table.heads)}
    by_table: dict[str, list[list[str]]] = {}
    for _, row in table.rows():
        hand = next(row[place[word]] for word in ("Spiel", "Hand") if word in place)
        if hand.isdecimal():
            cells = [row[place[name]] for name in names]
            by_table.setdefault(row[place["Table"]], []).append(cells)
    return by_table


def as_text(hands: Sequence[Sequence[object]]) -> list[list[str]]:
    return [list(map(str, hand)) for hand in hands]


NOBODY = [[""] * 4] * 3


@pytest.mark.parametrize("names", [(), ONE, OTHER, ONE + OTHER, ("Gerda", "Moni", "J.O.")])
@pytest.mark.parametrize("words", [("Spiel", "Spiel"), ("Spiel", ""), ("Tisch 1", "Tisch 2")])
@pytest.mark.parametrize("first", [1, 4])
@pytest.mark.parametrize("titles", [True, False])
def test_row_of_words_begins_the_table_of_these_people(
    tmp_path: Path, names: Sequence[str], words: Sequence[str], first: int, *, titles: bool
) -> None:
    rows = below(words=words, first=first, titles=titles)
    table = opened(tmp_path, {"2.11.": rows}, names=names)
    assert numbers_by_table(table, ONE) == {"1": as_text(HANDS), "2": NOBODY}
    assert numbers_by_table(table, OTHER) == {"1": NOBODY, "2": as_text(OTHER_HANDS)}


def test_tables_without_a_column_of_hands_keep_their_first_player(tmp_path: Path) -> None:
    rows: Rows = [["Abend 2. November 2026"], ["Tisch 1"], [*ONE], *map(list, HANDS)]
    rows += [["Tisch 2"], [*OTHER], *map(list, OTHER_HANDS)]
    table = opened(tmp_path, {"2.11.": rows})
    assert table.heads == ("Date", "Table", *ONE, *OTHER)
    assert [row[1:] for _, row in table.rows()] == [
        *(["1", *map(str, hand), *[""] * 4] for hand in HANDS),
        *(["2", *[""] * 4, *map(str, hand)] for hand in OTHER_HANDS),
    ]


@pytest.mark.parametrize("names", [(), ONE + OTHER])
@pytest.mark.parametrize("people", [(ONE, OTHER), (OTHER, ONE)])
@pytest.mark.parametrize("sheets", [("2.11.", "9.11."), ("Erster", "Zweiter")])
def test_sheets_with_tables_below_each_other_are_joined(
    tmp_path: Path,
    names: Sequence[str],
    people: Sequence[Sequence[str]],
    sheets: tuple[str, str],
) -> None:
    first, second = sheets
    of_days = {first: below(), second: below(day="9. November 2026", people=people)}
    table = opened(tmp_path, of_days, names=names)
    assert table.heads[:3] == ("Date", "Table", "Spiel")
    place = {head: at for at, head in enumerate(table.heads)}
    rows = [row for _, row in table.rows() if row[2].isdecimal()]
    of_people = [
        (row[0][0], row[1], [row[place[name]] for name in people[0]])
        for row in rows
        if row[place[people[0][0]]] or row[place[people[0][1]]]
    ]
    assert [each[2] for each in of_people if each[0] == "9"] == as_text(HANDS)
    assert {each[1] for each in of_people if each[0] == "9"} == {"1"}
    assert len(rows) == 12
    assert table.other_sheets == ()


def test_sheet_without_a_date_leaves_tables_below_each_other_of_the_dated_ones(
    tmp_path: Path,
) -> None:
    sheets = {"Nachtrag": below(day=""), "2.11.": below(), "9.11.": below(day="9.11.2026")}
    table = opened(tmp_path, sheets)
    days = {row[0] for _, row in table.rows() if row[2].isdecimal()}
    assert (table.heads[:2], len(days)) == (("Date", "Table"), 2)
    assert table.other_sheets == ("Nachtrag",)


def test_sheets_with_tables_below_each_other_and_no_dates_are_named(tmp_path: Path) -> None:
    rows = below()[2:]
    table = opened(tmp_path, {"Erster": rows, "Zweiter": rows})
    assert numbers_by_table(table, ONE)["1"] == as_text(HANDS)
    assert ("sheets_alike_not_read", 3, "“Zweiter”", "") in table.notes or table.other_sheets


@pytest.mark.parametrize("names", [(), ONE + OTHER])
@pytest.mark.parametrize("word", ["Spiel", ""])
def test_tables_side_by_side_are_told_without_names(
    tmp_path: Path, names: Sequence[str], word: str
) -> None:
    pairs = zip(HANDS, OTHER_HANDS, strict=True)
    rows: Rows = [["Spiel", *ONE, "", *([word] if word else []), *OTHER]]
    for number, (one, other) in enumerate(pairs, start=1):
        rows.append([number, *one, "", *([number] if word else []), *other])
    table = opened(tmp_path, {"2.11.": rows}, names=names)
    assert numbers_by_table(table, ONE) == {"1": as_text(HANDS)} | {"2": NOBODY}
    assert numbers_by_table(table, OTHER) == {"1": NOBODY, "2": as_text(OTHER_HANDS)}


def test_sums_beside_points_of_strangers_are_no_second_table(tmp_path: Path) -> None:
    rows: Rows = [["Spiel", *ONE, "", *ONE]]
    rows += [[1, 13, 5, 8, 0, "", 13, 5, 8, 0], [2, 0, 13, 13, 0, "", 13, 18, 21, 0]]
    rows += [[3, 1, 0, 13, 12, "", 14, 18, 34, 12]]
    assert "Table" not in opened(tmp_path, {"2.11.": rows}).heads


@pytest.mark.parametrize("names", [(), ONE + OTHER])
def test_lines_stay_when_strangers_join_the_club(tmp_path: Path, names: Sequence[str]) -> None:
    sheets = {"2.11.": below(), "9.11.": below(day="9. November 2026")}
    before = opened(tmp_path, sheets)
    after = opened(tmp_path, sheets, names=names, heads=before.heads)
    assert (after.heads, list(after.rows())) == (before.heads, list(before.rows()))


def test_column_with_the_word_of_a_moon_is_a_player(tmp_path: Path) -> None:
    table = opened(tmp_path, {"2.11.": below()})
    sample = [row for _, row in table.rows()]
    plan = guess(table.heads, sample, People(()), ())
    means = dict(plan.columns)
    assert [means[name] for name in ONE + OTHER] == [PLAYER] * 8


def test_column_of_remarks_is_no_player() -> None:
    heads = ["Spiel", *ONE, "Bemerkung"]
    sample = [["1", "20", "0", "5", "1", "Mond"], ["2", "0", "19", "4", "3", ""]]
    assert dict(guess(heads, sample, People(()), ()).columns)["Bemerkung"] == IGNORE


@pytest.mark.parametrize(
    ("cells", "are_heads"),
    [
        (["Uschi", "Moni", "", ""], True),
        (["Uschi", "", "", ""], False),
        (["Uschi", "Moni", "", "0"], False),
        (["Mond", "Moni", "26", "26"], False),
        (["fehlt", "fehlt", "fehlt", "fehlt"], False),
        (["Nord", "Ost", "Süd", "West"], False),
        (["Mond", "x", "", ""], False),
        (["A", "B", "C", "D"], True),
        (["4.", "3.", "2.", "1."], False),
    ],
)
def test_words_of_heads(cells: Sequence[str], *, are_heads: bool) -> None:
    assert are_words_of_heads(cells) == are_heads
