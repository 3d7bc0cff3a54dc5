"""Two workers share one sweep a period, and the one that is left goes on alone, without beat."""

import time
from collections.abc import Callable

import pytest

from tests.live.conftest import Inside
from tests.support.live.frequent_sweeps import PERIOD
from tests.support.live.project import LiveProject, wait_until
from tournaments.models.outbox import Dirty, Heartbeat
from tournaments.services.jobs.sweeps import SCOPE

pytestmark = [pytest.mark.worker, pytest.mark.pg, pytest.mark.redis, pytest.mark.timeout(150)]


def sweeps() -> int:
    """How many sweeps there were."""
    return Dirty.objects.filter(scope=SCOPE).values_list("version", flat=True).first() or 0


def sweep_goes_on(project: LiveProject) -> None:
    """Wait for five more sweeps; there are never more than one a period."""
    began, first = time.monotonic(), sweeps()
    wait_until(lambda: sweeps() >= first + 5, what=f"five sweeps\n{project.log}")
    counted = sweeps() - first
    periods = (time.monotonic() - began) / PERIOD.total_seconds()
    print(f"{counted} sweeps in {periods:.1f} periods")
    assert counted <= periods + 1


def test_two_workers_sweep_once_a_period_and_one_that_is_left_goes_on(
    live_project: Callable[..., LiveProject], inside: Inside, migrated_pg_url: str, redis_url: str
) -> None:
    project = live_project(DATABASE_URL=migrated_pg_url, BROKER_URL=redis_url)
    app = ("-m", "celery", "-q", "--skip-checks", "-A", "tests.support.live.frequent_sweeps")
    options = ("--pool", "solo", "--loglevel", "WARNING", "--without-gossip", "--without-mingle")
    one, _two = (project.start(*app, "worker", "-n", name, *options) for name in ("one", "two"))
    with inside(project):
        wait_until(lambda: Heartbeat.objects.count() == 2, what=project.log)
        sweep_goes_on(project)
        one.kill()
        one.wait()
        sweep_goes_on(project)
    project.drain()
    with inside(project):
        left = list(Heartbeat.objects.values_list("name", flat=True))
        assert left == ["celery@one"], "who ends in order says so"
