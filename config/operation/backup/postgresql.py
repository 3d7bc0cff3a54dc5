"""PostgreSQL: `pg_dump` of one snapshot during writes, and restore in one transaction."""

import hashlib
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

import psycopg
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

from config.operation.backup.archive import (
    ArchiveWriter,
    DatabaseContents,
    DatabaseKind,
    TableDigest,
)
from config.operation.backup.destination import BackupRefused, create_private, reason_in
from config.operation.backup.outgoing_switch import QUEUE, OutgoingSwitch
from config.operation.backup.restore_checks import FILLED, require_empty, reserved_database
from config.operation.backup.scratch import (
    APPLICATION,
    LEFT_DATABASES,
    SCRATCH,
    parameters_of_left,
)

_SERVICE: Final = "blacklady"

_BLOCK: Final = 1 << 20
_PATIENT: Final = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0"

_AS_TEXT: Final = (
    "SET timezone = 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; "
    "SET bytea_output = 'hex'; SET extra_float_digits = 1"
)
"""Session settings that change the text of a row."""

_TABLES: Final = """
    SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
    ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"
"""

_KEY: Final = """
    SELECT a.attname, a.attcollation <> 0
    FROM pg_index i JOIN unnest(i.indkey) WITH ORDINALITY AS k (attnum, place) ON true
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    WHERE i.indisprimary AND i.indrelid = format('%%I.%%I', %s::text, %s::text)::regclass
    ORDER BY k.place
"""

_Table = tuple[str, str]


class ScratchRefused(Exception):
    """No scratch database can be created; the backup itself is complete."""


@contextmanager
def service_file(parameters: Mapping[str, Any], place: Path) -> Iterator[Path]:
    if any("\n" in str(value) for value in parameters.values()):
        raise BackupRefused(
            "DATABASE_URL holds a line break, which PostgreSQL's programs cannot read."
        )
    lines = [f"[{_SERVICE}]", *(f"{name}={value}" for name, value in parameters.items())]
    path = create_private(place / "pg_service.conf")
    try:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield path
    finally:
        path.unlink()


@contextmanager
def run_program(
    name: str, *words: str, service: Path | None = None, reads_input: bool = False
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program for the block and wait for it; its output, or its input, is a pipe.

    The program is killed if the block fails, so that it commits nothing.
    """
    # Its own settings would overrule the file's.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
    if service:
        environment |= {"PGSERVICEFILE": str(service), "PGSERVICE": _SERVICE}
    with tempfile.TemporaryFile() as errors:
        try:
            program = subprocess.Popen(  # noqa: S603  # words of our own
                [name, *words],
                stdin=subprocess.PIPE if reads_input else subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if reads_input else subprocess.PIPE,
                stderr=errors,
                env={**environment, "LC_ALL": "C.UTF-8"},
            )
        except FileNotFoundError as fault:
            raise BackupRefused(
                f"{name} is not installed; it comes with PostgreSQL's client programs "
                "(Debian: postgresql-client)."
            ) from fault
        try:
            yield program
            _close(program)
        except BaseException as fault:
            program.kill()
            _close(program)
            program.wait()
            if isinstance(fault, BrokenPipeError) and reads_input:
                _require_done(name, program, errors)
            raise
        program.wait()
        _require_done(name, program, errors)


def _close(program: subprocess.Popen[bytes]) -> None:
    for pipe in (program.stdin, program.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()


def _require_done(name: str, program: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    if program.returncode:
        errors.seek(0)
        reason = reason_in(errors.read().decode(errors="replace"))
        raise BackupRefused(f"{name} failed: {reason}")


_OTHERS: Final = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL
    AND (backend_type IS NULL OR backend_type = 'client backend')
    AND application_name IS DISTINCT FROM %s
"""
"""Connections of others to this database: web, workers, poolers, shells."""


class PostgresBackup:
    kind: Final[DatabaseKind] = "postgresql"
    member: Final = "database.dump"

    def __init__(self, database: BaseDatabaseWrapper) -> None:
        # What is ours is told from what others have open by its name.
        self._token = secrets.token_hex(6)
        self._application = f"{APPLICATION}{self._token}"
        self._database = database.copy()
        options = self._database.settings_dict.get("OPTIONS") or {}
        options = {**options, "application_name": self._application}
        self._database.settings_dict["OPTIONS"] = options
        self._parameters = _parameters(self._database)
        self._name = str(self._parameters["dbname"])

    def write(self, archive: ArchiveWriter, staging: Path) -> DatabaseContents:
        words = ["--format=custom", "--no-owner", "--no-privileges", "--lock-wait-timeout=60s"]
        with _connected(self._parameters) as connection:
            connection.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            words.append(f"--snapshot={_one(connection, 'SELECT pg_export_snapshot()')}")
            with (
                service_file(self._parameters, staging) as service,
                archive.member(self.member, is_compressed=True) as writer,
                run_program("pg_dump", *words, service=service) as program,
            ):
                assert program.stdout is not None  # noqa: S101  # it is a pipe
                shutil.copyfileobj(program.stdout, writer, _BLOCK)
            return _contents(connection)

    def contents_of(self, dump: Path) -> DatabaseContents:
        """Read what a dump holds, restored into a scratch database on the same server."""
        scratch = f"{SCRATCH}{self._token}"
        name = sql.Identifier(scratch)
        with _connected(self._parameters) as connection:
            try:
                connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(name))
            except psycopg.errors.InsufficientPrivilege as fault:
                raise ScratchRefused(
                    "The role of DATABASE_URL may not create databases, which --verify needs for "
                    "its scratch database: ALTER ROLE … CREATEDB, or verify under another role."
                ) from fault
            try:
                parameters = {**self._parameters, "dbname": scratch}
                _restore(dump, parameters)
                with _connected(parameters) as restored:
                    return _contents(restored)
            finally:
                connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))

    def remove_left(self) -> list[str]:
        """Drop the scratch databases of killed backups, of this role; return their names.

        One that somebody uses all the same stays.
        """
        dropped = []
        with _connected(self._parameters) as connection:
            owner = _one(connection, "SELECT current_user")
            names = connection.execute(LEFT_DATABASES, parameters_of_left(owner)).fetchall()
            for (name,) in names:
                with suppress(psycopg.Error):
                    connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))
                    dropped.append(name)
        return dropped

    def reserved(self) -> AbstractContextManager[None]:
        return reserved_database(self._database, self._require_free)

    def restore(self, dump: Path, switch: OutgoingSwitch | None) -> None:
        with _connected(self._parameters) as connection:
            tables = [sql.Identifier(*table).as_string() for table in _tables(connection)]
        before = _emptying(tables) if tables else ""
        after = "" if switch is None else "\n".join(switch.statements(f"public.{QUEUE}", "+00"))
        _restore(dump, self._parameters, before, after)
        with _connected(self._parameters) as connection:
            connection.execute("ANALYZE")  # else the first queries are planned for empty tables

    def _require_free(self) -> None:
        with _connected(self._parameters) as connection:
            n_others = int(_one(connection, _OTHERS, [self._application]))
            if n_others:
                raise BackupRefused(
                    f"Database {self._name} is in use: {n_others} other "
                    f"{'connection is' if n_others == 1 else 'connections are'} open "
                    "(pg_stat_activity). End web, workers and poolers."
                )
            tables = [name for _, name in _tables(connection)]
            require_empty(f"Database {self._name}", tables, partial(_has_rows, connection))


@contextmanager
def _connected(parameters: dict[str, Any]) -> Iterator[psycopg.Connection]:
    """A connection without time-outs, in which each statement commits by itself."""
    try:
        connection = psycopg.connect(**parameters, autocommit=True)
    except psycopg.OperationalError as fault:
        raise BackupRefused(_first_line(fault)) from fault
    with connection:
        try:
            connection.execute(_PATIENT)
            connection.execute(_AS_TEXT)
            yield connection
        except psycopg.Error as fault:
            if isinstance(fault, psycopg.errors.DiskFull):
                raise BackupRefused("The disk of the database server is full.") from fault
            raise BackupRefused(f"PostgreSQL refuses: {_first_line(fault)}") from fault


def _parameters(database: BaseDatabaseWrapper) -> dict[str, Any]:
    keywords = {option.keyword.decode() for option in psycopg.pq.Conninfo.get_defaults()}
    parameters = database.get_connection_params()
    return {name: value for name, value in parameters.items() if name in keywords}


def _first_line(fault: psycopg.Error) -> str:
    return (str(fault).strip().splitlines() or ["it does not answer"])[0]


def _one(connection: psycopg.Connection, query: str, values: Sequence[object] = ()) -> str:
    row = connection.execute(query, values or None).fetchone()
    return str(row[0]) if row else ""


def _tables(connection: psycopg.Connection) -> list[_Table]:
    return [(str(schema), str(name)) for schema, name in connection.execute(_TABLES)]


def _has_rows(connection: psycopg.Connection, table: str) -> bool:
    query = sql.SQL("SELECT 1 FROM {} LIMIT 1").format(sql.Identifier(table))
    return connection.execute(query).fetchone() is not None


def _contents(connection: psycopg.Connection) -> DatabaseContents:
    table_names = _tables(connection)
    names = [name if schema == "public" else f"{schema}.{name}" for schema, name in table_names]
    tables = {
        name: _digest(connection, table) for name, table in zip(names, table_names, strict=True)
    }
    migrations: dict[str, list[str]] = {}
    if "django_migrations" in names:
        for app, name in connection.execute("SELECT app, name FROM django_migrations"):
            migrations.setdefault(app, []).append(name)
    return DatabaseContents(tables, {app: sorted(names) for app, names in migrations.items()})


def _digest(connection: psycopg.Connection, table: _Table) -> TableDigest:
    keys = [
        sql.SQL('{} COLLATE "C"' if is_text else "{}").format(sql.Identifier(name))
        for name, is_text in connection.execute(_KEY, table)
    ]
    order: sql.Composable = sql.SQL('t::text COLLATE "C"')
    if keys:
        order = sql.SQL(", ").join(keys)
    query = sql.SQL("COPY (SELECT * FROM {} t ORDER BY {}) TO STDOUT").format(
        sql.Identifier(*table), order
    )
    digest = hashlib.sha256()
    n_rows = 0
    with connection.cursor().copy(query) as rows:
        for row in rows:
            digest.update(row)
            n_rows += 1
    return TableDigest(n_rows, digest.hexdigest())


def _emptying(tables: Sequence[str]) -> str:
    """Statements that drop empty tables; they fail if one is no longer empty."""
    listed = ", ".join(tables)
    filled = [table for table in tables if table.rpartition(".")[2].strip('"') in FILLED]
    checks = " ".join(
        f"IF EXISTS (SELECT FROM {table}) THEN RAISE EXCEPTION 'it is not empty'; END IF;"
        for table in filled
    )
    return (
        f"LOCK TABLE {listed} IN ACCESS EXCLUSIVE MODE;\n"
        f"DO $blacklady$ BEGIN {checks} END $blacklady$;\n"
        f"DROP TABLE {listed} CASCADE;\n"
        "DROP FUNCTION IF EXISTS blacklady_analyze;\n"
    )


def _restore(dump: Path, parameters: dict[str, Any], before: str = "", after: str = "") -> None:
    """Run a dump in one transaction, with statements before and after it."""
    with (
        service_file(parameters, dump.parent) as service,
        run_program(
            "psql",
            "--no-psqlrc",
            "--quiet",
            "--set=ON_ERROR_STOP=1",
            service=service,
            reads_input=True,
        ) as psql,
    ):
        assert psql.stdin is not None  # noqa: S101  # it is a pipe
        psql.stdin.write(f"SET lock_timeout = '10s';\nBEGIN;\n{before}".encode())
        with run_program(
            "pg_restore", "--no-owner", "--no-privileges", "--file=-", str(dump)
        ) as script:
            assert script.stdout is not None  # noqa: S101  # it is a pipe
            shutil.copyfileobj(script.stdout, psql.stdin, _BLOCK)
        psql.stdin.write(f"{after}\nCOMMIT;\n".encode())
