"""SQLite: a copy by its backup interface while others write, and restoring one.

A copy is consistent: it is read in one transaction, which in WAL mode
blocks no writer.
"""

import errno
import fcntl
import glob
import hashlib
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import Final

from django.db.backends.base.base import BaseDatabaseWrapper

from config.operation.backup.archive import (
    ArchiveWriter,
    DatabaseContents,
    DatabaseKind,
    TableDigest,
)
from config.operation.backup.destination import BackupRefused, create_private, sync
from config.operation.backup.outgoing_switch import QUEUE, OutgoingSwitch
from config.operation.backup.restore_checks import require_empty, reserved_database

BUSY_S: Final = 30.0
"""Longest wait for a lock of another process."""
_SHARED_FIRST: Final = 0x40000002
_SHARED_SIZE: Final = 510
"""Locked bytes of a SQLite file; an open connection in WAL mode holds some of them."""
_BLOCK: Final = 1 << 20
_IN_USE: Final = "is in use by another process: end web, workers and whatever else has it open."


class SqliteBackup:
    kind: Final[DatabaseKind] = "sqlite"
    member: Final = "database.sqlite3"

    def __init__(self, database: BaseDatabaseWrapper) -> None:
        self._database = database
        self._path = Path(str(database.settings_dict["NAME"]))

    def write(self, archive: ArchiveWriter, staging: Path) -> DatabaseContents:
        if not self._path.is_file():
            raise BackupRefused(f"There is no database {self._path}.")
        copy = create_private(staging / self.member)
        _copy(self._path, copy)
        contents = _contents(copy)
        with archive.member(self.member) as writer, copy.open("rb") as file:
            shutil.copyfileobj(file, writer, _BLOCK)
        copy.unlink()
        return contents

    def contents_of(self, dump: Path) -> DatabaseContents:
        """Read what a member of an archive holds; the copy is the scratch database itself."""
        return _contents(dump)

    def remove_left(self) -> list[str]:
        """Delete the drafts of killed restores beside the database; return their names."""
        if not self._path.exists():
            return []
        drafts = _drafts(self._path)
        for draft in drafts:
            draft.unlink(missing_ok=True)
        return [draft.name for draft in drafts]

    def reserved(self) -> AbstractContextManager[None]:
        return reserved_database(self._database, self._require_free)

    def restore(self, dump: Path, switch: OutgoingSwitch | None) -> None:
        if switch is not None:
            _run(dump, "\n".join(["BEGIN;", *switch.statements(QUEUE), "COMMIT;"]))
        if self._path.exists():
            with closing(_connect(dump)) as source, closing(_connect(self._path)) as target:
                target.execute("PRAGMA journal_mode=WAL").fetchall()
                target.execute("PRAGMA synchronous=FULL")
                source.backup(target, pages=-1, progress=_patience(self._path))
                target.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        else:
            _put(dump, self._path)

    def _require_free(self) -> None:
        if not self._path.parent.is_dir():
            raise BackupRefused(f"There is no directory {self._path.parent} for the database.")
        for end in ("-wal", "-journal"):
            rest = Path(f"{self._path}{end}")
            if rest.exists() and not self._path.exists():
                raise BackupRefused(
                    f"{rest} is left of a database that is gone, and would damage a restored one: "
                    "move it away."
                )
        if not self._path.exists():
            return
        if _is_open_elsewhere(self._path):
            raise BackupRefused(f"{self._path} {_IN_USE}")
        with closing(_connect(self._path)) as connection:
            try:
                require_empty(str(self._path), _tables(connection), partial(_has_rows, connection))
            except sqlite3.Error as fault:
                raise BackupRefused(
                    f"{self._path} cannot be read as a database ({fault}): move it away."
                ) from fault


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    connection.text_factory = bytes  # the rows as they are, whatever they hold
    return connection


def _copy(source: Path, to: Path) -> None:
    try:
        with closing(_connect(source)) as live, closing(_connect(to)) as copy:
            copy.execute("PRAGMA synchronous=OFF")  # what counts is the archive
            live.backup(copy, pages=-1, progress=_patience(source))
            copy.execute("PRAGMA journal_mode=DELETE").fetchall()
    except sqlite3.Error as fault:
        if fault.sqlite_errorcode & 0xFF == sqlite3.SQLITE_FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(to)) from fault
        raise BackupRefused(
            f"{source} cannot be copied ({fault}): no backup was written, older ones are kept."
        ) from fault


def _run(copy: Path, statements: str) -> None:
    try:
        with closing(_connect(copy)) as connection:
            connection.executescript(statements)
    except sqlite3.Error as fault:
        raise BackupRefused(f"{copy} cannot be written ({fault}). Nothing was restored.") from fault


def _patience(path: Path) -> Callable[[int, int, int], object]:
    """Return a callback that gives up a copy blocked for too long by another process."""
    until = time.monotonic() + BUSY_S

    def step(status: int, remaining: int, total: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > until:
            raise BackupRefused(f"{path} {_IN_USE}")

    return step


def _require_sound(copy: sqlite3.Connection) -> None:
    try:
        lines = [row[0].decode() for row in copy.execute("PRAGMA quick_check(1)")]
    except sqlite3.DatabaseError as fault:
        lines = [str(fault)]
    if lines != ["ok"]:
        raise BackupRefused(
            f"The database is damaged ({lines[0].splitlines()[-1]}): no backup was written, older "
            "ones are kept."
        )


def _contents(path: Path) -> DatabaseContents:
    with closing(_connect(path)) as connection:
        _require_sound(connection)
        names = _tables(connection)
        tables = {name: _digest(connection, name) for name in names}
        migrations: dict[str, list[str]] = {}
        if "django_migrations" in names:
            for app, name in connection.execute("SELECT app, name FROM django_migrations"):
                migrations.setdefault(app.decode(), []).append(name.decode())
    return DatabaseContents(
        tables, {app: sorted(app_migrations) for app, app_migrations in migrations.items()}
    )


def _digest(connection: sqlite3.Connection, table: str) -> TableDigest:
    columns = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
    key = sorted((column[5], column[1].decode()) for column in columns if column[5])
    order = ", ".join(f'"{name}"' for _, name in key) or "rowid"
    digest = hashlib.sha256()
    n_rows = 0
    for row in connection.execute(f'SELECT * FROM "{table}" ORDER BY {order}'):  # noqa: S608  # names of our own schema
        digest.update(repr(row).encode())
        n_rows += 1
    return TableDigest(n_rows, digest.hexdigest())


def _tables(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' "
        "AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"
    )
    return [name.decode() for (name,) in rows]


def _has_rows(connection: sqlite3.Connection, table: str) -> bool:
    return connection.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone() is not None  # noqa: S608  # names of our own schema


def _is_open_elsewhere(path: Path) -> bool:
    with path.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_SIZE, _SHARED_FIRST)
        except (BlockingIOError, PermissionError):
            return True
    return False


def _drafts(database: Path) -> list[Path]:
    return sorted(database.parent.glob(f".{glob.escape(database.name)}.restored-*"))


def _put(copy: Path, database: Path) -> None:
    """Move a copy into place atomically where no database exists.

    The caller holds the lock of the database, so a draft that is there is of a killed restore.
    """
    for left in _drafts(database):
        left.unlink(missing_ok=True)
    draft = database.with_name(f".{database.name}.restored-{os.getpid()}")
    try:
        create_private(draft)
        with copy.open("rb") as source, draft.open("wb") as target:
            shutil.copyfileobj(source, target, _BLOCK)
            target.flush()
            os.fsync(target.fileno())
        try:
            os.link(draft, database)
        except FileExistsError as fault:
            raise BackupRefused(f"{database} {_IN_USE}") from fault
    finally:
        draft.unlink(missing_ok=True)
    sync(database.parent)
