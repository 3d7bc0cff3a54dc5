"""PostgreSQL with a lock that is held, or without writes: callers are told to come back."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from tests.live.conftest import Inside
from tests.support.live.page_client import Browser, give_password
from tests.support.live.project import ROOT, LiveProject, wait_until
from tests.support.live.rest_client import EVENT, Answer, open_rest_client, stored

pytestmark = [pytest.mark.worker, pytest.mark.pg]

LIMITS = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")


@contextmanager
def held(url: str, *tables: str) -> Iterator[None]:
    with psycopg.connect(url) as session:
        for name in tables:
            rows = sql.SQL("SELECT 1 FROM {} FOR UPDATE").format(sql.Identifier(name))
            session.execute(rows).fetchall()
        yield


def told_to_wait(answer: Answer) -> bool:
    return answer.status == 503 and int(answer.headers.get("retry-after", 0)) > 0


def test_who_waits_for_a_lock_is_told_to_come_back(
    live_project: Callable[..., LiveProject], inside: Inside, migrated_pg_url: str
) -> None:
    project = live_project(DATABASE_URL=migrated_pg_url, DATABASE_LOCK_TIMEOUT="1")
    project.serve()
    with inside(project):
        rest, event = open_rest_client(project)
        give_password("hanna")
        with held(migrated_pg_url, "tournaments_event", "auth_user"):
            began = time.monotonic()
            answer = rest.enter("r1t1", 1, key="one")
            took = time.monotonic() - began
            page = Browser(project).sign_in("hanna")
        print(f"told to come back after {took:.1f} s")
        assert told_to_wait(answer), (answer, project.log)
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.codes == ["try_again"]
        assert told_to_wait(page), page.body.decode()
        assert b"Database busy" in page.body
        assert rest.enter("r1t1", 1, key="one").status == 201
        assert Browser(project).sign_in("hanna").status == 200
        assert stored(event) == {("r1t1", 1): 1}


@contextmanager
def read_only(url: str) -> Iterator[None]:
    """Let a database take no writes, as after a failover, and cut all its connections."""
    name = urlsplit(url).path.removeprefix("/")
    server = url.removesuffix(name) + "postgres"
    database = sql.Identifier(name)
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
    with psycopg.connect(server, autocommit=True) as session:
        setting = sql.SQL("ALTER DATABASE {} SET default_transaction_read_only = on")
        session.execute(setting.format(database))
        session.execute(cut, [name])
        try:
            yield
        finally:
            setting = sql.SQL("ALTER DATABASE {} RESET default_transaction_read_only")
            session.execute(setting.format(database))


@pytest.mark.tier_long
@pytest.mark.redis
def test_database_without_writes_is_503_and_readers_go_on_reading(
    live_project: Callable[..., LiveProject], inside: Inside, migrated_pg_url: str, redis_url: str
) -> None:
    project = live_project(DATABASE_URL=migrated_pg_url, CACHE_URL=redis_url)
    project.serve()
    with inside(project):
        rest, event = open_rest_client(project)
        give_password("hanna")
        assert rest.enter("r1t1", 1, key="one").status == 201
    with read_only(migrated_pg_url):
        answers = [rest.enter("r1t1", 2, key="two") for _ in range(4)]
        assert all(told_to_wait(answer) for answer in answers), (answers, project.log)
        assert {tuple(answer.codes) for answer in answers} == {("try_again",)}
        assert told_to_wait(Browser(project).sign_in("hanna"))
        assert rest.ask("GET", f"{EVENT}/tables/r1t1").status == 200
        assert project.status(EVENT.removeprefix("/api/v1")) == 200
        wait_until(lambda: project.status("/readyz") == 503, what="unready")

    def is_taken() -> bool:
        return rest.enter("r1t1", 2, key="two").status == 201

    # Connections that were opened meanwhile are given up by whoever finds that they take no writes.
    wait_until(is_taken, what=f"writes\n{project.log}")
    wait_until(lambda: project.readiness() is not None, what="ready")
    with inside(project):
        assert stored(event) == {("r1t1", 1): 1, ("r1t1", 2): 1}


def limits_after(project: LiveProject, start: str) -> list[str]:
    """The time-outs of a connection that a process opens after these statements."""
    code = f"""
import json, django
{start}
from django.db import connection
with connection.cursor() as cursor:
    found = []
    for name in {LIMITS}:
        cursor.execute("SHOW " + name)
        found.append(cursor.fetchone()[0])
print(json.dumps(found))
"""
    environment = project.environment | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.mark.tier_long
def test_web_worker_and_commands_each_have_their_time_outs(
    live_project: Callable[..., LiveProject], pg_url: str
) -> None:
    project = live_project(DATABASE_URL=pg_url)
    assert limits_after(project, "import config.wsgi") == ["5s", "9s", "1min"]
    worker = "django.setup()\nfrom config import celery\ncelery.worker_init.send(None)"
    assert limits_after(project, worker) == ["5s", "2min", "10min"]
    assert limits_after(project, "django.setup()") == ["0", "0", "0"]
    project.environment["DATABASE_URL"] += "?options=-c%20lock_timeout%3D7s"
    assert limits_after(project, "import config.wsgi") == ["7s", "9s", "1min"]
