"""Two workers share one sweep a period, and the one that is left goes on alone, without beat."""

from collections.abc import Callable
from datetime import datetime
from itertools import pairwise

import pytest

from tests.live.conftest import Inside
from tests.support.live.frequent_sweeps import PERIOD
from tests.support.live.project import LiveProject, wait_until
from tournaments.models.jobs import Dirty, Heartbeat
from tournaments.services.jobs.queue import SCOPE

pytestmark = [pytest.mark.worker, pytest.mark.pg, pytest.mark.redis]


def sweeps() -> tuple[int, datetime | None]:
    """How many sweeps there were, and when the last one began."""
    return Dirty.objects.filter(scope=SCOPE).values_list("version", "done_at").first() or (0, None)


def sweep_goes_on(project: LiveProject) -> None:
    """Wait for five more sweeps; between the beginnings of two there is at least one period."""
    seen = [sweeps()]

    def five_more() -> bool:
        if (now := sweeps()) != seen[-1]:
            seen.append(now)
        return seen[-1][0] >= seen[0][0] + 5

    wait_until(five_more, what=f"five sweeps\n{project.log}")
    for (count, began), (later_count, later) in pairwise(one for one in seen if one[1]):
        assert began is not None
        assert later is not None
        assert later - began >= (later_count - count) * PERIOD, seen


@pytest.mark.tier_long
def test_two_workers_sweep_once_a_period_and_one_that_is_left_goes_on(
    live_project: Callable[..., LiveProject], inside: Inside, migrated_pg_url: str, redis_url: str
) -> None:
    project = live_project(DATABASE_URL=migrated_pg_url, BROKER_URL=redis_url)
    app = "tests.support.live.frequent_sweeps"
    one, _two = (project.start_worker(name, app=app) for name in ("one", "two"))
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
