"""Which way of backing up fits a database."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler

from config.operation.backup.archive import ArchiveWriter
from config.operation.backup.manifest import DatabaseContents, DatabaseKind
from config.operation.backup.postgresql import PostgresBackup
from config.operation.backup.sqlite import SqliteBackup


class DatabaseBackup(Protocol):
    """Backs one database up, and restores it."""

    @property
    def kind(self) -> DatabaseKind:
        """Which database it is for."""

    @property
    def member(self) -> str:
        """The name of the database in an archive."""

    def write(self, archive: ArchiveWriter, staging: Path) -> DatabaseContents:
        """Write the database into `archive`; return what it holds, both of one moment."""

    def contents_of(self, dump: Path) -> DatabaseContents:
        """Read what a member of an archive holds, restored into a scratch database."""

    def reserved(self) -> AbstractContextManager[None]:
        """Keep others from the database for the block, in which it is empty and nobody's."""

    def restore(self, dump: Path) -> None:
        """Put a member of an archive in the place of the empty database, all of it or nothing."""


def backup_of(settings: Mapping[str, Any]) -> DatabaseBackup:
    """What backs a database up, by its entry of `DATABASES`."""
    database: BaseDatabaseWrapper = ConnectionHandler({"default": dict(settings)})["default"]
    if database.vendor == "postgresql":
        return PostgresBackup(database)
    return SqliteBackup(database)
