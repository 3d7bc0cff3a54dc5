"""`status`, `/statusz` and `/readyz` of an installation that something really happened to."""

import json
import re
import signal
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tests.live.conftest import Inside
from tests.support.answers import Json
from tests.support.cast import enter_the_cast
from tests.support.live.events import enter, evening, is_published
from tests.support.live.own_redis import OwnRedis
from tests.support.live.page_client import Browser, give_password
from tests.support.live.project import LiveProject, free_port, wait_until
from tests.support.live.small_disk import on_small_disk
from tournaments.models.jobs import event_scope
from tournaments.services.jobs.queue import record_failure

pytestmark = pytest.mark.worker


def status(project: LiveProject) -> tuple[int, Json]:
    ended = project.manage("status", "--json")
    said: Json = json.loads(ended.stdout)
    assert (said["status"] == "well") == (ended.returncode == 0), ended.stdout
    return ended.returncode, said


def sentences(project: LiveProject) -> dict[str, str]:
    """Code → sentence of everything that is wrong now."""
    return {finding["code"]: finding["sentence"] for finding in status(project)[1]["findings"]}


def shown(browser: Browser) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", browser.open("/statusz").body.decode()).split())


def back_up(project: LiveProject, hours_ago: int) -> None:
    """Note that a backup was made then, where the command `backup` notes it."""
    at = timezone.now() - timedelta(hours=hours_ago)
    text = json.dumps(
        {"at": at.isoformat(), "size_bytes": 1, "file": "/backups/a.zip", "verified": True}
    )
    (project.place / "last-backup.json").write_text(text, encoding="utf-8")


@pytest.fixture
def at_home(project: LiveProject) -> LiveProject:
    """An installation with a state directory of its own and a backup of an hour ago."""
    project.environment["BLACKLADY_HOME"] = str(project.place)
    back_up(project, hours_ago=1)
    return project


def test_status_is_never_well_while_a_worker_is_dead(at_home: LiveProject, inside: Inside) -> None:
    with inside(at_home):
        User.objects.filter(pk=enter_the_cast().users["olga"].pk).update(
            is_superuser=True, is_staff=True
        )
        give_password("olga")
    web = at_home.start("manage.py", "web")
    worker = at_home.start_worker("one@here")
    at_home.wait_ready(web)
    wait_until(lambda: status(at_home)[0] == 0, what=f"all well\n{at_home.log}")
    browser = Browser(at_home)
    assert browser.sign_in("olga").status == 200
    assert "All is well." in shown(browser)

    worker.kill()
    worker.wait()
    found = sentences(at_home)  # at once, and not after the 30 s of the heartbeat
    assert set(found) == {"no_worker", "worker_silent"}
    assert found["worker_silent"] == (
        "The worker one@here does not work any more. It did not end in order."
    )
    wait_until(lambda: at_home.readiness() == ["worker_silent", "no_worker"], what=at_home.log)
    page = shown(browser)
    assert "2 problems." in page
    assert "No worker is running. Hands are saved, but nothing is published" in page
    assert "All is well" not in page

    again = at_home.start_worker("one@here")
    wait_until(lambda: status(at_home)[0] == 0, what=f"all well again\n{at_home.log}")
    again.send_signal(signal.SIGTERM)
    again.wait()
    assert set(sentences(at_home)) == {"no_worker"}


@pytest.mark.tier_long
def test_broker_that_is_stopped_is_named_while_standings_go_on(
    at_home: LiveProject, inside: Inside, tmp_path: Path
) -> None:
    server = OwnRedis(tmp_path)
    try:
        at_home.environment["BROKER_URL"] = server.url
        at_home.environment["CACHE_URL"] = server.url
        at_home.environment["SITE_URL"] = at_home.url
        at_home.serve()
        wait_until(lambda: status(at_home)[0] == 0, what=at_home.log)
        server.end()
        found = sentences(at_home)
        assert set(found) == {"broker_away", "cache_away"}
        assert found["broker_away"].startswith(
            "The message broker (Redis or RabbitMQ) does not answer, or takes no messages"
        )
        with inside(at_home):
            game = evening()
            enter(game, 1)
            wait_until(lambda: is_published(game.event_id), what=at_home.log)
    finally:
        server.end()


@pytest.mark.tier_long
def test_parked_job_and_old_backup_are_named(at_home: LiveProject, inside: Inside) -> None:
    back_up(at_home, hours_ago=40)
    with inside(at_home):
        game = evening()
        enter(game, 1)
        for _ in range(3):
            fault = ValueError("no rule")
            record_failure(event_scope(game.event_id), fault, now=timezone.now())
    found = sentences(at_home)
    assert set(found) == {"no_worker", "job_parked", "backup_old"}
    assert found["job_parked"].startswith("A background job was given up after three tries.")
    (at_home.place / "last-backup.json").unlink()
    assert sentences(at_home)["backup_never"] == "There is no backup of this installation."


@pytest.mark.tier_long
def test_small_disk_is_named_before_it_is_full_and_then(at_home: LiveProject) -> None:
    with on_small_disk(at_home) as disk:
        found = sentences(at_home)
        assert found["disk_low"] == f"The disk is nearly full: {disk.free_kb // 1024} MB are free."
        assert "disk_full" not in found
        disk.fill()
        found = sentences(at_home)
        assert "so no hand can be entered" in found["disk_full"]
        disk.clear()
        assert "disk_full" not in sentences(at_home)


@pytest.mark.tier_long
def test_database_that_was_not_migrated_or_is_away_is_named(at_home: LiveProject) -> None:
    at_home.environment["DATABASE_URL"] = f"sqlite:///{at_home.place / 'new.sqlite3'}"
    found = sentences(at_home)
    assert set(found) == {"migrations_missing"}
    assert "migrations are missing" in found["migrations_missing"]
    at_home.environment |= {
        "DATABASE_URL": f"postgres://nobody@127.0.0.1:{free_port()}/nothing",
        "SITE_URL": at_home.url,
    }
    assert set(sentences(at_home)) == {"database_away"}
    assert "Start the database" in at_home.manage("status").stdout
