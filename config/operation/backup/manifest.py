"""What a backup says about itself: version, migrations, rows and digests of its tables."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Literal

from config.operation.backup.errors import BackupRefused

FORMAT: Final = 1
"""Of the archive. A higher one was written by a newer release."""

DatabaseKind = Literal["sqlite", "postgresql"]

COUNTED: Final = {
    "clubs": "tournaments_club",
    "events": "tournaments_event",
    "hands": "tournaments_hand",
    "photos": "tournaments_picture",
    "accounts": "auth_user",
}
"""What people recognise a backup by, and its table."""


@dataclass(frozen=True, slots=True)
class TableDigest:
    """One table, its rows in the order of their primary key."""

    rows: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DatabaseContents:
    """A database at one moment: its tables, and the migrations that made them."""

    tables: Mapping[str, TableDigest]
    migrations: Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of `manifest.json`."""

    created_at: datetime
    version: str
    database: DatabaseKind
    contents: DatabaseContents
    key_fingerprint: str

    @property
    def counts(self) -> dict[str, int]:
        """How many clubs, events, hands, photos and accounts are in it."""
        tables = self.contents.tables
        return {name: tables[table].rows for name, table in COUNTED.items() if table in tables}

    def as_json(self) -> str:
        """The text of `manifest.json`."""
        tables = {name: asdict(one) for name, one in sorted(self.contents.tables.items())}
        found = {
            "format": FORMAT,
            "created_at": self.created_at.isoformat(),
            "version": self.version,
            "database": self.database,
            "counts": self.counts,
            "key_fingerprint": self.key_fingerprint,
            "migrations": dict(self.contents.migrations),
            "tables": tables,
        }
        return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def manifest_of(text: bytes) -> Manifest:
    """Read `manifest.json`.

    Raises:
        BackupRefused: it is of a newer format, or no manifest.
    """
    try:
        found = json.loads(text)
        if found["format"] > FORMAT:
            raise BackupRefused(
                f"The backup has format {found['format']}, this release reads up to {FORMAT}: "
                "install the release that wrote it, or a newer one."
            )
        return _manifest(found)
    except (KeyError, TypeError, ValueError) as fault:
        raise BackupRefused("The backup is damaged: its manifest cannot be read.") from fault


def fingerprint_of_key(secret_key: str) -> str:
    """Return what tells one secret key from another, and nothing about either."""
    return hmac.new(secret_key.encode(), b"blacklady backup", hashlib.sha256).hexdigest()[:16]


def _manifest(found: Mapping[str, Any]) -> Manifest:
    tables = {
        name: TableDigest(int(one["rows"]), str(one["sha256"]))
        for name, one in found["tables"].items()
    }
    migrations = {app: [str(name) for name in names] for app, names in found["migrations"].items()}
    return Manifest(
        created_at=datetime.fromisoformat(found["created_at"]),
        version=str(found["version"]),
        database=found["database"],
        contents=DatabaseContents(tables, migrations),
        key_fingerprint=str(found["key_fingerprint"]),
    )
