"""The dispatcher: hints for what is behind, no flood of them, and no end of it on a fault."""

import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
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
from tests.support.live.project import free_port, wait_until
from tournaments.delivery import dispatcher as dispatchers
from tournaments.delivery.dispatcher import TICK_S, UNTAKEN_LOOKS, Dispatcher, WaitingRow
from tournaments.delivery.lasting_thread import FAULT_S
from tournaments.domain.circuit_breaker import BROKER
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty, Heartbeat, event_scope
from tournaments.selectors.jobs.queue import find_pending_job, list_claimable_scopes
from tournaments.services.jobs.enqueue import MOST_HINTS, PUBLISH_TASK, TASKS
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


def test_idle_worker_does_a_row_itself_whose_message_nobody_delivers(
    app: Celery, game: Game, caplog: pytest.LogCaptureFixture
) -> None:
    running = Dispatcher(app, "one")
    hand(game, 1, [4, 1, 2, 6], queen=3)
    assert [running.tick() for _ in range(UNTAKEN_LOOKS)] == [TICK_S] * UNTAKEN_LOOKS
    assert is_behind(game)
    running.tick()
    assert not is_behind(game)
    for _ in range(2 * UNTAKEN_LOOKS):  # the history of the event is behind too
        running.tick()
    assert list_claimable_scopes(timezone.now()) == ()
    events = [record.msg["event"] for record in caplog.records if isinstance(record.msg, dict)]
    assert events == ["broker_delivers_nothing"]


def test_busy_worker_leaves_a_row_to_its_own_tasks(app: Celery, game: Game) -> None:
    running = Dispatcher(app, "one", is_busy=lambda: True)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    for _ in range(2 * UNTAKEN_LOOKS):
        running.tick()
    assert is_behind(game)


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
