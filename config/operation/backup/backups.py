"""Create a backup of a database in one archive, and restore it into an empty database."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler

from config.operation.backup.archive import (
    SUFFIX,
    Archive,
    ArchiveWriter,
    BackupKeys,
    Manifest,
    fingerprint_of_key,
    is_encrypted,
)
from config.operation.backup.destination import (
    BackupRefused,
    LastBackup,
    free_name,
    publish,
    remove_old,
    reserved_directory,
    staging_directory,
    write_last_backup,
    write_private,
)
from config.operation.backup.outgoing_switch import QUEUE, OutgoingSwitch
from config.operation.backup.postgresql import PostgresBackup, ScratchRefused
from config.operation.backup.restore_checks import missing_migrations, require_readable
from config.operation.backup.scratch import (
    OF_BACKUP,
    OF_RESTORE,
    remove_left_directories,
    scratch_directory,
)
from config.operation.backup.sqlite import SqliteBackup
from tournaments.domain.faults import is_disk_full

DatabaseBackup: TypeAlias = PostgresBackup | SqliteBackup


@dataclass(frozen=True, slots=True)
class BackupReport:
    file: Path
    key_file: Path
    size_bytes: int
    sha256: str
    manifest: Manifest
    is_encrypted: bool
    is_verified: bool
    warnings: list[str]
    """Problems that need a person although the backup is complete."""
    deleted: list[Path]
    left_by_killed: list[str]
    """Databases and files that a killed backup or restore had left, which are gone now."""

    def as_json(self) -> dict[str, Any]:
        return {
            "file": str(self.file),
            "key_file": str(self.key_file),
            "created_at": self.manifest.created_at.isoformat(),
            "version": self.manifest.version,
            "size_bytes": self.size_bytes,
            "sha256": self.sha256,
            "counts": self.manifest.counts,
            "encrypted": self.is_encrypted,
            "verified": self.is_verified,
            "warnings": self.warnings,
            "deleted": [str(path) for path in self.deleted],
            "left_by_killed": self.left_by_killed,
        }


_NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def backup_of(settings: Mapping[str, Any]) -> DatabaseBackup:
    database: BaseDatabaseWrapper = ConnectionHandler({"default": dict(settings)})["default"]
    if database.vendor == "postgresql":
        return PostgresBackup(database)
    return SqliteBackup(database)


def make_backup(
    database: Mapping[str, Any],
    place: Path,
    *,
    keep: int | None,
    verify: bool,
    keys: BackupKeys | None,
    now: datetime,
) -> BackupReport:
    """Write a backup of a database to the directory `place`.

    Args:
        database: as an entry of `DATABASES`.
        place: created if missing.
        keep: number of the newest backups to keep, this one included; None keeps all.
        verify: restore it into a scratch database and compare, before it gets its name.
        keys: encrypt for these; then no plain text is ever written to `place`.
        now: the time in its name; the database may be a little newer.
    """
    engine = backup_of(database)
    with reserved_directory(place), staging_directory(place) as staging:
        left = engine.remove_left() + [path.name for path in remove_left_directories()]
        name = free_name(place, now)
        warnings: list[str] = []
        with _plain_directory(staging, keys) as plain_place:
            plain = plain_place / f"{name}.zip"
            manifest = _write_archive(engine, plain, now)
            is_verified = verify and _verify(engine, plain, manifest, warnings)
            whole = _sealed(plain, staging, keys)
        secret = _write_key(staging, name, keys)
        size = whole.stat().st_size
        digest = _sha256(whole)
        # The key comes first: an archive that is there has its key.
        key_file = publish(secret, place)
        file = publish(whole, place)
        deleted = remove_old(place, keep) if keep else []
    try:
        write_last_backup(LastBackup(manifest.created_at, size, file, is_verified))
    except OSError as fault:
        warnings.append(f"The time of this backup could not be stored: {fault.strerror}.")
    return BackupReport(
        file=file,
        key_file=key_file,
        size_bytes=size,
        sha256=digest,
        manifest=manifest,
        is_encrypted=keys is not None,
        is_verified=is_verified,
        warnings=warnings,
        deleted=deleted,
        left_by_killed=left,
    )


@contextmanager
def _plain_directory(staging: Path, keys: BackupKeys | None) -> Iterator[Path]:
    if keys is None:
        yield staging
        return
    with scratch_directory(OF_BACKUP) as place:
        yield place


def _write_archive(database: DatabaseBackup, path: Path, now: datetime) -> Manifest:
    with ArchiveWriter(path) as archive:
        manifest = Manifest(
            created_at=now,
            version=str(settings.VERSION),
            database=database.kind,
            contents=database.write(archive, path.parent),
            key_fingerprint=fingerprint_of_key(settings.SECRET_KEY),
        )
        archive.finish(manifest)
    return manifest


def _verify(database: DatabaseBackup, path: Path, manifest: Manifest, warnings: list[str]) -> bool:
    archive = Archive(path)
    dump = archive.extract(database.member, path.with_name("scratch"))
    try:
        restored = database.contents_of(dump)
    except ScratchRefused as refusal:
        warnings.append(f"The backup was not verified. {refusal}")
        return False
    finally:
        dump.unlink()
    for contents in (archive.manifest.contents, restored):
        differing = sorted(
            table
            for table in {*manifest.contents.tables, *contents.tables}
            if manifest.contents.tables.get(table) != contents.tables.get(table)
        )
        if differing:
            raise BackupRefused(
                f"The backup does not hold what the database held: {differing[0]} differs after a "
                "restore. It was deleted."
            )
    return True


def _sealed(plain: Path, staging: Path, keys: BackupKeys | None) -> Path:
    """Encrypt a file if there are keys; verify by decrypting if they are secret keys."""
    if keys is None:
        return plain
    sealed = staging / f"{plain.name}{SUFFIX}"
    keys.encrypt(plain, sealed)
    if keys.identities:
        opened = plain.with_name("opened")
        keys.decrypt(sealed, opened)
        if _sha256(opened) != _sha256(plain):
            raise BackupRefused("The encrypted backup does not open again. It was deleted.")
        opened.unlink()
    return sealed


def _write_key(staging: Path, name: str, keys: BackupKeys | None) -> Path:
    if keys is None:
        return write_private(staging / f"{name}.key", settings.SECRET_KEY + "\n")
    with scratch_directory(OF_BACKUP) as place:
        plain = write_private(place / "secret_key", settings.SECRET_KEY + "\n")
        sealed = staging / f"{name}.key{SUFFIX}"
        keys.encrypt(plain, sealed)
    return sealed


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def restore_backup(
    file: Path, *, into: Mapping[str, Any], keys: BackupKeys | None, is_copy: bool, now: datetime
) -> tuple[Manifest, int, bool]:
    """Restore the backup `file` into an empty database, all of it or nothing.

    Return its manifest, how many migrations it lacks, and whether this installation has another
    secret key than the one that was backed up.

    Args:
        file: an archive, encrypted or not.
        into: the database, as an entry of `DATABASES`.
        keys: where it is encrypted, a secret key that opens it.
        is_copy: whether the restored installation sends nothing until somebody switches it on.
        now: since when a copy sends nothing.
    """
    remove_left_directories()
    with (
        scratch_directory(OF_RESTORE) as place,
        _opened(file, place, keys) as archive,
    ):
        manifest = archive.manifest
        require_readable(manifest)
        database = backup_of(into)
        if manifest.database != database.kind:
            raise BackupRefused(
                f"The backup is of {_NAMES[manifest.database]} and the database is "
                f"{_NAMES[database.kind]}: name one of the same kind with --into."
            )
        dump = archive.extract(database.member, place / database.member)
        with database.reserved():
            database.restore(dump, _switch_of(manifest, is_copy=is_copy, now=now))
    has_other_key = manifest.key_fingerprint != fingerprint_of_key(settings.SECRET_KEY)
    return manifest, missing_migrations(manifest), has_other_key


def _switch_of(manifest: Manifest, *, is_copy: bool, now: datetime) -> OutgoingSwitch | None:
    """Return the switch to set; None for a database that was backed up before its first migration,
    which holds nothing to send."""
    has_queue = QUEUE in manifest.contents.tables
    if not has_queue:
        return None
    return OutgoingSwitch(is_copy, now)


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
    yield Archive(plain)


def refusal_of(fault: OSError, place: Path) -> str:
    """Return one line about a file or directory that cannot be read or written."""
    if is_disk_full(fault):
        return f"The disk is full. Make room for {place}, and give the command again."
    return f"{fault.filename or place}: {fault.strerror or fault}. Nothing was written."


def counted(counts: Mapping[str, int]) -> str:
    """Return counts in words.

    >>> counted({"clubs": 1, "hands": 1204})
    '1 club, 1,204 hands'
    """
    return ", ".join(
        f"{count:,} {name.removesuffix('s') if count == 1 else name}"
        for name, count in counts.items()
    )


def size(n_bytes: int) -> str:
    """Return a number of bytes in the largest unit that leaves a whole one.

    >>> size(1_530_000)
    '1.5 MB'
    >>> size(12)
    '12 bytes'
    """
    if n_bytes < 1000:
        return f"{n_bytes} bytes"
    power = min((len(str(n_bytes)) - 1) // 3, 4)
    return f"{n_bytes / 1000**power:.1f} {'kMGT'[power - 1]}B"
