"""Files that are no table we read are called what they are, with the next step; some are read."""

import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tournaments.documents.read import cells
from tournaments.documents.read.columns import recognised
from tournaments.documents.read.csv import TextTable, Unreadable, run_steps
from tournaments.documents.read.source_file import read_source


def opened(folder: Path, content: bytes) -> TextTable:
    path = folder / "file"
    path.write_bytes(content)
    inside = folder / "inside"
    inside.mkdir()
    return run_steps(read_source(path, inside)).best(recognised)


def zipped(folder: Path, **parts: bytes) -> bytes:
    path = folder / "parts.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name, content in parts.items():
            file.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return path.read_bytes()


def workbook_with_password(folder: Path) -> bytes:
    name = "EncryptedPackage".encode("utf-16-le")
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2 * 1024 * 1024) + name + bytes(512)


def ods_with_password(folder: Path) -> bytes:
    manifest = b'<manifest:file-entry><manifest:encryption-data manifest:checksum="x"/>'
    parts = {"content_dot_xml": b"x", "META-INF__manifest_dot_xml": manifest, "mimetype": b"x"}
    return zipped(folder, **parts)


def zip_with_password(folder: Path) -> bytes:
    content = bytearray(zipped(folder, xl__workbook_dot_xml=b"x"))
    content[content.rindex(b"PK\1\2") + 8] |= 1
    return bytes(content)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (workbook_with_password, "This spreadsheet has a password."),
        (ods_with_password, "This spreadsheet has a password."),
        (zip_with_password, "This spreadsheet has a password."),
        (lambda folder: b"\xd0\xcf\x11\xe0" + bytes(600), "This is an old Excel file"),
        (lambda folder: zipped(folder, Index__Document_dot_iwa=b"x"), "a file of Apple Numbers"),
        (lambda folder: zipped(folder, Index_dot_zip=b"x"), "a file of Apple Numbers"),
        (lambda folder: zipped(folder, word__document_dot_xml=b"x"), "This is a Word file"),
        (lambda folder: zipped(folder, xl__workbook_dot_bin=b"x"), "This is a binary Excel file"),
        (lambda folder: zipped(folder, a_dot_csv=b"x"), "This file is a zip file"),
    ],
)
def test_file_is_called_what_it_is(
    tmp_path: Path, make: Callable[[Path], bytes], words: str
) -> None:
    with pytest.raises(Unreadable, match=words):
        opened(tmp_path, make(tmp_path))


CHAT = "[13.10.26, 22:11] Ann: Ann 13 Bo 5 Cy 8\n[13.10.26, 22:12] Ann: Ann 0 Bo 13 Cy 13\n"


@pytest.mark.parametrize("sent", ["[13.10.26, 22:1{}]", "13/10/2026, 22:1{} -"])
def test_hands_in_a_chat_are_called_so(tmp_path: Path, sent: str) -> None:
    lines = [f"{sent.format(n)} Ann: Table 1: Ann 13, Bo 5, Cy 8" for n in range(2)]
    with pytest.raises(Unreadable, match="These are messages of a chat, not a table"):
        opened(tmp_path, "\n".join(lines).encode())


def test_one_message_with_points_among_others_is_no_chat_of_hands(tmp_path: Path) -> None:
    text = f"{CHAT.splitlines()[0]}\n[13.10.26, 22:12] Bo: well played, all\n"
    assert opened(tmp_path, text.encode()).heads


ALIGNED = """Hand   Ann Tarn   Bo Lee   Cy Moor
1      13         5        8
2      0          13       13
"""


@pytest.mark.parametrize(
    "text", [ALIGNED, ALIGNED.replace("  ", "\xa0 "), f"Club night\n{ALIGNED}"]
)
def test_table_lined_up_by_blanks_is_read(tmp_path: Path, text: str) -> None:
    table = opened(tmp_path, text.encode())
    assert table.heads == ("Hand", "Ann Tarn", "Bo Lee", "Cy Moor")
    assert [row for _, row in table.rows()] == [["1", "13", "5", "8"], ["2", "0", "13", "13"]]
    assert ("delimiter", table.head_line, "blanks", "commas") in table.notes


def test_row_with_fewer_cells_below_heads_lined_up_by_blanks_is_refused(tmp_path: Path) -> None:
    table = opened(tmp_path, f"{ALIGNED}3      1          12\n".encode())
    with pytest.raises(Unreadable, match=r"Line 4 has 3 cells\. The columns of this table are"):
        list(table.rows())


def test_list_of_people_with_remarks_behind_blanks_is_no_table(tmp_path: Path) -> None:
    table = opened(tmp_path, b"Ann Tarn   Bonn   yes\nBo Lee   Ulm   no\n")
    assert len(table.heads) == 1


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-10-13T19:30:00+02:00", date(2026, 10, 13)),
        ("2026-10-13T21:59:59Z", date(2026, 10, 13)),
        ("2026-10-13T22:00:00Z", date(2026, 10, 14)),
        ("2026-10-14T00:00:00+02:00", date(2026, 10, 14)),
        ("2026-10-14T06:59:59+0900", date(2026, 10, 13)),
        ("2026-10-14T07:00:00.5+0900", date(2026, 10, 14)),
        ("13.10.2026 23:30 UTC", date(2026, 10, 14)),
        ("10/13/2026, 11:30 PM GMT", date(2026, 10, 14)),
        ("10/13/2026, 11:30 AM GMT", date(2026, 10, 13)),
        ("2026-10-13T19:30:00", date(2026, 10, 13)),
        ("2026-10-13T25:30:00Z", date(2026, 10, 13)),
    ],
)
def test_time_with_its_distance_to_utc_is_a_day_of_the_club(text: str, day: date) -> None:
    assert cells.day(text, ZoneInfo("Europe/Berlin")).value.options == (day,)


def test_winter_time_moves_the_boundary_of_the_day() -> None:
    zone = ZoneInfo("Europe/Berlin")
    days = [
        cells.day(f"2026-12-01T{time}Z", zone).value.options[0].day for time in ("22:59", "23:00")
    ]
    assert days == [1, 2]
