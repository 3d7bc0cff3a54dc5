"""What `/readyz` says: 503 only where this process can serve nobody, else every fault in a 200."""

import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
import time_machine
from django.db import (
    DatabaseError,
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
    connection,
)
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from config import health
from config.operation.status.explanations import EXPLANATIONS
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.sources import ROOT
from tournaments.models.hands import Game
from tournaments.models.jobs import FINALISE, Deadline, Dirty, event_scope
from tournaments.services.jobs import queue
from tournaments.services.jobs.enqueue import set_deadline
from tournaments.services.jobs.queue import end_heartbeat, record_failure, record_heartbeat
from tournaments.tasks import publish_event

DEGRADED = (
    "broker_away", "broker_refused", "cache_away", "cache_refused", "database_busy",
    "database_was_away", "database_was_read_only", "disk_low", "disk_was_full", "job_late",
    "job_parked", "no_worker", "standby_away", "standby_behind", "standby_refused",
    "worker_silent", "worker_without_process",
)  # fmt: skip

pytestmark = pytest.mark.django_db
SINCE = "2025-11-06T21:00:00Z"


@pytest.fixture(autouse=True)
def nothing_is_known(clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has just started, on a disk with room, and one worker that lives."""
    health.READINESS.forget()
    monkeypatch.setattr(health, "KEPT_S", 0.0)
    monkeypatch.setattr(health, "DISK_LOW", 0)
    record_heartbeat(name="celery@one", now=NOW)


@pytest.fixture
def game() -> Game:
    """A table of an event that is published as far as it goes."""
    riverside = enter_the_cast().riverside
    made = table(league(riverside), players(riverside, "Elsa D.", "Ilse K.", "Leo K.", "Anton S."))
    publish_event(made.event_id)
    return made


def said(client: Client) -> tuple[int, str, list[tuple[str, str]]]:
    answer = client.get("/readyz", headers={"host": "10.1.2.3:8000"})
    assert answer["Cache-Control"] == "no-store"
    body = answer.json()
    faults = [(fault.pop("code"), fault.pop("since")) for fault in body.pop("faults")]
    return answer.status_code, body["status"], faults


def test_process_without_faults_is_ready(client: Client) -> None:
    assert said(client) == (200, "ok", [])


def test_each_worker_that_is_silent_is_a_fault_and_one_that_ended_is_none(
    client: Client, clock: time_machine.Traveller
) -> None:
    record_heartbeat(name="celery@two", now=NOW)
    record_heartbeat(name="celery@ended", now=NOW)
    end_heartbeat(name="celery@ended")
    clock.shift(timedelta(seconds=45))
    record_heartbeat(name="celery@one", now=timezone.now())
    assert said(client) == (200, "degraded", [("worker_silent", SINCE)])
    clock.shift(timedelta(seconds=45))
    later = "2025-11-06T21:00:45Z"
    assert said(client) == (
        200,
        "degraded",
        [("worker_silent", later), ("worker_silent", SINCE), ("no_worker", later)],
    )


@pytest.mark.parametrize(
    ("seconds", "faults"),
    [(29.9, []), (30.0, [("worker_without_process", SINCE)])],
)
def test_worker_whose_processes_do_not_last_is_a_fault_after_half_a_minute(
    client: Client,
    clock: time_machine.Traveller,
    seconds: float,
    faults: list[tuple[str, str]],
) -> None:
    clock.shift(timedelta(seconds=seconds))
    record_heartbeat(name="celery@one", now=timezone.now(), without_process_since=NOW)
    assert said(client) == (200, "degraded" if faults else "ok", faults)
    record_heartbeat(name="celery@one", now=timezone.now())
    assert said(client) == (200, "ok", [])


def test_worker_without_a_process_that_falls_silent_is_one_fault(
    client: Client, clock: time_machine.Traveller
) -> None:
    record_heartbeat(name="celery@two", now=NOW, without_process_since=NOW - timedelta(minutes=1))
    clock.shift(timedelta(seconds=31))
    record_heartbeat(name="celery@one", now=timezone.now())
    assert said(client) == (200, "degraded", [("worker_silent", SINCE)])


def test_job_that_nobody_does_is_a_fault_and_one_that_somebody_is_at_is_none(
    client: Client, clock: time_machine.Traveller, game: Game
) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    clock.shift(timedelta(seconds=40))
    record_heartbeat(name="celery@one", now=timezone.now())
    assert said(client) == (200, "degraded", [("job_late", SINCE)])
    for row in Dirty.objects.filter(done__lt=F("version")):
        assert queue.claim_job(row.scope, now=timezone.now())
    assert said(client) == (200, "ok", [])


def fail_three_times(scope: str) -> None:
    for _ in range(3):
        record_failure(scope, ValueError("no rule"), now=NOW)


def test_parked_work_of_an_event_and_parked_deadline_are_faults(client: Client, game: Game) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    fail_three_times(event_scope(game.event_id))
    assert said(client) == (200, "degraded", [("job_parked", SINCE)])
    hand(game, 2, [4, 1, 2, 6], queen=3)
    assert said(client) == (200, "ok", [])
    set_deadline(game.event, FINALISE, NOW)
    fail_three_times(f"deadline:{Deadline.objects.get().pk}")
    last_try = "2025-11-06T21:00:05Z"
    assert said(client) == (200, "degraded", [("job_parked", last_try)])


Failing = Callable[[Exception, Exception], AbstractContextManager[None]]


@pytest.fixture
def failing() -> Failing:

    def fail(fault: Exception, cause: Exception) -> AbstractContextManager[None]:
        def wrapper(execute: Callable[..., object], sql: str, *rest: object) -> object:
            if sql.startswith("UPDATE django_migrations"):
                raise fault from cause
            return execute(sql, *rest)

        return connection.execute_wrapper(wrapper)

    return fail


REFUSED = 'connection failed: FATAL:  password authentication failed for user "blacklady"'


def sqlite_fault(code: int) -> sqlite3.OperationalError:
    fault = sqlite3.OperationalError("of SQLite")
    fault.sqlite_errorcode = code
    return fault


@pytest.mark.parametrize(
    ("wrapper", "cause", "status", "code"),
    [
        (InternalError, psycopg.errors.ReadOnlySqlTransaction(), 503, "database_read_only"),
        (OperationalError, sqlite_fault(sqlite3.SQLITE_READONLY), 503, "database_read_only"),
        (OperationalError, psycopg.errors.DiskFull(), 503, "disk_full"),
        (OperationalError, sqlite_fault(sqlite3.SQLITE_FULL), 503, "disk_full"),
        (OperationalError, psycopg.errors.AdminShutdown(), 503, "database_away"),
        (OperationalError, psycopg.OperationalError(REFUSED), 503, "database_refused"),
        (OperationalError, psycopg.errors.LockNotAvailable(), 200, "database_busy"),
        (OperationalError, sqlite_fault(sqlite3.SQLITE_BUSY), 200, "database_busy"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_database_is_judged_by_whether_it_takes_a_row(
    client: Client,
    clock: time_machine.Traveller,
    failing: Failing,
    wrapper: type[Exception],
    cause: Exception,
    status: int,
    code: str,
) -> None:
    word = "unavailable" if status == 503 else "degraded"
    with failing(wrapper(str(cause)), cause):
        assert said(client) == (status, word, [(code, SINCE)])
        clock.shift(timedelta(seconds=5))
        assert said(client) == (status, word, [(code, SINCE)])
    assert said(client) == (200, "ok", [])


@pytest.mark.parametrize(
    ("asked", "wrapper", "cause", "status", "code"),
    [
        ("dirty", OperationalError, psycopg.errors.QueryCanceled(), 200, "database_busy"),
        ("dirty", OperationalError, psycopg.errors.LockNotAvailable(), 200, "database_busy"),
        ("dirty", OperationalError, sqlite_fault(sqlite3.SQLITE_BUSY), 200, "database_busy"),
        ("heartbeat", OperationalError, psycopg.errors.AdminShutdown(), 503, "database_away"),
        ("dirty", InterfaceError, psycopg.InterfaceError(), 503, "database_away"),
        ("dirty", ProgrammingError, psycopg.errors.UndefinedTable(), 503, "database_away"),
        ("deadline", DatabaseError, sqlite_fault(sqlite3.SQLITE_CORRUPT), 503, "database_away"),
        ("migrations", InterfaceError, psycopg.InterfaceError(), 503, "database_away"),
        ("migrations", ProgrammingError, psycopg.errors.UndefinedTable(), 503, "database_away"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_fault_of_the_database_is_never_a_500(
    client: Client, asked: str, wrapper: type[Exception], cause: Exception, status: int, code: str
) -> None:
    def fail(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if f'_{asked}"' in sql or f"_{asked} " in sql:
            raise wrapper(str(cause)) from cause
        return execute(sql, *rest)

    word = "unavailable" if status == 503 else "degraded"
    with connection.execute_wrapper(fail):
        for _ in range(2):
            assert said(client) == (status, word, [(code, SINCE)])
    assert said(client) == (200, "ok", [])


def test_database_that_is_slow_to_tell_what_waits_takes_hands(client: Client) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite ends no statement")
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("LOCK TABLE tournaments_dirty IN ACCESS EXCLUSIVE MODE")
        assert said(client) == (200, "degraded", [("database_busy", SINCE)])
    assert said(client) == (200, "ok", [])


def test_missing_migration_is_a_503_until_it_is_applied(client: Client) -> None:
    [newest] = MigrationLoader(connection).graph.leaf_nodes("tournaments")
    last = MigrationRecorder(connection).migration_qs.get(app=newest[0], name=newest[1])
    last.delete()
    assert said(client) == (503, "unavailable", [("migrations_missing", SINCE)])
    last.save(force_insert=True)
    assert said(client) == (200, "ok", [])


def test_server_without_static_files_can_serve_no_page(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.COLLECTED, settings.STATIC_ROOT = True, tmp_path
    assert said(client) == (503, "unavailable", [("static_files_missing", SINCE)])
    (tmp_path / "staticfiles.json").touch()
    assert said(client) == (200, "ok", [])


def test_little_room_is_a_fault(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    free = shutil.disk_usage(ROOT).free
    monkeypatch.setattr(health, "DISK_LOW", free * 10)
    assert said(client) == (200, "degraded", [("disk_low", SINCE)])


def test_probe_that_comes_again_neither_writes_nor_looks_for_migrations(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert said(client) == (200, "ok", [])
    with CaptureQueriesContext(connection) as queries:
        assert said(client) == (200, "ok", [])
    assert sum(query["sql"].startswith("SELECT") for query in queries) == 5
    assert not any("django_migrations" in query["sql"] for query in queries)
    monkeypatch.setattr(health, "KEPT_S", 60.0)
    said(client)
    with CaptureQueriesContext(connection) as queries:
        assert said(client) == (200, "ok", [])
    assert len(queries) == 0
    health.READINESS.forget()


def test_every_code_is_documented_with_what_to_do() -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    row = r"^\| `(\w+)` \| (200|503|–) \| (error|warning|note): [^|]{10,} \| [^|]{10,} \|$"
    listed = re.findall(row, text, re.M)
    expected = {(code, "503") for code in health.UNABLE} | {(code, "200") for code in DEGRADED}
    others = EXPLANATIONS.keys() - {code for code, _ in expected}
    assert {(code, status) for code, status, _ in listed} == expected | {
        (code, "–") for code in others
    }
    assert {code: word for code, _, word in listed} == {
        code: explanation.severity for code, explanation in EXPLANATIONS.items()
    }
