"""Databases that are made for one run and dropped after it, and every row of the app's tables."""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis
from django.apps import apps
from django.db import connection, transaction
from psycopg import sql

from config import env

SERVER = env.text("BLACKLADY_TEST_PG", default="postgres://postgres@127.0.0.1:5432/postgres")
REDIS = env.text("BLACKLADY_TEST_REDIS", default="redis://127.0.0.1:6379/0")


def why_no_redis() -> str | None:
    """Return why there can be no queue beside PostgreSQL, or None where there can."""
    try:
        with redis.Redis.from_url(REDIS, socket_connect_timeout=3) as server:
            server.ping()
    except redis.RedisError as fault:
        return f"nothing answers at BLACKLADY_TEST_REDIS: {fault}"
    return None


def why_no_server() -> str | None:
    """Return why PostgreSQL cannot be measured, or None where it can."""
    try:
        psycopg.connect(SERVER, connect_timeout=3).close()
    except psycopg.OperationalError as fault:
        return f"nothing answers at BLACKLADY_TEST_PG: {str(fault).strip()}"
    return None


@contextmanager
def own_database(kind: str, folder: Path) -> Iterator[str]:
    """Make an empty database of a kind, `postgresql` or `sqlite`; yields its DATABASE_URL."""
    if kind == "sqlite":
        yield f"sqlite:///{(folder / 'bench.sqlite3').resolve()}"
        return
    name = f"blacklady_bench_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(SERVER, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield urlunsplit(urlsplit(SERVER)._replace(path=f"/{name}"))
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            connection.execute(drop)


Rows = Mapping[str, Any]
"""Table → its rows: COPY's own text on PostgreSQL, tuples on SQLite."""


def on_postgresql() -> bool:
    return connection.vendor == "postgresql"


def tables() -> list[str]:
    return [model._meta.db_table for model in apps.get_app_config("tournaments").get_models()]


def read_out() -> Rows:
    """Return every row of the app's tables that are not empty."""
    found = {table: _read(table) for table in tables()}
    return {table: content for table, content in found.items() if content}


def clear() -> None:
    with connection.cursor() as cursor:
        if on_postgresql():
            cursor.execute(f"TRUNCATE {', '.join(tables())} RESTART IDENTITY CASCADE")
            cursor.execute("CHECKPOINT")
            return
        cursor.execute("PRAGMA foreign_keys = OFF")
        for table in tables():
            cursor.execute(f"DELETE FROM {table}")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@transaction.atomic
def put_back(rows: Rows) -> None:
    with connection.cursor() as cursor:
        for table, content in rows.items():
            if on_postgresql():
                with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                    copy.write(content)
            else:
                marks = ", ".join(["%s"] * len(content[0]))
                cursor.executemany(f"INSERT INTO {table} VALUES ({marks})", content)


def _read(table: str) -> Any:
    with connection.cursor() as cursor:
        if on_postgresql():
            with cursor.copy(f"COPY {table} TO STDOUT") as copy:
                return b"".join(bytes(part) for part in copy)
        cursor.execute(f"SELECT * FROM {table}")
        return [tuple(row) for row in cursor.fetchall()]
