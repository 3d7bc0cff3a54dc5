"""Keeps child processes running: restarts with back-off, gives up on a crash loop, stops cleanly.

Children are forked, so that they share the memory of what the supervisor has loaded. Each child
leads its own process group, so that Ctrl-C reaches the supervisor alone and no grandchild is left
over. The kernel ends the children if the supervisor itself is killed.
"""

import atexit
import ctypes
import gc
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Self

import structlog
from django.conf import settings
from django.db import connections

log = structlog.get_logger(__name__)

COUNTERS = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the directory of counters; `prometheus_client` reads it."""
SHARED_MEMORY = "/dev/shm"  # noqa: S108  # mkdtemp makes a directory of its own there
LOOK_S = 0.1
GRACE_S = 10.0
"""A worker needs about 3 s to end by itself."""
CRASHES = 10
WITHIN_S = 60.0
FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 2.0

_PREFIX = "blacklady-counters-"
_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_libc = ctypes.CDLL(None, use_errno=True)
_CONTEXT = multiprocessing.get_context("fork")


class CrashLoop(Exception):
    """A child crashed CRASHES times within WITHIN_S; it is not restarted again."""


class Child:
    """A function that is kept running in a process of its own.

    `longest_wait_s` bounds the delay of a restart; `closes` are the supervisor's open files that
    the child must not hold.
    """

    def __init__(
        self,
        name: str,
        run: Callable[[], object],
        *,
        longest_wait_s: float = LONGEST_WAIT_S,
        closes: Iterable[int] = (),
    ) -> None:
        self.name = name
        self.run = run
        self.closes = tuple(closes)
        self.longest_wait_s = longest_wait_s
        self.process: ForkProcess | None = None
        self.crashes: deque[float] = deque()
        self.start_at = 0.0

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.is_alive()

    def note_crash(self, moment: float) -> int:
        """Count a crash, delay the next start, and return the crashes of the last WITHIN_S."""
        self.crashes.append(moment)
        while self.crashes[0] <= moment - WITHIN_S:
            self.crashes.popleft()
        wait_s = FIRST_WAIT_S * 2 ** (len(self.crashes) - 1)
        self.start_at = moment + min(self.longest_wait_s, wait_s)
        return len(self.crashes)


def share_counters() -> None:
    """Give this process and its children a directory for their counters
    (`tournaments/domain/counters.py`), which is gone with it.

    To be called before Django is loaded: `prometheus_client` reads the variable when imported.
    """
    # Not on a disk, which may be full: a process that writes to a mapped file there is killed.
    is_writable = os.access(SHARED_MEMORY, os.W_OK | os.X_OK)
    place = SHARED_MEMORY if is_writable else tempfile.gettempdir()
    for old in Path(place).glob(f"{_PREFIX}*"):
        pid = old.name.removeprefix(_PREFIX).partition("-")[0]
        if pid.isdecimal() and not Path(f"/proc/{pid}").exists():
            shutil.rmtree(old, ignore_errors=True)
    counters = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=place)
    os.environ.update({COUNTERS: counters})
    atexit.register(shutil.rmtree, counters, ignore_errors=True)


class Supervisor:
    """Runs children until SIGTERM or SIGINT, or until one of them crashes again and again.

    Use as a context: leaving it ends every child. `output` takes what the children write;
    None leaves them our own stderr.
    """

    def __init__(self, *, output: IO[bytes] | None = None) -> None:
        self._children: list[Child] = []
        self._output = output
        self._asked_to_end = threading.Event()
        self._handlers: dict[int, signal._HANDLER] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGTERM, signal.SIGINT):
            self._handlers[number] = signal.signal(number, self._end_soon)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._drain()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    @property
    def is_ending(self) -> bool:
        return self._asked_to_end.is_set()

    def keep(self, child: Child) -> None:
        if child.name not in {running.name for running in self._children}:
            self._children.append(child)
            self._start(child)

    def run(self) -> None:
        while not self.is_ending:
            self.look()

    def look(self) -> None:
        if self._asked_to_end.wait(LOOK_S):
            return
        moment = time.monotonic()
        for child in self._children:
            if child.is_running:
                continue
            if child.process is not None:
                self._note_crash(child, child.process, moment)
            elif child.start_at <= moment:
                self._start(child)

    def _note_crash(self, child: Child, process: ForkProcess, moment: float) -> None:
        child.process = None
        _kill_group(process)
        crashes = child.note_crash(moment)
        log.error("child_ended", child=child.name, status=process.exitcode, crashes=crashes)
        if crashes >= CRASHES:
            raise CrashLoop(
                f"The {child.name} process ended {crashes} times within {WITHIN_S:g} s; giving up."
            )

    def _start(self, child: Child) -> None:
        if settings.PROMETHEUS_MULTIPROC_DIR:
            # Some systems remove what a user has in memory when the session ends.
            Path(settings.PROMETHEUS_MULTIPROC_DIR).mkdir(mode=0o700, exist_ok=True)
        connections.close_all()  # two processes must not share one
        gc.collect()
        gc.freeze()  # the collector of a child would write to, and so copy, all that it visits
        child.process = _CONTEXT.Process(target=self._become, args=(child, os.getpid()))
        # A signal that comes now waits until the child handles signals itself.
        signal.pthread_sigmask(signal.SIG_BLOCK, self._handlers)
        child.process.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self._handlers)
        log.info("child_started", child=child.name, pid=child.process.pid)

    def _become(self, child: Child, parent: int) -> None:
        """Run in a new process: detach it from the supervisor, and run the child."""
        os.setsid()
        for number in self._handlers:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self._handlers)
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it ended in between
            os._exit(1)
        _libc.prctl(_PR_SET_NAME, child.name.encode())
        output = self._output.fileno() if self._output else 2
        with open(os.devnull, "rb") as nothing:
            for number, fd in ((0, nothing.fileno()), (1, output), (2, output)):
                os.dup2(fd, number)
        for fd in child.closes:
            os.close(fd)
        child.run()

    def _drain(self) -> None:
        running = [
            (child.name, child.process) for child in self._children if child.process is not None
        ]
        for _, process in running:
            process.terminate()
        deadline = time.monotonic() + GRACE_S
        for name, process in running:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                log.warning("child_killed", child=name, pid=process.pid)
            _kill_group(process)
            process.join()
        self._children.clear()

    def _end_soon(self, number: int, frame: FrameType | None) -> None:
        self._asked_to_end.set()


def _kill_group(process: ForkProcess) -> None:
    if process.pid:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
