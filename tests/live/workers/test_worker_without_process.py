"""A worker whose pool processes end or do not start publishes all the same, and is told."""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from tests.live.conftest import Inside
from tests.support.lengths import short_or_long
from tests.support.live.events import enter, evening, is_published
from tests.support.live.hints import sender
from tests.support.live.processor_quota import (
    move_into,
    pool_processes,
    priority_of,
    processor_quota,
)
from tests.support.live.project import LiveProject, wait_until
from tournaments.delivery.priority import LOWER_BY
from tournaments.models.jobs import Heartbeat
from tournaments.services.jobs.enqueue import NO_EVENT, PUBLISH_TASK

pytestmark = [pytest.mark.worker, pytest.mark.pg, pytest.mark.redis]

APP = "tests.support.live.slow_pool"
ONE_PROCESS = ("--concurrency", "1", "--without-gossip")
HANDS = short_or_long(2, 12)


@pytest.fixture
def project(
    migrated_pg_url: str, redis_url: str, live_project: Callable[..., LiveProject]
) -> LiveProject:
    made = live_project(DATABASE_URL=migrated_pg_url, BROKER_URL=redis_url)
    made.environment["BLACKLADY_HOME"] = str(made.place)
    made.environment["SLOW_POOL"] = str(made.place / "started")
    return made


@contextmanager
def killed_again_and_again(worker: subprocess.Popen[bytes]) -> Iterator[set[int]]:
    """Kill each process of a worker's pool as soon as it is seen; yields those that were killed."""
    is_over = threading.Event()
    killed: set[int] = set()

    def kill() -> None:
        while not is_over.wait(0.2):
            for pid in pool_processes(worker.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    killed.add(pid)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    try:
        yield killed
    finally:
        is_over.set()
        thread.join()


def test_process_that_needs_longer_than_celerys_four_seconds_is_left_to_start(
    project: LiveProject, inside: Inside
) -> None:
    project.environment["SLOW_POOL_S"] = "6"
    worker = project.start_worker("one", *ONE_PROCESS, app=APP)
    started = project.place / "started"
    wait_until(started.exists, what=f"a process\n{project.log}", within_s=120)
    assert started.read_text(encoding="utf-8").split() == [
        str(pid) for pid in pool_processes(worker.pid)
    ]
    assert "Timed out waiting for UP message" not in project.log
    with inside(project):
        game = evening()
        enter(game, 1)
        wait_until(lambda: is_published(game.event_id), what=project.log)


def test_worker_whose_processes_never_start_publishes_and_is_told_as_without_process(
    project: LiveProject, inside: Inside
) -> None:
    project.environment["SLOW_POOL_S"] = "3600"
    project.start_worker("one@here", *ONE_PROCESS, app=APP)
    with inside(project):
        game = evening()
        for number in range(1, HANDS + 1):
            enter(game, number)
            took = wait_until(lambda: is_published(game.event_id), what=project.log)
            print(f"published {took:.1f} s after the hand, by a worker without a process")
        wait_until(lambda: findings(project), what=project.log)
        assert findings(project) == {
            "worker_without_process": (
                "No process of the worker one@here lasts: they end, or do not start."
            )
        }
        assert Heartbeat.objects.get().name == "one@here"
    assert sorted(path.suffix for path in (project.place / "workers").iterdir()) == [
        ".lock",
        ".without-process",
    ]
    assert '"event": "worker_without_process"' in project.log


def findings(project: LiveProject) -> dict[str, str]:
    """The sentences of what is wrong with workers, by code."""
    status = json.loads(project.manage("status", "--json").stdout)
    return {
        finding["code"]: finding["sentence"]
        for finding in status["findings"]
        if finding["area"] == "workers" and finding["code"] != "no_worker"
    }


def wait_for_a_task(worker: subprocess.Popen[bytes], project: LiveProject, queue: str) -> int:
    """Have the process of a worker's pool do a task, as the only one there; return its id.

    A worker whose process is killed before that gives up: whoever started it starts it again.
    """
    # That of this thread, which a worker takes over: a task in this process may have lowered it.
    usual = priority_of(0)
    app = sender(project.environment["BROKER_URL"], queue)
    wait_until(lambda: pool_processes(worker.pid), what=f"a process\n{project.log}")
    [process] = pool_processes(worker.pid)
    assert priority_of(worker.pid) == usual
    app.send_task(PUBLISH_TASK, args=[NO_EVENT], retry=False)
    wait_until(lambda: priority_of(process) == usual + LOWER_BY, what=f"a task\n{project.log}")
    assert priority_of(worker.pid) == usual
    app.close()
    return process


def test_process_has_its_lower_priority_after_its_first_task_and_the_worker_that_forks_never(
    project: LiveProject, broker_queue: str
) -> None:
    worker = project.start_worker("one", *ONE_PROCESS)
    wait_until(lambda: pool_processes(worker.pid), what=f"a process\n{project.log}")
    [process] = pool_processes(worker.pid)
    assert priority_of(process) == priority_of(0)
    assert wait_for_a_task(worker, project, broker_queue) == process
    # The next process may do the task of this one first, if that was not acknowledged yet.
    os.kill(process, signal.SIGKILL)
    wait_until(lambda: set(pool_processes(worker.pid)) - {process}, what=project.log)
    wait_for_a_task(worker, project, broker_queue)


@pytest.mark.parametrize("workers", [1, 2])
def test_hands_are_published_while_the_process_is_killed_again_and_again(
    project: LiveProject, inside: Inside, broker_queue: str, workers: int
) -> None:
    """A fifth of a core for all workers, where the system has control groups."""
    running = []
    for name in ("one", "two")[:workers]:
        running.append(project.start_worker(name, *ONE_PROCESS))
        if name == "one":
            wait_for_a_task(running[0], project, broker_queue)
    with inside(project), processor_quota(20) as group:
        wait_until(lambda: Heartbeat.objects.count() == workers, what=f"workers\n{project.log}")
        game = evening()
        for worker in running:
            if group is not None:
                move_into(group, worker.pid)
        with killed_again_and_again(running[0]) as killed:
            for number in range(1, HANDS + 1):
                enter(game, number)
                took = wait_until(lambda: is_published(game.event_id), what=project.log)
                print(f"published {took:.1f} s after the hand; {len(killed)} processes killed")
        wait_until(lambda: pool_processes(running[0].pid), what="a process again")
        assert killed
