"""PostgreSQL restarts or drops every connection under load; callers are told to wait."""

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from tests.live.conftest import Inside
from tests.support.lengths import short_or_long
from tests.support.live.events import is_published
from tests.support.live.project import LiveProject, free_port, wait_until
from tests.support.live.rest_client import (
    EVENT,
    Hosts,
    RestClient,
    open_rest_client,
    published_hands,
    stored,
)
from tournaments.models.events import Event

pytestmark = [pytest.mark.worker, pytest.mark.pg]

TABLES = 3


class Cluster:
    """A PostgreSQL of the test's own: initdb as the user postgres, a free port, a directory."""

    def __init__(self) -> None:
        binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        assert binaries, "the programs of PostgreSQL are not installed"
        self._bin = binaries[-1]
        self._place = Path(tempfile.mkdtemp(prefix="blacklady-pg-"))
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user:
            shutil.chown(self._place, self._user)
        self.port = free_port()
        data = str(self._place / "data")
        self._run("initdb", "--auth=trust", "--username=postgres", "--no-sync", "-D", data)
        self.control("start")
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"
        self.template = "template1"

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [str(self._bin / program), *words],
            user=self._user,
            cwd=self._place,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def control(self, *words: str) -> None:
        """Start, restart or stop it, and wait until it is done."""
        options = f"-p {self.port} -k {self._place} -h 127.0.0.1"
        log = str(self._place / "log")
        data = str(self._place / "data")
        self._run("pg_ctl", "-D", data, "-l", log, "-o", options, "-w", *words)

    def new_database(self) -> str:
        """Make a database without a row; its URL."""
        name = f"blacklady_{uuid.uuid4().hex[:8]}"
        make = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(make.format(sql.Identifier(name), sql.Identifier(self.template)))
        return self.url.removesuffix("postgres") + name

    def migrate(self, place: Path) -> None:
        """Let each database that is made from now on begin with an up-to-date schema."""
        url = self.new_database()
        done = LiveProject(place, {"DATABASE_URL": url}).manage("migrate", "--verbosity", "0")
        assert done.returncode == 0, done.stderr
        self.template = urlsplit(url).path.removeprefix("/")

    def drop_connections(self) -> None:
        """Terminate every connection but our own."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
                " AND application_name <> 'the test'"
            )

    def end(self) -> None:
        """Stop it and remove its files."""
        self.control("stop", "-m", "immediate")
        shutil.rmtree(self._place)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster()
    made.migrate(tmp_path_factory.mktemp("migrated-cluster"))
    yield made
    made.end()


@pytest.fixture
def project(live_project: Callable[..., LiveProject], cluster: Cluster) -> LiveProject:
    """An installation on a database of its own in the cluster, served."""
    made = live_project(DATABASE_URL=cluster.new_database())
    made.serve()
    return made


def opened(project: LiveProject, inside: Inside) -> tuple[RestClient, Event]:
    """The evening; no connection of ours stays open while the database goes away."""
    with inside(project):
        return open_rest_client(project, TABLES)


def settle(project: LiveProject, inside: Inside, hosts: Hosts, event: Event) -> None:
    """Let the hosts end, and compare what they were told with what there is."""
    goal = len(hosts.acknowledged) + 10
    wait_until(lambda: hosts.has(goal), what=project.log)
    hosts.end()
    with inside(project):
        fresh = wait_until(lambda: is_published(event.pk), what=project.log)
        print(
            f"{len(hosts.acknowledged)} hands acknowledged, {dict(hosts.statuses)}; the longest "
            f"took {hosts.slowest:.1f} s; all published {fresh:.2f} s after the last"
        )
        assert hosts.rude == [], project.log
        assert hosts.statuses[0] == 0
        assert stored(event) == hosts.acknowledged
        assert set(hosts.acknowledged.values()) == {1}
        assert published_hands(event) == len(hosts.acknowledged)


def test_restart_under_load_is_503_and_loses_nothing(
    project: LiveProject, inside: Inside, cluster: Cluster
) -> None:
    rest, event = opened(project, inside)
    hosts = Hosts(rest, TABLES).start()
    for _ in range(short_or_long(1, 3)):
        goal = len(hosts.acknowledged) + 10
        wait_until(partial(hosts.has, goal), what=project.log)
        cluster.control("restart", "-m", "immediate")
    settle(project, inside, hosts, event)


def test_dropped_connections_are_503_and_lose_nothing(
    project: LiveProject, inside: Inside, cluster: Cluster
) -> None:
    rest, event = opened(project, inside)
    hosts = Hosts(rest, TABLES).start()
    for _ in range(short_or_long(5, 20)):
        cluster.drop_connections()
        goal = len(hosts.acknowledged) + 3
        wait_until(partial(hosts.has, goal), what=project.log)
    settle(project, inside, hosts, event)


def test_read_on_a_connection_that_was_cut_is_answered_from_a_new_one(
    project: LiveProject, inside: Inside, cluster: Cluster
) -> None:
    rest, _ = opened(project, inside)

    def read() -> set[int]:
        """Read as a program and as anybody, often enough to meet every thread of the server."""
        table = f"{EVENT}/tables/r1t1"
        page = EVENT.removeprefix("/api/v1")
        return {
            status
            for _ in range(8)
            for status in (rest.ask("GET", table).status, project.status(page))
        }

    assert read() == {200}
    for _ in range(3):
        cluster.drop_connections()
        assert read() == {200}, project.log
    cluster.control("restart", "-m", "immediate")
    assert read() == {200}, project.log
