"""Restoring a backup into an empty database that nobody uses."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from config.operation.backup.archive import Archive
from config.operation.backup.encryption import BackupKeys, is_encrypted
from config.operation.backup.engines import backup_of
from config.operation.backup.errors import BackupRefused
from config.operation.backup.manifest import Manifest, fingerprint_of_key
from config.operation.backup.versions import missing_migrations, require_readable


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """A backup that was restored."""

    manifest: Manifest
    n_missing_migrations: int
    has_other_key: bool
    """Whether this installation has another secret key than the one that was backed up."""


def restore_backup(
    file: Path, *, into: Mapping[str, Any], keys: BackupKeys | None
) -> RestoreReport:
    """Restore the backup `file` into an empty database, all of it or nothing.

    Args:
        file: an archive, encrypted or not.
        into: the database, as an entry of `DATABASES`.
        keys: where it is encrypted, a secret key that opens it.

    Raises:
        BackupRefused: the file is damaged or of a newer release, or the database in use, not empty
            or of another kind; nothing was touched.
        OSError: there is no room, or no permission; nothing was touched.
    """
    with (
        tempfile.TemporaryDirectory(prefix="blacklady-restore-") as place,
        _opened(file, Path(place), keys) as archive,
    ):
        manifest = archive.manifest
        require_readable(manifest)
        database = backup_of(into)
        if manifest.database != database.kind:
            raise BackupRefused(
                f"The backup is of {_NAMES[manifest.database]} and the database is "
                f"{_NAMES[database.kind]}: name one of the same kind with --into."
            )
        dump = archive.extract(database.member, Path(place) / database.member)
        with database.reserved():
            database.restore(dump)
    return RestoreReport(
        manifest=manifest,
        n_missing_migrations=missing_migrations(manifest),
        has_other_key=manifest.key_fingerprint != fingerprint_of_key(settings.SECRET_KEY),
    )


_NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


@contextmanager
def _opened(file: Path, place: Path, keys: BackupKeys | None) -> Iterator[Archive]:
    if not is_encrypted(file):
        yield Archive(file)
        return
    if keys is None:
        raise BackupRefused(
            f"{file.name} is encrypted: set BACKUP_KEY_FILE to the file with its secret key."
        )
    plain = place / "archive.zip"
    keys.decrypt(file, plain)
    archive = Archive(plain)
    yield archive
