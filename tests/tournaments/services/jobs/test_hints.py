"""Hints at a real broker: few, short-lived, confirmed; a broker that takes and does nothing."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from celery import Celery
from pytest_django import Settings

from tests.support.live.relay import Relay
from tournaments.domain.circuit_breaker import BROKER
from tournaments.services.jobs.enqueue import (
    HINT_EXPIRES_S,
    MOST_HINTS,
    PUBLISH_TASK,
    count_hints,
    probe_broker,
    send_hint,
)

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
