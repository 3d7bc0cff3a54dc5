"""An installation that really runs, and the phones of its hosts, each for a block."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from django.conf import settings

from benchmarks.databases import REDIS, on_postgresql
from benchmarks.phones import Look, Plan, Post, Seen
from config import env
from tests.support.live.project import ROOT, LiveProject, own_redis, production, wait_until

READY_S: Final = 400.0
"""A machine that does much else takes its time to start, and to publish for the first time."""


@contextmanager
def running(folder: Path, published: str, lasts_s: int = 600) -> Iterator[LiveProject]:
    """Let what this process' database holds be served until the block ends.

    On PostgreSQL it is served as docker-compose.yml says, with a queue and a cache in Redis, on
    SQLite by `manage.py serve`; the block begins when the standings at `published` are there, and
    lasts so many seconds at most.
    """
    ours = {"DATABASE_URL": env.text("DATABASE_URL"), "SECRET_KEY": settings.SECRET_KEY}
    with ExitStack() as ended:
        if on_postgresql():
            broker = ended.enter_context(own_redis(REDIS, lasts_s))
            ours |= {"BROKER_URL": broker, "CACHE_URL": broker}
        project = LiveProject(folder, ours)
        ended.callback(project.drain)
        if on_postgresql():
            web, _ = (
                project.start(*production(service, project.port)) for service in ("web", "worker")
            )
            project.wait_ready(web)
        else:
            project.serve()
        wait_until(
            lambda: project.status(published) == 200, within_s=READY_S, what=f"\n{project.log}"
        )
        yield project


class Phones:
    """The process of benchmarks/phones.py, as a context."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.phones"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        with ExitStack() as unless_it_begins:
            unless_it_begins.callback(self._end)
            self._told(self._plan)
            unless_it_begins.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def act(self, name: str, number: int) -> Seen:
        """Let them act; see `Evening` there for what each act does."""
        posts, looks, processor_s = self._told([name, number])
        return Seen([Post(*post) for post in posts], [Look(*look) for look in looks], processor_s)

    def _told(self, what: object) -> Any:
        """Say something to the phones; returns their answer."""
        if self._process.stdin is None or self._process.stdout is None:
            raise AssertionError("made with both pipes")
        print(json.dumps(what), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise AssertionError(f"the phones gave up on {str(what)[:60]}")
        return json.loads(answer)

    def _end(self) -> None:
        self._process.kill()
        self._process.communicate()
