"""One migrated PostgreSQL database for the tests of a process, empty before each of them.

CREATE DATABASE and DROP DATABASE each wait until the server has written everything to its disk:
more time than most tests of two writers need for themselves.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial

import psycopg
from psycopg import sql

from tests.support.live.deadlocks import END_OTHERS, check_deadlocks

Maker = Callable[[], AbstractContextManager[str]]

_TABLES = """
SELECT c.oid::regclass::text FROM pg_class c
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1
"""
_SEQUENCES = """
SELECT c.oid::regclass::text FROM pg_class c
WHERE c.relkind = 'S' AND c.relnamespace = 'public'::regnamespace ORDER BY 1
"""
_OUTLINE = """
SELECT 'column', attrelid::regclass::text, attname, format_type(atttypid, atttypmod),
       attnotnull::text, attcompression::text, coalesce(pg_get_expr(adbin, adrelid), '')
FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
UNION ALL
SELECT 'relation', c.oid::regclass::text, relkind::text, relowner::regrole::text,
       coalesce(relacl::text, ''), coalesce(reloptions::text, ''),
       CASE WHEN relkind = 'i' THEN pg_get_indexdef(c.oid) ELSE '' END
FROM pg_class c WHERE relnamespace = 'public'::regnamespace
UNION ALL
SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid), '', '', ''
FROM pg_constraint WHERE connamespace = 'public'::regnamespace
UNION ALL
SELECT 'trigger', tgrelid::regclass::text, tgname, '', '', '', '' FROM pg_trigger
WHERE NOT tgisinternal
UNION ALL
SELECT 'setting', setrole::text, setconfig::text, '', '', '', '' FROM pg_db_role_setting
WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class ReusedDatabase:
    """A database that is as it was migrated at each `as_migrated`, under one address.

    One whose schema or settings a test has changed is dropped, and the next test has a new one.
    """

    def __init__(self, make: Maker) -> None:
        self._make = make
        self._stack = ExitStack()
        self._url = ""
        self._outline: set[tuple[str, ...]] = set()
        self._rows: dict[str, bytes] = {}
        self._counts: dict[str, tuple[object, ...]] = {}

    @contextmanager
    def as_migrated(self) -> Iterator[str]:
        """Yield the address; afterwards nothing is connected and nothing is there."""
        if not self._url:
            self._url = self._stack.enter_context(self._make())
            self._note()
        yield self._url
        is_empty = False
        try:
            check_deadlocks(self._url)
            is_empty = self._emptied()
        finally:
            if not is_empty:
                self.close()

    def close(self) -> None:
        self._url = ""
        self._stack.close()
        self._stack = ExitStack()

    def _note(self) -> None:
        with psycopg.connect(self._url) as connection:
            self._outline = set(connection.execute(_OUTLINE))
            filled = _filled(connection)
            self._rows = {table: _copied(connection, table) for table in filled}
            self._counts = _counts(connection)

    def _emptied(self) -> bool:
        """Delete what a test wrote; false where it has changed more than rows."""
        with psycopg.connect(self._url) as connection:
            connection.execute("SET default_transaction_read_only = off")
            connection.commit()
            connection.execute("SET session_replication_role = replica")  # asks for no foreign key
            connection.execute(END_OTHERS)
            if set(connection.execute(_OUTLINE)) != self._outline:
                return False
            for table in _filled(connection):
                if table not in self._rows:
                    connection.execute(_in("DELETE FROM {}", table))
                elif _copied(connection, table) != self._rows[table]:
                    connection.execute(_in("DELETE FROM {}", table))
                    with connection.cursor().copy(_in("COPY {} FROM STDIN", table)) as copy:
                        copy.write(self._rows[table])
            for table in self._rows.keys() - _filled(connection):
                with connection.cursor().copy(_in("COPY {} FROM STDIN", table)) as copy:
                    copy.write(self._rows[table])
            for sequence, (value, called) in _counts(connection).items():
                if self._counts[sequence] != (value, called):
                    connection.execute(
                        "SELECT setval(%s::regclass, %s, %s)", [sequence, *self._counts[sequence]]
                    )
        return True


def _in(text: str, name: str) -> sql.Composed:
    return sql.SQL(text).format(sql.Identifier(name.strip('"')))


def _names(connection: psycopg.Connection, query: str) -> list[str]:
    return [str(name) for (name,) in connection.execute(query)]


def _filled(connection: psycopg.Connection) -> set[str]:
    exists = [
        sql.SQL("SELECT {} WHERE EXISTS (SELECT 1 FROM {})").format(
            sql.Literal(table), sql.Identifier(table.strip('"'))
        )
        for table in _names(connection, _TABLES)
    ]
    return {str(name) for (name,) in connection.execute(sql.SQL(" UNION ALL ").join(exists))}


def _copied(connection: psycopg.Connection, table: str) -> bytes:
    with connection.cursor().copy(_in("COPY {} TO STDOUT", table)) as copy:
        return b"".join(map(bytes, iter(partial(_read, copy), b"")))


def _read(copy: psycopg.Copy) -> bytes:
    return bytes(copy.read())


def _counts(connection: psycopg.Connection) -> dict[str, tuple[object, ...]]:
    states = [
        sql.SQL("SELECT {}, last_value, is_called FROM {}").format(
            sql.Literal(sequence), sql.Identifier(sequence.strip('"'))
        )
        for sequence in _names(connection, _SEQUENCES)
    ]
    found = connection.execute(sql.SQL(" UNION ALL ").join(states)).fetchall()
    return {str(name): tuple(state) for name, *state in found}
