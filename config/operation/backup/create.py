"""Making a backup: one archive of the database, the secret key in a file of its own."""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from config.operation.backup.archive import Archive, ArchiveWriter
from config.operation.backup.destination import (
    free_name,
    publish,
    remove_old,
    reserved_directory,
    staging_directory,
    write_private,
)
from config.operation.backup.encryption import SUFFIX, BackupKeys
from config.operation.backup.engines import DatabaseBackup, backup_of
from config.operation.backup.errors import BackupRefused
from config.operation.backup.manifest import Manifest, fingerprint_of_key
from config.operation.backup.postgresql import ScratchRefused
from config.operation.backup.versions import own_version
from config.operation.last_backup import LastBackup, write_last_backup


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was written."""

    file: Path
    key_file: Path
    size_bytes: int
    sha256: str
    manifest: Manifest
    is_encrypted: bool
    is_verified: bool
    warnings: list[str] = field(default_factory=list)
    """What a person must see to, though the backup is whole."""
    deleted: list[Path] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """What `--json` prints."""
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
        }


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
        place: made where it is missing.
        keep: so many of the newest backups are kept, this one included; None keeps all.
        verify: restore it into a scratch database and compare, before it gets its name.
        keys: encrypt for these; then nothing in plain is ever written to `place`.
        now: the moment that its name says; the database may be a little newer.

    Raises:
        BackupRefused: nothing was written.
        OSError: there is no room, or no permission; nothing was written.
    """
    engine = backup_of(database)
    with reserved_directory(place), staging_directory(place) as staging:
        name = free_name(place, now)
        warnings: list[str] = []
        with _plain_directory(staging, keys) as plain_place:
            plain = plain_place / f"{name}.zip"
            manifest = _write(engine, plain, now)
            is_verified = verify and _verified(engine, plain, manifest, warnings)
            whole = _sealed(plain, staging, keys)
        secret = _write_key(staging, name, keys)
        size, digest = whole.stat().st_size, _sha256(whole)
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
    )


@contextmanager
def _plain_directory(staging: Path, keys: BackupKeys | None) -> Iterator[Path]:
    """Where the archive is written in plain: not beside the backups where those are encrypted."""
    if keys is None:
        yield staging
        return
    with tempfile.TemporaryDirectory(prefix="blacklady-backup-") as place:
        yield Path(place)


def _write(database: DatabaseBackup, path: Path, now: datetime) -> Manifest:
    with ArchiveWriter(path) as archive:
        manifest = Manifest(
            created_at=now,
            version=own_version(),
            database=database.kind,
            contents=database.write(archive, path.parent),
            key_fingerprint=fingerprint_of_key(settings.SECRET_KEY),
        )
        archive.finish(manifest)
    return manifest


def _verified(
    database: DatabaseBackup, path: Path, manifest: Manifest, warnings: list[str]
) -> bool:
    """Read the archive back, restore it into a scratch database, and compare every table.

    Raises:
        BackupRefused: something differs.
    """
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
    """Encrypt a file where there are keys; where they can, read it back as well."""
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
    """Write the secret key of the installation to a file of its own."""
    if keys is None:
        return write_private(staging / f"{name}.key", settings.SECRET_KEY + "\n")
    with tempfile.TemporaryDirectory(prefix="blacklady-backup-") as place:
        plain = write_private(Path(place) / "secret_key", settings.SECRET_KEY + "\n")
        sealed = staging / f"{name}.key{SUFFIX}"
        keys.encrypt(plain, sealed)
    return sealed


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
