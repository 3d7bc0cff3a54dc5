"""Text in whatever bytes: a file is read, each whole line of it, and broken lines are named."""

import gzip
from pathlib import Path
from typing import Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.lengths import short_or_long
from tournaments.documents.read.columns import recognised
from tournaments.documents.read.csv import Unreadable, open_table, text_of
from tournaments.documents.read.people_files import PeopleReader, text_of_people

HEADS: Final = "round,table,hand,seat,player,hearts"
LINES: Final = tuple(f"1,{table},1,N,Zoë Ångström,4" for table in range(1, 6))
TEXT: Final = "\n".join((HEADS, *LINES, ""))

ENCODINGS: Final = ("utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252")
BIG_ENDIAN: Final = (b"\xfe\xff", "utf-16-be"), (b"\0\0\xfe\xff", "utf-32-be")


def written(folder: Path, content: bytes) -> Path:
    path = folder / "file.csv"
    path.write_bytes(content)
    return path


def lines_read(path: Path) -> list[str]:
    table = open_table(path, recognised)
    return [",".join(cells) for _, cells in table.rows() if cells]


def notes(path: Path) -> list[tuple[str, str]]:
    noted = open_table(path, recognised).notes
    return [(code, found) for code, _, found, _ in noted if code != "byte_order_mark"]


def test_mark_of_utf_8_and_one_byte_of_windows_1252_name_the_line(tmp_path: Path) -> None:
    content = TEXT.encode("utf-8-sig") + b"1,6,1,N,Andr\xe9,4\n"
    path = written(tmp_path, content)
    assert lines_read(path) == [*LINES, "1,6,1,N,André,4"]
    assert notes(path) == [("lines_in_other_encoding", "7")]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_half_of_a_pair_in_utf_16_names_the_line_and_the_rest_is_read(
    tmp_path: Path, encoding: str
) -> None:
    broken = "1,6,1,N,X\ud83dY,4\n".encode(encoding, "surrogatepass")
    content = "\ufeff".encode(encoding) + TEXT.encode(encoding) + broken + LINES[0].encode(encoding)
    path = written(tmp_path, content)
    assert lines_read(path) == [*LINES, "1,6,1,N,X�Y,4", LINES[0]]
    assert notes(path) == [("broken_letters", "7")]


@pytest.mark.parametrize(("mark", "encoding"), [(b"\xff\xfe", "utf-16-le"), *BIG_ENDIAN])
def test_file_that_ends_within_a_letter_is_read_up_to_it(
    tmp_path: Path, mark: bytes, encoding: str
) -> None:
    path = written(tmp_path, mark + TEXT.encode(encoding) + b"\x31")
    assert lines_read(path)[: len(LINES)] == list(LINES)
    assert notes(path) == [("broken_letters", "7")]


def test_byte_that_no_encoding_has_is_named_and_the_other_lines_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEADS}\n".encode() + b"1,1,1,N,\x81,4\n1,2,1,N,Ann,4\n")
    assert lines_read(path) == ["1,1,1,N,�,4", "1,2,1,N,Ann,4"]
    assert notes(path) == [("broken_letters", "2")]


def test_good_letters_beyond_ascii_are_named_by_nothing(tmp_path: Path) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        path = written(tmp_path, TEXT.encode(encoding))
        assert (encoding, lines_read(path), notes(path)) == (encoding, list(LINES), [])


@settings(max_examples=short_or_long(60, 600), deadline=None)
@given(
    encoding=st.sampled_from(ENCODINGS),
    at=st.integers(0, 700),
    odd=st.sampled_from(
        [b"\xe9", b"\x81", b"\0", b"\xff", b"\xed\xa0\x80", b"\x3d\xd8", b"\xff\xfe"]
    ),
    cut=st.integers(0, 5),
)
@example(encoding="utf-8-sig", at=60, odd=b"\xe9", cut=0)
@example(encoding="utf-16", at=61, odd=b"\xe9", cut=1)
@example(encoding="utf-32", at=63, odd=b"\xff", cut=3)
def test_no_bytes_in_a_file_are_a_fault_of_ours(
    tmp_path_factory: pytest.TempPathFactory, encoding: str, at: int, odd: bytes, cut: int
) -> None:
    whole = TEXT.encode(encoding)
    content = whole[:at] + odd + whole[at:]
    path = written(tmp_path_factory.mktemp("odd"), content[: len(content) - cut])
    try:
        read, why = lines_read(path), ""
        assert text_of(path)
    except Unreadable as refusal:
        read, why = [], str(refusal)
    assert "utf" not in why
    assert "cp1252" not in why
    if encoding in {"utf-8", "utf-8-sig", "cp1252"} and len(HEADS) + 3 < at and cut == 0:
        assert len(set(LINES) & set(read)) >= len(LINES) - 1


@pytest.mark.parametrize("content", [
    b"\xef\xbb\xbfRuth Shore\nAndr\xe9 Kay\n",
    b"\xff\xfe" + "Ruth Shore\nYann Chen\n".encode("utf-16-le") + b"\x3d",
    b"\xff\xfe" + "Ruth Shore\nX\ud83dY\n".encode("utf-16-le", "surrogatepass"),
])  # fmt: skip
def test_list_of_people_with_a_broken_letter_is_read_and_the_line_named(
    tmp_path: Path, content: bytes
) -> None:
    assert text_of_people(content).removeprefix("\ufeff").startswith("Ruth Shore\n")
    reader = PeopleReader(has_event=False, has_consent=False)
    _, people = reader.file(written(tmp_path, content), tmp_path)
    assert people[0].name == "Ruth Shore"  # type: ignore[union-attr]  # a list of players
    codes = {finding.code for finding in reader.findings}
    assert codes & {"lines_in_other_encoding", "broken_letters"}


def test_archives_cut_short_are_refused_in_words(tmp_path: Path) -> None:
    for content in (gzip.compress(TEXT.encode())[:-9], b"PK\x03\x04" + b"\0" * 40):
        with pytest.raises(Unreadable) as refused:
            PeopleReader(has_event=False, has_consent=False).file(
                written(tmp_path, content), tmp_path
            )
        assert str(refused.value).startswith("This ")
