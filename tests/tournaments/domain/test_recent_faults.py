"""Faults that requests met are known to every process of the machine for a minute."""

import os

import pytest
import structlog
from django.db import OperationalError
from psycopg import errors

from config import health
from tests.support.cast import NOW
from tournaments.domain import faults
from tournaments.domain.faults import LATELY_S, list_recent_faults, report_fault

pytestmark = pytest.mark.django_db


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
