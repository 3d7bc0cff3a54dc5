"""The archive: a zip file of the database, its manifest and `SHA256SUMS`; and its encryption.

Encryption has the age format (docs/decisions/0040-backups-are-age-files.md). A key file has one
key a line; blank lines and lines that begin with `#` are ignored. Public keys (`age1…`) can only
encrypt; secret ones (`AGE-SECRET-KEY-1…`) encrypt to themselves and decrypt.
"""

import hashlib
import hmac
import json
import os
import re
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Final, Literal, Self

import pyrage
from django.conf import settings

from config.operation.backup.destination import BackupRefused, create_private

FORMAT: Final = 1
"""Format version of the archive; a higher one comes from a newer release."""

DatabaseKind = Literal["sqlite", "postgresql"]

COUNTED: Final = {
    "clubs": "tournaments_club",
    "events": "tournaments_event",
    "hands": "tournaments_hand",
    "photos": "tournaments_picture",
    "accounts": "auth_user",
}
"""Counts by which people recognise a backup, with their tables."""


@dataclass(frozen=True, slots=True)
class TableDigest:
    """One table, its rows in the order of their primary key."""

    rows: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DatabaseContents:
    tables: Mapping[str, TableDigest]
    migrations: Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class Manifest:
    created_at: datetime
    version: str
    database: DatabaseKind
    contents: DatabaseContents
    key_fingerprint: str

    @property
    def counts(self) -> dict[str, int]:
        tables = self.contents.tables
        return {name: tables[table].rows for name, table in COUNTED.items() if table in tables}

    def as_json(self) -> str:
        tables = {name: asdict(table) for name, table in sorted(self.contents.tables.items())}
        content = {
            "format": FORMAT,
            "created_at": self.created_at.isoformat(),
            "version": self.version,
            "database": self.database,
            "counts": self.counts,
            "key_fingerprint": self.key_fingerprint,
            "migrations": dict(self.contents.migrations),
            "tables": tables,
        }
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


MANIFEST: Final = "manifest.json"
SUMS: Final = "SHA256SUMS"
_LABEL: Final = b"blacklady sha256 "
_DIGITS: Final = 64
_DAMAGED: Final = "The backup is damaged"
_BLOCK: Final = 1 << 20
SUFFIX: Final = ".age"


def parse_manifest(text: bytes) -> Manifest:
    try:
        content = json.loads(text)
        if content["format"] > FORMAT:
            raise BackupRefused(
                f"The backup has format {content['format']}, this release reads up to {FORMAT}: "
                "install the release that wrote it, or a newer one."
            )
        tables = {
            name: TableDigest(int(table["rows"]), str(table["sha256"]))
            for name, table in content["tables"].items()
        }
        migrations = {app: list(map(str, names)) for app, names in content["migrations"].items()}
        return Manifest(
            created_at=datetime.fromisoformat(content["created_at"]),
            version=str(content["version"]),
            database=content["database"],
            contents=DatabaseContents(tables, migrations),
            key_fingerprint=str(content["key_fingerprint"]),
        )
    except (KeyError, TypeError, ValueError) as fault:
        raise BackupRefused("The backup is damaged: its manifest cannot be read.") from fault


def fingerprint_of_key(secret_key: str) -> str:
    """Return a fingerprint that identifies a secret key without revealing it."""
    return hmac.new(secret_key.encode(), b"blacklady backup", hashlib.sha256).hexdigest()[:16]


class _HashingWriter:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.sha256 = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.sha256.update(data)
        return self._file.write(data)


class ArchiveWriter:
    """Writes an archive member by member; `finish` completes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        create_private(path)
        self._zip = zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED, compresslevel=3)
        self._sums: dict[str, str] = {}

    @contextmanager
    def member(self, name: str, *, is_compressed: bool = False) -> Iterator[_HashingWriter]:
        """Write the member `name`; compressed content is stored without compressing it again."""
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_STORED if is_compressed else zipfile.ZIP_DEFLATED
        info.external_attr = 0o600 << 16
        with self._zip.open(info, "w", force_zip64=True) as file:
            writer = _HashingWriter(file)
            yield writer
        self._sums[name] = writer.sha256.hexdigest()

    def finish(self, manifest: Manifest) -> None:
        """Add manifest and checksums, close the file, and append the digest of all of it."""
        with self.member(MANIFEST) as writer:
            writer.write(manifest.as_json().encode())
        sums = "".join(f"{digest}  {name}\n" for name, digest in self._sums.items())
        with self.member(SUMS) as writer:
            writer.write(sums.encode())
        self._zip.comment = _LABEL + b"0" * _DIGITS
        self._zip.close()
        with self.path.open("r+b") as file:
            digest = _digest_but_last(file, _DIGITS)
            file.seek(-_DIGITS, os.SEEK_END)
            file.write(digest.encode())
            file.flush()
            os.fsync(file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        """Close an incomplete file without the zip file's end, which might not fit on the disk."""
        file, self._zip.fp = self._zip.fp, None
        if file is not None:
            with suppress(OSError):
                file.close()


class Archive:
    """A whole archive, its digests verified."""

    def __init__(self, path: Path) -> None:
        self.path = path
        _require_whole(path)
        try:
            with zipfile.ZipFile(path) as zip_file:
                lines = zip_file.read(SUMS).decode("ascii").splitlines()
                manifest = zip_file.read(MANIFEST)
            parts = (line.partition("  ") for line in lines)
            self._sums = {name: digest for digest, _, name in parts}
            self._require_sum(MANIFEST, hashlib.sha256(manifest).hexdigest())
            self.manifest = parse_manifest(manifest)
        except (zipfile.BadZipFile, KeyError, ValueError, EOFError) as fault:
            raise BackupRefused(f"{_DAMAGED}: it is not a whole zip file.") from fault

    def extract(self, name: str, to: Path) -> Path:
        with create_private(to).open("wb") as target:
            writer = _HashingWriter(target)
            with zipfile.ZipFile(self.path) as zip_file, zip_file.open(name) as member:
                shutil.copyfileobj(member, writer, _BLOCK)
        self._require_sum(name, writer.sha256.hexdigest())
        return to

    def _require_sum(self, name: str, digest: str) -> None:
        if self._sums.get(name) != digest:
            raise BackupRefused(f"{_DAMAGED}: {name} does not match {SUMS}.")


def _require_whole(path: Path) -> None:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size < len(_LABEL) + _DIGITS:
            raise BackupRefused(f"{_DAMAGED}: {path.name} has only {size} bytes.")
        file.seek(-len(_LABEL) - _DIGITS, os.SEEK_END)
        end = re.fullmatch(re.escape(_LABEL) + rb"([0-9a-f]{64})", file.read())
        if end is None:
            raise BackupRefused(
                f"{_DAMAGED}, cut short or not one of ours: {path.name} has no digest at its end."
            )
        if _digest_but_last(file, _DIGITS) != end[1].decode():
            raise BackupRefused(f"{_DAMAGED}: {path.name} does not match the digest at its end.")


def _digest_but_last(file: IO[bytes], n_bytes: int) -> str:
    rest = file.seek(0, os.SEEK_END) - n_bytes
    file.seek(0)
    digest = hashlib.sha256()
    while rest > 0:
        block = file.read(min(_BLOCK, rest))
        digest.update(block)
        rest -= len(block)
    return digest.hexdigest()


HEADER: Final = b"age-encryption.org/v1\n"


class BackupKeys:
    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
        except (OSError, UnicodeDecodeError) as fault:
            raise BackupRefused(f"BACKUP_KEY_FILE: {file} cannot be read.") from fault
        keys = [line for line in lines if line and not line.startswith("#")]
        try:
            self.identities = [
                pyrage.x25519.Identity.from_str(key) for key in keys if not key.startswith("age1")
            ]
            public = [
                pyrage.x25519.Recipient.from_str(key) for key in keys if key.startswith("age1")
            ]
        except (pyrage.IdentityError, pyrage.RecipientError) as fault:
            # The text of the fault may hold part of the key.
            raise BackupRefused(
                f"BACKUP_KEY_FILE: {file} holds a line that cannot be read as an age key; "
                "age-keygen makes one."
            ) from fault
        if not keys:
            raise BackupRefused(f"BACKUP_KEY_FILE: {file} holds no key; age-keygen makes one.")
        self.recipients = [*public, *(key.to_public() for key in self.identities)]

    def encrypt(self, plain: Path, to: Path) -> None:
        """Write `plain` encrypted to the new file `to`, which only its owner may read."""
        create_private(to)
        try:
            pyrage.encrypt_file(str(plain), str(to), self.recipients)
        except (pyrage.EncryptError, OSError) as fault:
            _raise_numbered(fault, to)
            raise BackupRefused(f"The backup cannot be encrypted: {fault}.") from fault

    def decrypt(self, encrypted: Path, to: Path) -> None:
        """Write `encrypted` in plain to the new file `to`, which only its owner may read."""
        if not self.identities:
            raise BackupRefused(
                f"{self.file} holds only public keys: name the file with the secret key "
                "(AGE-SECRET-KEY-1…) in BACKUP_KEY_FILE."
            )
        create_private(to)
        try:
            pyrage.decrypt_file(str(encrypted), str(to), self.identities)
        except (pyrage.DecryptError, OSError) as fault:
            _raise_numbered(fault, to)
            raise BackupRefused(
                f"{encrypted.name} is damaged, or encrypted for another key than those in "
                f"{self.file}."
            ) from fault


def is_encrypted(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(HEADER)) == HEADER


def configured_keys() -> BackupKeys | None:
    """The keys of `BACKUP_KEY_FILE`; None where backups are not encrypted."""
    path: Path | None = settings.BACKUP_KEY_FILE
    return BackupKeys(path) if path else None


def _raise_numbered(fault: Exception, path: Path) -> None:
    """Raise a fault of the file system with its number, which the library gives as text only."""
    if match := re.search(r"\(os error (\d+)\)", str(fault)):
        raise OSError(int(match[1]), os.strerror(int(match[1])), str(path)) from fault
