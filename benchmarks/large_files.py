"""One host sends three files of 14 MB at once; hands of another club are followed to standings.

The files are a table of names, which waits for its columns, sheets with all columns, and rows that
belong to no table. Served as docker-compose.yml says on PostgreSQL, and by `manage.py serve` on
SQLite.
"""

import time
import uuid
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final

from django.utils import timezone

from benchmarks.databases import on_postgresql, why_no_redis
from benchmarks.full_evening import percentile
from benchmarks.installations import running
from benchmarks.leagues import write_league
from benchmarks.measure import Figure, Goal, say
from benchmarks.sizes import Sizes
from benchmarks.soak import make_place
from benchmarks.steady_hosts import HANDS, HOST, Place, Soak, Table
from tests.support.live.project import LiveProject, production
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.imports import BatchState, ImportBatch
from tournaments.models.jobs import event_scope
from tournaments.selectors.jobs.queue import get_versions

GOAL_S: Final = 2.0
APART_S: Final = 1.0
POLL_S: Final = 0.02
PATIENCE_S: Final = 300.0
QUIET_HANDS: Final = 10
MOST_HANDS: Final = 100
"""Hands of which the files are watched; their work may take longer."""
ROWS_OF_A_NAME: Final = "1,13,5,8,0\n"
ASTRAY: Final = "x,1,1,N,Nobody,0,0\n"
BOUNDARY: Final = "blacklady-large-files"


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    missing = why_no_redis() if on_postgresql() else None
    if missing:
        say(f"nothing is measured over HTTP: {missing}")
        return
    sender, player = (make_place(folder, f"club-{number}", sizes) for number in (1, 2))
    files = list(_files(folder, sizes))
    with running(folder, f"{player.address}/standings", lasts_s=1800) as project:
        for _ in range(1, sizes.large_file_workers if on_postgresql() else 1):
            project.start(*production("worker", project.port))
        hands = Hands(project, player)
        quiet = [hands.follow_one() for _ in range(QUIET_HANDS)]
        yield from _latency("with nothing else", quiet)
        begun = time.monotonic()
        for name, content in files:
            _send(project.port, sender, name, content)
        say(f"{len(files)} files were sent in {time.monotonic() - begun:.1f} s")
        beside: list[float] = []
        while len(beside) < MOST_HANDS and not _are_over(len(files)):
            beside.append(hands.follow_one())
        yield from _latency("beside the files", beside)
        yield Figure("large files", "hands entered beside them", len(beside), "hands")
        is_over = "yes" if _are_over(len(files)) else "no"
        say(f"all files are worked off: {is_over}, {time.monotonic() - begun:.0f} s")
        for batch in ImportBatch.objects.filter(club__slug="club-1").order_by("number"):
            say(f"{batch.file_name}: {batch.state}, {batch.accepted} hands")


def _files(folder: Path, sizes: Sizes) -> Iterator[tuple[str, bytes]]:
    size = round(1024 * 1024 * sizes.large_file_mb)
    names = Player.objects.filter(club__slug="club-1").values_list("name", flat=True)[:4]
    table = f"Hand,{','.join(names)}\n" + ROWS_OF_A_NAME * (size // len(ROWS_OF_A_NAME))
    yield "names.csv", table.encode()
    sheets = write_league(folder / "sheets.csv", players=400, hands=size // 195)
    yield "sheets.csv", sheets.read_bytes()
    heads = "round,table,hand,seat,player,hearts,points\n"
    yield "astray.csv", (heads + ASTRAY * (size // len(ASTRAY))).encode()


def _send(port: int, place: Place, name: str, content: bytes) -> None:
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="holds"\r\n\r\nauto\r\n'.encode(),
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; "
        f'name="file"; filename="{name}"\r\n\r\n'.encode(),
        content,
        f"\r\n--{BOUNDARY}--\r\n".encode(),
    ]
    connection = HTTPConnection(HOST, port, timeout=PATIENCE_S)
    headers = {
        "Authorization": f"Bearer {place.director}",
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        "Idempotency-Key": uuid.uuid4().hex,
    }
    connection.request("POST", f"{place.address}/imports", b"".join(parts), headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 202:
        raise AssertionError(f"{name}: {answer.status} {text[:500]!r}")


def _are_over(number: int) -> bool:
    worked_on = (BatchState.READING, BatchState.RUNNING)
    files = ImportBatch.objects.filter(club__slug="club-1", upload__isnull=False)
    return files.exclude(state__in=worked_on).count() == number


class Hands(Soak):
    """Enters one hand at a time, and waits until it is in the standings."""

    def __init__(self, project: LiveProject, place: Place) -> None:
        super().__init__(project.port, [place])
        self._place = place
        self._event = Event.objects.get(club__slug="club-2")
        self._n_rounds = 0
        self._n_hands = 0
        self._tables: list[Table] = []

    def follow_one(self) -> float:
        """Return the seconds from the answer to a hand until it is published."""
        if self._n_hands % (HANDS * len(self._place.tables)) == 0:
            self._next_tables()
        table: Any = self._tables[self._n_hands % len(self._tables)]
        self._n_hands += 1
        body = {"number": table.hands + 1, "entry": self._played()}
        headers = {
            "Authorization": f"Bearer {self._place.host}",
            "Idempotency-Key": uuid.uuid4().hex,
        }
        status, _, content = self._line().send("POST", table.address, headers, body)
        if status != 201:
            raise AssertionError(f"{table.address}: {status} {content[:500]!r}")
        table.hands += 1
        begun = time.monotonic()
        version, done = get_versions(event_scope(self._event.pk))
        while done < version and time.monotonic() - begun < PATIENCE_S:
            time.sleep(POLL_S)
            done = get_versions(event_scope(self._event.pk))[1]
        took = time.monotonic() - begun
        time.sleep(max(0.0, APART_S - took))
        return took

    def _next_tables(self) -> None:
        before = self._n_rounds - 1
        round_ = self._seat(self._place, self._n_rounds, None)
        if before >= 0:
            self._place.close(self._place.first_round + before)
        self._n_rounds += 1
        self._tables = list(round_.tables)


def _latency(when: str, seconds: list[float]) -> Iterator[Figure]:
    say(f"{timezone.now():%H:%M:%S} {when}: {[round(each, 2) for each in seconds]}")
    for share in (50, 95, 100):
        words = "longest" if share == 100 else f"p{share}"
        goal = Goal(GOAL_S) if share == 100 else None
        value = percentile(seconds, share)
        yield Figure("large files", f"hand to standings {when}, {words}", value, "s", goal=goal)
