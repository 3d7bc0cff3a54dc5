"""A Redis that is broker and cache is stopped, paused and started again; nobody notices."""

import json
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import quantiles

import pytest
from django.utils import timezone

from tests.live.conftest import Inside
from tests.support.answers import Json
from tests.support.builders import by_tests, counts
from tests.support.lengths import only_long
from tests.support.live.events import is_published
from tests.support.live.own_redis import OwnRedis
from tests.support.live.page_client import Browser, give_password
from tests.support.live.project import LiveProject, wait_until
from tests.support.live.rest_client import (
    EVENT,
    Answer,
    Hosts,
    open_rest_client,
    published_hands,
    stored,
)
from tournaments.domain.circuit_breaker import PAUSE_S
from tournaments.models.hands import Game
from tournaments.selectors.access.table_links import secrets_of
from tournaments.services.access.table_links import make_link

pytestmark = [pytest.mark.worker, pytest.mark.redis]

ROUNDS = 8
STANDINGS = f"{EVENT}/standings"
CASE = {"variant": "hearts", "seats": 4, "hands": [{"entry": counts([4, 1, 2, 6], queen=3)}]}


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[OwnRedis]:
    server = OwnRedis(tmp_path)
    yield server
    server.end()


def lines(project: LiveProject, event: str) -> int:
    return project.log.count(f'"event": {json.dumps(event)}')


def logged(project: LiveProject, event: str) -> list[Json]:
    said = [one for one in project.log.splitlines() if f'"event": {json.dumps(event)}' in one]
    return [json.loads(one[one.index("{") :]) for one in said]


def shares(url: str) -> dict[str, str]:
    """Broker and cache on one Redis, as in docker-compose.yml."""
    return {"BROKER_URL": url, "CACHE_URL": url.removesuffix("/0") + "/1"}


class Callers:
    """A host, a program, a phone with a table's link and somebody who signs in; all are timed."""

    def __init__(self, project: LiveProject) -> None:
        self.rest, self.event = open_rest_client(project)
        self.took: dict[str, list[float]] = {}
        self._project = project
        give_password("hanna")
        game = Game.objects.get(event=self.event)
        link = make_link(by_tests(timezone.now()), game.table)
        self._link = f"/t/{secrets_of(link.seed).token}"
        self._hands = 0

    def round(self) -> dict[str, int]:
        """Let everybody ask once; what each was answered."""
        self._hands += 1
        number = self._hands
        return {
            "hand": self._timed("hand", lambda: self.rest.enter("r1t1", number, key=f"{number}")),
            "standings": self._timed("standings", lambda: self.rest.ask("GET", STANDINGS)),
            "score": self._timed("score", lambda: self.rest.ask("POST", "/api/v1/score", CASE)),
            "link": self._timed("link", lambda: Browser(self._project).open(self._link)),
            "sign_in": self._timed("sign_in", lambda: Browser(self._project).sign_in("hanna")),
        }

    @property
    def hands(self) -> int:
        return self._hands

    def p95(self, name: str) -> float:
        """How long one of them took, but for one in twenty."""
        return quantiles(self.took[name], n=20)[-1]

    def _timed(self, name: str, ask: Callable[[], Answer]) -> int:
        began = time.monotonic()
        status = ask().status
        self.took.setdefault(name, []).append(time.monotonic() - began)
        return status


ALL_IS_WELL = {"hand": 201, "standings": 200, "score": 200, "link": 200, "sign_in": 200}


@pytest.mark.tier_long
@pytest.mark.parametrize("fault", ["stopped", only_long("paused")])
def test_redis_that_is_away_costs_nobody_anything(
    embedded: Callable[..., LiveProject], inside: Inside, own_redis: OwnRedis, fault: str
) -> None:
    project = embedded(**shares(own_redis.url))
    project.serve()
    with inside(project):
        callers = Callers(project)
        event = callers.event
        wait_until(lambda: is_published(event.pk), what="the first publication")
        assert callers.round() == ALL_IS_WELL
        if fault == "stopped":
            own_redis.end()
        else:
            own_redis.process.send_signal(signal.SIGSTOP)
        callers.took.clear()
        for _ in range(ROUNDS):
            assert callers.round() == ALL_IS_WELL, project.log
        fresh = wait_until(lambda: published_hands(event) == callers.hands, what=project.log)
        each = ", ".join(f"{name} {callers.p95(name) * 1000:.0f} ms" for name in callers.took)
        print(f"Redis {fault}: p95 of {ROUNDS}: {each}; published {fresh:.2f} s after the last")
        assert project.readiness() == ["broker_away", "cache_away"]
        # One a process: the web's and the worker's.
        assert (lines(project, "broker_away"), lines(project, "cache_away")) == (2, 1)
        if fault == "stopped":
            own_redis.start()
        else:
            own_redis.process.send_signal(signal.SIGCONT)

        def is_back() -> bool:
            assert callers.round() == ALL_IS_WELL, project.log
            return lines(project, "broker_back") == 2 and lines(project, "cache_back") == 1

        wait_until(lambda: project.readiness() == [], what="no fault")
        wait_until(is_back, what=f"Redis to be used again\n{project.log}")
        # Hardly any entry can have waited for the broker where hardly any has tried it.
        for outage in logged(project, "broker_back"):
            assert outage["tries_in_vain"] <= 2 + outage["away_s"] / PAUSE_S, outage
        assert (lines(project, "broker_away"), lines(project, "cache_away")) == (2, 1)


def test_broker_that_forgets_and_restarts_under_load_leaves_nothing_stale(
    embedded: Callable[..., LiveProject], inside: Inside, own_redis: OwnRedis
) -> None:
    project = embedded(**shares(own_redis.url))
    project.serve()
    with inside(project):
        rest, event = open_rest_client(project, tables=2)
        hosts = Hosts(rest, tables=2).start()
        for more in (10, 20, 30):
            wait_until(partial(hosts.has, more), what=project.log)
            own_redis.forget_everything()
        own_redis.end()
        wait_until(lambda: hosts.has(40), what=project.log)
        own_redis.start()
        wait_until(lambda: hosts.has(50), what=project.log)
        hosts.end()
        fresh = wait_until(lambda: is_published(event.pk), what=project.log)
        print(
            f"{len(hosts.acknowledged)} hands, {dict(hosts.statuses)}; "
            f"all published {fresh:.2f} s after the last"
        )
        assert hosts.rude == []
        assert stored(event) == hosts.acknowledged
        assert published_hands(event) == len(hosts.acknowledged)


def test_worker_goes_on_while_redis_has_no_memory_left(
    embedded: Callable[..., LiveProject], inside: Inside, own_redis: OwnRedis
) -> None:
    project = embedded(**shares(own_redis.url))
    worker = project.start_worker("one")
    project.wait_ready(project.start("manage.py", "web"))
    with inside(project):
        rest, event = open_rest_client(project)
        wait_until(lambda: is_published(event.pk), what=f"the first publication\n{project.log}")

        def is_entered_beside_a_suspended_worker() -> bool:
            worker.send_signal(signal.SIGSTOP)
            if rest.enter("r1t1", 1, key="1").status == 201:
                return True
            worker.send_signal(signal.SIGCONT)  # suspended as it wrote, it held SQLite's lock
            return False

        wait_until(is_entered_beside_a_suspended_worker, what=project.log)
        # A message waits, and the worker cannot note that it has taken it.
        own_redis.refuse_writes()
        worker.send_signal(signal.SIGCONT)
        for number in (2, 3):
            assert rest.enter("r1t1", number, key=f"{number}").status == 201
        wait_until(lambda: published_hands(event) == 3, what=project.log)
        assert worker.poll() is None, project.log
        wait_until(lambda: "broker_away" in (project.readiness() or ()), what=project.log)
        own_redis.take_writes()
        wait_until(lambda: project.readiness() == [], what=f"no fault\n{project.log}")
        assert rest.enter("r1t1", 4, key="4").status == 201
        wait_until(lambda: published_hands(event) == 4, what=project.log)
