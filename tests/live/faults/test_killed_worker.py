"""A worker killed at any point of its work leaves whole tables, and the next one catches up."""

import hashlib
import json
import random
import sqlite3
import subprocess
import threading
from pathlib import Path

import pytest
from django.utils import timezone

from tests.live.conftest import Inside
from tests.support.lengths import short_or_long
from tests.support.live.events import (
    computed_anew,
    enter,
    evening,
    is_published,
    newest,
    numbers,
    remainder,
)
from tests.support.live.project import PATIENCE_S, LiveProject, wait_until
from tournaments.models.hands import Game
from tournaments.models.outbox import Heartbeat

pytestmark = pytest.mark.worker

SEED = 20251106
POINTS = short_or_long(4, 20)
GROUPS = short_or_long(1, 4)


class Reader(threading.Thread):
    """Reads the newest publication again and again, and notes what is not whole."""

    def __init__(self, database: Path) -> None:
        super().__init__(daemon=True)
        self.database = database
        self.over = threading.Event()
        self.faults: list[str] = []
        self.reads = 0

    def run(self) -> None:
        connection = sqlite3.connect(self.database, timeout=PATIENCE_S)
        last = 0
        while not self.over.wait(0.02):
            row = connection.execute(
                "SELECT number, digest, body FROM tournaments_publication ORDER BY number DESC"
            ).fetchone()
            if row:
                self.reads += 1
                self.faults.extend(faults_of(row[0], row[1], row[2], last))
                last = row[0]
        connection.close()


def faults_of(number: int, digest: str, body: bytes, last: int) -> list[str]:
    """What of a publication's bytes is not of one piece."""
    standings = json.loads(body)
    rest = b"{" + body.partition(b"},")[2]
    rows = standings["rows"]
    hands = standings["as_of"]["hands"]
    statements = {
        "number fell": number < last,
        "digest is not that of the bytes": digest != f"sha256:{hashlib.sha256(rest).hexdigest()}",
        "hands differ": {row["hands"] for row in rows} - {hands} != set(),
        "points do not add up": sum(row["points"] for row in rows) != 26 * hands,
    }
    return [f"{number}: {name}" for name, is_so in statements.items() if is_so]


class Killing:
    """An installation whose worker is started, killed at a point, and started again."""

    def __init__(self, project: LiveProject) -> None:
        self.project = project
        self.point = project.place / "point"
        self.statements = self.point.with_suffix(".statements")
        project.environment["DYING_WORKER"] = str(self.point)

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker and wait until it says that it lives."""
        started = timezone.now()
        app = "tests.support.live.crashing_worker"
        worker = self.project.start_worker("one@tests", app=app)

        def lives() -> bool:
            return Heartbeat.objects.filter(seen_at__gte=started).exists()

        wait_until(lives, what=f"a worker\n{self.project.log}")
        return worker

    def statements_of_a_publication(self, game: Game) -> int:
        """Let the worker publish once; the number of statements it took."""
        wait_until(lambda: is_published(game.event_id), what="the first publication")
        self.statements.unlink(missing_ok=True)
        enter(game, 1)
        wait_until(lambda: is_published(game.event_id), what="the second one")
        wait_until(self._statements_to_the_release, what="the claim's end")
        return self._statements_to_the_release()

    def _statements_to_the_release(self) -> int:
        """Count the statements up to the claim's end after a publication; 0 before that.

        The worker then looks for the next due row, which is no part of the publication.
        """
        lines = self.statements.read_text(encoding="utf-8").splitlines()
        stored = [at for at, line in enumerate(lines) if 'INTO "tournaments_publication"' in line]
        released = [
            at
            for at, line in enumerate(lines, 1)
            if stored
            and at > stored[0] + 1
            and line.startswith("UPDATE")
            and "claimed_until" in line
        ]
        return released[0] if released else 0

    def arm(self, point: str) -> None:
        """Name the point at which the worker is to die, counted from now."""
        self.statements.unlink(missing_ok=True)
        self.point.write_text(point, encoding="utf-8")

    def disarm(self) -> None:
        """Let the next worker live."""
        self.point.unlink()


def seeded_points(statements: int) -> list[str]:
    """POINTS different points before and after statements; always the same."""
    every = [f"{index} {side}" for index in range(statements) for side in ("before", "after")]
    return random.Random(SEED).sample(every, POINTS)  # noqa: S311  # chance is the point


@pytest.mark.parametrize("group", range(GROUPS))
def test_worker_killed_at_any_point_leaves_whole_tables_and_the_next_catches_up(
    project: LiveProject, inside: Inside, group: int
) -> None:
    killing = Killing(project)
    with inside(project):
        game = evening()
        reader = Reader(project.place / "live.sqlite3")
        reader.start()
        worker = killing.start_worker()
        statements = killing.statements_of_a_publication(game)
        for hand_number, point in enumerate(seeded_points(statements)[group::GROUPS], start=2):
            killing.arm(point)
            enter(game, hand_number)
            assert worker.wait(timeout=PATIENCE_S) == -9, project.log
            killing.disarm()
            worker = killing.start_worker()
            took = wait_until(lambda: is_published(game.event_id), what=f"recovery from {point}")
            print(f"killed at {point} of {statements}: caught up {took:.2f} s after the restart")
            assert remainder(newest(game.event_id)) == computed_anew(game.event_id)
        assert numbers(game.event_id) == list(range(1, len(numbers(game.event_id)) + 1))
    worker.kill()
    reader.over.set()
    reader.join()
    assert reader.faults == []
    assert reader.reads > 0


def test_reader_notices_a_table_that_is_not_of_one_piece(
    project: LiveProject, inside: Inside
) -> None:
    """A row changed below the digest is seen."""
    with inside(project):
        game = evening()
        enter(game, 1)
        project.manage("publish", "--club", "riverside", "--event", "league")
        publication = newest(game.event_id)
        body = bytes(publication.body)
        spoilt = body.replace(b'"points":2,', b'"points":3,', 1)
    assert faults_of(1, publication.digest, body, 1) == []
    assert faults_of(1, publication.digest, spoilt, 2) == [
        "1: number fell",
        "1: digest is not that of the bytes",
        "1: points do not add up",
    ]
