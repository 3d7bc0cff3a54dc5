"""The dispatcher: hints for what is behind, no flood of them, and no end of it on a fault."""

import uuid
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from celery import Celery
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection
from django.utils import timezone
from pytest_django import Settings

from tests.support.builders import hand, league, players, table
from tests.support.cast import enter_the_cast
from tests.support.given_pool import GivenPool
from tests.support.live.project import free_port, wait_until
from tournaments.delivery import dispatcher as dispatchers
from tournaments.delivery.dispatcher import TICK_S, Dispatcher, WaitingRow
from tournaments.delivery.lasting_thread import FAULT_S
from tournaments.delivery.pool_watch import LASTS_S
from tournaments.domain.circuit_breaker import BROKER
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty, Heartbeat, event_scope
from tournaments.models.standings import Publication
from tournaments.selectors.jobs.queue import (
    LEASE,
    find_pending_job,
    list_claimable_scopes,
    list_worker_states,
)
from tournaments.services.jobs.enqueue import MOST_HINTS, PUBLISH_TASK, TASKS
from tournaments.services.jobs.queue import claim_job
from tournaments.tasks import publish_event

# A tick gives connections back, so that no test's transaction may be around it.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def embedded(settings: Settings) -> None:
    """Beside a broker the dispatcher would wait for the web process to hint first."""
    settings.EMBEDDED = True


@pytest.fixture
def app() -> Iterator[Celery]:
    """A Celery application whose messages nobody takes."""
    app = Celery(broker="memory://", set_as_current=False)
    app.conf.task_default_queue = uuid.uuid4().hex
    yield app
    app.close()


@pytest.fixture
def game() -> Game:
    riverside = enter_the_cast().riverside
    seated = players(riverside, "Elsa D.", "Ilse K.", "Leo K.", "Anton S.")
    made = table(league(riverside), seated)
    publish_event(made.event_id)
    return made


def is_behind(game: Game) -> bool:
    return find_pending_job(event_scope(game.event_id)).exists()


def hints(app: Celery) -> list[list[int]]:
    """The ids of events in the messages that wait, which are then gone.

    The history is hinted at too; that is not asked about here.
    """
    found = []
    with app.connection_for_read() as broker:
        queue = broker.SimpleQueue(app.conf.task_default_queue)
        while queue.qsize():
            message = queue.get_nowait()
            message.ack()
            if message.headers["task"] == PUBLISH_TASK:
                found.append(message.payload[0])
        queue.close()
    return found


def test_event_that_is_behind_is_hinted_at_once_and_not_each_tick(app: Celery, game: Game) -> None:
    running = Dispatcher(app, "one")
    assert (running.tick(), hints(app)) == (TICK_S, [])
    hand(game, 1, [4, 1, 2, 6], queen=3)
    assert [running.tick() for _ in range(3)] == [TICK_S] * 3
    assert hints(app) == [[game.event_id]]


def test_event_that_is_behind_again_is_hinted_again_at_once(app: Celery, game: Game) -> None:
    running = Dispatcher(app, "one")
    for number in (1, 2):
        hand(game, number, [4, 1, 2, 6], queen=3)
        running.tick()
        assert hints(app) == [[game.event_id]]
        publish_event(game.event_id)


def test_messages_that_wait_are_few_however_many_rows_are_behind(app: Celery, game: Game) -> None:
    Dirty.objects.bulk_create(
        Dirty(scope=event_scope(number), version=1, marked_at=timezone.now())
        for number in range(10**6, 10**6 + 75)
    )
    running = Dispatcher(app, "one")
    for _ in range(3):
        assert running.tick() == TICK_S
    assert len(hints(app)) == MOST_HINTS


def test_hint_without_effect_is_repeated_at_growing_intervals() -> None:
    row = WaitingRow(next_hint=0.0)
    moments = []
    while row.next_hint < 100:
        moments.append(row.next_hint)
        row.note_hint(row.next_hint)
    assert moments == [0, 1, 3, 7, 15, 31, 61, 91]


class GivenClock:
    """A clock of seconds that stands until a test moves it."""

    def __init__(self) -> None:
        self.moment = 1000.0

    def __call__(self) -> float:
        return self.moment


def events_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.msg["event"] for record in caplog.records if isinstance(record.msg, dict)]


@pytest.mark.parametrize(("seconds", "is_done"), [(2.9, False), (3.0, True)])
def test_idle_worker_does_a_row_itself_whose_message_nobody_delivers_for_three_seconds(
    app: Celery, game: Game, caplog: pytest.LogCaptureFixture, seconds: float, is_done: bool
) -> None:
    clock = GivenClock()
    running = Dispatcher(app, "one", clock=clock)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    running.tick()
    clock.moment += seconds
    running.tick()
    assert is_behind(game) is not is_done
    assert events_in(caplog) == ["broker_delivers_nothing"] * is_done


def test_few_looks_of_a_starved_worker_are_enough_for_an_untaken_row(
    app: Celery, game: Game
) -> None:
    """It looks once in four seconds, where it would look ten times a second."""
    clock = GivenClock()
    running = Dispatcher(app, "one", clock=clock)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    for _ in range(2):
        running.tick()
        clock.moment += 4.0
    assert not is_behind(game)


def test_all_rows_are_done_by_an_idle_worker_one_after_the_other(
    app: Celery, game: Game, caplog: pytest.LogCaptureFixture
) -> None:
    clock = GivenClock()
    running = Dispatcher(app, "one", clock=clock)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    for _ in range(8):  # the history of the event is behind too
        running.tick()
        clock.moment += 3.0
    assert list_claimable_scopes(timezone.now()) == ()
    assert events_in(caplog) == ["broker_delivers_nothing"]


def test_busy_worker_leaves_a_row_to_its_own_tasks(app: Celery, game: Game) -> None:
    clock = GivenClock()
    pool = GivenPool(7)
    pool.working = {7}
    running = Dispatcher(app, "one", pool, clock=clock)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    for _ in range(4):
        running.tick()
        clock.moment += 20.0
    assert is_behind(game)


def test_task_of_a_dead_process_does_not_make_its_worker_busy(app: Celery, game: Game) -> None:
    clock = GivenClock()
    pool = GivenPool()
    pool.working = {7}
    running = Dispatcher(app, "one", pool, clock=clock)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    running.tick()
    clock.moment += 3.0
    running.tick()
    assert not is_behind(game)


@pytest.mark.parametrize(("seconds", "is_done"), [(9.9, False), (10.0, True)])
def test_row_that_dying_processes_claim_again_and_again_is_done_after_ten_seconds(
    app: Celery,
    game: Game,
    caplog: pytest.LogCaptureFixture,
    seconds: float,
    is_done: bool,
) -> None:
    clock = GivenClock()
    began = clock.moment
    pool = GivenPool(1)
    running = Dispatcher(app, "one", pool, clock=clock)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    scope = event_scope(game.event_id)
    running.tick()
    for pid in (1, 2):
        assert claim_job(scope, now=timezone.now())
        pool.up, pool.working = {pid}, {pid}
        clock.moment += 2.0
        running.tick()
        Dirty.objects.filter(scope=scope).update(claimed_until=timezone.now())
        pool.up = {pid + 1}
        clock.moment += 2.0
        running.tick()
    pool.working = set()
    assert is_behind(game)
    clock.moment = began + seconds
    pool.working = {3}
    running.tick()
    assert is_behind(game)
    pool.working = set()
    running.tick()
    assert is_behind(game) is not is_done
    assert events_in(caplog) == ["worker_without_process"] * is_done


def test_row_that_waited_behind_other_work_is_left_to_a_process_that_lasts(
    app: Celery, game: Game
) -> None:
    clock = GivenClock()
    pool = GivenPool(7)
    pool.working = {7}
    running = Dispatcher(app, "one", pool, clock=clock)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    for _ in range(2):
        running.tick()
        clock.moment += 20.0
    pool.working = set()
    running.tick()
    assert is_behind(game)


def test_time_of_a_row_begins_anew_after_a_claim_that_lasted(app: Celery, game: Game) -> None:
    clock = GivenClock()
    pool = GivenPool()
    running = Dispatcher(app, "one", pool, clock=clock)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    scope = event_scope(game.event_id)
    running.tick()
    for seconds in (0.0, 6.0):
        clock.moment += seconds
        Dirty.objects.filter(scope=scope).update(claimed_until=timezone.now() + LEASE)
        running.tick()
    clock.moment += 4.0
    Dirty.objects.filter(scope=scope).update(claimed_until=timezone.now())
    running.tick()
    assert is_behind(game)


@pytest.mark.parametrize(("seconds", "is_without"), [(29.9, False), (30.0, True)])
def test_worker_says_in_its_heartbeat_that_no_process_lasts_and_has_a_file_beside_its_lock(
    app: Celery, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    seconds: float, is_without: bool,
) -> None:  # fmt: skip
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(dispatchers, "ALIVE", tmp_path / "worker-alive")
    monkeypatch.setattr(dispatchers, "BEAT_S", 0.0)
    clock = GivenClock()
    pool = GivenPool()
    running = Dispatcher(app, "celery@here", pool, clock=clock)
    running.tick()
    dispatchers.ALIVE.unlink()
    clock.moment += seconds
    running.tick()
    now = timezone.now()
    [worker] = list_worker_states(now)
    assert (worker.without_process_since is not None) is is_without
    assert len(list(tmp_path.glob("workers/*.without-process"))) == is_without
    assert dispatchers.ALIVE.exists() is not is_without
    pool.up = {7}
    running.tick()
    clock.moment += LASTS_S
    running.tick()
    [worker] = list_worker_states(now)
    assert worker.without_process_since is None
    assert [path.suffix for path in tmp_path.glob("workers/*")] == [".lock"]
    assert dispatchers.ALIVE.exists()


def test_event_that_rested_is_hinted_at_once_beside_a_broker_too(
    app: Celery, game: Game, settings: Settings, clock: time_machine.Traveller
) -> None:
    """The web process hints first at others; at this one it did not, as it had a pause."""
    settings.EMBEDDED = False
    running = Dispatcher(app, "one")
    for number in range(1, 41):
        hand(game, number, [4, 1, 2, 6], queen=3)
    publish_event(game.event_id)
    hand(game, 41, [4, 1, 2, 6], queen=3)
    assert (running.tick(), hints(app)) == (TICK_S, [])
    clock.shift(timedelta(milliseconds=801))
    assert (running.tick(), hints(app)) == (TICK_S, [[game.event_id]])


def test_hint_that_was_lost_is_given_again_after_a_while(app: Celery, game: Game) -> None:
    running = Dispatcher(app, "one")
    hand(game, 1, [4, 1, 2, 6], queen=3)
    running.tick()
    assert hints(app) == [[game.event_id]]
    wait_until(lambda: running.tick() and hints(app), what="a second hint")


def test_dispatcher_survives_a_database_that_is_away(app: Celery, game: Game) -> None:
    running = Dispatcher(app, "one")
    hand(game, 1, [4, 1, 2, 6], queen=3)

    def away(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if "tournaments_dirty" in sql:
            raise OperationalError("terminating connection due to administrator command")
        return execute(sql, *rest)

    with connection.execute_wrapper(away):
        assert running.tick() == FAULT_S
    assert running.tick() == TICK_S
    assert hints(app) == [[game.event_id]]


def test_dispatcher_says_that_its_worker_lives(app: Celery) -> None:
    running = Dispatcher(app, "celery@here")
    running.tick()
    running.tick()
    assert list(Heartbeat.objects.values_list("name", flat=True)) == ["celery@here"]


@pytest.fixture
def no_broker() -> Iterator[Celery]:
    """An application whose broker refuses every connection; it works by itself."""
    app = Celery(broker=f"redis://127.0.0.1:{free_port()}/0", set_as_current=False)
    yield app
    app.close()
    BROKER.succeeded()


def test_worker_is_heard_while_its_dispatcher_does_a_long_job_itself(
    no_broker: Celery, game: Game, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(dispatchers, "BEAT_S", 0.01)
    monkeypatch.setattr(dispatchers, "ALIVE", tmp_path / "alive")
    begun = []

    def long_job(event_id: int) -> None:
        """A job that ends when its worker was heard meanwhile; it asks nothing of the database."""
        begun.append(timezone.now())
        dispatchers.ALIVE.unlink()
        wait_until(dispatchers.ALIVE.exists, what="a heartbeat during the job")

    for task in TASKS.values():
        monkeypatch.setitem(no_broker.tasks, task, lambda number: None)
    monkeypatch.setitem(no_broker.tasks, PUBLISH_TASK, long_job)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    assert Dispatcher(no_broker, "one").tick() == 0.0
    assert Heartbeat.objects.get(name="one").seen_at > begun[0]


def test_worker_deletes_expired_sessions_when_it_starts_and_every_night(
    app: Celery, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatchers, "LOOK_S", 0.0)
    running = Dispatcher(app, "one")
    sessions = []
    for hours in (0, 1, 2):  # at 21:00, at 22:00 and at 0:00
        clock.shift(timedelta(hours=hours))
        running.tick()
        sessions.append(Session.objects.count())
        expired = timezone.now() - timedelta(seconds=1)
        Session.objects.create(session_key=f"from-{hours}", expire_date=expired)
    assert sessions == [0, 1, 0]


def test_each_sweep_deletes_results_without_their_evening_before_it_packs(
    app: Celery, game: Game, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatchers, "LOOK_S", 0.0)
    left: list[bool] = []

    def pack(*, now: datetime) -> int:
        left.append(Publication.objects.filter(meeting__isnull=False).exists())
        return 0

    monkeypatch.setattr(dispatchers, "pack_piece", pack)
    monkeypatch.setattr(dispatchers, "is_packing_allowed", lambda _now: True)
    running = Dispatcher(app, "one")
    running.tick()
    lost = Publication(
        club=game.event.club, meeting_id=10**6, number=1, version=1, published_at=timezone.now()
    )
    Publication.objects.bulk_create([lost])
    clock.shift(timedelta(hours=1))  # the same day
    running.tick()
    assert left == [False, False]
