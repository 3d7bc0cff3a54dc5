"""Faults of the database: SQLite without writes is a 503, and those that requests met are known."""

import os
from collections.abc import Iterator

import psycopg
import pytest
import structlog
from django.db import InternalError, OperationalError, connection
from django.test import Client
from django.utils import timezone
from psycopg import errors

from config import health
from tests.support.builders import by_tests, counts
from tests.support.cast import NOW, enter_the_cast
from tests.support.scenarios.table_links import linked
from tournaments.domain import faults
from tournaments.domain.faults import LATELY_S, list_recent_faults, report_fault
from tournaments.services.access.tokens import make_token

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
    token = make_token(by_tests(timezone.now()), cast.riverside, user=hanna, scope="enter")
    host = Client(headers={"authorization": f"Bearer {token}"}, raise_request_exception=False)
    with connection.cursor() as cursor:
        cursor.execute(take_no_writes)
    entry = {"number": 2, "entry": counts([4, 1, 2, 6], queen=3)}
    response = host.post(f"/api/v1{there.table}/hands", entry, content_type="application/json")
    assert (response.status_code, response["Retry-After"]) == (503, "2")
    assert [error["code"] for error in response.json()["errors"]] == ["try_again"]
    assert host.get(f"/api/v1{there.table}").status_code == 200


@pytest.mark.parametrize(
    ("cause", "code", "lately"),
    [
        (errors.DiskFull("No space left on device"), "disk_full", "disk_was_full"),
        (
            errors.ReadOnlySqlTransaction("hot standby"),
            "database_read_only",
            "database_was_read_only",
        ),
        (errors.AdminShutdown("terminating connection"), "database_away", "database_was_away"),
        (errors.InvalidSqlStatementName("_pg3_0"), "database_pooler", "database_pooler"),
    ],
)
def test_fault_that_a_request_met_is_part_of_health_for_a_minute(
    cause: Exception, code: str, lately: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "KEPT_S", 0.0)
    health.READINESS.forget()
    fault = OperationalError(str(cause))
    fault.__cause__ = cause
    report_fault(structlog.get_logger(), fault)
    assert list_recent_faults() == [code]
    assert lately in {each.code for each in health.READINESS.faults(NOW)}
    file = faults._directory() / code
    met_at = file.stat().st_mtime - LATELY_S - 1
    os.utime(file, (met_at, met_at))
    assert list_recent_faults() == []
    assert lately not in {each.code for each in health.READINESS.faults(NOW)}


def test_lock_that_is_held_is_no_fault_of_the_installation() -> None:
    fault = OperationalError("canceling statement due to lock timeout")
    fault.__cause__ = errors.LockNotAvailable()
    report_fault(structlog.get_logger(), fault)
    assert list_recent_faults() == []


def test_answer_too_many_of_a_pooler_may_succeed_later() -> None:
    fault = InternalError("received 2 results from command 'BEGIN'")
    fault.__cause__ = psycopg.InternalError(str(fault))
    assert faults.is_unavailable(fault)
    fault.__cause__ = errors.DataCorrupted()
    assert not faults.is_unavailable(fault)
