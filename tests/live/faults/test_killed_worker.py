"""A worker killed at any point leaves whole tables and loses no mail; the next one catches up."""

import hashlib
import json
import random
import sqlite3
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator
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
from tests.support.mail_server import Behaviour, MailServer
from tournaments.models.hands import Game
from tournaments.models.jobs import Heartbeat, Outbox
from tournaments.services.notices.outbox import enqueue_sign_in_mail

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
        self.statements.unlink(missing_ok=True)
        self.point.write_text(point, encoding="utf-8")

    def disarm(self) -> None:
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


def test_reader_notices_a_table_not_of_one_piece(project: LiveProject, inside: Inside) -> None:
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


MAILS = short_or_long(20, 200)
KILLS = short_or_long(2, 20)


@pytest.fixture
def slow_server() -> Iterator[MailServer]:
    made = MailServer(Behaviour(pause_s=0.01))
    yield made
    made.end()


def write_mails() -> None:
    for number in range(MAILS):
        enqueue_sign_in_mail(
            to=f"member{number}@riverside.example", subject="Hello", text=f"Mail {number}.",
            now=timezone.now(),
        )  # fmt: skip


def all_left() -> bool:
    return not Outbox.objects.filter(sent_at=None).exists()


def require_once_or_twice(server: MailServer, kills: int) -> None:
    """Each of the mails came in, few of them twice; prints the counts."""
    by_address = Counter(str(mail["To"]) for mail in server.mails)
    assert len(server.counted()) == len(by_address), "a mail that comes twice has one Message-ID"
    times = Counter(by_address.values())
    lost = MAILS - len(by_address)
    print(f"mails {MAILS}, kills {kills}: once {times[1]}, twice {times[2]}, lost {lost}")
    assert lost == 0
    assert set(times) <= {1, 2}
    assert times[2] <= kills


def test_each_mail_leaves_once_or_twice_however_often_the_worker_is_killed(
    project: LiveProject, inside: Inside, slow_server: MailServer
) -> None:
    chance = random.Random(SEED)  # noqa: S311  # chance is the point
    project.environment["EMAIL_URL"] = slow_server.url
    project.environment["EMAIL_TIMEOUT"] = "5"
    with inside(project):
        write_mails()
        for kill in range(KILLS):
            worker = project.start_worker(f"a{kill}@tests")
            # Every other time it dies when its mail is taken and nobody has said so.
            slow_server.may_answer.clear()
            slow_server.behaviour.holds_data = kill % 2 == 0
            wanted = len(slow_server.mails) + chance.randint(1, MAILS // KILLS - 2)
            if kill % 2 == 0:
                wanted = len(slow_server.mails) + 1
            assert slow_server.wait_for(wanted), project.log
            worker.kill()
            worker.wait(PATIENCE_S)
            slow_server.behaviour.holds_data = False
            slow_server.may_answer.set()
        project.start_worker("last@tests")
        wait_until(all_left, what=f"the last mail\n{project.log}")
    require_once_or_twice(slow_server, KILLS)
    assert set(Counter(slow_server.counted().values())) == {1, 2}, "the kills hit mails"


@pytest.mark.tier_long
@pytest.mark.pg
def test_second_worker_sends_what_a_killed_one_had_begun(
    live_project: Callable[..., LiveProject],
    migrated_pg_url: str,
    inside: Inside,
    slow_server: MailServer,
) -> None:
    project = live_project(
        DATABASE_URL=migrated_pg_url, EMAIL_URL=slow_server.url, EMAIL_TIMEOUT="3"
    )
    slow_server.behaviour.holds_data = True
    with inside(project):
        write_mails()
        workers = [project.start_worker(f"{name}@tests") for name in "ab"]
        assert slow_server.wait_for(2), f"one mail of each worker\n{project.log}"
        workers[0].kill()
        workers[0].wait(PATIENCE_S)
        slow_server.behaviour.holds_data = False
        slow_server.may_answer.set()
        wait_until(all_left, what=f"the last mail\n{project.log}")
    require_once_or_twice(slow_server, 1)


def test_standings_do_not_wait_for_a_dead_mail_server(project: LiveProject, inside: Inside) -> None:
    server = MailServer(Behaviour(greeting=b""))
    project.environment["EMAIL_URL"] = server.url
    project.environment["EMAIL_TIMEOUT"] = "60"
    try:
        with inside(project):
            game = evening()
            write_mails()
            project.start_worker("a@tests")
            wait_until(lambda: server.connections, what=f"the first mail\n{project.log}")
            for number in range(1, 6):
                enter(game, number)
                took = wait_until(lambda: is_published(game.event_id), what="standings")
                print(f"published after {took:.2f} s while a mail waits")
            assert Outbox.objects.filter(sent_at=None).count() == MAILS
            assert server.connections == 1, "it waited for the same answer all the while"
    finally:
        server.end()
