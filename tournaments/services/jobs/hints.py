"""Sending a hint to the workers, which may fail and costs nobody time when it does."""

from contextlib import suppress

import structlog
from celery import Celery
from django.conf import settings
from kombu.exceptions import ChannelError
from kombu.exceptions import OperationalError as BrokerDown

from tournaments.circuit_breaker import BROKER

log = structlog.get_logger(__name__)


def send_hint(app: Celery, task: str, number: int) -> bool:
    """Send one hint; false where the broker is away, which the dispatchers of the workers mend.

    While the broker is away only one hint in five seconds tries it (`CircuitBreaker`), without a
    retry and with short time-outs.
    """
    if not BROKER.allows():
        return False
    try:
        app.send_task(task, args=[number], retry=False)
    except (BrokerDown, OSError) as fault:
        BROKER.failed(fault)
        return False
    BROKER.succeeded()
    return True


def hints_wait(app: Celery) -> bool:
    """Whether the worker of this process has yet to take hints that were sent to it.

    What waits at a broker is not looked at, for other workers may take it.
    """
    if not str(app.conf.broker_url).startswith("memory:"):
        return False
    with app.producer_or_acquire() as producer, suppress(ChannelError):  # there is no queue yet
        queue = producer.channel.queue_declare(app.conf.task_default_queue, passive=True)
        return bool(queue.message_count)
    return False


def connect_to_broker(app: Celery) -> None:
    """Connect to the broker, as a hint would, so that its circuit breaker knows how it is."""
    if settings.CELERY_BROKER_URL.startswith("memory:") or not BROKER.allows():
        return
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=0, interval_start=0)
    except (BrokerDown, OSError) as fault:
        BROKER.failed(fault)
    else:
        BROKER.succeeded()
