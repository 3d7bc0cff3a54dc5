"""What entering a hand on a page asks of the database: the table is read once."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Answer
from tests.support.pages.grid import Secretary
from tests.support.pages.hand_entry import NEW, Host, edit, typed
from tests.support.scenarios.evenings import Evenings

pytestmark = pytest.mark.both_databases

CONTROL = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK")


def statements(send: Callable[[], Answer], status: int) -> list[str]:
    """Send a form and return what the database was asked."""
    with CaptureQueriesContext(connection) as asked:
        assert send().status_code == status
    return [one["sql"] for one in asked.captured_queries if not one["sql"].startswith(CONTROL)]


def on(postgresql: int, sqlite: int) -> int:
    """PostgreSQL locks in a statement of its own, and writes two tables with one."""
    return postgresql if connection.vendor == "postgresql" else sqlite


def n_reads(asked: list[str]) -> int:
    """How often the sheet of a table was read."""
    return sum("'r1t2'" in sql and sql.startswith('SELECT "tournaments_table".') for sql in asked)


@pytest.fixture
def host(evenings: Evenings) -> Host:
    """Hanna at the form of the next hand; what a process reads once is read."""
    return Host(evenings.client("hanna"), NEW)


def test_new_hand_reads_its_table_once(host: Host) -> None:
    asked = statements(lambda: host.send(typed([4, 1, 2, 6], 3)), 302)
    assert n_reads(asked) == 1
    assert len(asked) == on(postgresql=21, sqlite=22), "\n".join(asked)


def test_hand_that_is_refused_is_shown_without_reading_its_table_again(host: Host) -> None:
    asked = statements(lambda: host.send(typed([4, 1, 2, 5], 3)), 422)
    assert n_reads(asked) == 1
    assert len(asked) == on(postgresql=16, sqlite=15), "\n".join(asked)


def test_correction_reads_its_table_once(host: Host) -> None:
    form = edit(host.client)
    asked = statements(lambda: form.send(typed([3, 3, 3, 4], 2), reason="Swapped."), 302)
    assert n_reads(asked) == 1
    assert len(asked) == on(postgresql=27, sqlite=26), "\n".join(asked)


def test_rows_of_the_grid_read_their_table_once(evenings: Evenings, host: Host) -> None:
    grid = Secretary(evenings)
    asked = statements(lambda: grid.send({3: "6 3q 4 0"}), 302)
    assert n_reads(asked) == 1
    assert len(asked) == on(postgresql=27, sqlite=28), "\n".join(asked)
