"""Strangers send what is dearest to score while hosts enter hands and probes ask for health."""

import http.client
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Self

import pytest

from tests.live.conftest import Inside
from tests.support.live.project import PATIENCE_S, LiveProject, wait_until
from tests.support.live.rest_client import Hosts, open_rest_client, stored
from tests.support.live.slow_clients import took
from tests.support.rest.expensive_cases import worst
from tests.support.services import beside_postgresql

pytestmark = pytest.mark.worker

STRANGERS = 4
PROBES = 25
HANDS = 40


class Strangers:
    """Each sends one request after another until the block ends."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._over = threading.Event()
        self.statuses: Counter[int] = Counter()
        self._threads = [
            threading.Thread(target=self._send, args=(worst(number),), daemon=True)
            for number in range(STRANGERS)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(timeout=PATIENCE_S)

    def _send(self, body: str) -> None:
        while not self._over.wait(0.02):
            line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
            line.request("POST", "/api/v1/score", body, {"Content-Type": "application/json"})
            answer = line.getresponse()
            answer.read()
            self.statuses[answer.status] += 1
            line.close()


@pytest.mark.parametrize(
    "database",
    [pytest.param("sqlite", marks=beside_postgresql()), pytest.param("pg", marks=pytest.mark.pg)],
)
def test_hosts_and_probes_are_answered_while_strangers_have_much_scored(
    database: str,
    request: pytest.FixtureRequest,
    live_project: Callable[..., LiveProject],
    inside: Inside,
) -> None:
    if database == "pg":
        project = live_project(DATABASE_URL=request.getfixturevalue("migrated_pg_url"))
    else:
        project = request.getfixturevalue("project")
    project.serve()
    with inside(project):
        rest, event = open_rest_client(project, tables=4)
        with Strangers(project.port) as strangers:
            hosts = Hosts(rest, 4, clients=2).start()
            wait_until(lambda: strangers.statuses, what=project.log)
            health = []
            for _ in range(PROBES):
                began = time.monotonic()
                assert project.status("/healthz") == 200
                health.append(time.monotonic() - began)
            before = strangers.statuses.total()
            wait_until(partial(hosts.has, HANDS), what=project.log)
            wait_until(lambda: strangers.statuses.total() > before, what=project.log)
            hosts.end()
        print(
            f"{database}: /healthz {took(health)}; hands {took(hosts.seconds)}; "
            f"{dict(hosts.statuses)}; strangers {dict(strangers.statuses)}"
        )
        assert hosts.rude == []
        assert set(hosts.statuses) == {201}
        assert set(strangers.statuses) <= {422, 429}
        assert strangers.statuses[422] > 0
        assert stored(event) == hosts.acknowledged
