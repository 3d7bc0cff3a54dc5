"""What killed backups and restores leave is found and removed; what is in use is not."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from config.operation.backup.scratch import (
    JUST_MADE_S,
    OF_BACKUP,
    OF_RESTORE,
    WITHOUT_LOCK_S,
    list_left_directories,
    remove_left_directories,
    scratch_directory,
)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left_directory(root: Path, name: str, *, age_s: float, has_lock: bool = True) -> Path:
    """A directory with a copy of a database, as a killed command leaves it."""
    place = root / name
    place.mkdir()
    (place / "archive.zip").write_bytes(b"all hands")
    if has_lock:
        (place / ".lock").touch()
    made = time.time() - age_s
    os.utime(place, (made, made))
    return place


def test_directory_of_a_killed_command_is_removed_with_its_copy(temporary: Path) -> None:
    places = [
        left_directory(temporary, f"{prefix}1a2b", age_s=JUST_MADE_S + 1)
        for prefix in (OF_BACKUP, OF_RESTORE)
    ]
    assert remove_left_directories() == places
    assert list(temporary.iterdir()) == []


def test_directory_that_is_in_use_stays_however_old_it_is(temporary: Path) -> None:
    with scratch_directory(OF_BACKUP) as place:
        long_ago = time.time() - 10 * WITHOUT_LOCK_S
        os.utime(place, (long_ago, long_ago))
        assert remove_left_directories() == []
        assert place.is_dir()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(("limit_s", "has_lock"), [(JUST_MADE_S, True), (WITHOUT_LOCK_S, False)])
def test_young_directory_may_still_get_its_lock(
    temporary: Path, limit_s: float, has_lock: bool
) -> None:
    place = left_directory(temporary, f"{OF_BACKUP}1a2b", age_s=limit_s - 10, has_lock=has_lock)
    assert list_left_directories() == []
    made = time.time() - limit_s
    os.utime(place, (made, made))
    assert list_left_directories() == [place]


def test_directories_and_links_of_others_stay(temporary: Path) -> None:
    others = left_directory(temporary, "blacklady-bench-1a2b", age_s=10 * WITHOUT_LOCK_S)
    (temporary / f"{OF_BACKUP}link").symlink_to(others)
    assert remove_left_directories() == []
    assert (others / "archive.zip").exists()
