"""A PostgreSQL server of the tests' own, which a test may restart and a run may keep in memory."""

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from contextlib import suppress
from pathlib import Path
from typing import LiteralString
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from tests.support.live.project import LiveProject, free_port

PROGRAMS = Path("/usr/lib/postgresql")
MEMORY = Path("/dev/shm")  # noqa: S108  # a directory of our own is made in it
LEAST_FREE = 4 << 30
"""Bytes that must be free in memory, for a few dozen databases."""
FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "autovacuum=off")
"""What a server may leave out whose databases need not survive a power cut."""


class Cluster:
    """A PostgreSQL server: initdb as the user postgres, a free port, a directory.

    With a `primary` it is a standby of that server. `wal`: a directory for its write-ahead log
    where that is elsewhere, so that the disk of the rows may be full.
    """

    def __init__(
        self,
        *settings: str,
        place: Path | None = None,
        primary: "Cluster | None" = None,
        wal: Path | None = None,
    ) -> None:
        self._bin = sorted(PROGRAMS.glob("*/bin"))[-1]
        self.place = Path(tempfile.mkdtemp(prefix="blacklady-pg-", dir=place))
        self._user = "postgres" if os.geteuid() == 0 else None
        self._own(self.place)
        self.port = free_port()
        self._settings = "".join(f" -c {setting}" for setting in settings)
        data = str(self.place / "data")
        if primary is None:
            words = ("--auth=trust", "--username=postgres", "--no-sync")
            elsewhere = () if wal is None else (f"--waldir={self._own(wal) / 'wal'}",)
            self._run("initdb", *words, *elsewhere, "-D", data)
        else:
            source = f"host=127.0.0.1 port={primary.port} user=postgres"
            words = ("--write-recovery-conf", "--checkpoint=fast", "--no-sync")
            self._run("pg_basebackup", *words, "-d", source, "-D", data)
        self.control("start")
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"
        self.template = "template1"

    def _own(self, place: Path) -> Path:
        if self._user:
            shutil.chown(place, self._user)
            place.chmod(0o755)
        return place

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [str(self._bin / program), *words],
            user=self._user,
            cwd=self.place,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def control(self, *words: str) -> None:
        options = f"-p {self.port} -k {self.place} -h 127.0.0.1{self._settings}"
        log = str(self.place / "log")
        self._run("pg_ctl", "-D", str(self.place / "data"), "-l", log, "-o", options, "-w", *words)

    def new_database(self) -> str:
        """Make a database without a row; its URL."""
        name = f"blacklady_{uuid.uuid4().hex[:8]}"
        make = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(make.format(sql.Identifier(name), sql.Identifier(self.template)))
        return self.url.removesuffix("postgres") + name

    def migrate(self, place: Path) -> None:
        url = self.new_database()
        project = LiveProject(place, {"DATABASE_URL": url})
        done = project.manage("migrate", "--skip-checks", "--verbosity", "0")
        assert done.returncode == 0, done.stderr
        self.template = urlsplit(url).path.removeprefix("/")

    def execute(self, statement: LiteralString) -> object:
        """The first value that a statement gives."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            row = connection.execute(statement).fetchone()
            return row and row[0]

    def drop_connections(self) -> None:
        """Terminate every connection but our own."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
                " AND application_name <> 'the test'"
            )

    def end(self) -> None:
        with suppress(subprocess.CalledProcessError):  # a test has stopped it
            self.control("stop", "-m", "immediate")
        shutil.rmtree(self.place)


def cluster_in_memory() -> Cluster | None:
    """A server that keeps its files in memory, or None where we may not start one."""
    if not list(PROGRAMS.glob("*/bin/initdb")) or not MEMORY.is_dir():
        return None
    is_possible = os.geteuid() != 0 or any(user.pw_name == "postgres" for user in pwd.getpwall())
    if not is_possible or shutil.disk_usage(MEMORY).free < LEAST_FREE:
        return None
    return Cluster(*FAST, place=MEMORY)
