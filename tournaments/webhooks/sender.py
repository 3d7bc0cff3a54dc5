"""The webhook sender: a thread of every worker that sends the messages of webhooks.

The database is the queue, as for mails (docs/decisions/0043). The thread itself talks to the
database only; each message is sent by one of a few others, which talk to the network only, so that
a receiver that is slow keeps neither a task, nor a database connection, nor other receivers
waiting.
"""

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from time import monotonic
from typing import Any, Final

import structlog
from celery import bootsteps
from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from tournaments.domain.sealing import SealBroken
from tournaments.lasting_thread import FAULT_S, LastingThread
from tournaments.models.webhooks import WebhookDelivery
from tournaments.selectors.jobs.clock import database_time
from tournaments.services.webhooks.delivery import (
    Answer,
    claim_delivery,
    finish_delivery,
    forget_old_deliveries,
    release_webhooks,
)
from tournaments.webhooks.messages import WebhookMessage, message_of
from tournaments.webhooks.transport import post

log = structlog.get_logger("blacklady.webhooks")

LANES: Final = 8
"""So many messages are on their way at once, each to another webhook."""
LOOK_S: Final = 0.5
"""The table is looked at this often."""
SWEEP_S: Final = 3600.0


class WebhookSender(LastingThread):
    """Sends what is due, until it is told to stop."""

    FIRST_REST_S = LOOK_S

    def __init__(self) -> None:
        super().__init__("webhook-sender")
        self._started_over = not settings.EMBEDDED
        self._next_sweep = 0.0
        self._lanes = ThreadPoolExecutor(LANES, thread_name_prefix="webhook")
        self._sending: dict[Future[Answer], WebhookDelivery] = {}

    def stop(self) -> None:
        """End the thread soon; what is on its way is sent again by another worker."""
        self._ending.set()
        self._lanes.shutdown(wait=False, cancel_futures=True)
        super().stop()

    def step(self) -> float:
        """Note what was sent and send what is due; returns how many seconds to rest after it."""
        if not self._started_over:
            release_webhooks()
            self._started_over = True
        self._sweep()
        self.note_answers()
        self.send_due()
        return LOOK_S

    def pause(self, seconds: float) -> bool:
        """Wait until something was sent, or so long; returns whether the thread is to end."""
        if seconds != FAULT_S and self._sending and not self._ending.is_set():
            wait(self._sending, timeout=seconds, return_when=FIRST_COMPLETED)
            return self._ending.is_set()
        return self._ending.wait(seconds)

    def note_answers(self) -> None:
        """Note what came of the messages that are sent by now."""
        for future in [one for one in self._sending if one.done()]:
            delivery = self._sending[future]
            if not future.cancelled():
                note_answer(delivery, _answer_of(future))
            del self._sending[future]

    def send_due(self) -> None:
        """Send what is due, as far as there are lanes."""
        while len(self._sending) < LANES and not self._ending.is_set():
            delivery = claim_delivery(now=database_time(timezone.now()))
            if delivery is None:
                return
            message = prepare(delivery)
            if message is not None:
                future = self._lanes.submit(post, message.url, message.body, message.headers)
                self._sending[future] = delivery
            self.note_answers()  # before a claim runs out, however long the others take

    @property
    def is_sending(self) -> bool:
        """Whether a message is on its way, or its answer is not noted yet."""
        return bool(self._sending)

    def _sweep(self) -> None:
        if monotonic() >= self._next_sweep:
            self._next_sweep = monotonic() + SWEEP_S
            forget_old_deliveries(now=timezone.now())


def prepare(delivery: WebhookDelivery) -> WebhookMessage | None:
    """Return the message of a delivery; None where none is sent, which is noted."""
    try:
        message = message_of(delivery, now=timezone.now())
    except SealBroken:
        broken = "The server has another secret key now. Enter the address again, rotate the secret"
        note_answer(delivery, Answer(error=broken, is_permanent=True))
        return None
    except DatabaseError:
        raise  # nobody's fault: the claim runs out
    except Exception as fault:
        log.exception("webhook_not_written", id=delivery.pk)
        note_answer(delivery, Answer(error=f"The message was not written: {type(fault).__name__}"))
        return None
    if message is None:
        note_answer(delivery, Answer(error="Nothing that the public may read", is_skipped=True))
    return message


def note_answer(delivery: WebhookDelivery, answer: Answer) -> None:
    """Note what came of a message, in the database and in the log."""
    state = finish_delivery(delivery, answer, now=database_time(timezone.now()))
    # Without the address, which may hold a key, and without the receiver's words.
    log.info(
        "webhook_tried", id=delivery.pk, webhook=delivery.webhook_id, state=str(state),
        status=answer.status, attempts=delivery.attempts, took_ms=answer.took_ms,
    )  # fmt: skip


def _answer_of(future: Future[Answer]) -> Answer:
    fault = future.exception()
    if fault is None:
        return future.result()
    log.error("webhook_lane_failed", fault=type(fault).__name__, exc_info=fault)
    return Answer(error=f"The message was not sent: {type(fault).__name__}")


class WebhookSenderStep(bootsteps.StartStopStep):
    """Starts the webhook sender with its worker, after the pool (which may fork)."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, worker: Any, **kwargs: object) -> None:
        super().__init__(worker, **kwargs)
        self._sender = WebhookSender()

    def start(self, worker: object) -> None:
        """Start the thread."""
        self._sender.start()

    def stop(self, worker: object) -> None:
        """End the thread, and wait for it."""
        self._sender.stop()

    def terminate(self, worker: object) -> None:
        """End it where the worker ends in a hurry."""
        self._sender.stop()
