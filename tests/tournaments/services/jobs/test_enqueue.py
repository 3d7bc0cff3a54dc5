"""Work for workers: marked, hinted at once, and hinted again."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from celery import Celery
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from tests.support.builders import enter_the_cast, hand, league, players, table
from tests.support.live.relay import Relay
from tournaments.domain.circuit_breaker import BROKER
from tournaments.models.hands import Game
from tournaments.selectors.jobs.queue import LEASE, list_events_behind
from tournaments.services.jobs import enqueue
from tournaments.services.jobs.enqueue import (
    HINT_EXPIRES_S,
    MOST_HINTS,
    PUBLISH_TASK,
    count_hints,
    probe_broker,
    send_hint,
)
from tournaments.services.jobs.queue import claim_sweep
from tournaments.services.publishing import publications as publishing_publish_event
from tournaments.tasks import publish_event

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
Enters = Callable[[int], None]


@pytest.fixture
def game(clock: time_machine.Traveller) -> Game:
    """A table of an event that is published as far as it goes."""
    event = league(enter_the_cast().riverside)
    seated = table(event, players(event.club, "Elsa D.", "Ilse K.", "Leo K.", "Anton S."))
    publish_event(event.pk)
    return seated


@pytest.fixture
def hinted(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The events that the workers are told of, as beside a broker."""
    told: list[int] = []

    def note(app: object, task: str, number: int) -> bool:
        told.append(number)
        return True

    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(enqueue, "send_hint", note)
    return told


@pytest.fixture
def enters(
    game: Game, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> Enters:
    """Enter a hand of the table, and commit."""

    def enter(number: int) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            hand(game, number, [4, 1, 2, 6], queen=3, now=timezone.now())

    return enter


def test_burst_is_one_hint(game: Game, hinted: list[int], enters: Enters) -> None:
    for number in range(1, 11):
        enters(number)
    assert hinted == [game.event_id]
    publish_event(game.event_id)
    assert hinted == [game.event_id]


def test_next_hand_after_a_publication_is_hinted_again(
    game: Game, hinted: list[int], enters: Enters
) -> None:
    enters(1)
    publish_event(game.event_id)
    enters(2)
    assert hinted == 2 * [game.event_id]


def test_hand_after_the_pause_of_a_burst_is_hinted(
    game: Game, hinted: list[int], enters: Enters, clock: time_machine.Traveller
) -> None:
    for number in range(1, 41):
        enters(number)
    publish_event(game.event_id)
    enters(41)
    assert hinted == [game.event_id]
    clock.shift(timedelta(milliseconds=801))
    enters(42)
    assert hinted == 2 * [game.event_id]


def test_event_that_cannot_be_published_yet_is_not_tried_again_and_again(
    game: Game,
    hinted: list[int],
    enters: Enters,
    monkeypatch: pytest.MonkeyPatch,
    clock: time_machine.Traveller,
) -> None:
    enters(1)
    hinted.clear()
    monkeypatch.setattr(publishing_publish_event, "is_recounted", lambda event_id: True)
    publish_event(game.event_id)
    assert (list_events_behind(timezone.now()), hinted) == ((), [])
    clock.shift(LEASE)
    assert [event_id for event_id, _ in list_events_behind(timezone.now())] == [game.event_id]


def test_sweep_is_claimed_once_a_period(clock: time_machine.Traveller) -> None:
    claims = []
    for _ in range(25):
        claims.append([claim_sweep(now=timezone.now()) for _worker in range(2)])
        clock.shift(timedelta(seconds=1))
    assert [at for at, claim in enumerate(claims) if claim[0]] == [0, 10, 20]
    assert not any(claim[1] for claim in claims)


def test_sweep_goes_on_after_the_clock_stepped_back(clock: time_machine.Traveller) -> None:
    assert claim_sweep(now=timezone.now())
    clock.shift(timedelta(minutes=-10))
    assert claim_sweep(now=timezone.now())
    assert not claim_sweep(now=timezone.now())


def test_worker_that_read_its_clock_just_before_another_was_let_in_is_not() -> None:
    now = timezone.now()
    assert claim_sweep(now=now)
    assert not claim_sweep(now=now - timedelta(seconds=1))


Sender = Callable[[str], Celery]
BROKERS = [
    pytest.param("redis_url", marks=pytest.mark.redis),
    pytest.param("rabbitmq_url", marks=pytest.mark.rabbitmq),
]


@pytest.fixture
def sender(broker_queue: str, settings: Settings) -> Iterator[Sender]:
    """Make an application that sends hints to a broker, as a web process does."""
    apps: list[Celery] = []

    def make(url: str) -> Celery:
        settings.CELERY_BROKER_URL = url
        app = Celery(broker=url, set_as_current=False)
        app.conf.task_default_queue = broker_queue
        app.conf.task_default_delivery_mode = settings.CELERY_TASK_DEFAULT_DELIVERY_MODE
        app.conf.broker_connection_timeout = settings.CELERY_BROKER_CONNECTION_TIMEOUT
        app.conf.broker_transport_options = dict(
            settings.BROKER_OPTIONS.get(url.partition(":")[0], {})
        )
        apps.append(app)
        return app

    yield make
    for app in apps:
        app.close()
    BROKER.succeeded()


@pytest.fixture
def relay(rabbitmq_url: str) -> Iterator[Relay]:
    relay = Relay(rabbitmq_url)
    yield relay
    relay.end()


def take(app: Celery) -> Any:
    """Take a message from the queue."""
    with app.connection_for_read() as broker:
        queue: Any = app.amqp.queues[app.conf.task_default_queue]
        message = queue(broker.default_channel).get()
        message.ack()
    return message


@pytest.mark.parametrize("broker", BROKERS)
def test_hints_that_wait_are_few_however_many_are_sent(
    sender: Sender, broker: str, request: pytest.FixtureRequest
) -> None:
    app = sender(request.getfixturevalue(broker))
    assert count_hints(app) == 0
    assert all(send_hint(app, PUBLISH_TASK, number) for number in range(3 * MOST_HINTS))
    assert count_hints(app) == MOST_HINTS
    assert take(app).payload[0] == [0]
    probe_broker(app)
    probe_broker(app)
    assert count_hints(app) == MOST_HINTS


@pytest.mark.parametrize("broker", BROKERS)
def test_hint_expires(sender: Sender, broker: str, request: pytest.FixtureRequest) -> None:
    app = sender(request.getfixturevalue(broker))
    send_hint(app, PUBLISH_TASK, 7)
    message = take(app)
    assert message.headers["expires"]
    assert message.properties["expiration"] == str(round(HINT_EXPIRES_S * 1000))


@pytest.mark.rabbitmq
def test_broker_that_takes_a_hint_and_does_nothing_is_away(
    sender: Sender, relay: Relay, caplog: pytest.LogCaptureFixture
) -> None:
    app = sender(relay.url)
    assert send_hint(app, PUBLISH_TASK, 1)
    relay.swallow_answers()
    assert not send_hint(app, PUBLISH_TASK, 2)
    assert count_hints(app) is None
    assert BROKER.away_for() is not None
    events = [record.msg["event"] for record in caplog.records if isinstance(record.msg, dict)]
    assert events == ["broker_away"]


@pytest.mark.rabbitmq
def test_kept_connection_that_the_broker_ended_is_no_outage(
    sender: Sender, relay: Relay, caplog: pytest.LogCaptureFixture
) -> None:
    app = sender(relay.url)
    assert send_hint(app, PUBLISH_TASK, 1)
    relay.cut()
    assert send_hint(app, PUBLISH_TASK, 2)
    assert count_hints(app) == 2
    assert caplog.records == []
