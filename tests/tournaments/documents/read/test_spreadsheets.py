"""Zip files that were made to be refused: each is, in a sentence, on the page, over REST, later."""

import io
import struct
import zipfile
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.support.cast import Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.pages.text import text_of
from tournaments import tasks
from tournaments.documents.read.spreadsheets import MOST_PARTS, BrokenZip, TooManyParts, parts_of
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch
from tournaments.models.outbox import Dirty

IMPORTS = "/clubs/riverside/events/league/imports"
BROKEN = "This file is a damaged zip file, not a spreadsheet."
LARGE = "The spreadsheet is too large."


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
def test_directory_of_too_many_parts_is_not_read(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
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
