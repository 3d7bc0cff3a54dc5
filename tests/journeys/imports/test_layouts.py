"""How a file's rows are laid out: told from their values, and the same at every reading."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from django.test import Client

from scoring.rules.catalogue import catalogue
from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.imports.spreadsheets import book, sheet_xml, xlsx
from tests.support.imports.uploads import post_file, send_file
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text
from tournaments.documents.read.blocks import LOOKED_AT as ROWS_OF_A_BLOCK
from tournaments.documents.read.blocks import MOST_SECTIONS, find_table
from tournaments.documents.read.column_plan import MOST_COLUMNS
from tournaments.documents.read.columns import recognised
from tournaments.documents.read.csv import (
    DELIMITERS,
    LOOKED_AT,
    SHAPE_ROWS,
    WIDEST_ROW,
    TextTable,
    Unreadable,
    run_steps,
)
from tournaments.documents.read.people import ClubPlayer, People
from tournaments.documents.read.source_file import read_source
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportProblem
from tournaments.models.rounds import Meeting

NAMES = ("Ann Tarn", "Cai Gale", "David Birk", "Gus Hale", "Holly Brook", "Ivo Sand",
         "Jana Kast", "Nell Linde")  # fmt: skip
HEARTS = catalogue().rules("hearts")


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *NAMES)
    league(cast.riverside)
    return cast.client("dirk")


def sent(client: Client, folder: Path, content: str, **fields: str) -> str:
    path = folder / "file.csv"
    path.write_text(content, encoding="utf-8")
    return send_file(client, path, day="2025-10-13", **fields)


def mapped(client: Client, at: str) -> str:
    if not at.endswith("/columns"):
        return text(client.get(at))  # it is read in one way
    form = as_shown(client.get(at).context["form"])
    return text(client.post(at, {"round": "1", "table": "1", **form}, follow=True))


def points() -> list[object]:
    hands = Hand.objects.filter(state="accepted").order_by("game__table__code", "number")
    return [hand.entry.typed["points"] for hand in hands.select_related("entry") if hand.entry]


def opened(
    path: Path, names: Sequence[str], heads: Sequence[str] = (), people: People | None = None
) -> TextTable:
    people = people or People(ClubPlayer(n, f"RL{n:02}", name) for n, name in enumerate(names))
    folder = path.parent / f"folder-{len(list(path.parent.iterdir()))}"
    folder.mkdir()
    source = run_steps(read_source(path, folder))
    return run_steps(find_table(source, (recognised,), people, rules=HEARTS, heads=heads))


def written(folder: Path, content: str) -> Path:
    path = folder / "file.csv"
    path.write_text(content, encoding="utf-8")
    return path


TURNED = """Name;1;2;3
Ann Tarn;13;0;1
Cai Gale;5;13;0
David Birk;8;13;13
Gus Hale;0;0;12
"""
BESIDE = f"""Hand;{";".join(NAMES[:4])};;Hand;{";".join(NAMES[4:])}
1;13;5;8;0;;1;0;26;0;0
"""


@pytest.mark.django_db
@pytest.mark.parametrize("word", ["Round", "Runde", "Ronde", "Manche", "Evening", "R"])
@pytest.mark.parametrize("rows", [("4;4", "3;1", "2;2", "1;3"), ("41;62", "102;70", "68;0", "")])
def test_players_down_and_rounds_across_are_a_season_and_no_hands(
    dirk: Client, tmp_path: Path, word: str, rows: tuple[str, ...]
) -> None:
    lines = "".join(f"{name};{row}\n" for name, row in zip(NAMES, rows, strict=False))
    path = written(tmp_path, f"Name;{word} 1;{word} 2\n{lines}")
    assert f"The column {word} 1 has no date. Write the date" in text(post_file(dirk, path))


@pytest.mark.parametrize("word", ["Round ", "", "Hand ", "Blatt "])
def test_columns_that_are_hands_are_read_as_hands_under_any_word(tmp_path: Path, word: str) -> None:
    heads = f"Name;{word}1;{word}2;{word}3"
    table = opened(written(tmp_path, TURNED.replace("Name;1;2;3", heads)), NAMES)
    assert table.heads == ("Hand", *NAMES[:4])


@pytest.mark.django_db
def test_empty_column_within_one_table_does_not_split_it(dirk: Client, tmp_path: Path) -> None:
    heads = "Hand;Ann Tarn;Cai Gale;;David Birk;Gus Hale\n"
    at = sent(dirk, tmp_path, f"{heads}1;13;5;;8;0\n2;0;13;;13;0\n")
    assert "2 hands in the file: 2 ready" in mapped(dirk, at)
    dirk.post(f"{at.removesuffix('/columns')}/confirm")
    assert points() == [[13, 5, 8, 0], [0, 13, 13, 0]]


@pytest.mark.parametrize(("cells", "n_tables"), [("13;5;8;0;;1;0;13;12", 2), ("13;5;8;0;;;;;", 1)])
def test_tables_without_heads_are_told_by_hands(tmp_path: Path, cells: str, n_tables: int) -> None:
    heads = f"{';'.join(NAMES[:4])};;{';'.join(NAMES[4:])}"
    table = opened(written(tmp_path, f"{heads}\n{cells}\n"), NAMES)
    assert (table.heads[0] == "Table") == (n_tables == 2)


@pytest.mark.parametrize(
    ("content", "first", "later"),
    [
        (TURNED, NAMES[:1], NAMES),
        (TURNED, NAMES, ()),
        (BESIDE, NAMES[:4], NAMES),
        (BESIDE, NAMES, ()),
        (f"Our club;\n;\n{BESIDE}", NAMES, ()),
        ("A title;with;words\nAnn Tarn;Cai Gale\n13;13\n", (), NAMES),
    ],
)
def test_lines_of_a_file_stay_when_players_join_or_leave_the_club(
    tmp_path: Path, content: str, first: Sequence[str], later: Sequence[str]
) -> None:
    path = written(tmp_path, content)
    before = opened(path, first)
    after = opened(path, later, before.heads)
    assert after.heads == before.heads
    assert list(after.rows()) == list(before.rows())


SUMS = ("Summe", "Gesamt:", "Totaal", "Som", "Total", "Sum", "Σ", "Average", "Schnitt", "Ø")
MORE_SUMS = ("gemiddelde", "Moyenne", "TOTAUX", "Durchschnitt", "Subtotal", "eindstand")


@pytest.mark.django_db
@pytest.mark.parametrize("word", [*SUMS, *MORE_SUMS])
def test_sums_are_neither_players_nor_hands(dirk: Client, tmp_path: Path, word: str) -> None:
    at = sent(dirk, tmp_path, f"{TURNED}{word};26;26;26\n")
    assert "3 hands in the file: 3 ready" in mapped(dirk, at)
    rows = f"1;13;5;8;0;26\n2;0;13;13;0;26\n{word};13;18;21;0;52\n"
    at = sent(dirk, tmp_path, f"Hand;{';'.join(NAMES[:4])};{word}\n{rows}")
    assert "2 hands in the file: 2 ready" in mapped(dirk, at)


@pytest.mark.django_db
@pytest.mark.parametrize("word", ["Totaal", "Schnitt"])
def test_sum_below_results_of_our_heads_is_skipped(dirk: Client, tmp_path: Path, word: str) -> None:
    lines = "".join(f"1,1,{name},{n}\n" for name, n in zip(NAMES, (41, 102, 68, 49), strict=False))
    at = sent(dirk, tmp_path, f"round,table,player,points\n{lines},,{word},260\n", holds="totals")
    page = text(dirk.get(at))
    assert "1 result in the file: 1 ready, 0 pending" in page
    assert f"Line 6 is not a row of a hand ({word} 260)" in page


@pytest.mark.django_db
def test_player_may_be_called_like_a_sum(cast: Cast, tmp_path: Path) -> None:
    players(cast.riverside, "Som", *NAMES)
    league(cast.riverside)
    at = sent(cast.client("dirk"), tmp_path, TURNED.replace("Gus Hale", "Som"))
    page = mapped(cast.client("dirk"), at)
    assert "3 hands in the file: 3 ready" in page, page


@pytest.mark.django_db
@pytest.mark.parametrize("number", ["1.012", "1,012", "1.000", "1,000"])
def test_separator_of_thousands_is_named(dirk: Client, tmp_path: Path, number: str) -> None:
    heads = ";".join(f"player {n};score {n}" for n in range(1, 5))
    value = int(number[0] + number[2:])
    last = -(value + 980) % 26
    cells = ";".join(f"{name};{n}" for name, n in zip(NAMES, (number, 980, 0, last), strict=False))
    at = sent(dirk, tmp_path, f"date;{heads}\n2025-10-13;{cells}\n", holds="totals")
    assert f"{number} is read as the whole number {value}." in text(dirk.get(at))
    dirk.post(f"{at}/confirm")
    assert points() == [[value, 980, 0, last]]


@pytest.mark.django_db
@pytest.mark.parametrize("numbers", [("26.000", "78.000"), ("1,000", "2,000"), ("1.500", "0.25")])
def test_numbers_that_may_have_decimals_or_thousands_are_asked_about(
    dirk: Client, tmp_path: Path, numbers: tuple[str, str]
) -> None:
    rows = "".join(f"1;1;{name};{n}\n" for name, n in zip(NAMES, numbers * 2, strict=False))
    at = sent(dirk, tmp_path, f"round;table;player;points\n{rows}", holds="totals")
    assert "1 result in the file: 0 ready, 1 pending" in text(dirk.get(at))
    first, *_ = ImportProblem.objects.filter(code="bad_points").order_by("position")
    assert (first.lines, numbers[0] in first.message) == ([2], True)


@pytest.mark.django_db
def test_thousands_in_a_season_are_asked_about(dirk: Client) -> None:
    at = "/clubs/riverside/events/league/opening-values/list"
    page = text(dirk.post(at, {"text": "Name;Total\nAnn Tarn;1.012\nCai Gale;980\n"}))
    assert "Line 2: 1.012 may be 1012. Write the number without a separator." in page


@pytest.mark.django_db
def test_formula_without_value_is_named_in_a_turned_table(dirk: Client, tmp_path: Path) -> None:
    rows = [[cell if n == 0 or at == 0 else int(cell) for at, cell in enumerate(line.split(";"))]
            for n, line in enumerate(TURNED.splitlines())]  # fmt: skip
    sheet = sheet_xml(rows).replace('<c r="C4"><v>13</v></c>', '<c r="C4"><f>A1+1</f></c>')
    at = send_file(dirk, book(tmp_path / "book.xlsx", [sheet]), day="2025-10-13")
    page = mapped(dirk, at)
    assert "3 hands in the file: 2 ready, 1 pending" in page
    assert "C4" in page


def test_formulas_of_tables_side_by_side_keep_their_addresses(tmp_path: Path) -> None:
    rows = [line.split(";") for line in BESIDE.splitlines()]
    sheet = sheet_xml([rows[0], [int(cell) if cell else "" for cell in rows[1]]])
    sheet = sheet.replace('<c r="I2"><v>26</v></c>', '<c r="I2"><f>A1+1</f></c>')
    table = opened(book(tmp_path / "book.xlsx", [sheet]), NAMES)
    assert dict(table.formulas) == {3: [(7, "I2")]}
    assert [line for line, _ in table.rows()] == [2, 3]


@pytest.mark.parametrize("sign", ["\u2028", "\x85", "\u2029", "\x0b", "\x1c"])
def test_signs_that_end_no_line_do_not_move_lines(tmp_path: Path, sign: str) -> None:
    path = written(tmp_path, f"date,round,table,hand\n2025-10-13,1{sign},1,1\n2025-10-13,1,1,2\n")
    assert [line for line, _ in opened(path, ()).rows()] == [2, 3]
    if sign in "\x0b\x1c":
        return  # not in XML
    heads = ["date", "round", "table", "hand", "seat"]
    sheets: list[list[list[object]]] = [
        [[*heads], ["2025-10-13", f"1{sign}", 1, n, "N"]] for n in (1, 2)
    ]
    table = opened(xlsx(tmp_path / "book.xlsx", *sheets), ())
    assert [(line, row[3]) for line, row in table.rows()] == [(2, "1"), (3, "2")]


class CountingPeople(People):
    n_compared = 0

    def called(self, label: str) -> ClubPlayer | None:
        self.n_compared += 1
        return super().called(label)


def test_work_on_a_hostile_file_is_bounded(tmp_path: Path) -> None:
    row = ";".join(f"name{chr(97 + n % 26)}" for n in range(WIDEST_ROW))
    people = CountingPeople(())
    opened(written(tmp_path, f"{row}\n" * 30), (), people=people)
    assert people.n_compared <= (len(DELIMITERS) * LOOKED_AT + MOST_SECTIONS) * MOST_COLUMNS


def test_file_with_too_many_columns_is_refused_before_its_cells_are_made(tmp_path: Path) -> None:
    for n_columns in (WIDEST_ROW + 1, 100_000):
        path = written(tmp_path, f"{';' * (n_columns - 1)}\n")
        with pytest.raises(Unreadable, match=f"Line 1 has {n_columns} columns. The maximum is"):
            opened(path, ())
    assert list(opened(written(tmp_path, f"{'a;' * (WIDEST_ROW - 1)}b\n"), ()).rows()) == []


def below_each_other(tmp_path: Path, n_rows: int) -> TextTable:
    """Return a file of two tables; so many rows stand above the title of the second one."""
    heads = ";".join(("Hand", *NAMES[:4]))
    rows = "1;13;5;8;0\n"
    text = f"Table 1\n{heads}\n{rows * n_rows}Table 2\n{heads}\n{rows}"
    return opened(written(tmp_path, text), NAMES)


def test_second_table_is_found_within_the_rows_that_decide_on_the_shape(tmp_path: Path) -> None:
    found = below_each_other(tmp_path, SHAPE_ROWS - 2)
    assert found.heads[0] == "Table"
    assert [code for code, *_ in found.about_sheets] == ["tables_below_each_other"]
    beyond = below_each_other(tmp_path, SHAPE_ROWS - 1)
    assert beyond.heads[0] == "Hand"
    assert not beyond.about_sheets


def test_shape_of_a_long_file_is_decided_on_its_first_rows(tmp_path: Path) -> None:
    heads = ";".join(("Hand", *NAMES[:4]))
    path = written(tmp_path, f"{heads}\n" + "1;13;5;8;0\n" * (3 * SHAPE_ROWS))
    rows = TextTable.rows
    lines_read: list[int] = []

    def rows_counted(table: TextTable) -> Iterator[tuple[int, list[str]]]:
        for line, row in rows(table):
            lines_read.append(line)
            yield line, row

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TextTable, "rows", rows_counted)
        opened(path, NAMES)
    assert len(lines_read) == SHAPE_ROWS + 2 * ROWS_OF_A_BLOCK


HANDS = f"Datum;Hand;{';'.join(NAMES[:4])}\n6.10.2026;1;13;5;8;0\n6.10.2026;2;0;13;13;0\n"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "content",
    [
        *(HANDS.replace("6.10.2026", day) for day in (
            "6.10.", "6 okt", "2026-10-06", "Di, 6.10.2026", "le 6 octobre 2026", "20261006",
            "6.10.26 19:30 Uhr", "Tuesday, October 6th, 2026",
        )),
        HANDS.replace(";", "|"),
        HANDS.replace("13;5", "13,0;5,00"),
        HANDS.replace("13;5", "13\0;5"),
        HANDS.replace("\n", "\r"),
        f"Club;;\nSeason 2026;;\n\n{HANDS}",
        (
            "Nr;Name;H1;H2\n1;Ann Tarn;13;0\n2;Cai Gale;5;13\n"
            "3;David Birk;8;13\n4;Gus Hale;0;0\n"
        ),
    ],
)  # fmt: skip
def test_spellings_of_one_table(dirk: Client, tmp_path: Path, content: str) -> None:
    at = sent(dirk, tmp_path, content)
    assert "2 hands in the file: 2 ready" in mapped(dirk, at)
    dirk.post(f"{at.removesuffix('/columns')}/confirm")
    assert points() == [[13, 5, 8, 0], [0, 13, 13, 0]]


@pytest.mark.django_db
def test_tables_below_each_other_with_heads_of_their_own(dirk: Client, tmp_path: Path) -> None:
    parts = [f"Table {n}\nHand;{';'.join(names)}\n{row}\n" for n, names, row in (
        (3, NAMES[:4], "1;13;5;8;0"), (5, NAMES[4:], "1;0;6;20;0"))]  # fmt: skip
    at = sent(dirk, tmp_path, "\n".join(parts))
    page = mapped(dirk, at)
    assert "2 hands in the file: 2 ready" in page
    assert "2 tables with heads of their own are below each other." in page
    dirk.post(f"{at.removesuffix('/columns')}/confirm")
    assert points() == [[13, 5, 8, 0], [0, 6, 20, 0]]
    assert set(Hand.objects.values_list("game__table__code", flat=True)) == {"r1t3", "r1t5"}


@pytest.mark.parametrize("second", [NAMES[:4], NAMES[4:]])
def test_evenings_below_each_other_have_their_dates(tmp_path: Path, second: Sequence[str]) -> None:
    parts = [f"{day}\nHand;{';'.join(names)}\n1;13;5;8;0\n" for day, names in (
        ("6.10.2026", NAMES[:4]), ("Evening of 13.10.2026", second))]  # fmt: skip
    table = opened(written(tmp_path, "\n".join(parts)), NAMES)
    assert table.heads == ("Date", "Hand", *dict.fromkeys((*NAMES[:4], *second)))
    assert [row[:2] for _, row in table.rows()] == [["6.10.2026", "1"], ["13.10.2026", "1"]]


def evening(names: Sequence[str], *lines: Sequence[int]) -> str:
    return sheet_xml([["Hand", *names], *([n, *line] for n, line in enumerate(lines, start=1))])


@pytest.mark.django_db
def test_sheets_of_tables_are_one_table_with_their_dates(dirk: Client, tmp_path: Path) -> None:
    names = ["Table 1, 6 Oct 2025", "Table 2, 6 Oct 2025", "Table 1, 13 Oct 2025", "Notes"]
    sheets = [
        evening(NAMES[:4], (13, 5, 8, 0), (13, 18, 21, 0)),
        evening(NAMES[4:], (1, 5, 20, 0), (14, 18, 20, 0)),
        evening(NAMES[2:6], (0, 6, 20, 0), (26, 6, 46, 26)),
        sheet_xml([["Hand", "Remark"], [1, "late"]]),
    ]
    at = send_file(dirk, book(tmp_path / "season.xlsx", sheets, names))
    page = mapped(dirk, at)
    assert "6 hands in the file: 6 ready" in page
    joined = "“Table 1, 6 Oct 2025”, “Table 2, 6 Oct 2025”, “Table 1, 13 Oct 2025”"
    assert f"These sheets are read as one table: {joined}." in page
    assert "“Notes”" in page
    dirk.post(f"{at.removesuffix('/columns')}/confirm")
    assert points() == [[13, 5, 8, 0], [0, 13, 13, 0], [1, 5, 20, 0], [13, 13, 0, 0],
                        [0, 6, 20, 0], [26, 0, 26, 26]]  # fmt: skip
    assert [
        str(day) for day in Meeting.objects.order_by("date").values_list("date", flat=True)
    ] == ["2025-10-06", "2025-10-13"]


@pytest.mark.parametrize(
    ("names", "heads"),
    [
        (("6 Oct", "13 Oct"), ("Date", "Hand")),
        (("Table 4", "Table 2"), ("Table", "Hand")),
        (("Table 1 6 Oct", "Table 1 13 Oct"), ("Date", "Table", "Hand")),
        (("6 Oct", "6 Oct (2)"), ("Date", "Table", "Hand")),
        (("6 Oct Table 2", "6 Oct"), ("Date", "Table", "Hand")),
        (("6 Oct", "Second"), ("Date", "Hand")),
        (("Sheet1", "Sheet2"), ("Round", "Hand")),
        (("6 Oct - 13 Oct", "20 Oct - 27 Oct"), ("Hand",)),
    ],
)
def test_names_of_sheets_tell_their_tables_apart(
    tmp_path: Path, names: Sequence[str], heads: Sequence[str]
) -> None:
    path = book(tmp_path / "season.xlsx", [evening(NAMES[:4], (13, 5, 8, 0))] * 2, names)
    table = opened(path, NAMES)
    assert table.heads == (*heads, *NAMES[:4])
    assert bool(table.other_sheets) == (len(heads) == 1 or "Second" in names)
    assert opened(path, (), table.heads).heads == table.heads
    if "Table" in heads:
        at = heads.index("Table")
        assert len({(row[0], row[at]) for _, row in table.rows()}) == 2


A, B = (f"Hand;{';'.join(names)}" for names in (NAMES[:4], NAMES[4:]))


@pytest.mark.parametrize(
    ("content", "heads", "places"),
    [
        # a title belongs to the table below it
        (f"6.10.2026\nTable 1\n{A}\n1;13;5;8;0\nTable 2\n{B}\n1;0;13;13;0\n",
         ("Date", "Table", "Hand"), [["6.10.2026", "1"], ["6.10.2026", "2"]]),
        (f"6.10.2026;Table 3\n{A}\n1;13;5;8;0\n7.10.2026;Table 4\n{B}\n1;0;13;13;0\n",
         ("Date", "Table", "Hand"), [["6.10.2026", "3"], ["7.10.2026", "4"]]),
        # a date without heads below it
        (f"6.10.2026\n{A}\n1;13;5;8;0\n13.10.2026\n2;0;13;13;0\n",
         ("Date", "Hand"), [["6.10.2026", "1"], ["13.10.2026", "2"]]),
        # heads of players whom nobody knows, and of one player more
        (f"6.10.2026\n{A}\n1;13;5;8;0\n13.10.2026\nhand;Ann Tarn;Zed;Yan;Xu\n2;0;13;13;0\n",
         ("Date", "Hand"), [["6.10.2026", "1"], ["13.10.2026", "2"]]),
        (f"6.10.2026\n{A}\n1;13;5;8;0\n13.10.2026\n{A};Ivo Sand\n2;0;13;13;0;\n",
         ("Date", "Hand"), [["6.10.2026", "1"], ["13.10.2026", "2"]]),
    ],
)  # fmt: skip
def test_no_row_below_other_heads_or_titles_is_read_as_of_the_first(
    tmp_path: Path, content: str, heads: tuple[str, ...], places: list[list[str]]
) -> None:
    path = written(tmp_path, content)
    table = opened(path, NAMES)
    assert table.heads[: len(heads)] == heads
    assert [row[:2] for _, row in table.rows()] == places
    second = list(table.rows())[1][1][len(heads) :]
    assert [cell for cell in second if cell] == ["0", "13", "13", "0"]
    assert list(opened(path, (), table.heads).rows()) == list(table.rows())


def test_other_heads_without_a_title_are_refused_with_their_line(tmp_path: Path) -> None:
    content = f"{A}\n1;13;5;8;0\n6.10.2026\n{B}\n2;0;13;13;0\n"
    with pytest.raises(Unreadable, match="Line 4 has other heads than line 1"):
        opened(written(tmp_path, content), NAMES)


def test_cell_beyond_the_heads_of_its_table_is_kept(tmp_path: Path) -> None:
    content = f"6.10.2026\n{A}\n1;13;5;8;0\n13.10.2026\n{B}\n1;0;13;13;0;99\n"
    *_, (_, row) = opened(written(tmp_path, content), NAMES).rows()
    assert row[-1] == "99"


@pytest.mark.parametrize("heads", [[n.upper() for n in NAMES[:4]], [f"{n} " for n in NAMES[:4]]])
def test_sheets_of_other_spellings_have_one_column(tmp_path: Path, heads: Sequence[str]) -> None:
    sheets = [evening(NAMES[:4], (13, 5, 8, 0)), evening(heads, (0, 13, 13, 0))]
    table = opened(book(tmp_path / "season.xlsx", sheets, ("6 Oct", "13 Oct")), NAMES)
    assert table.heads == ("Date", "Hand", *NAMES[:4])
    assert [row[2:] for _, row in table.rows()] == [["13", "5", "8", "0"], ["0", "13", "13", "0"]]


@pytest.mark.parametrize("at", [0, 1])
def test_sheet_with_a_second_table_keeps_the_people_of_each(tmp_path: Path, at: int) -> None:
    rows: list[list[object]] = [
        ["Hand", *NAMES[:4]],
        [1, 13, 5, 8, 0],
        ["Hand", *NAMES[4:]],
        [2, 0, 6, 20, 0],
    ]
    sheets = [sheet_xml(rows), evening(NAMES[:4], (0, 13, 13, 0))]
    path = book(tmp_path / "season.xlsx", sheets[:: 1 - 2 * at], ("6 Oct", "13 Oct"))
    table = opened(path, NAMES)
    assert table.heads == ("Date", "Table", "Hand", *NAMES)
    nobody = [""] * 4
    of_two_tables = [
        ["1", "1", "13", "5", "8", "0", *nobody],
        ["2", "2", *nobody, "0", "6", "20", "0"],
    ]
    of_one = [["1", "1", "0", "13", "13", "0", *nobody]]
    expected = of_one + of_two_tables if at else of_two_tables + of_one
    assert [row[1:] for _, row in table.rows()] == expected


def test_players_down_on_sheets_are_turned(tmp_path: Path) -> None:
    rows = [[int(cell) if cell.isdecimal() else cell for cell in line.split(";")]
            for line in TURNED.splitlines()]  # fmt: skip
    path = book(tmp_path / "season.xlsx", [sheet_xml(rows)] * 2, ("6 Oct", "13 Oct"))
    table = opened(path, NAMES)
    assert table.heads == ("Hand", *NAMES[:4])
    assert table.other_sheets == ("13 Oct",)


def test_sheets_are_not_dated_by_one_of_several_dates(tmp_path: Path) -> None:
    sheets = [
        sheet_xml([["Season from 1 Sep 2026"], [f"Evening {n} Oct 2026"], ["Hand", *NAMES[:4]],
                   [1, 13, 5, 8, 0]])
        for n in (6, 13)
    ]  # fmt: skip
    table = opened(book(tmp_path / "season.xlsx", sheets, ("S1", "S2")), NAMES)
    assert table.heads == ("Round", "Hand", *NAMES[:4])
    assert [row[0] for _, row in table.rows()] == ["1", "2"]


@pytest.mark.django_db
def test_players_of_columns_with_short_names_are_asked_about(dirk: Client, tmp_path: Path) -> None:
    content = HANDS.replace("Ann Tarn", "Ann").replace("Cai Gale", "Cai")
    content = content.replace("David Birk", "David").replace("Gus Hale", "Gus")
    assert "2 hands in the file: 0 ready, 2 pending" in mapped(dirk, sent(dirk, tmp_path, content))
    assert ImportProblem.objects.filter(code="unknown_player").count() == 4


@pytest.mark.django_db
def test_season_with_two_columns_of_players_is_not_read_by_halves(dirk: Client) -> None:
    rows = "Player;Points;;Player;Points\nAnn Tarn;13;;Ivo Sand;9\nCai Gale;5;;Jana Kast;8\n"
    at = "/clubs/riverside/events/league/opening-values/list"
    page = text(dirk.post(at, {"text": rows}))
    assert "Several columns have players: Player, Player. Put them below each other." in page
