"""The machines of a drill: two with web and worker, PostgreSQL with a standby, PgBouncer, Redis."""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, LiteralString

import psycopg

from tests.support.live.cluster import Cluster
from tests.support.live.own_redis import OwnRedis
from tests.support.live.pooler import WORKER, Pooler
from tests.support.live.project import LiveProject, tree_of, wait_until

DISK_MB: Final = 600
"""Size of the disk with the rows; half of it stays free in twenty minutes."""
PAGE_BYTES: Final = 4096
START_S: Final = 60.0
"""Longest start of a process on a busy machine."""
NEW_NAMESPACE: Final = 0x00020000
"""CLONE_NEWNS of Linux."""
PRIMARY: Final = ("wal_keep_size=1GB",)
STANDBY: Final = (
    "hot_standby_feedback=on",
    "max_standby_streaming_delay=-1",
    "wal_retrieve_retry_interval=500ms",
)
QUEUE: Final = "drill"
WRONG_CLOCK: Final = Path(__file__).with_name("clock")


def mount_disk(place: Path) -> str:
    """Mount a small disk at a directory for this process and its children alone.

    Returns why that is impossible, or an empty text.
    """
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_NAMESPACE):
        return os.strerror(ctypes.get_errno())
    private = ("mount", "--make-rprivate", "/")
    disk = ("mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(place))
    for words in (private, disk):
        ended = subprocess.run(words, capture_output=True, text=True, check=False)
        if ended.returncode:
            return ended.stderr.strip()
    return ""


class Machine:
    """A machine of the site: a web process and a worker with a state directory of their own."""

    def __init__(self, place: Path, name: str, settings: Mapping[str, str]) -> None:
        self.name = name
        self.place = place / name
        self.place.mkdir()
        home = {"BLACKLADY_HOME": str(self.place)}
        self.web = LiveProject(self.place, {**settings, **home})
        worker_url = settings["DATABASE_URL"].rpartition("/")[0] + f"/{WORKER}"
        self.worker = LiveProject(self.place, {**settings, **home, "DATABASE_URL": worker_url})
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def log(self) -> str:
        return self.web.log

    def start(self, kind: str, *, clock_min: int = 0) -> None:
        """Start `web` or `worker` and wait until it serves; its clock may be wrong."""
        project: LiveProject = getattr(self, kind)
        usual = project.environment
        if clock_min:
            clock = {"PYTHONPATH": str(WRONG_CLOCK), "CLOCK_STEP_MINUTES": str(clock_min)}
            project.environment = {**usual, **clock}
        options = ("--workers", "1") if kind == "web" else ("--concurrency", "1")
        self._alive.unlink(missing_ok=True)
        self.processes[kind] = project.start("manage.py", kind, *options)
        project.environment = usual
        self.wait_ready(kind)

    @property
    def _alive(self) -> Path:
        """The file by which a worker says that it reaches the database."""
        return self.place / "worker-alive"

    def wait_ready(self, kind: str) -> None:
        def is_ready() -> bool:
            process = self.processes[kind]
            if process.poll() is not None:
                raise AssertionError(f"{self.name} {kind} ended: {process.returncode}\n{self.log}")
            if kind == "web":
                return self.web.status("/readyz") == 200
            return self._alive.exists()

        wait_until(is_ready, what=f"{self.name} {kind}\n{self.log[-5000:]}", within_s=START_S)

    def kill(self, kind: str) -> None:
        """Kill a process with all that it started, as when the power goes."""
        process = self.processes[kind]
        for pid in tree_of(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()

    def kill_child(self, kind: str) -> None:
        """Kill what the process started; it starts another."""
        root = self.processes[kind].pid
        for pid in tree_of(root).keys() - {root}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def send(self, kind: str, number: int) -> None:
        for pid in tree_of(self.processes[kind].pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def stop(self, kind: str) -> int:
        """End a process in order; returns its exit status."""
        process = self.processes[kind]
        process.send_signal(signal.SIGTERM)
        return process.wait(timeout=START_S)

    def end(self) -> None:
        self.web.end()
        self.worker.end()


class Machines:
    """All machines of one site, in directories below `place`; see `running`."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.ending = threading.Event()
        self._disk = place / "disk"
        self._disk.mkdir()
        self.no_disk = mount_disk(self._disk)
        """Why the disk of the rows cannot be filled; empty if it can."""
        (place / "wal").mkdir()
        self._ended = contextlib.ExitStack()
        """What must end, the last first."""
        with contextlib.ExitStack() as unless_started:
            unless_started.callback(self._ended.close)
            self._start_services()
            unless_started.pop_all()
        self.all = [Machine(place, name, self._settings()) for name in ("north", "south")]

    def _start_services(self) -> None:
        place = self.place
        self.primary = Cluster(*PRIMARY, place=self._disk, wal=place / "wal")
        self._ended.callback(self.primary.end)
        self.primary.migrate(place)
        self.database = self.primary.template
        self.primary.url = self.primary.url.removesuffix("postgres") + self.database
        self.standby = Cluster(*STANDBY, place=place, primary=self.primary)
        self._ended.callback(self.standby.end)
        self.standby.url = self.standby.url.removesuffix("postgres") + self.database
        self.redis = OwnRedis(place)
        self._ended.callback(self.redis.end)
        self.pooler = Pooler(place)
        self.pooler.lead_to(self.primary, self.database)
        self._ended.callback(self.pooler.end)

    def _settings(self) -> dict[str, str]:
        return {
            "DATABASE_URL": f"postgres://postgres@127.0.0.1:{self.pooler.port}/{self.database}",
            "DATABASE_POOLER": "transaction",
            "DATABASE_DIRECT_URL": self.primary.url,
            "DATABASE_REPLICA_URL": self.standby.url,
            "BROKER_URL": self.redis.url,
            "BROKER_QUEUE": QUEUE,
            "CACHE_URL": self.redis.url.removesuffix("/0") + "/1",
            "TRUSTED_PROXIES": "1",
            "WEBHOOK_ALLOW_PRIVATE": "0",
        }

    def start(self) -> None:
        for machine in self.all:
            for kind in ("web", "worker"):
                machine.start(kind)

    def rows(self, statement: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
        """The rows that a statement gives at the primary, past the pooler."""
        with psycopg.connect(self.primary.url, autocommit=True, connect_timeout=5) as connection:
            return connection.execute(statement, values).fetchall()

    def database_processes(self, server: Cluster) -> list[int]:
        lines = (server.place / "data" / "postmaster.pid").read_text(encoding="ascii")
        return list(tree_of(int(lines.split()[0])))

    def fill_disk(self) -> None:
        """Leave no room for another page of rows."""
        ballast = os.open(self._disk / "ballast", os.O_CREAT | os.O_WRONLY)
        size, piece = 0, shutil.disk_usage(self._disk).free
        while piece >= PAGE_BYTES:
            try:
                os.posix_fallocate(ballast, size, piece)
                size += piece
            except OSError:  # the database was quicker
                piece //= 2
        os.close(ballast)

    def clear_disk(self) -> None:
        (self._disk / "ballast").unlink(missing_ok=True)

    def resume(self) -> None:
        """Let all go on that a fault has paused, so that it can end."""
        self.pooler.send(signal.SIGCONT)
        self.redis.process.send_signal(signal.SIGCONT)
        for server in (self.primary, self.standby):
            with contextlib.suppress(OSError):
                for pid in self.database_processes(server):
                    os.kill(pid, signal.SIGCONT)

    def wait(self, seconds: float) -> None:
        """Let time pass; it ends early when the drill does."""
        self.ending.wait(seconds)

    def end(self) -> None:
        for machine in self.all:
            machine.end()
        self.resume()
        self._ended.close()


@contextlib.contextmanager
def running() -> Iterator[Machines]:
    """Make the machines in a directory of their own until the block ends; no process serves yet."""
    place = Path(tempfile.mkdtemp(prefix="blacklady-drill-"))
    place.chmod(0o755)  # for the accounts of PostgreSQL and PgBouncer
    try:
        machines = Machines(place)
        try:
            yield machines
        finally:
            machines.end()
    finally:
        unmount = ("umount", str(place / "disk"))
        subprocess.run(unmount, capture_output=True, check=False)
        shutil.rmtree(place, ignore_errors=True)


def manage(
    machine: Machine, *words: str, within_s: float = 300.0, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run a command of `manage.py` on a machine, with other settings where they are named."""
    project = LiveProject(machine.place, {**machine.web.environment, **settings})
    return project.manage(*words, timeout=within_s)
