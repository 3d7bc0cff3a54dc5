"""Spectators beside hosts: many open pages follow the standings while hands come in.

The same pages are read once while nobody enters anything, and once beside twenty hands a second;
once as standings over REST, whose bytes are stored, and once as the live part of the page.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from benchmarks.databases import on_postgresql, why_no_redis
from benchmarks.full_evening import (
    A_SECOND,
    EVENT,
    IN_MS,
    STANDINGS,
    percentile,
    plan_of,
    seat_tables,
)
from benchmarks.installations import Phones, running
from benchmarks.leagues import CLUB
from benchmarks.measure import Figure, Goal, say
from benchmarks.sizes import Sizes
from benchmarks.watching import Watch, Watched
from tests.support.live.project import ROOT

PAGE: Final = f"/clubs/{CLUB}/events/{EVENT}"
OF: Final = "spectators"


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Seat everybody, let the installation run, and let spectators watch with and without hands."""
    missing = why_no_redis() if on_postgresql() else None
    if missing:
        say(f"nothing is measured over HTTP: {missing}")
        return
    tables = seat_tables(folder, EVENT, 4 * sizes.hosts, sizes.small_hands, sizes.hosts)
    with (
        running(folder, STANDINGS) as project,
        Phones(plan_of(project, STANDINGS, tables, sizes)) as phones,
    ):
        for name, path in (("REST", STANDINGS), ("page", PAGE)):
            watch = Watch(port=project.port, path=path, spectators=sizes.spectators)
            with _process(watch) as (ask, answers):
                say(f"{sizes.spectators} spectators, {name}, nobody enters anything")
                quiet = _watched(ask, answers, sizes.while_s)
                say(f"{sizes.spectators} spectators, {name}, beside {A_SECOND} hands a second")
                with ThreadPoolExecutor(1) as beside:
                    posting = beside.submit(phones.act, "spread", A_SECOND)
                    busy = _watched(ask, answers, sizes.while_s)
                    posts = posting.result().posts
            yield from _figures(name, quiet, busy, sizes)
            waits = [IN_MS * (post.answered - post.sent) for post in posts]
            label = f"POST over HTTP beside spectators, {name}, p99"
            yield Figure(OF, label, percentile(waits, 99), "ms", goal=Goal(250))


def _figures(name: str, quiet: Watched, busy: Watched, sizes: Sizes) -> Iterator[Figure]:
    """Compare the reads beside hands with those without; say what limits."""
    beside, without = (IN_MS * percentile(one.reads_s, 95) for one in (busy, quiet))
    label = f"{sizes.spectators:,} spectators, {name}, p95"
    yield Figure(
        OF, label, beside, "ms", against="without hands", against_value=without,
        ratio=beside / without,
    )  # fmt: skip
    processor = busy.processor_s / sizes.while_s
    limit = 100 if processor <= 0.5 else 500
    yield Figure(OF, f"{label} alone", beside, "ms", goal=Goal(limit))
    yield Figure(OF, f"reads a second, {name}", len(busy.reads_s) / sizes.while_s, "reads")
    share = 100 * busy.statuses.get("304", 0) / max(1, len(busy.reads_s))
    yield Figure(OF, f"of these 304, {name}", share, "%")
    failed = sum(n for status, n in busy.statuses.items() if status not in {"200", "304"})
    yield Figure(OF, f"neither 200 nor 304, {name}", failed, "reads", goal=Goal(0))
    yield Figure(OF, f"the generator's own processor time, {name}", processor, "processors")


@contextmanager
def _process(watch: Watch) -> Iterator[tuple[IO[str], IO[str]]]:
    """Let spectators be there for a block; yields where they are asked and where they answer."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.watching"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            if process.stdin is None or process.stdout is None:
                raise AssertionError("made with both pipes")
            print(json.dumps(watch), file=process.stdin, flush=True)
            process.stdout.readline()
            yield process.stdin, process.stdout
        finally:
            process.kill()


def _watched(ask: IO[str], answers: IO[str], seconds: float) -> Watched:
    print(json.dumps(seconds), file=ask, flush=True)
    return Watched(*json.loads(answers.readline()))
