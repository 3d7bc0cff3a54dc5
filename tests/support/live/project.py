"""A project that really runs: its own database, its own port, `manage.py serve` below."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import redis
import yaml

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 400.0
"""How long anything may take on a busy machine; nothing is measured by it."""


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def production(service: str, port: int) -> list[str]:
    """A service's command in docker-compose.yml with `manage.py`, at a port of our own."""
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    here = {
        "blacklady": "manage.py",
        "0.0.0.0": "127.0.0.1",  # noqa: S104  # to be replaced
        "8000": str(port),
    }
    return [here.get(word, word) for word in compose["services"][service]["command"]]


@contextlib.contextmanager
def own_redis(server: str, lasts_s: int = 1800) -> Iterator[str]:
    """A Redis server's empty database that nobody else here uses for so long; yields its URL."""
    with redis.Redis.from_url(server) as connection:
        number = next(
            number
            for number in range(1, 16)
            if connection.set(f"blacklady-test-database-{number}", 1, nx=True, ex=lasts_s)
        )
        url = urlunsplit(urlsplit(server)._replace(path=f"/{number}"))
        try:
            with redis.Redis.from_url(url) as own:
                own.flushdb()
                yield url
                own.flushdb()
        finally:
            connection.delete(f"blacklady-test-database-{number}")


def wait_until(
    condition: Callable[[], object], *, what: str, within_s: float = PATIENCE_S
) -> float:
    """Poll `condition` until it is true; the seconds it took. Fails after `within_s`."""
    started = time.monotonic()
    pause = threading.Event()
    while not condition():
        if time.monotonic() - started > within_s:
            raise AssertionError(f"waited {within_s} s in vain: {what}")
        pause.wait(0.05)
    return time.monotonic() - started


class LiveProject:
    """One installation in a directory of its own; the test starts the processes that it needs."""

    def __init__(self, place: Path, environment: Mapping[str, str]) -> None:
        self.place = place
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        inherited = {
            name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ
        }
        self.environment = {
            **inherited,
            "DATABASE_URL": f"sqlite:///{place / 'live.sqlite3'}",
            "SECRET_KEY": "only-for-tests",
            "EMAIL_URL": "consolemail://",
            "STATIC_COLLECTED": "0",
            "BEHIND_TLS": "0",
            "PORT": str(self.port),
            **environment,
        }
        self.root, self.python = ROOT, sys.executable
        """The code that runs, and the Python that it is installed for."""
        self.within: tuple[str, ...] = ()
        """Words before each command: what runs it in surroundings of its own."""
        self.processes: list[subprocess.Popen[bytes]] = []

    def words(self, *command: str) -> list[str]:
        """The whole of `python COMMAND`."""
        return [*self.within, self.python, *command]

    def manage(
        self, *arguments: str, timeout: float = PATIENCE_S
    ) -> subprocess.CompletedProcess[str]:
        """Run `manage.py` with these arguments to its end."""
        return subprocess.run(
            self.words("manage.py", *arguments),
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """Start `python COMMAND` in a session of its own; its output goes to `live.log`."""
        with (self.place / "live.log").open("ab") as log:
            process = subprocess.Popen(
                self.words(*command),
                cwd=self.root,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def start_worker(
        self, name: str, *options: str, app: str = "config.celery"
    ) -> subprocess.Popen[bytes]:
        """Start a Celery worker, with one process of its own where no options say otherwise."""
        worker = ("-m", "celery", "-q", "--skip-checks", "-A", app, "worker", "-n", name)
        more = options or ("--pool", "solo", "--without-gossip")
        return self.start(*worker, "--loglevel", "WARNING", *more)

    def serve(self) -> subprocess.Popen[bytes]:
        """Start `manage.py serve` and wait until it is ready."""
        process = self.start("manage.py", "serve")
        self.wait_ready(process)
        return process

    def wait_ready(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until `/readyz` answers 200, and a worker lives; fail if the process ends."""

        def ready() -> bool:
            if process.poll() is not None:
                raise AssertionError(f"ended with {process.returncode}:\n{self.log}")
            said = self.readiness()
            return said is not None and "no_worker" not in said

        wait_until(ready, what=f"{self.url}/readyz\n{self.log}")

    def readiness(self) -> list[str] | None:
        """The codes of the faults that a 200 of `/readyz` names; None for any other answer."""
        try:
            with urllib.request.urlopen(self.url + "/readyz", timeout=10) as response:  # noqa: S310  # our own URL
                return [fault["code"] for fault in json.load(response)["faults"]]
        except OSError:
            return None

    def status(self, path: str) -> int:
        """The status of a GET, 0 where nobody answers."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=30) as response:  # noqa: S310  # our own URL
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    @property
    def log(self) -> str:
        file = self.place / "live.log"
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    def drain(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=PATIENCE_S)
        self.end()

    def end(self) -> None:
        """Kill every process with all that it started, which is soon done; see `drain`."""
        for process in self.processes:
            below = tree_of(process.pid) if process.poll() is None else {}
            _kill_group(process.pid)
            for pid in below:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()


def tree_of(root: int) -> dict[int, str]:
    """A process and all that it started, and those started in turn: id → name."""
    processes: dict[int, tuple[int, str]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            name, _, rest = status.read_text().partition("(")[2].rpartition(")")
            processes[int(status.parent.name)] = (int(rest.split()[1]), name)
    found = {root: processes.get(root, (0, ""))[1]}
    grown = True
    while grown:
        new = {
            pid: name
            for pid, (parent, name) in processes.items()
            if parent in found and pid not in found
        }
        found |= new
        grown = bool(new)
    return found


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # all of it has ended, as it should
        os.killpg(group, signal.SIGKILL)


Inside = Callable[[LiveProject], AbstractContextManager[None]]
"""Lets this process work on an installation's own database: `with inside(project): …`."""
