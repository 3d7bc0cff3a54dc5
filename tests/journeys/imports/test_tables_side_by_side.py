"""Two tables next to each other that share the column of the hand."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from scoring.rules.catalogue import catalogue
from tournaments.documents.read.blocks import find_table
from tournaments.documents.read.columns import recognised
from tournaments.documents.read.csv import TextTable, run_steps
from tournaments.documents.read.people import ClubPlayer, People
from tournaments.documents.read.source_file import read_source

HEARTS = catalogue().rules("hearts")
NAMES = ("Ann Tarn", "Cai Gale", "David Birk", "Gus Hale", "Holly Brook", "Ivo Sand",
         "Jana Kast", "Nell Linde")  # fmt: skip
ONE = NAMES[:4]
OTHER = NAMES[4:]
HANDS = ((13, 5, 8, 0), (0, 13, 13, 0), (1, 0, 13, 12))
OTHER_HANDS = ((4, 0, 9, 13), (1, 12, 13, 0), (26, 0, 26, 26))


def opened(
    folder: Path,
    rows: Sequence[Sequence[object]],
    *,
    names: Sequence[str] = NAMES,
    heads: Sequence[str] = (),
) -> TextTable:
    path = folder / "file.csv"
    lines = [";".join(map(str, row)) for row in rows]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    inside = folder / f"folder-{len(list(folder.iterdir()))}"
    inside.mkdir()
    people = People(ClubPlayer(n, f"RL{n:02}", name) for n, name in enumerate(names))
    source = run_steps(read_source(path, inside))
    return run_steps(find_table(source, (recognised,), people, rules=HEARTS, heads=heads))


def read(table: TextTable) -> list[list[str]]:
    return [row for _, row in table.rows()]


def of_tables(n_hands: int = 3, first: object = 1, second: object = 2) -> list[list[str]]:
    """The rows of both tables below each other, as they are read."""
    rows = [[first, n, *hand, *[""] * 4] for n, hand in enumerate(HANDS[:n_hands], start=1)]
    rows += [[second, n, *[""] * 4, *hand] for n, hand in enumerate(OTHER_HANDS[:n_hands], start=1)]
    return [list(map(str, row)) for row in rows]


def beside(between: Sequence[object] = ()) -> list[list[object]]:
    pairs = zip(HANDS, OTHER_HANDS, strict=True)
    return [[n, *one, *between, *other] for n, (one, other) in enumerate(pairs, start=1)]


@pytest.mark.parametrize("word", ["Hand", "Spiel", "#"])
@pytest.mark.parametrize(("names", "numbers"), [(("Table 1", "Table 2"), (1, 2)),
                                                (("Tisch 7", "Tisch 4"), (7, 4)),
                                                (("Table A", "Table C"), (1, 3))])  # fmt: skip
def test_titles_tell_tables_below_one_column_of_hands(
    tmp_path: Path, names: tuple[str, str], numbers: tuple[int, int], word: str
) -> None:
    titles = ["", names[0], "", "", "", names[1]]
    table = opened(tmp_path, [["Club night"], titles, [word, *NAMES], *beside()])
    assert table.heads == ("Table", word, *NAMES)
    assert read(table) == of_tables(3, *numbers)


def test_empty_column_tells_tables_below_one_column_of_hands(tmp_path: Path) -> None:
    table = opened(tmp_path, [["Hand", *ONE, "", *OTHER], *beside([""])])
    assert (table.heads, read(table)) == (("Table", "Hand", *NAMES), of_tables())


def test_more_players_than_a_table_has_are_tables_if_one_way_to_split_them_fits(
    tmp_path: Path,
) -> None:
    table = opened(tmp_path, [["Hand", *NAMES], *beside()])
    assert (table.heads, read(table)) == (("Table", "Hand", *NAMES), of_tables())


def test_players_that_can_be_split_in_two_ways_are_left_as_they_are(tmp_path: Path) -> None:
    """Nine players whose middle one has nothing: four and five, or five and four."""
    names = (*ONE, "Zoe New", *OTHER)
    table = opened(tmp_path, [["Hand", *names], *beside([0])[:2]], names=names)
    assert table.heads == ("Hand", *names)


@pytest.mark.parametrize("points", [11, 10])
def test_row_that_is_no_hand_of_both_tables_leaves_the_columns_together(
    tmp_path: Path, points: int
) -> None:
    rows: list[list[object]] = [["Hand", *NAMES], *beside(), [4, 2, 3, 6, 15, 13, points, 1, 1]]
    assert (opened(tmp_path, rows).heads[0] == "Table") == (points == 11)


def test_row_in_which_somebody_did_not_play_leaves_the_columns_together(tmp_path: Path) -> None:
    rows: list[list[object]] = [["Hand", *NAMES], *beside(), [4, 2, 3, 6, 15, 13, 12, 1, ""]]
    assert opened(tmp_path, rows).heads == ("Hand", *NAMES)


@pytest.mark.parametrize("n_more", [3, 4])
def test_table_with_more_hands_is_told_while_half_of_the_rows_are_of_both(
    tmp_path: Path, n_more: int
) -> None:
    more = [[4 + n, 2, 3, 6, 15, "", "", "", ""] for n in range(n_more)]
    table = opened(tmp_path, [["Hand", *NAMES], *beside(), *more])
    assert (table.heads[0] == "Table") == (n_more == 3)
    assert len(read(table)) == (9 if n_more == 3 else 7)


def test_sums_of_rows_of_one_table_each_are_no_row_of_both(tmp_path: Path) -> None:
    rows: list[list[object]] = [
        ["Hand", *NAMES],
        [1, *HANDS[0], "", "", "", ""],
        [1, "", "", "", "", *OTHER_HANDS[0]],
        ["", *HANDS[0], *OTHER_HANDS[0]],
    ]
    assert opened(tmp_path, rows).heads == ("Hand", *NAMES)


def test_table_with_fewer_hands_has_no_empty_ones(tmp_path: Path) -> None:
    rows: list[list[object]] = [
        ["Hand", *ONE, "", *OTHER],
        *beside([""]),
        [4, 2, 3, 6, 15, "", "", "", "", ""],
    ]
    last = ["1", "4", "2", "3", "6", "15", "", "", "", ""]
    whole = of_tables()
    assert read(opened(tmp_path, rows)) == [*whole[:3], last, *whole[3:]]


def test_date_is_shared_too_and_sums_are_of_both(tmp_path: Path) -> None:
    rows = [["13.10.2026", *row] for row in beside([""])]
    sums = ["", "Total", 14, 18, 34, 12, "", 31, 12, 48, 39]
    table = opened(tmp_path, [["Date", "Hand", *ONE, "", *OTHER], *rows, sums])
    assert table.heads == ("Table", "Date", "Hand", *NAMES)
    assert [row[:3] for row in read(table)] == [
        ["1", "13.10.2026", "1"], ["1", "13.10.2026", "2"], ["1", "13.10.2026", "3"],
        ["1", "", "Total"],
        ["2", "13.10.2026", "1"], ["2", "13.10.2026", "2"], ["2", "13.10.2026", "3"],
        ["2", "", "Total"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "rows",
    [
        [["", "Table 1", "", "", "", "Table 2"], ["Hand", *NAMES], *beside()],
        [["Hand", *ONE, "", *OTHER], *beside([""])],
        [["Hand", *NAMES], *beside()],
    ],
    ids=["titles", "empty column", "rules"],
)
@pytest.mark.parametrize("later", [NAMES, NAMES[2:], ()])
def test_lines_stay_when_players_join_or_leave_the_club(
    tmp_path: Path, rows: Sequence[Sequence[object]], later: Sequence[str]
) -> None:
    before = opened(tmp_path, rows)
    after = opened(tmp_path, rows, names=later, heads=before.heads)
    assert (after.heads, read(after)) == (before.heads, read(before))
    assert before.heads[0] == "Table"
