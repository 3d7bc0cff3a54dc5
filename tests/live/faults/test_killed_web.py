"""The web process killed under load; what was acknowledged is stored, and nothing twice."""

import contextlib
import os
import signal
from functools import partial

import pytest

from tests.live.conftest import Inside
from tests.support.live.events import is_published
from tests.support.live.project import LiveProject, tree_of, wait_until
from tests.support.live.rest_client import Hosts, open_rest_client, published_hands, stored
from tournaments.management.service import WEB_MODULE

pytestmark = pytest.mark.worker

TIMES = 3
TABLES = 3


def web_of(served: int) -> list[int]:
    """The web process of `serve`, and its own workers."""
    for child in tree_of(served):
        with contextlib.suppress(OSError), open(f"/proc/{child}/cmdline", "rb") as said:
            if WEB_MODULE.encode() in said.read():
                return [*reversed(tree_of(child))]
    return []


@pytest.mark.tier_long
def test_web_killed_under_load_loses_nothing_and_doubles_nothing(
    project: LiveProject, inside: Inside
) -> None:
    served = project.serve()
    with inside(project):
        rest, event = open_rest_client(project, tables=TABLES)
        hosts = Hosts(rest, TABLES).start()
        for time_ in range(1, TIMES + 1):
            goal = len(hosts.acknowledged) + 10
            wait_until(partial(hosts.has, goal), what=project.log)
            killed = web_of(served.pid)
            assert killed, "no web process to kill"
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
            back = wait_until(lambda: project.status("/healthz") == 200, what=project.log)
            print(f"killed {time_} of {TIMES}: answered again after {back:.2f} s")
        goal = len(hosts.acknowledged) + 10
        wait_until(lambda: hosts.has(goal), what=project.log)
        hosts.end()
        wait_until(lambda: is_published(event.pk), what=project.log)
        print(f"{len(hosts.acknowledged)} hands acknowledged, {dict(hosts.statuses)}")
        assert hosts.rude == []
        assert hosts.statuses[0] > 0, "no request was ever in doubt"
        assert stored(event) == hosts.acknowledged
        assert set(hosts.acknowledged.values()) == {1}
        assert published_hands(event) == len(hosts.acknowledged)
