"""The services that tests use: where they are, and which of them can be had."""

import os
import shutil
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
SERVICES = ("pg", "redis", "rabbitmq", "browser", "proxies", "pgbouncer")
ADDRESSES = {
    "pg": ("BLACKLADY_TEST_PG", "postgres://postgres@127.0.0.1:5432/postgres"),
    "redis": ("BLACKLADY_TEST_REDIS", "redis://127.0.0.1:6379/0"),
    "rabbitmq": ("BLACKLADY_TEST_RABBITMQ", "amqp://guest:guest@127.0.0.1:5672//"),
}
PORTS = {"postgres": 5432, "postgresql": 5432, "redis": 6379, "amqp": 5672}
CHROMIUM = os.environ.get("BLACKLADY_TEST_CHROMIUM", "/usr/bin/chromium")
PGBOUNCER = "/usr/sbin/pgbouncer"
PROXIES = ("/usr/bin/caddy", "/usr/sbin/nginx")
SHARED = Path(os.environ.get("BLACKLADY_SHARED", ROOT.parent / "shared"))


def address(service: str) -> str:
    variable, usual = ADDRESSES[service]
    return os.environ.get(variable, usual)


def missing(service: str) -> str | None:
    """Why a service cannot be had, or None where it can."""
    if service == "browser":
        return None if shutil.which(CHROMIUM) else f"no {CHROMIUM} (apt-get install chromium)"
    if service == "pgbouncer":
        return None if shutil.which(PGBOUNCER) else f"no {PGBOUNCER} (apt-get install pgbouncer)"
    if service == "proxies":
        absent = [program for program in PROXIES if not shutil.which(program)]
        return f"no {' or '.join(absent)} (apt-get install caddy nginx-light)" if absent else None
    parts = urlsplit(address(service))
    place = (parts.hostname or "127.0.0.1", parts.port or PORTS[parts.scheme])
    try:
        socket.create_connection(place, timeout=2).close()
    except OSError as error:
        return f"nothing answers at {ADDRESSES[service][0]} ({place[0]}:{place[1]}): {error}"
    return None


def beside_postgresql() -> tuple[pytest.MarkDecorator, ...]:
    """The marks of a live test's case on SQLite where the same case runs on PostgreSQL."""
    return () if missing("pg") else (pytest.mark.tier_long,)


def required() -> tuple[str, ...]:
    """The services that this run must not do without."""
    return tuple(
        name.strip() for name in os.environ.get("BLACKLADY_REQUIRE", "").split(",") if name.strip()
    )


def refuse_missing() -> None:
    """End the run where a required service is missing or unknown."""
    for name in required():
        if name not in SERVICES:
            known = ", ".join(SERVICES)
            raise pytest.UsageError(f"BLACKLADY_REQUIRE names {name}; known: {known}")
        if reason := missing(name):
            raise pytest.UsageError(f"BLACKLADY_REQUIRE names {name}, but {reason}")
