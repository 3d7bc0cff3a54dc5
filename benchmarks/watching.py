"""Spectators of standings, in a process of their own: `python -m benchmarks.watching`.

Stdin says what is watched (`Watch`); then `ready` is said, and each further line is how many
seconds they watch, answered with a line of what they have seen (`Watched`).
"""

import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from heapq import heapify, heapreplace
from http.client import HTTPConnection, HTTPException
from random import Random
from typing import Final, NamedTuple, TypedDict

HOST: Final = "127.0.0.1"
PATIENCE_S: Final = 60.0
LINES: Final = 32
"""Connections that they share, as behind a proxy."""
PAUSES_S: Final = (1.8, 2.0)
"""Between two questions of one page: what static/blacklady/live.js waits."""
UNREACHABLE: Final = 599
"""In place of a status where no answer came."""


class Watch(TypedDict):
    """What is watched: port and path, and by how many."""

    port: int
    path: str
    spectators: int


class Watched(NamedTuple):
    """What came of it: the seconds of each answer, how many there were by status, and how much
    later than planned a question was asked at most; the process' own seconds of the processor."""

    reads_s: Sequence[float]
    statuses: Mapping[str, int]
    late_s: float
    processor_s: float


class Line:
    """A connection that the pages of some spectators share; each page has a tag of its own."""

    def __init__(self, watch: Watch, spectators: int, seed: int) -> None:
        self._connection = HTTPConnection(HOST, watch["port"], timeout=PATIENCE_S)
        self._path = watch["path"]
        self._tags = [""] * spectators
        self._chance = Random(seed)
        self.reads_s: list[float] = []
        self.statuses: Counter[str] = Counter()
        self.late_s = 0.0

    def watch(self, seconds: float) -> None:
        begun, pause = time.monotonic(), threading.Event()
        due = [(begun + self._chance.uniform(0, PAUSES_S[1]), n) for n in range(len(self._tags))]
        heapify(due)
        while due and due[0][0] < begun + seconds:
            at, page = due[0]
            pause.wait(max(0.0, at - time.monotonic()))
            self.late_s = max(self.late_s, time.monotonic() - at)
            self._ask(page)
            heapreplace(due, (time.monotonic() + self._chance.uniform(*PAUSES_S), page))

    def _ask(self, page: int) -> None:
        headers = {"HX-Request": "true", "Accept-Encoding": "gzip"}
        if self._tags[page]:
            headers["If-None-Match"] = self._tags[page]
        sent = time.monotonic()
        try:
            self._connection.request("GET", self._path, headers=headers)
            answer = self._connection.getresponse()
            answer.read()
        except (OSError, HTTPException):
            self._connection.close()
            self.statuses[str(UNREACHABLE)] += 1
            return
        self.reads_s.append(time.monotonic() - sent)
        self.statuses[str(answer.status)] += 1
        self._tags[page] = answer.headers.get("ETag") or self._tags[page]


def watched(watch: Watch, seconds: float) -> Watched:
    """Let everybody watch for so long; returns what they have seen."""
    own = time.process_time()
    shares = [len(range(first, watch["spectators"], LINES)) for first in range(LINES)]
    lines = [Line(watch, number, seed) for seed, number in enumerate(shares)]
    with ThreadPoolExecutor(LINES) as all_:
        list(all_.map(lambda line: line.watch(seconds), lines))
    return Watched(
        [read for line in lines for read in line.reads_s],
        sum((line.statuses for line in lines), Counter()),
        max(line.late_s for line in lines),
        time.process_time() - own,
    )


def main() -> None:
    watch: Watch = json.loads(sys.stdin.readline())
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(watched(watch, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
