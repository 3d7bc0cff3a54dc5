"""Databases of our own, made for one run and dropped after it; whether there is a server."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis
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
