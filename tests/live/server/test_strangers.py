"""Strangers hold connections or send what is dearest to score; hosts and probes are answered."""

import http.client
import threading
import time
from collections import Counter
from functools import partial
from typing import Self

import pytest

from tests.live.conftest import Inside
from tests.support.live.project import PATIENCE_S, LiveProject, wait_until
from tests.support.live.rest_client import Hosts, open_rest_client, stored
from tests.support.live.slow_clients import KINDS, SlowClients, took
from tests.support.rest.expensive_cases import worst

pytestmark = pytest.mark.worker

SCORING = 4
PROBES = 25
HANDS = 40
HOLDING = 200
LARGE = "/static/drf_spectacular_sidecar/redoc/bundles/redoc.standalone.js"


class ScoringStrangers:
    """Each sends one request after another until the block ends."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._over = threading.Event()
        self.statuses: Counter[int] = Counter()
        self._threads = [
            threading.Thread(target=self._send, args=(worst(number),), daemon=True)
            for number in range(SCORING)
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


def test_hosts_and_probes_are_answered_while_strangers_have_much_scored(
    installation: LiveProject, inside: Inside
) -> None:
    project = installation
    project.serve()
    with inside(project):
        rest, event = open_rest_client(project, tables=4)
        with ScoringStrangers(project.port) as strangers:
            hosts = Hosts(rest, 4, clients=2).start()
            wait_until(lambda: strangers.statuses, what=project.log)
            health = [_seconds(project) for _ in range(PROBES)]
            before = strangers.statuses.total()
            wait_until(partial(hosts.has, HANDS), what=project.log)
            wait_until(lambda: strangers.statuses.total() > before, what=project.log)
            hosts.end()
        print(
            f"/healthz {took(health)}; hands {took(hosts.seconds)}; "
            f"{dict(hosts.statuses)}; strangers {dict(strangers.statuses)}"
        )
        assert hosts.rude == []
        assert set(hosts.statuses) == {201}
        assert set(strangers.statuses) <= {422, 429}
        assert strangers.statuses[422] > 0
        assert stored(event) == hosts.acknowledged


def test_hosts_are_answered_while_strangers_wait(installation: LiveProject, inside: Inside) -> None:
    project = installation
    project.serve()
    with inside(project):
        rest, event = open_rest_client(project, tables=4)
        everything: dict[tuple[str, int], int] = {}
        for kind in KINDS:
            known = dict(everything)
            with SlowClients(project.port, kind, HOLDING, large=LARGE) as strangers:
                wait_until(partial(_all_hang, strangers), what=kind)
                hosts = Hosts(rest, 4, clients=2, known=known).start()
                health = [_seconds(project) for _ in range(PROBES)]
                wait_until(partial(hosts.has, len(known) + HANDS), what=project.log)
                assert strangers.held > HOLDING // 2, "the strangers had gone"
                hosts.end()
            everything = hosts.acknowledged
            print(
                f"{kind}: {HOLDING} strangers; /healthz {took(health)}; "
                f"hands {took(hosts.seconds)}; {dict(hosts.statuses)}"
            )
            assert hosts.rude == []
            assert set(hosts.statuses) == {201}
        assert stored(event) == everything


def _all_hang(strangers: SlowClients) -> bool:
    return strangers.rounds > 0 and strangers.held == HOLDING


def _seconds(project: LiveProject) -> float:
    began = time.monotonic()
    assert project.status("/healthz") == 200
    return time.monotonic() - began
