"""The archive: whatever is changed in its file is noticed before anything is read from it."""

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from config.operation.backup.archive import (
    SUMS,
    Archive,
    ArchiveWriter,
    DatabaseContents,
    Manifest,
    TableDigest,
)
from config.operation.backup.destination import BackupRefused

CONTENT = b"the rows of a club " * 40
MANIFEST = Manifest(
    created_at=datetime(2026, 3, 1, 3, 0, 7, tzinfo=UTC),
    version="0.1.0",
    database="sqlite",
    contents=DatabaseContents(
        {"tournaments_hand": TableDigest(3, "ab" * 32)}, {"tournaments": ["0001_initial"]}
    ),
    key_fingerprint="0123456789abcdef",
)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "archive.zip"
    with ArchiveWriter(path) as writer:
        with writer.member("database.sqlite3") as file:
            file.write(CONTENT)
        writer.finish(MANIFEST)
    return path


def test_archive_gives_back_what_was_written(archive: Path, tmp_path: Path) -> None:
    found = Archive(archive)
    assert found.manifest == MANIFEST
    assert found.manifest.counts == {"hands": 3}
    assert found.extract("database.sqlite3", tmp_path / "copy").read_bytes() == CONTENT


def test_archive_is_a_zip_file_whose_sums_other_programs_can_verify(archive: Path) -> None:
    with zipfile.ZipFile(archive) as found:
        assert found.testzip() is None
        assert found.namelist() == ["database.sqlite3", "manifest.json", SUMS]
        lines = found.read(SUMS).decode().splitlines()
    assert [line[64:] for line in lines] == ["  database.sqlite3", "  manifest.json"]


def test_each_flipped_byte_is_noticed(archive: Path, tmp_path: Path) -> None:
    whole = archive.read_bytes()
    damaged = tmp_path / "damaged.zip"
    for place in range(len(whole)):
        damaged.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(BackupRefused, match="damaged"):
            Archive(damaged)


def test_each_file_that_is_cut_short_is_noticed(archive: Path, tmp_path: Path) -> None:
    whole = archive.read_bytes()
    damaged = tmp_path / "damaged.zip"
    for length in range(len(whole)):
        damaged.write_bytes(whole[:length])
        with pytest.raises(BackupRefused, match="damaged"):
            Archive(damaged)


def test_other_zip_file_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("photos.txt", "x" * 500)
    with pytest.raises(BackupRefused, match="not one of ours"):
        Archive(other)


def test_archive_of_a_newer_format_is_refused_and_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("config.operation.backup.archive.FORMAT", 2)
    with ArchiveWriter(tmp_path / "newer.zip") as writer:
        writer.finish(MANIFEST)
    monkeypatch.undo()
    with pytest.raises(BackupRefused, match="format 2, this release reads up to 1"):
        Archive(tmp_path / "newer.zip")


def test_only_its_owner_may_read_an_archive_and_what_comes_out(
    archive: Path, tmp_path: Path
) -> None:
    copy = Archive(archive).extract("database.sqlite3", tmp_path / "copy")
    assert [path.stat().st_mode & 0o777 for path in (archive, copy)] == [0o600, 0o600]
