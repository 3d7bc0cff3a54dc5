"""Reading tables of text in any common dialect, and saying what a file is instead."""

import os
from pathlib import Path

import pytest

from tournaments.documents.read.columns import recognised
from tournaments.documents.read.csv import Unreadable, open_table

TEXT = 'round;table;hand;seat;player;points\n1;2;3;N;"Zoë; K.";4\n\n1;2;3;E;Bruno;22\n'


def written(folder: Path, data: bytes) -> Path:
    path = folder / "sheet.csv"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_rows_and_their_lines_are_the_same_in_every_dialect(
    tmp_path: Path, delimiter: str, ending: str, encoding: str
) -> None:
    text = TEXT.replace("Zoë; K.", "Zoë K.").replace(";", delimiter).replace("\n", ending)
    table = open_table(written(tmp_path, text.encode(encoding)), recognised)
    assert table.heads == ("round", "table", "hand", "seat", "player", "points")
    assert list(table.rows()) == [
        (2, ["1", "2", "3", "N", "Zoë K.", "4"]),
        (3, []),
        (4, ["1", "2", "3", "E", "Bruno", "22"]),
    ]
    assert table.byte_order_mark == (encoding in {"utf-8-sig", "utf-16", "utf-32"})


def test_separator_inside_quotes_separates_nothing(tmp_path: Path) -> None:
    table = open_table(written(tmp_path, TEXT.encode()), recognised)
    assert next(iter(table.rows())) == (2, ["1", "2", "3", "N", "Zoë; K.", "4"])


def test_line_breaks_in_a_quoted_cell_count_as_lines_of_the_file(tmp_path: Path) -> None:
    text = 'round,table,hand\n1,"two\nlines",3\n4,5,6\n'
    table = open_table(written(tmp_path, text.encode()), recognised)
    assert list(table.rows()) == [(2, ["1", "two\nlines", "3"]), (4, ["4", "5", "6"])]


def test_first_line_may_name_the_separator(tmp_path: Path) -> None:
    table = open_table(written(tmp_path, b"sep=;\nround;table;hand\n1;2;3\n"), recognised)
    assert (table.head_line, table.delimiter) == (2, ";")
    assert list(table.rows()) == [(3, ["1", "2", "3"])]


@pytest.mark.parametrize(
    ("text", "head_line", "above"),
    [
        ("Club night 13 November\n\nround;table;hand;seat\n1;2;3;N\n", 3, [1]),
        ("Hearts\nround;table;hand;seat\n", 2, [1]),
        ("Club night;13 November;;\n;Table 4;;\nround;table;hand;seat\n", 3, [1, 2]),
        ("Club night;;;\nWann;Alma D.;Bruno K.;Dame\n13.11.2025;4,0;22,0;Alma D.\n", 2, [1]),
        ("Wann;Alma D.;Bruno K.;Cleo S.\n13.11.2025;QS;AH;KH 2H\n", 1, []),
        ("Wann;Alma D.;Bruno K.\n13.11.2025;4,0;22,0\n", 1, []),
        ("name\nAlma D.\nBruno K., junior\n", 1, []),
    ],
    ids=[
        "title", "title that is a word of ours", "titles of several cells", "foreign heads",
        "cards below foreign heads", "commas below foreign heads", "one column",
    ],
)  # fmt: skip
def test_titles_above_the_heads_are_passed_over_and_said(
    tmp_path: Path, text: str, head_line: int, above: list[int]
) -> None:
    table = open_table(written(tmp_path, text.encode()), recognised)
    assert table.head_line == head_line
    notes = [(line, found) for code, line, found, _ in table.notes if code == "not_a_hand_row"]
    lines = [line.strip(";").replace(";", " ") for line in text.split("\n")]
    assert notes == [(line, lines[line - 1]) for line in above]
    assert all(line > head_line for line, _ in table.rows())


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "The file is empty."),
        (b" \n\n", "The file is empty."),
        (b"PK\x03\x04rest", "This is a spreadsheet or zip file, not a CSV file."),
        (b"%PDF-1.7", "This is a PDF file, not a CSV file."),
        (b'{"hands": []}', "This is JSON, not a CSV file."),
        (b"<html>", "This is HTML or XML, not a CSV file."),
        (bytes(range(256)) * 4, "This is a binary file, not a table of text."),
        (b"Dear secretary\nplease find\n", 'its first line is "Dear secretary".'),
        (b"round,table\n1,\x81\n", "The text is neither UTF-8 nor Windows-1252"),
        (b'round,table\n1,"' + b"x\n" * 60, "A quote opened in line 2 is never closed."),
        (b"round,table\n1," + b"x" * 140_000, "a cell of it is longer than 131072 characters."),
    ],
)
def test_what_is_no_table_is_called_what_it_is(tmp_path: Path, data: bytes, sentence: str) -> None:
    with pytest.raises(Unreadable) as refused:
        list(open_table(written(tmp_path, data), recognised).rows())
    assert sentence in str(refused.value)


def test_file_that_is_not_there_and_a_directory_are_said_so(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"There is no such file\."):
        open_table(tmp_path / "none.csv", recognised)
    with pytest.raises(Unreadable, match=r"This is a directory, not a file\."):
        open_table(tmp_path, recognised)


def test_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Unreadable, match=r"This is a pipe or a device\."):
        open_table(tmp_path / "pipe", recognised)


def test_text_that_changes_its_encoding_is_refused_with_the_line(tmp_path: Path) -> None:
    data = "round,table\n1,2\n".encode("utf-8-sig") + b"3,\xff\n"
    with pytest.raises(Unreadable, match="The text is not utf-8-sig"):
        list(open_table(written(tmp_path, data), recognised).rows())
