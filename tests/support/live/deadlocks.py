"""How many deadlocks PostgreSQL ended in a test's database, hidden by a repetition or not."""

from collections.abc import Iterator

import psycopg
import pytest

END_OTHERS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
_COUNT = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
_seen: dict[str, int] = {}
"""Address of a database → how many were counted at its last check."""
_on_purpose: list[str] = []
"""The running test, where it is marked `deadlocks`."""


def check_deadlocks(url: str) -> None:
    """Fail the running test where the server ended a transaction of a database for another one.

    The other sessions of the database are ended first: each tells its count when it ends.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute(END_OTHERS)
        row = connection.execute(_COUNT).fetchone()
    count = int(row[0]) if row else 0
    rose = count - _seen.get(url, 0)
    _seen[url] = count
    if rose and not _on_purpose:
        pytest.fail(
            f"PostgreSQL counted {rose} deadlocks in the database of this test; its log names the "
            "statements (docs/decisions/0029-one-lock-order.md)",
            pytrace=False,
        )


@pytest.fixture(autouse=True)
def deadlocks_on_purpose(request: pytest.FixtureRequest) -> Iterator[None]:
    """Note whether the running test makes deadlocks on purpose (mark `deadlocks`)."""
    if request.node.get_closest_marker("deadlocks"):
        _on_purpose.append(request.node.nodeid)
    yield
    _on_purpose.clear()
