"""SQLite that takes no writes is a 503; PostgreSQL's failover is in tests/live."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from tests.support.builders import TESTS, counts
from tests.support.cast import enter_the_cast
from tests.support.scenarios.table_links import linked
from tournaments.services.access.tokens import make_token
from tournaments.services.operations import Operation

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def take_no_writes() -> Iterator[str]:
    """The statement after which the test's own connection takes no writes, until its end."""
    if connection.vendor != "sqlite":
        pytest.skip("of SQLite only")
    yield "PRAGMA query_only = ON"
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = OFF")


def test_database_without_writes_is_503_and_reads_go_on(take_no_writes: str) -> None:
    cast = enter_the_cast()
    there = linked(cast)
    hanna = cast.users["hanna"]
    now = timezone.now()
    token = make_token(Operation(TESTS, now), cast.riverside, user=hanna, scope="enter")
    host = Client(headers={"authorization": f"Bearer {token}"}, raise_request_exception=False)
    with connection.cursor() as cursor:
        cursor.execute(take_no_writes)
    entry = {"number": 2, "entry": counts([4, 1, 2, 6], queen=3)}
    response = host.post(f"/api/v1{there.table}/hands", entry, content_type="application/json")
    assert (response.status_code, response["Retry-After"]) == (503, "2")
    assert [error["code"] for error in response.json()["errors"]] == ["try_again"]
    assert host.get(f"/api/v1{there.table}").status_code == 200
