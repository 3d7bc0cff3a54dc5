"""A thousand hands by eight hosts while web and worker die: each acknowledged one is there once."""

import contextlib
import os
import signal
import time
from functools import partial

import pytest

from tests.live.conftest import Inside
from tests.support.lengths import short_or_long
from tests.support.live.events import is_published
from tests.support.live.project import LiveProject, tree_of, wait_until
from tests.support.live.rest_client import Hosts, open_rest_client, published_hands, stored

pytestmark = pytest.mark.worker

CLIENTS = 8
TABLES = short_or_long(20, 40)
HANDS = short_or_long(10, 25)
KILLED = short_or_long(
    {50: "web", 100: "worker", 150: "both"},
    {150: "web", 300: "worker", 450: "web", 600: "worker", 750: "both", 900: "web"},
)
"""After so many hands → who dies."""
NAMES = {"web": ("web",), "worker": ("worker",), "both": ("web", "worker")}


def kill(served: int, who: str) -> int:
    """Kill children of `serve` with all that they started; how many processes that were."""
    killed = 0
    for child, name in [*tree_of(served).items()][1:]:
        if name.startswith(NAMES[who]):
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
                killed += 1
    return killed


def test_thousand_posts_while_web_and_worker_are_killed_are_there_once(
    installation: LiveProject, inside: Inside
) -> None:
    project = installation
    served = project.serve()
    began = time.monotonic()
    with inside(project):
        rest, event = open_rest_client(project, tables=TABLES)
        hosts = Hosts(rest, TABLES, clients=CLIENTS, hands=HANDS).start()
        for goal, who in KILLED.items():
            wait_until(partial(hosts.has, goal), what=project.log)
            assert kill(served.pid, who), f"no {who} to kill"
        wait_until(lambda: hosts.has(TABLES * HANDS), what=project.log)
        hosts.end()
        wait_until(lambda: is_published(event.pk), what=project.log)
        took = time.monotonic() - began
        print(f"{len(hosts.acknowledged)} hands in {took:.1f} s, {dict(hosts.statuses)}")
        assert hosts.rude == []
        assert hosts.statuses[0] > 0, "no request was ever in doubt"
        assert len(hosts.acknowledged) == TABLES * HANDS
        assert stored(event) == hosts.acknowledged
        assert set(hosts.acknowledged.values()) == {1}
        assert published_hands(event) == TABLES * HANDS
