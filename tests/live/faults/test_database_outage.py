"""PostgreSQL restarts or drops every connection under load; callers are told to wait."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.live.conftest import Inside
from tests.support.lengths import short_or_long
from tests.support.live.cluster import Cluster
from tests.support.live.deadlocks import check_deadlocks
from tests.support.live.events import is_published
from tests.support.live.project import LiveProject, wait_until
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


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster()
    made.migrate(tmp_path_factory.mktemp("migrated-cluster"))
    yield made
    made.end()


@pytest.fixture
def project(live_project: Callable[..., LiveProject], cluster: Cluster) -> Iterator[LiveProject]:
    made = live_project(DATABASE_URL=cluster.new_database())
    made.serve()
    yield made
    check_deadlocks(made.environment["DATABASE_URL"])


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


@pytest.mark.tier_long
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


@pytest.mark.tier_long
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
