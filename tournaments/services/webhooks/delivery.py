"""Messages of webhooks: recorded, claimed, sent, retried later, parked, deleted.

Without the operation there is no message, and with it the message is not lost: a worker sends it
afterwards (tournaments/delivery/webhooks/sender.py). A club without a webhook for the kind costs
one query.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from tournaments.models.events import Event, Season
from tournaments.models.jobs import Dirty, event_scope
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Meeting, Round
from tournaments.models.webhooks import (
    TEST_KIND,
    DeliveryState,
    DisabledBy,
    Webhook,
    WebhookDelivery,
    WebhookEvent,
    WebhookFormat,
    WebhookKind,
    WebhookSequence,
    WebhookState,
)
from tournaments.selectors.jobs.queue import is_ahead
from tournaments.services.db.transactions import is_dry_run

CHAT_PAUSE: Final = timedelta(minutes=5)
"""A chat is sent at most one notice of an event in this time: the newest one."""

SUPERSEDED: Final = "A newer publication took its place"

BACK_OFF: Final = (
    timedelta(seconds=5),
    timedelta(seconds=15),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=20.5),
)
"""Waits after each failure, three days in all; after one more failure a message is parked."""

GIVEN_UP_AFTER: Final = timedelta(days=3)
"""A message that was first due this long ago is parked at its next failure."""

REST: Final = timedelta(seconds=5)

MOST_REST: Final = timedelta(minutes=1)
"""After a failure the webhook's other messages wait as well: 5 seconds a failure, up to this."""

ASKED_TO_WAIT: Final = (429, 503)
"""Statuses by which a receiver may say in `Retry-After` how long it is to be left alone."""

MOST_ASKED: Final = timedelta(hours=1)
"""A receiver is left alone for no longer than this, whatever it asks for; then it may ask again."""

MESSAGES_KEPT: Final = timedelta(days=30)

LONGEST_DIGITS: Final = 9
"""Seconds with more digits are no wait that anybody means."""

_AT_ONCE: Final = 20
"""Webhooks that one claim tries before it gives up."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one try.

    `status` is that of the answer, None where there was none; `error` is empty where the receiver
    accepted the message. A permanent error is not tried again. `retry_after` is the header of
    that name.
    """

    status: int | None = None
    text: str = ""
    error: str = ""
    took_ms: int = 0
    is_permanent: bool = False
    is_skipped: bool = False
    retry_after: str = ""


def record_event(
    subject: Event | Season, kind: WebhookKind, facts: Mapping[str, object], *, now: datetime
) -> None:
    """Record something that happened in an event or a season, for each webhook that wants its kind.

    The event's numbers are locked until the commit: after the event's own dirty row where the
    caller marks it (`mark_changed`), and before any other dirty row, as a publication takes them.

    Args:
        facts: ids and numbers, never names; the club and the subject come before them. An
            `event_version` is what `mark_changed` returned in this operation. If it is None, the
            event's dirty row is locked here, as the operation marks it later or not at all.
    """
    if is_dry_run():
        return
    active = Webhook.objects.filter(
        club=subject.club_id, state=WebhookState.ACTIVE, removed_at__isnull=True
    )
    webhooks = [webhook for webhook in active.order_by("pk") if kind in webhook.kinds]
    if not webhooks:
        return

    if "event_version" in facts and facts["event_version"] is None:
        rows = Dirty.objects.select_for_update(no_key=True).filter(scope=event_scope(subject.pk))
        version = rows.values_list("version", flat=True).first()
        facts = {**facts, "event_version": version or 0}

    name = "season" if isinstance(subject, Season) else "event"
    owner: dict[str, Any] = {name: subject}
    occurrence = WebhookEvent(
        club=subject.club,
        stream=f"{name}:{subject.pk}",
        kind=kind,
        data={"club": subject.club.slug, name: subject.slug, **facts},
        **owner,
    )
    _store(occurrence, webhooks, now)


def record_round_posted(round_: Round, *, now: datetime, version: int | None = None) -> None:
    """Record that a round was posted: by a director, with its first table, or with its tables."""
    facts = {"round": round_.number, "event_version": version}
    record_event(round_.event, WebhookKind.ROUND_POSTED, facts, now=now)


def record_evening(meeting: Meeting, facts: Mapping[str, object], *, now: datetime) -> None:
    """Record that an evening has a result, or another one than was announced."""
    day = meeting.date.isoformat()
    record_event(meeting.event, WebhookKind.EVENING_CLOSED, {"day": day, **facts}, now=now)


def record_challenge(event: Event, number: int, state: str, *, now: datetime) -> None:
    facts = {"challenge": number, "state": str(state)}
    record_event(event, WebhookKind.CHALLENGE_CHANGED, facts, now=now)


def record_playoff(playoff: Playoff, *, now: datetime) -> None:
    facts = {"playoff": playoff.number, "state": str(playoff.state)}
    record_event(playoff.event, WebhookKind.PLAYOFF_CHANGED, facts, now=now)


def record_test(webhook: Webhook, *, now: datetime) -> WebhookDelivery:
    stream = f"webhook:{webhook.pk}"
    facts = {"club": webhook.club.slug}
    occurrence = WebhookEvent(club=webhook.club, stream=stream, kind=TEST_KIND, data=facts)
    return _store(occurrence, [webhook], now)[0]


def _store(
    occurrence: WebhookEvent, webhooks: Sequence[Webhook], now: datetime
) -> list[WebhookDelivery]:
    """Store an event under the next number of its stream, with a message to each webhook."""
    first = WebhookSequence(club=occurrence.club, stream=occurrence.stream)
    WebhookSequence.objects.bulk_create([first], ignore_conflicts=True)
    sequences = WebhookSequence.objects.select_for_update(no_key=True)
    sequence = sequences.get(stream=occurrence.stream)
    sequence.number += 1
    sequence.save(update_fields=["number"])

    occurrence.number = sequence.number
    occurrence.created_at = now
    occurrence.save(force_insert=True)

    deliveries = []
    for webhook in webhooks:
        due_at = _due_at(webhook, occurrence, now)
        delivery = WebhookDelivery(
            club=occurrence.club,
            webhook=webhook,
            occurrence=occurrence,
            stream=occurrence.stream,
            number=occurrence.number,
            first_due_at=due_at,
            due_at=due_at,
        )
        deliveries.append(delivery)
    return WebhookDelivery.objects.bulk_create(deliveries)


def _due_at(webhook: Webhook, occurrence: WebhookEvent, now: datetime) -> datetime:
    """Return when a message is due: at once, but for a chat not too soon after the last one.

    A message already waiting for a chat is dropped: the new one has the current state. Two evenings
    are two results, of which none takes the place of the other.
    """
    if webhook.format == WebhookFormat.STANDARD or occurrence.kind == TEST_KIND:
        return now
    earlier = WebhookDelivery.objects.filter(
        webhook=webhook, stream=occurrence.stream, occurrence__kind=occurrence.kind
    )
    if occurrence.kind == WebhookKind.EVENING_CLOSED:
        earlier = earlier.filter(occurrence__data__day=occurrence.data["day"])
    earlier.filter(state=DeliveryState.WAITING).update(
        state=DeliveryState.SKIPPED, done_at=now, error=SUPERSEDED
    )
    last = earlier.filter(state=DeliveryState.DELIVERED).order_by("-number").first()
    if last is None or last.done_at is None:
        return now
    return max(now, min(last.done_at, now) + CHAT_PAUSE)


def retry_after(value: str, *, now: datetime) -> timedelta | None:
    """Return the wait that a header asks for: seconds, or a date as HTTP writes it; else None.

    >>> moment = datetime(2025, 11, 6, 20, 0, tzinfo=UTC)
    >>> retry_after("120", now=moment)
    datetime.timedelta(seconds=120)
    >>> retry_after("Thu, 06 Nov 2025 20:01:00 GMT", now=moment)
    datetime.timedelta(seconds=60)
    >>> retry_after("soon", now=moment)
    """
    text = value.strip()
    if text.isascii() and text.isdecimal():
        if len(text) <= LONGEST_DIGITS:
            return timedelta(seconds=int(text))
        return None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        # The zone "-0000" says nothing; dates of HTTP are in UTC.
        moment = moment.replace(tzinfo=UTC)
    return max(moment - now, timedelta(0))


def claim_lasts() -> timedelta:
    """Return the duration of a claim: longer than any message takes."""
    return timedelta(seconds=3 * settings.WEBHOOK_TIMEOUT + 10)


def claim_delivery(*, now: datetime) -> WebhookDelivery | None:
    """Claim the next due message, from the webhook served longest ago; None if none is due.

    Each claim counts as a try, so a message that ends its worker each time is parked as well.
    """
    for webhook in list(_free_webhooks(now)[:_AT_ONCE]):
        with transaction.atomic():
            # Another worker may have claimed the webhook since the list was read.
            free = _free_webhooks(now).filter(pk=webhook.pk)
            if not free.update(claimed_until=now + claim_lasts(), tried_at=now):
                continue
            delivery = _due(now).filter(webhook=webhook).order_by("due_at", "pk").first()
            if delivery is None:
                Webhook.objects.filter(pk=webhook.pk).update(claimed_until=None)
                continue
            rows = WebhookDelivery.objects.filter(pk=delivery.pk)
            rows.update(attempts=F("attempts") + 1, tried_at=now)
            return rows.select_related(
                "webhook__club", "occurrence__event__club", "occurrence__season__club"
            ).first()
    return None


def _free_webhooks(now: datetime) -> QuerySet[Webhook]:
    """Return the webhooks that have a due message and no worker, served longest ago first."""
    claimed = is_ahead("claimed_until", now, claim_lasts())
    resting = is_ahead("rest_until", now, max(MOST_REST, MOST_ASKED))
    active = Webhook.objects.filter(state=WebhookState.ACTIVE, removed_at__isnull=True)
    due = Exists(_due(now).filter(webhook=OuterRef("pk")))
    return active.filter(~claimed, ~resting, due).order_by(F("tried_at").asc(nulls_first=True))


def _due(now: datetime) -> QuerySet[WebhookDelivery]:
    """Return the due messages; of a webhook's stream the earliest waiting one goes first."""
    waiting = WebhookDelivery.objects.filter(state=DeliveryState.WAITING)
    later = is_ahead("due_at", now, max(BACK_OFF))
    before = waiting.filter(
        webhook=OuterRef("webhook"), stream=OuterRef("stream"), number__lt=OuterRef("number")
    )
    return waiting.filter(~later, ~Exists(before))


@transaction.atomic
def finish_delivery(delivery: WebhookDelivery, answer: Answer, *, now: datetime) -> str:
    """Record the result of a try, and release the webhook; return the message's state.

    The status 410 disables the webhook: its receiver is gone for good. An answer after another
    worker's claim is not recorded: that worker records its own.
    """
    webhook = Webhook.objects.select_for_update(no_key=True).filter(pk=delivery.webhook_id).first()
    if webhook is None:
        return DeliveryState.SKIPPED
    if webhook.claimed_until != delivery.webhook.claimed_until:
        return DeliveryState.WAITING

    state = _state_after(delivery, answer, now)
    least_wait = _requested_wait(answer, now)
    if state == DeliveryState.WAITING:
        due_at = now + max(BACK_OFF[delivery.attempts - 1], least_wait)
        done_at = None
    else:
        due_at = now
        done_at = now
    WebhookDelivery.objects.filter(pk=delivery.pk).update(
        state=state,
        due_at=due_at,
        done_at=done_at,
        status=answer.status,
        answer=answer.text[:500],
        error=answer.error[:300],
        took_ms=answer.took_ms,
    )

    webhook.claimed_until = None
    if not answer.error:
        webhook.failures = 0
        webhook.rest_until = None
    elif not answer.is_skipped:
        webhook.failures = min(webhook.failures + 1, 1000)
        rest = min(REST * webhook.failures, MOST_REST)
        webhook.rest_until = now + max(rest, least_wait)
    if answer.status == 410 and webhook.state == WebhookState.ACTIVE:
        webhook.state = WebhookState.DISABLED
        webhook.disabled_by = DisabledBy.RECEIVER
        webhook.revision += 1
    webhook.save(
        update_fields=[
            "claimed_until",
            "failures",
            "rest_until",
            "state",
            "disabled_by",
            "revision",
        ]
    )
    return state


def _requested_wait(answer: Answer, now: datetime) -> timedelta:
    """Return how long the receiver asks to be left alone; zero if it does not ask."""
    if answer.status not in ASKED_TO_WAIT:
        return timedelta(0)
    wait = retry_after(answer.retry_after, now=now)
    if wait is None:
        return timedelta(0)
    return min(wait, MOST_ASKED)


def _state_after(delivery: WebhookDelivery, answer: Answer, now: datetime) -> DeliveryState:
    if answer.is_skipped:
        return DeliveryState.SKIPPED
    if not answer.error:
        return DeliveryState.DELIVERED
    if answer.is_permanent or delivery.attempts > len(BACK_OFF):
        return DeliveryState.PARKED
    if now - delivery.first_due_at >= GIVEN_UP_AFTER:
        return DeliveryState.PARKED
    return DeliveryState.WAITING


def forget_old_deliveries(*, now: datetime) -> int:
    """Remove messages settled 30 days ago or first due 60 days ago; return how many.

    Events of that age without a message go as well, and webhooks that were removed 30 days ago.
    """
    settled = Q(done_at__lt=now - MESSAGES_KEPT)
    too_old = Q(first_due_at__lt=now - 2 * MESSAGES_KEPT)
    n_forgotten, _by_model = WebhookDelivery.objects.filter(settled | too_old).delete()
    messages = Exists(WebhookDelivery.objects.filter(occurrence=OuterRef("pk")))
    WebhookEvent.objects.filter(~messages, created_at__lt=now - MESSAGES_KEPT).delete()
    Webhook.objects.filter(removed_at__lt=now - MESSAGES_KEPT).delete()
    return n_forgotten
