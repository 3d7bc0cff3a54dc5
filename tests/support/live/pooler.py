"""PgBouncer in transaction mode before PostgreSQL servers of a test's own."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Final

from tests.support.live.cluster import Cluster
from tests.support.live.project import free_port
from tests.support.services import PGBOUNCER

WEB_LIMITS: Final = (
    "SET lock_timeout = 5000; SET statement_timeout = 9000;"
    " SET idle_in_transaction_session_timeout = 60000"
)
WORKER_LIMITS: Final = "SET lock_timeout = 5000; SET statement_timeout = 120000"
"""The time-outs of docs/operations.md: a connection as WORKER has those of workers."""
WORKER: Final = "worker"


class Pooler:
    """PgBouncer before one of several servers."""

    def __init__(self, place: Path) -> None:
        self.port = free_port()
        self._file = place / "pgbouncer.ini"
        self.process: subprocess.Popen[bytes] | None = None

    def lead_to(self, server: Cluster, database: str = "") -> None:
        """Pass connections on to a server.

        `database`: its name, where connections get the time-outs of docs/operations.md.
        """
        target = f"host=127.0.0.1 port={server.port} user=postgres"
        named = [
            f"{name} = {target} dbname={database} connect_query='{limits}'"
            for name, limits in ((database, WEB_LIMITS), (WORKER, WORKER_LIMITS))
        ]
        lines = [
            "[databases]",
            *(named if database else [f"* = {target}"]),
            "[pgbouncer]",
            f"listen_addr = 127.0.0.1\nlisten_port = {self.port}\nauth_type = any",
            "pool_mode = transaction\nunix_socket_dir =\nserver_login_retry = 1",
        ]
        self._file.write_text("\n".join([*lines, ""]), encoding="utf-8")
        self._file.chmod(0o644)
        if self.process is not None:
            self.process.send_signal(signal.SIGHUP)
            return
        self.start()

    def start(self) -> None:
        account = "nobody" if os.geteuid() == 0 else None  # it refuses to run as root
        self.process = subprocess.Popen(
            [PGBOUNCER, str(self._file)], stderr=subprocess.DEVNULL, user=account
        )

    def send(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        self.send(signal.SIGKILL)
        assert self.process is not None
        self.process.wait()

    def end(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait()
