"""What is known of the processes of a worker's pool."""

import os
import signal
import subprocess

import pytest

from tests.support.given_pool import GivenPool
from tests.support.live.project import wait_until
from tournaments.delivery.pool_watch import LASTS_S, PoolWatch, is_running


def test_work_in_the_process_of_the_worker_itself_needs_no_pool() -> None:
    watch = PoolWatch()
    assert (watch.list_up(), watch.is_busy(), watch.look(5.0)) == (None, False, None)


@pytest.mark.parametrize(
    ("up", "working", "is_busy"),
    [
        ({1, 2}, {1, 2}, True),
        ({1, 2}, {1}, False),
        ({1}, {1, 7}, True),
        (set(), {7}, False),
        (set(), set(), False),
    ],
    ids=["all work", "one is free", "one of two is dead", "all are dead", "none is there"],
)
def test_worker_is_busy_while_each_process_that_is_up_has_a_task(
    up: set[int], working: set[int], is_busy: bool
) -> None:
    watch = GivenPool()
    watch.up, watch.working = up, working
    assert watch.is_busy() is is_busy


@pytest.mark.parametrize(("seconds", "since"), [(LASTS_S - 0.1, 5.0), (LASTS_S, None)])
def test_process_lasts_after_ten_seconds(seconds: float, since: float | None) -> None:
    watch = GivenPool()
    assert watch.look(5.0) == 5.0
    watch.up = {1}
    assert watch.look(20.0) == 5.0
    assert watch.look(20.0 + seconds) == since


def test_processes_that_end_again_and_again_never_last() -> None:
    watch = GivenPool()
    for pid in range(10):
        watch.up = {pid}
        assert watch.look(6.0 * pid) == 0.0


def test_other_process_that_lasts_is_enough() -> None:
    watch = GivenPool()
    watch.up = {1, 2}
    watch.look(0.0)
    assert watch.look(LASTS_S) is None
    watch.up = {2, 3}
    assert watch.look(LASTS_S + 1) is None
    watch.up = {3}
    assert watch.look(LASTS_S + 2) == LASTS_S + 2


def test_process_that_was_killed_does_not_run_before_anybody_reaped_it() -> None:
    with subprocess.Popen(["/bin/sleep", "600"]) as process:
        assert is_running(process.pid)
        process.send_signal(signal.SIGKILL)
        wait_until(lambda: not is_running(process.pid), what="its end")
        assert process.wait() == -signal.SIGKILL
    assert not is_running(process.pid)


def test_process_without_a_number_and_one_of_others_do_not_run() -> None:
    assert not is_running(None)
    assert not is_running(os.getppid())
