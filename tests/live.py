"""A project that really runs: its own database, its own port, `manage.py serve` below."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(condition: Callable[[], object], *, within_s: float, what: str) -> float:
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
            "STATIC_COLLECTED": "0",
            "BEHIND_TLS": "0",
            "PORT": str(self.port),
            **environment,
        }
        self.within: tuple[str, ...] = ()
        """Words before each command: what runs it in surroundings of its own."""
        self.processes: list[subprocess.Popen[bytes]] = []

    def manage(self, *arguments: str, timeout: float = 50) -> subprocess.CompletedProcess[str]:
        """Run `manage.py` with these arguments to its end."""
        return subprocess.run(
            [*self.within, sys.executable, "manage.py", *arguments],
            cwd=ROOT,
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
                [*self.within, sys.executable, *command],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def serve(self) -> subprocess.Popen[bytes]:
        """Start `manage.py serve` and wait until it is ready."""
        process = self.start("manage.py", "serve")
        self.wait_ready(process)
        return process

    def wait_ready(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until `/readyz` answers 200; fail with the log if the process ends instead."""

        def ready() -> bool:
            if process.poll() is not None:
                raise AssertionError(f"ended with {process.returncode}:\n{self.log}")
            return self.status("/readyz") == 200

        wait_until(ready, within_s=40, what=f"{self.url}/readyz\n{self.log}")

    def status(self, path: str) -> int:
        """The status of a GET, 0 where nobody answers."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=5) as response:  # noqa: S310  # our own URL
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    @property
    def log(self) -> str:
        """What the processes have said so far."""
        file = self.place / "live.log"
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    def end(self) -> None:
        """End every process with its children: politely first, then by force."""
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=15)
            _kill_group(process.pid)
            process.wait()


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # all of it has ended, as it should
        os.killpg(group, signal.SIGKILL)
