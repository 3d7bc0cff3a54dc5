"""What is stored of the last good backup."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import LazySettings

from config.operation.backup.destination import (
    FILE_NAME,
    LastBackup,
    read_last_backup,
    write_last_backup,
)

BACKUP = LastBackup(
    at=datetime(2026, 3, 1, 3, 0, 7, tzinfo=UTC),
    size_bytes=123_456,
    file=Path("/backups/blacklady-20260301T030007Z.zip"),
    is_verified=True,
)


@pytest.fixture(autouse=True)
def var(settings: LazySettings, tmp_path: Path) -> Path:
    settings.VAR_DIR = tmp_path
    return tmp_path


def test_installation_without_a_backup_has_no_last_one() -> None:
    assert read_last_backup() is None


def test_last_backup_is_read_as_it_was_written(var: Path) -> None:
    write_last_backup(BACKUP)
    assert read_last_backup() == BACKUP
    assert [path.name for path in var.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"at": 1}', '{"at": "2026-03-01T03:00:07"}'])
def test_damaged_file_counts_as_no_backup(var: Path, text: str) -> None:
    write_last_backup(BACKUP)
    (var / FILE_NAME).write_text(text, encoding="utf-8")
    assert read_last_backup() is None
