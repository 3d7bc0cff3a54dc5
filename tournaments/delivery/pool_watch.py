"""Which processes of a worker's pool are up, what they do, and since when none of them lasts."""

import os
from typing import Any, Final

from celery.concurrency.asynpool import AsynPool
from celery.concurrency.prefork import TaskPool
from celery.worker import state

LASTS_S: Final = 10.0
"""A process that was up for so long lasts; one that ends sooner may end again and again."""


class PoolWatch:
    """Watches the pool of this process' worker; without a pool, work is done in this process.

    Celery notices the end of a process up to five seconds late, and keeps what it was working on
    as active for ten seconds more. So the kernel is asked which processes run.
    """

    def __init__(self, pool: Any = None) -> None:
        self._pool = pool
        self._up_since: dict[int, float] = {}
        self._without_since: float | None = None

    def list_up(self) -> set[int] | None:
        """Return the processes that take work; None if work is done in this process."""
        if not isinstance(self._pool, TaskPool):
            return None
        task_pool: Any = self._pool
        pool: Any = task_pool._pool
        if pool is None:
            return set()
        # One that is starting takes no work yet; the pool that does without an event loop has no
        # such state.
        has_states = isinstance(pool, AsynPool)
        if has_states:
            processes = list(pool._fileno_to_inq.values())
        else:
            processes = list(pool._pool)
        return {process.pid for process in processes if is_running(process.pid)}

    def list_working(self) -> set[int]:
        """Return the processes that took a task; some of them may have ended."""
        requests = list(state.requests.values())
        return {request.worker_pid for request in requests if request.worker_pid is not None}

    def is_busy(self) -> bool:
        """Whether each process that is up has a task; without any, nobody will take a message."""
        working = self.list_working()
        up = self.list_up()
        if up is None:
            return bool(working)
        return bool(up) and up <= working

    def look(self, moment: float) -> float | None:
        """Return since when no process has lasted; None while one does.

        To be called often, with the moment of the call.
        """
        up = self.list_up()
        if up is None:
            return None
        self._up_since = {pid: self._up_since.get(pid, moment) for pid in up}
        if any(moment - since >= LASTS_S for since in self._up_since.values()):
            self._without_since = None
        elif self._without_since is None:
            self._without_since = moment
        return self._without_since


def is_running(pid: int | None) -> bool:
    """Whether a child of this process runs; one that has ended is left for its owner to reap."""
    if pid is None:
        return False
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False
