"""Keeps child processes running: restarts with back-off, gives up on a crash loop, stops cleanly.

Each child leads its own process group, so that Ctrl-C reaches the supervisor alone and no
grandchild is left over. The kernel ends the children if the supervisor itself is killed.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Self

import structlog
from django.conf import settings

log = structlog.get_logger(__name__)

COUNTERS = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the children's directory; `prometheus_client` reads it."""
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
_libc = ctypes.CDLL(None, use_errno=True)


class CrashLoop(Exception):
    """A child crashed CRASHES times within WITHIN_S; it is not restarted again."""


class Child:
    """A command that is kept running.

    `longest_wait_s` bounds the delay of a restart; `fds` are open files that it inherits.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        longest_wait_s: float = LONGEST_WAIT_S,
        fds: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.fds = tuple(fds)
        self.command = tuple(command)
        self.longest_wait_s = longest_wait_s
        self.process: subprocess.Popen[bytes] | None = None
        self.crashes: deque[float] = deque()
        self.start_at = 0.0

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def note_crash(self, moment: float) -> int:
        """Count a crash, delay the next start, and return the crashes of the last WITHIN_S."""
        self.crashes.append(moment)
        while self.crashes[0] <= moment - WITHIN_S:
            self.crashes.popleft()
        wait_s = FIRST_WAIT_S * 2 ** (len(self.crashes) - 1)
        self.start_at = moment + min(self.longest_wait_s, wait_s)
        return len(self.crashes)


class Supervisor:
    """Runs children until SIGTERM or SIGINT, or until one of them crashes again and again.

    Use as a context: leaving it ends every child. `output` takes what the children write;
    None leaves them our own stderr. The children share a directory for their counters
    (`tournaments/domain/counters.py`), which is new for each supervisor and gone with it.
    """

    def __init__(self, *, output: IO[bytes] | None = None) -> None:
        self._children: list[Child] = []
        self._output = output
        self._asked_to_end = threading.Event()
        self._handlers: dict[int, signal._HANDLER] = {}
        self._counters = ""

    def __enter__(self) -> Self:
        # Not on a disk, which may be full: a process that writes to a mapped file there is killed.
        is_writable = os.access(SHARED_MEMORY, os.W_OK | os.X_OK)
        place = SHARED_MEMORY if is_writable else tempfile.gettempdir()
        for old in Path(place).glob(f"{_PREFIX}*"):
            pid = old.name.removeprefix(_PREFIX).partition("-")[0]
            if pid.isdecimal() and not Path(f"/proc/{pid}").exists():
                shutil.rmtree(old, ignore_errors=True)
        self._counters = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=place)
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
        shutil.rmtree(self._counters, ignore_errors=True)
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

    def _note_crash(self, child: Child, process: subprocess.Popen[bytes], moment: float) -> None:
        child.process = None
        _kill_group(process)
        crashes = child.note_crash(moment)
        log.error("child_ended", child=child.name, status=process.returncode, crashes=crashes)
        if crashes >= CRASHES:
            raise CrashLoop(
                f"The {child.name} process ended {crashes} times within {WITHIN_S:g} s; giving up."
            )

    def _start(self, child: Child) -> None:
        # Some systems remove what a user has in memory when the session ends.
        Path(self._counters).mkdir(mode=0o700, exist_ok=True)
        child.process = subprocess.Popen(  # noqa: S603  # our own commands
            child.command,
            cwd=settings.BASE_DIR,
            env={**os.environ, COUNTERS: self._counters},
            stdin=subprocess.DEVNULL,
            stdout=self._output or 2,
            stderr=self._output or 2,
            start_new_session=True,
            pass_fds=child.fds,
            preexec_fn=_end_with(os.getpid()),  # noqa: PLW1509 - before any thread is started
        )
        log.info("child_started", child=child.name, pid=child.process.pid)

    def _drain(self) -> None:
        running = [
            (child.name, child.process) for child in self._children if child.process is not None
        ]
        for _, process in running:
            process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + GRACE_S
        for name, process in running:
            try:
                process.wait(timeout=max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                log.warning("child_killed", child=name, pid=process.pid)
            _kill_group(process)
            process.wait()
        self._children.clear()

    def _end_soon(self, number: int, frame: FrameType | None) -> None:
        self._asked_to_end.set()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _end_with(parent: int) -> Callable[[], None]:
    """Return the function run in a child before its command: it dies with `parent`."""

    def ask() -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it ended in between
            os._exit(1)

    return ask
