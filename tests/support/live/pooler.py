"""PgBouncer in transaction mode before PostgreSQL servers of a test's own."""

import os
import signal
import subprocess
from pathlib import Path

from tests.support.live.cluster import Cluster
from tests.support.live.project import free_port
from tests.support.services import PGBOUNCER


class Pooler:
    """PgBouncer before one of several servers."""

    def __init__(self, place: Path) -> None:
        self.port = free_port()
        self._file = place / "pgbouncer.ini"
        self._process: subprocess.Popen[bytes] | None = None

    def lead_to(self, server: Cluster) -> None:
        lines = [
            "[databases]",
            f"* = host=127.0.0.1 port={server.port} user=postgres",
            "[pgbouncer]",
            f"listen_addr = 127.0.0.1\nlisten_port = {self.port}\nauth_type = any",
            "pool_mode = transaction\nunix_socket_dir =\nserver_login_retry = 1",
        ]
        self._file.write_text("\n".join([*lines, ""]), encoding="utf-8")
        self._file.chmod(0o644)
        if self._process is not None:
            self._process.send_signal(signal.SIGHUP)
            return
        account = "nobody" if os.geteuid() == 0 else None  # it refuses to run as root
        self._process = subprocess.Popen(
            [PGBOUNCER, str(self._file)], stderr=subprocess.DEVNULL, user=account
        )

    def end(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()
