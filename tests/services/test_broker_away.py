"""F3, F4: what a broker does, or fails to do, costs no entry and leaves nothing stale."""

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import redis

from tests.live import LiveProject, free_port, wait_until
from tests.services.conftest import Inside
from tests.services.door import Hosts, open_door, published_hands, stored
from tests.services.evening import is_published

pytestmark = [pytest.mark.worker, pytest.mark.redis, pytest.mark.timeout(150)]

SWEEP_S = 10.0


class OwnRedis:
    """A Redis server of the test's own, on a free port."""

    def __init__(self, place: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._place = place
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers; it keeps nothing on disk."""
        program = shutil.which("redis-server")
        assert program, "redis-server is not installed"
        words = ("--port", str(self.port), "--save", "", "--appendonly", "no")
        self.process = subprocess.Popen(
            [program, *words, "--dir", str(self._place)], stdout=subprocess.DEVNULL
        )
        wait_until(self._answers, within_s=10, what="our own Redis")

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as line:
                return bool(line.ping())
        except redis.exceptions.ConnectionError:
            return False

    def forget_everything(self) -> None:
        """Drop all that it holds."""
        with redis.Redis.from_url(self.url) as line:
            line.flushall()

    def end(self) -> None:
        """End it by force, paused or not."""
        self.process.kill()
        self.process.wait()


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[OwnRedis]:
    server = OwnRedis(tmp_path)
    yield server
    server.end()


def lines(project: LiveProject, event: str) -> int:
    """How often the installation's log has an event."""
    return project.log.count(f'"event": {json.dumps(event)}')


@pytest.mark.parametrize("fault", ["closed", "paused"])
def test_entry_is_taken_while_the_broker_is_away_and_published_all_the_same(
    live_project: Callable[..., LiveProject],
    inside: Inside,
    migrated: Path,
    own_redis: OwnRedis,
    fault: str,
) -> None:
    project = live_project(BROKER_URL=own_redis.url)
    shutil.copy(migrated, project.place / "live.sqlite3")
    project.serve()
    with inside(project):
        door, event = open_door(project)
        assert door.enter("r1t1", 1, key="one").status == 201
        wait_until(lambda: is_published(event.pk), within_s=SWEEP_S, what="the first hand")
        if fault == "closed":
            own_redis.end()
        else:
            own_redis.process.send_signal(signal.SIGSTOP)
        before = lines(project, "hint_not_sent")
        began = time.monotonic()
        answer = door.enter("r1t1", 2, key="two")
        took = time.monotonic() - began
        assert answer.status == 201, project.log
        assert took < 1, "an entry waited for the broker"
        fresh = wait_until(lambda: published_hands(event) == 2, within_s=SWEEP_S, what=project.log)
        print(f"broker {fault}: 201 after {took:.2f} s, published {fresh:.2f} s later")
        assert lines(project, "hint_not_sent") - before == 1
        own_redis.process.send_signal(signal.SIGCONT)


def test_broker_that_forgets_and_restarts_under_load_leaves_nothing_stale(
    live_project: Callable[..., LiveProject],
    inside: Inside,
    migrated: Path,
    own_redis: OwnRedis,
) -> None:
    project = live_project(BROKER_URL=own_redis.url)
    shutil.copy(migrated, project.place / "live.sqlite3")
    project.serve()
    with inside(project):
        door, event = open_door(project, tables=2)
        hosts = Hosts(door, tables=2).start()
        for more in (10, 20, 30):
            wait_until(partial(hosts.has, more), within_s=40, what=project.log)
            own_redis.forget_everything()
        own_redis.end()
        wait_until(lambda: hosts.has(40), within_s=40, what=project.log)
        own_redis.start()
        wait_until(lambda: hosts.has(50), within_s=40, what=project.log)
        hosts.end()
        fresh = wait_until(lambda: is_published(event.pk), within_s=SWEEP_S + 5, what=project.log)
        print(
            f"{len(hosts.acknowledged)} hands, {dict(hosts.statuses)}; "
            f"all published {fresh:.2f} s after the last"
        )
        assert hosts.rude == []
        assert stored(event) == hosts.acknowledged
        assert published_hands(event) == len(hosts.acknowledged)
