"""Visitors read from a real standby; it falls behind, goes away, and takes the primary's place."""

import http.client
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.live.conftest import Inside
from tests.support.live.cluster import FAST, Cluster
from tests.support.live.events import is_published
from tests.support.live.pooler import Pooler
from tests.support.live.project import LiveProject, wait_until
from tests.support.live.rest_client import EVENT, Answer, Hosts, open_rest_client, stored

pytestmark = [pytest.mark.worker, pytest.mark.pg, pytest.mark.redis]

STANDINGS = f"{EVENT}/standings"
PAGE = "/clubs/riverside/events/league"
TABLES = 2


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[Cluster]]:
    """A primary with an empty schema and a standby; a test may add servers."""
    primary = Cluster(*FAST)
    primary.migrate(tmp_path)
    primary.template, database = "template1", primary.template
    primary.url = primary.url.removesuffix("postgres") + database
    feedback = ("hot_standby_feedback=on", "max_standby_streaming_delay=-1")
    servers = [primary, Cluster(*FAST, *feedback, primary=primary)]
    servers[1].url = servers[1].url.removesuffix("postgres") + database
    yield servers
    for server in reversed(servers):
        server.end()


def visit(project: LiveProject, path: str, etag: str = "") -> Answer:
    """Ask as a visitor: without a cookie and a token."""
    line = http.client.HTTPConnection("127.0.0.1", project.port, timeout=180)
    line.request("GET", path, headers={"If-None-Match": etag} if etag else {})
    answer = line.getresponse()
    headers = {name.lower(): value for name, value in answer.headers.items()}
    body = answer.read()
    line.close()
    return Answer(answer.status, headers, body)


def faults(project: LiveProject) -> set[str]:
    status = json.loads(project.manage("status", "--json").stdout)
    return {finding["code"] for finding in status["findings"]}


def test_visitors_read_the_standby_while_it_is_close_and_never_an_older_copy(
    live_project: Callable[..., LiveProject], servers: list[Cluster], redis_url: str, inside: Inside
) -> None:
    primary, standby = servers
    shared = {
        "DATABASE_URL": primary.url,
        "DATABASE_REPLICA_URL": standby.url,
        "BROKER_URL": redis_url,
        "CACHE_URL": redis_url,
    }
    # To one a standby is never too far behind; to the other one that stands still is.
    patient = live_project(**shared, DATABASE_REPLICA_LAG="3600")
    strict = live_project(**shared)
    patient.start("manage.py", "worker", "--concurrency", "1")
    for project in (patient, strict):
        project.wait_ready(project.start("manage.py", "web", "--workers", "1"))
    with inside(patient):
        rest, event = open_rest_client(patient)

    def enter(number: int) -> None:
        assert rest.enter("r1t1", number, key=f"hand-{number}").status == 201
        with inside(patient):
            wait_until(lambda: is_published(event.pk), what=patient.log)

    enter(1)
    first = rest.ask("GET", STANDINGS)
    newest_number = "SELECT coalesce(max(number), 0) FROM tournaments_publication"
    published = primary.execute(newest_number)
    wait_until(
        lambda: standby.execute(newest_number) == published, what="the publication on the standby"
    )
    assert visit(patient, STANDINGS).body == first.body
    standby.execute("SELECT pg_wal_replay_pause()")
    paused = "SELECT pg_get_wal_replay_pause_state() = 'paused'"
    wait_until(lambda: standby.execute(paused), what="a pause of the standby")
    enter(2)
    second = rest.ask("GET", STANDINGS)
    assert second.body != first.body, "who enters hands reads the primary"
    assert visit(patient, STANDINGS).body == first.body, patient.log
    assert visit(patient, STANDINGS, first.headers["etag"]).status == 304
    # A newer copy is compared with the primary, in any process.
    assert visit(patient, STANDINGS, second.headers["etag"]).status == 304
    assert visit(strict, STANDINGS, second.headers["etag"]).status == 304
    assert visit(patient, STANDINGS, '"another"').body == second.body
    # What the standby does not have yet is asked from the primary.
    assert visit(patient, f"{EVENT}/publications/2").status == 200
    enter(3)
    newest = rest.ask("GET", STANDINGS)
    wait_until(lambda: visit(strict, STANDINGS).body == newest.body, what=strict.log)
    wait_until(lambda: "standby_behind" in faults(strict), what=strict.log)
    assert "standby_behind" not in faults(patient)

    standby.execute("SELECT pg_wal_replay_resume()")
    wait_until(lambda: "standby_behind" not in faults(strict), what=strict.log)
    wait_until(lambda: visit(patient, STANDINGS).body == newest.body, what=patient.log)
    standby.control("stop", "-m", "immediate")
    assert visit(patient, STANDINGS).body == newest.body
    assert visit(patient, PAGE).status == 200
    assert "standby_away" in faults(strict)
    assert strict.readiness() is not None, "a web process serves without the standby"


@pytest.fixture
def pooler() -> Iterator[Pooler]:
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)  # for `nobody`
        pooler = Pooler(Path(place))
        yield pooler
        pooler.end()


@pytest.mark.pgbouncer
def test_standby_is_promoted_and_the_old_primary_follows_it(
    live_project: Callable[..., LiveProject],
    servers: list[Cluster],
    pooler: Pooler,
    redis_url: str,
    inside: Inside,
) -> None:
    """The steps of docs/scaling.md, while hosts enter hands."""
    primary, standby = servers
    pooler.lead_to(primary)
    database = primary.url.rpartition("/")[2]
    project = live_project(
        DATABASE_URL=f"postgres://postgres@127.0.0.1:{pooler.port}/{database}",
        DATABASE_POOLER="transaction",
        DATABASE_REPLICA_URL=standby.url,
        BROKER_URL=redis_url,
        CACHE_URL=redis_url,
    )
    reader = live_project(
        DATABASE_URL=standby.url, DATABASE_READ_ONLY="1", BROKER_URL=redis_url, CACHE_URL=redis_url
    )
    project.start("manage.py", "worker", "--concurrency", "1")
    project.wait_ready(project.start("manage.py", "web", "--workers", "1"))
    direct = LiveProject(project.place, {"DATABASE_URL": primary.url})
    with inside(direct):
        rest, event = open_rest_client(project, TABLES)
    reader.start("manage.py", "web", "--workers", "1")
    wait_until(
        lambda: "database_read_only" in (reader.readiness() or ()), what=f"ready\n{reader.log}"
    )
    hosts = Hosts(rest, TABLES).start()
    wait_until(lambda: hosts.has(6), what=project.log)

    primary.control("stop", "-m", "fast")  # a standby has got all when it ends like this
    assert visit(reader, PAGE).status == 200
    standby.control("promote")
    pooler.lead_to(standby)
    goal = len(hosts.acknowledged) + 6
    wait_until(lambda: hosts.has(goal), what=project.log)

    again = Cluster(*FAST, primary=standby)
    servers.append(again)
    again.url = again.url.removesuffix("postgres") + database
    hosts.end()
    assert hosts.rude == [], project.log
    with inside(LiveProject(project.place, {"DATABASE_URL": standby.url})):
        wait_until(lambda: is_published(event.pk), what=project.log)
        assert stored(event) == hosts.acknowledged
    with inside(LiveProject(project.place, {"DATABASE_URL": again.url})):
        wait_until(lambda: stored(event) == hosts.acknowledged, what="the new standby")
    assert project.manage("replay", "--check").returncode == 0
