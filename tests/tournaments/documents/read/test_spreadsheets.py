"""Tables of text in any common dialect are read; zip files made to be refused are."""

import io
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.support.cast import Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.pages.text import text_of
from tournaments import tasks
from tournaments.documents.read.columns import recognised
from tournaments.documents.read.csv import Unreadable, open_table
from tournaments.documents.read.source_file import MOST_PARTS, BrokenZip, TooManyParts, parts_of
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch
from tournaments.models.jobs import Dirty

IMPORTS = "/clubs/riverside/events/league/imports"
BROKEN = "This file is a damaged zip file, not a spreadsheet."
LARGE = "The spreadsheet is too large."
TEXT = 'round;table;hand;seat;player;points\n1;2;3;N;"Zoë; K.";4\n\n1;2;3;E;Bruno;22\n'


def zipped(*names: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name in names:
            file.writestr(name, b"")
    return content.getvalue()


def at(content: bytes, mark: bytes, offset: int, new: bytes) -> bytes:
    """Write over what stands `offset` bytes after the last `mark`."""
    place = content.rindex(mark) + offset
    return content[:place] + new + content[place + len(new) :]


def name_that_is_not_utf8() -> bytes:
    return zipped("xl/workbook.xml", "ä.xml").replace("ä".encode(), b"\xff\xff")


def version_of_the_future() -> bytes:
    return at(zipped("xl/workbook.xml"), b"PK\1\2", 6, b"\xff\0")


def extra_field_cut_off() -> bytes:
    """The field of a large part is four bytes where each number takes eight."""
    extra = struct.pack("<HHL", 1, 4, 0)
    content = zipped("xl/workbook.xml")
    content = at(content, b"PK\1\2", 24, b"\xff" * 4)
    content = at(content, b"PK\1\2", 30, struct.pack("<H", len(extra)))
    end = content.rindex(b"PK\5\6")
    content = content[:end] + extra + content[end:]
    length = end + len(extra) - content.rindex(b"PK\1\2")
    return at(content, b"PK\5\6", 12, struct.pack("<L", length))


def directory_before_the_file() -> bytes:
    return at(zipped("xl/workbook.xml"), b"PK\5\6", 12, struct.pack("<L", 400))


def directory_cut_off() -> bytes:
    return at(zipped("xl/workbook.xml"), b"PK\5\6", 12, struct.pack("<L", 20))


def many_parts(said: int, count: int = 20_000, *, large: bool = False) -> bytes:
    """A directory of so many parts, whose end record says another number of them."""
    one = b"PK\1\2" + bytes(42)
    directory = one * count
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, said, said, len(directory), 4, 0)
    if large:
        end = (
            struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(directory), 4)
            + struct.pack("<4sLQL", b"PK\6\7", 0, 4 + len(directory), 1)
            + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, said, said, 0, 4, 0)
        )
    return b"PK\3\4" + directory + end


BROKEN_ONES = (
    name_that_is_not_utf8,
    version_of_the_future,
    extra_field_cut_off,
    directory_before_the_file,
    directory_cut_off,
)


MANY = (
    lambda: zipped(*(f"{n}.xml" for n in range(MOST_PARTS + 1))),
    lambda: many_parts(20_000),
    lambda: many_parts(1),
    lambda: many_parts(1, large=True),
    lambda: many_parts(1, 2_000),
)


CASES = [*((make, BROKEN) for make in BROKEN_ONES), *((make, LARGE) for make in MANY)]


Make = Callable[[], bytes]


cast_once, cast = cast_with(*FOUR, with_league=True)


def sent(content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("night.xlsx", content)


@pytest.mark.django_db
@pytest.mark.parametrize(("make", "say"), CASES)
def test_page_and_rest_refuse_the_file_in_a_sentence(cast: Cast, make: Make, say: str) -> None:
    hanna = cast.client("hanna")
    rest = hanna.post(f"/api/v1{IMPORTS}", {"file": sent(make())})
    assert (rest.status_code, rest.json()["errors"][0]["code"]) == (422, "unreadable_file")
    assert say in rest.json()["errors"][0]["message"]
    page = hanna.post(f"{IMPORTS}/new", {"file": sent(make())}, follow=True)
    if batch := ImportBatch.objects.first():
        tasks.work_on_import(batch.pk)
        page = hanna.get(f"{IMPORTS}/{batch.number}")
    assert say in text_of(page)
    assert not Dirty.objects.filter(parked=True).exists()
    assert not Hand.objects.exists()


@pytest.mark.parametrize("make", BROKEN_ONES)
def test_broken_file_is_told_from_one_of_too_many_parts(make: Make) -> None:
    with pytest.raises(BrokenZip):
        parts_of(io.BytesIO(make()))


@pytest.mark.parametrize("make", MANY)
def test_directory_of_too_many_parts_is_unread(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    content = make()
    if len(content) > MOST_PARTS * 1024:
        monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(TooManyParts):
        parts_of(io.BytesIO(content))


def with_comment(comment: bytes) -> io.BytesIO:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("a.xml", b"a")
        file.comment = comment
    return content


@pytest.mark.parametrize("comment", [b"", b"Saved by a program."])
def test_file_with_a_comment_is_listed(comment: bytes) -> None:
    content = with_comment(comment)
    assert [part.filename for part in parts_of(content)] == ["a.xml"]
    assert content.tell() == 0


def test_file_whose_comment_looks_like_its_end_is_broken_as_for_zipfile() -> None:
    with pytest.raises(zipfile.BadZipFile):
        zipfile.ZipFile(with_comment(b"PK\5\6"))
    with pytest.raises(BrokenZip):
        parts_of(with_comment(b"PK\5\6"))


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
