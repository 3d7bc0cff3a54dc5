"""The directory of backups: what is deleted there, and who may write to it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from config.operation.backup.destination import (
    BackupRefused,
    free_name,
    remove_old,
    reserved_directory,
    staging_directory,
)

NOW = datetime(2026, 3, 1, 3, 0, 7, tzinfo=UTC)
OLD = (
    "blacklady-20260101T030000Z.zip",
    "blacklady-20260101T030000Z-2.zip",
    "blacklady-20260102T030000Z.zip.age",
    "blacklady-20260103T030000Z.zip",
)
FOREIGN = (
    "blacklady-20260101T030000Z.zip.txt",
    "blacklady-20260101T030000Z.zip.aged",
    "my-blacklady-20260101T030000Z.zip",
    "blacklady-2026.zip",
    "blacklady-before-the-move.zip",
    "notes.txt",
)


def names(place: Path) -> set[str]:
    return {path.name for path in place.iterdir()}


def test_only_the_newest_backups_are_kept_and_nothing_else_is_touched(tmp_path: Path) -> None:
    for name in (*OLD, *FOREIGN):
        (tmp_path / name).touch()
    for name in OLD[:3]:
        (tmp_path / name.replace(".zip", ".key")).touch()
    (tmp_path / "blacklady-20250101T030000Z.zip").mkdir()
    (tmp_path / "blacklady-20250102T030000Z.zip").symlink_to(tmp_path / "notes.txt")
    before = names(tmp_path)
    removed = remove_old(tmp_path, keep=2)
    assert [path.name for path in removed] == list(OLD[:2])
    gone = before - names(tmp_path)
    assert gone == {*OLD[:2], *(name.replace(".zip", ".key") for name in OLD[:2])}


def test_fewer_backups_than_are_kept_stay(tmp_path: Path) -> None:
    for name in OLD:
        (tmp_path / name).touch()
    assert remove_old(tmp_path, keep=9) == []
    assert names(tmp_path) == set(OLD)


def test_second_backup_of_a_second_gets_a_name_of_its_own(tmp_path: Path) -> None:
    first = free_name(tmp_path, NOW)
    (tmp_path / f"{first}.key").touch()
    second = free_name(tmp_path, NOW)
    (tmp_path / f"{second}.zip.age").touch()
    found = [first, second, free_name(tmp_path, NOW)]
    base = "blacklady-20260301T030007Z"
    assert found == [base, f"{base}-2", f"{base}-3"]


def test_two_backups_do_not_write_to_one_directory(tmp_path: Path) -> None:
    with (
        reserved_directory(tmp_path / "backups"),
        pytest.raises(BackupRefused, match="Another backup is being written"),
        reserved_directory(tmp_path / "backups"),
    ):
        pass
    with reserved_directory(tmp_path / "backups"):
        pass


def test_what_a_killed_backup_left_is_removed_by_the_next(tmp_path: Path) -> None:
    with staging_directory(tmp_path) as staging:
        left = tmp_path / f"{staging.name}0"
        left.mkdir()
        (left / "blacklady-20260101T030000Z.zip").touch()
    with reserved_directory(tmp_path):
        assert [name for name in names(tmp_path) if "unfinished" in name] == []
