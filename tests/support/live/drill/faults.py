"""The faults of a drill: what goes away, and how it comes back.

Each is a context: the fault begins, the drill lets time pass, and at its end all serves again.
"""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

import psycopg

from tests.support.live.drill.account import NO_ROOM, Account
from tests.support.live.drill.machines import QUEUE, Machine, Machines, manage
from tests.support.live.drill.people import Stranger
from tests.support.live.hints import sender
from tests.support.live.project import wait_until
from tournaments.services.jobs.enqueue import NO_EVENT, PUBLISH_TASK

OFF_MIN: Final = -10
"""A wrong clock is so many minutes off."""
MESSAGES: Final = 40


@dataclass(frozen=True)
class Scene:
    """What a fault happens to."""

    machines: Machines
    account: Account
    chance: Random
    events: Mapping[str, int]
    """Slug → id of the events that are played."""
    sheets: str
    """The path of a file of sheets, for an import."""
    host: Stranger
    director: Stranger
    owner: Stranger
    foreigner: Stranger
    """Somebody of another club."""
    stranger: Stranger

    @property
    def slugs(self) -> tuple[str, ...]:
        return tuple(self.events)

    @property
    def some_machine(self) -> Machine:
        return self.chance.choice(self.machines.all)


@dataclass(frozen=True)
class Fault:
    """A kind of fault, its numbers in the list of faults that the project keeps, its length."""

    kind: str
    rows: str
    hold_s: float
    during: Callable[[Scene], AbstractContextManager[None]]


FAULTS: Final[list[Fault]] = []


def fault(
    kind: str, rows: str, hold_s: float = 0.0
) -> Callable[[Callable[[Scene], Iterator[None]]], None]:
    """Add a fault whose begin and end a generator holds."""

    def add(function: Callable[[Scene], Iterator[None]]) -> None:
        FAULTS.append(Fault(kind, rows, hold_s, contextmanager(function)))

    return add


def _killed(kind: str, is_everywhere: bool, scene: Scene) -> Iterator[None]:
    machines = scene.machines.all if is_everywhere else [scene.some_machine]
    for machine in machines:
        machine.kill(kind)
    yield
    for machine in machines:
        machine.start(kind)


def _child_killed(kind: str, scene: Scene) -> Iterator[None]:
    machine = scene.some_machine
    machine.kill_child(kind)
    yield
    machine.wait_ready(kind)


def _paused(kind: str, scene: Scene) -> Iterator[None]:
    machine = scene.some_machine
    machine.send(kind, signal.SIGSTOP)
    yield
    machine.send(kind, signal.SIGCONT)


def _restarted(kind: str, scene: Scene) -> Iterator[None]:
    machine = scene.some_machine
    assert machine.stop(kind) == 0, f"{machine.name} {kind} did not end in order"
    yield
    machine.start(kind)


def _clock_back(kind: str, scene: Scene) -> Iterator[None]:
    machine = scene.some_machine
    machine.stop(kind)
    machine.start(kind, clock_min=OFF_MIN)
    yield
    machine.stop(kind)
    machine.start(kind)


for _kind, _row in (("web", "F2"), ("worker", "F1")):
    fault(f"{_kind} killed", _row, 1)(partial(_killed, _kind, False))
    fault(f"{_kind} of both machines killed", _row, 1)(partial(_killed, _kind, True))
    fault(f"{_kind}, child process killed", f"{_row} F35", 1)(partial(_child_killed, _kind))
    fault(f"{_kind} paused", "F39" if _kind == "worker" else "–", 4)(partial(_paused, _kind))
    fault(f"{_kind} restarted in order", "–", 0.5)(partial(_restarted, _kind))
    fault(f"{_kind}, clock 10 minutes back", "F10", 2)(partial(_clock_back, _kind))


def _redis_stopped(scene: Scene) -> Iterator[None]:
    scene.machines.redis.end()
    yield
    scene.machines.redis.start()


fault("Redis stopped", "F3", 4)(_redis_stopped)
fault("Redis restarted", "F4", 0.2)(_redis_stopped)


@fault("Redis paused", "F3 F38", 4)
def _redis_paused(scene: Scene) -> Iterator[None]:
    process = scene.machines.redis.process
    process.send_signal(signal.SIGSTOP)
    yield
    process.send_signal(signal.SIGCONT)


@fault("Redis forgets everything", "F4")
def _redis_forgets(scene: Scene) -> Iterator[None]:
    scene.machines.redis.forget_everything()
    yield


@fault("Redis at its memory limit", "F38", 5)
def _redis_full(scene: Scene) -> Iterator[None]:
    scene.machines.redis.refuse_writes()
    yield
    scene.machines.redis.take_writes()


@fault("messages of jobs doubled and in disorder", "F11")
def _doubled_messages(scene: Scene) -> Iterator[None]:
    app = sender(scene.machines.redis.url, QUEUE)
    for event_id in scene.chance.choices([*scene.events.values(), NO_EVENT], k=MESSAGES):
        app.send_task(PUBLISH_TASK, args=[event_id], retry=False)
    app.close()
    yield


def _database_restarted(mode: str, scene: Scene) -> Iterator[None]:
    scene.machines.primary.control("restart", "-m", mode)
    yield


for _mode in ("immediate", "fast"):
    fault(f"database restarted ({_mode})", "F5")(partial(_database_restarted, _mode))


def _server_paused(name: str, scene: Scene) -> Iterator[None]:
    pids = scene.machines.database_processes(getattr(scene.machines, name))
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    yield
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


fault("database paused", "F14", 3)(partial(_server_paused, "primary"))
fault("standby paused", "standby", 4)(partial(_server_paused, "standby"))


@fault("all connections dropped, six times", "F6")
def _connections_dropped(scene: Scene) -> Iterator[None]:
    for _ in range(6):
        scene.machines.primary.drop_connections()
        scene.machines.wait(0.5)
    yield


@fault("rows of the events locked", "F14", 7)
def _rows_locked(scene: Scene) -> Iterator[None]:
    with psycopg.connect(scene.machines.primary.url) as session:
        rows = "SELECT 1 FROM tournaments_event WHERE id = ANY(%s) FOR UPDATE"
        session.execute(rows, [list(scene.events.values())])
        yield


@fault("table of hands locked", "F14", 4)
def _table_locked(scene: Scene) -> Iterator[None]:
    with psycopg.connect(scene.machines.primary.url) as session:
        session.execute("LOCK TABLE tournaments_hand IN ACCESS EXCLUSIVE MODE")
        yield


@fault("disk of the database full", "F42", 2)
def _disk_full(scene: Scene) -> Iterator[None]:
    """Pages that exist have room for some hands; the disk stays full until a hand is refused."""
    before = scene.account.count(NO_ROOM)
    scene.machines.fill_disk()
    with suppress(AssertionError):
        wait_until(lambda: scene.account.count(NO_ROOM) > before, what="a 507", within_s=10)
    yield
    scene.machines.clear_disk()


@fault("pooler killed", "F43", 1)
def _pooler_killed(scene: Scene) -> Iterator[None]:
    pooler = scene.machines.pooler
    pooler.kill()
    yield
    pooler.start()


@fault("pooler paused", "F43", 4)
def _pooler_paused(scene: Scene) -> Iterator[None]:
    scene.machines.pooler.send(signal.SIGSTOP)
    yield
    scene.machines.pooler.send(signal.SIGCONT)


@fault("standby stopped", "standby", 4)
def _standby_stopped(scene: Scene) -> Iterator[None]:
    scene.machines.standby.control("stop", "-m", "immediate")
    yield
    scene.machines.standby.control("start")


@fault("standby restarted", "standby")
def _standby_restarted(scene: Scene) -> Iterator[None]:
    scene.machines.standby.control("restart", "-m", "fast")
    yield


@fault("standby stands still", "standby", 6)
def _standby_behind(scene: Scene) -> Iterator[None]:
    scene.machines.standby.execute("SELECT pg_wal_replay_pause()")
    yield
    scene.machines.standby.execute("SELECT pg_wal_replay_resume()")


@fault("backup during the night", "F28")
def _backup(scene: Scene) -> Iterator[None]:
    machine = scene.some_machine
    ended = manage(machine, "backup", "--to", str(scene.machines.place / "backups"))
    assert ended.returncode == 0, ended.stderr
    yield


@fault("archive of a club refused", "F45")
def _refused_archive(scene: Scene) -> Iterator[None]:
    file = scene.machines.place / "damaged.zip"
    file.write_bytes(scene.chance.randbytes(2000))
    clubs = "SELECT count(*) FROM tournaments_club"
    before = scene.machines.rows(clubs)
    assert manage(scene.some_machine, "import_club", str(file)).returncode != 0
    assert scene.machines.rows(clubs) == before, "a refused archive left something"
    yield


@fault("import of sheets killed, then repeated", "F1")
def _import_killed(scene: Scene) -> Iterator[None]:
    """Kill an import of sheets in the middle, and run it again."""
    machine = scene.some_machine
    slug = f"sheets-{scene.chance.randrange(10**6)}"
    words = ("import_sheets", "--club", "guests", "--event", slug, "--create", scene.sheets)
    process = machine.web.start("manage.py", *words)
    hands = (
        "SELECT count(*) FROM tournaments_hand JOIN tournaments_game ON"
        " tournaments_game.id = game_id JOIN tournaments_event e ON e.id = event_id"
        " WHERE e.slug = %s"
    )
    wait_until(
        lambda: process.poll() is not None or scene.machines.rows(hands, slug)[0][0],
        what="the first hands of an import",
    )
    process.kill()
    process.wait()
    ended = manage(machine, *words)
    assert ended.returncode == 0, ended.stderr
    yield
