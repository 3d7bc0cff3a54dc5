"""Web processes and workers on several machines: directories and ports of their own."""

import json
import os
import signal
import socket
from collections.abc import Callable

import pytest

from tests.live.conftest import Inside
from tests.support.live.events import enter, evening, is_published, newest
from tests.support.live.page_client import Browser
from tests.support.live.project import LiveProject, wait_until
from tournaments.management.service import NAME_LENGTH

pytestmark = [pytest.mark.worker, pytest.mark.pg, pytest.mark.redis]

STANDINGS = "/api/v1/clubs/riverside/events/league/standings"


@pytest.fixture
def machines(
    live_project: Callable[..., LiveProject], migrated_pg_url: str, redis_url: str
) -> list[LiveProject]:
    shared = {"DATABASE_URL": migrated_pg_url, "BROKER_URL": redis_url, "CACHE_URL": redis_url}
    machines = [live_project(**shared) for _ in range(2)]
    for machine in machines:
        machine.environment["BLACKLADY_HOME"] = str(machine.place)
    return machines


def findings(machine: LiveProject) -> set[str]:
    status = json.loads(machine.manage("status", "--json").stdout)
    return {finding["code"] for finding in status["findings"]}


def test_two_machines_are_one_site_and_each_worker_has_a_name(
    machines: list[LiveProject], inside: Inside
) -> None:
    first, second = machines
    for machine in machines:
        machine.start("manage.py", "worker", "--concurrency", "1")
    named = second.start("manage.py", "worker", "--concurrency", "1", "--name", "imports")
    for machine in machines:
        machine.wait_ready(machine.start("manage.py", "web", "--workers", "1"))
    with inside(first):
        game = evening()
        enter(game, 1)
        wait_until(lambda: is_published(game.event_id), what=first.log)
        stored = bytes(newest(game.event_id).body)
    assert [Browser(machine).open(STANDINGS).body for machine in machines] == [stored, stored]

    homes = [str(machine.place)[-NAME_LENGTH:] for machine in machines]
    names = {f"{name}@{socket.gethostname()}" for name in (*homes, "imports")}

    def workers() -> set[str]:
        status = json.loads(first.manage("status", "--json").stdout)
        return {worker["name"] for worker in status["workers"] if worker["is_alive"]}

    wait_until(lambda: workers() == names, what=f"{workers()} {names}\n{second.log}")
    assert 'blacklady_workers{state="alive"} 3.0' in Browser(first).open("/metrics").body.decode()
    os.killpg(named.pid, signal.SIGKILL)
    named.wait()
    wait_until(lambda: "worker_silent" in findings(second), what=second.log)

    backup = first.manage("backup", "--to", str(first.place / "backups"))
    assert backup.returncode == 0, backup.stderr
    assert "backup_never" not in findings(first)
    assert "backup_never" in findings(second)
