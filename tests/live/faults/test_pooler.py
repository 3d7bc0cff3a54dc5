"""The service behind PgBouncer in transaction mode, the usual one of hosted databases."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.live.conftest import Inside
from tests.support.live.events import is_published
from tests.support.live.project import LiveProject, free_port, wait_until
from tests.support.live.rest_client import Hosts, open_rest_client, published_hands, stored
from tests.support.services import PGBOUNCER

pytestmark = [pytest.mark.worker, pytest.mark.pg, pytest.mark.redis, pytest.mark.pgbouncer]

TABLES = 4
POOL = 8


@pytest.fixture
def pooled_url(migrated_pg_url: str, tmp_path: Path) -> Iterator[str]:
    """The address of a database through a pooler of the test's own."""
    server, port = urlsplit(migrated_pg_url), free_port()
    options = {
        "listen_addr": "127.0.0.1", "listen_port": port, "auth_type": "any",
        "pool_mode": "transaction", "default_pool_size": POOL, "max_client_conn": 200,
        "unix_socket_dir": "", "logfile": "", "pidfile": "",
    }  # fmt: skip
    target = f"host={server.hostname} port={server.port} user={server.username}"
    lines = ["[databases]", f"* = {target}", "[pgbouncer]"]
    lines += [f"{name} = {value}" for name, value in options.items()]
    file = tmp_path / "pgbouncer.ini"
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    account = "nobody" if os.geteuid() == 0 else None  # it refuses to run as root
    with file.open("rb") as configuration:
        process = subprocess.Popen(
            [PGBOUNCER, "/dev/stdin"], stdin=configuration, stderr=subprocess.DEVNULL, user=account
        )
    yield f"postgres://{server.username}@127.0.0.1:{port}{server.path}"
    process.send_signal(signal.SIGINT)
    process.wait()


@pytest.fixture
def project(
    live_project: Callable[..., LiveProject], pooled_url: str, redis_url: str
) -> LiveProject:
    return live_project(DATABASE_URL=pooled_url, BROKER_URL=redis_url, CACHE_URL=redis_url)


def test_killed_workers_and_web_processes_behind_a_pooler_lose_nothing(
    project: LiveProject, inside: Inside, migrated_pg_url: str
) -> None:
    project.environment |= {
        "DATABASE_POOLER": "transaction",
        "DATABASE_DIRECT_URL": migrated_pg_url,
    }
    migrated = project.manage("migrate", "--noinput")
    assert migrated.returncode == 0, migrated.stderr

    def start() -> list[subprocess.Popen[bytes]]:
        web = project.start("manage.py", "web", "--workers", "2")
        workers = [project.start_worker(f"celery@{name}") for name in ("one", "two")]
        project.wait_ready(web)
        return [web, *workers]

    processes = start()
    direct = LiveProject(project.place, {"DATABASE_URL": migrated_pg_url})
    with inside(direct):
        rest, event = open_rest_client(project, TABLES)
    hosts = Hosts(rest, TABLES).start()
    wait_until(lambda: hosts.has(20), what=project.log)
    for process in processes:
        os.killpg(process.pid, signal.SIGKILL)
    start()
    wait_until(lambda: hosts.has(60), what=project.log)
    hosts.end()
    with inside(direct):
        wait_until(lambda: is_published(event.pk), what=project.log)
        assert hosts.rude == [], project.log
        assert set(hosts.statuses) <= {0, 201}
        assert stored(event) == hosts.acknowledged
        assert set(hosts.acknowledged.values()) == {1}
        assert published_hands(event) == len(hosts.acknowledged)


def test_pooler_unknown_to_settings_is_named_by_readiness_and_status(project: LiveProject) -> None:
    web = project.start("manage.py", "web", "--workers", "1")
    project.start_worker("celery@one")
    wait_until(lambda: project.status("/readyz") == 503, what=project.log)
    assert web.poll() is None
    wait_until(lambda: "unsupported startup parameter" in project.log, what=project.log)
    status = project.manage("status", "--json")
    assert status.returncode == 1
    assert "database_pooler" in status.stdout
    assert "unsupported startup parameter" in status.stdout
    project.environment["DATABASE_POOLER"] = "transaction"
    refused = project.manage("migrate")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("Set DATABASE_DIRECT_URL to the address of the database")
    served = project.manage("serve", "--port", "0")
    assert served.returncode == 2
    assert "behind a pooler no session lasts" in served.stderr
