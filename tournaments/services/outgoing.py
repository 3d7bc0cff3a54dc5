"""The switch for what leaves: while it is off mails and webhooks wait; then the old ones go."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeVar

import structlog
from django.db.models import Exists, Model, OuterRef, QuerySet

from tournaments.models.jobs import OUTGOING_HELD, OUTGOING_OFF, Dirty
from tournaments.models.webhooks import DeliveryState, Webhook, WebhookDelivery, WebhookKind
from tournaments.selectors.jobs.outgoing import Outgoing, get_outgoing
from tournaments.selectors.jobs.queue import is_ahead
from tournaments.selectors.notices.outbox import claim_lasts as mail_claim_lasts
from tournaments.selectors.notices.outbox import list_unsent_mails
from tournaments.selectors.notices.past_evenings import (
    EVENING_KINDS,
    find_deliveries_of_past_evenings,
    find_mails_of_past_evenings,
)
from tournaments.services.db.transactions import atomic_step
from tournaments.services.webhooks.delivery import claim_lasts as webhook_claim_lasts

log = structlog.get_logger(__name__)

OLDEST_SENT: Final = timedelta(days=1)
"""Messages that waited while nothing was sent, and are older than this, are dropped."""
DROPPED: Final = "Too old when sending was switched on"
"""The error of a message of a webhook that was dropped."""
PIECE: Final = 500
"""Messages that are compared with their evenings at once."""

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Dropped:
    """How many messages were dropped."""

    mails: int = 0
    webhook_messages: int = 0


def may_send(*, now: datetime) -> bool:
    """Whether a worker may send messages now; asked before each one.

    The first worker that may send again drops what became too old in the meantime.
    """
    outgoing = get_outgoing()
    if not outgoing.is_on:
        if not outgoing.is_held:
            _mark(OUTGOING_HELD, now)
        return False
    if outgoing.is_held:
        drop_old_messages(now=now)
    return True


@atomic_step
def switch_outgoing(*, is_on: bool, now: datetime) -> tuple[Outgoing, Dropped]:
    """Set the switch of the database; return what holds then, and what was dropped.

    Nothing is dropped while the setting OUTGOING keeps it off: the first worker that may send
    does that.
    """
    if is_on:
        Dirty.objects.filter(scope=OUTGOING_OFF).delete()
    else:
        _mark(OUTGOING_OFF, now)
    outgoing = get_outgoing()
    dropped = Dropped()
    if not outgoing.is_on:
        _mark(OUTGOING_HELD, now)
    elif is_on:
        dropped = drop_old_messages(now=now)
    log.warning("outgoing_switched", is_on=is_on, leaves=outgoing.is_on)
    return outgoing, dropped


def _mark(scope: str, now: datetime) -> None:
    row = Dirty(scope=scope, version=1, done=1, marked_at=now)
    Dirty.objects.bulk_create([row], ignore_conflicts=True)


@atomic_step
def drop_old_messages(*, now: datetime) -> Dropped:
    """Drop what waited while nothing was sent and is too old by now, or about a past evening.

    Messages that a worker is sending stay. Of two workers one does it.
    """
    held = Dirty.objects.select_for_update().filter(scope=OUTGOING_HELD).first()
    if held is None:
        return Dropped()
    dropped = Dropped(_drop_mails(now), _drop_deliveries(now))
    held.delete()
    log.warning(
        "old_messages_dropped", mails=dropped.mails, webhook_messages=dropped.webhook_messages
    )
    return dropped


def _drop_mails(now: datetime) -> int:
    sending = is_ahead("claimed_until", now, mail_claim_lasts())
    waiting = list_unsent_mails().filter(~sending, parked=False)
    n_dropped = waiting.filter(created_at__lt=now - OLDEST_SENT).delete()[0]
    for mails in _in_pieces(waiting.filter(kind__in=EVENING_KINDS).select_related("club")):
        past = find_mails_of_past_evenings(mails, now)
        n_dropped += waiting.filter(pk__in=past).delete()[0]
    return n_dropped


def _drop_deliveries(now: datetime) -> int:
    # A claim writes one moment into the webhook and the message that is being sent.
    sending = Webhook.objects.filter(
        is_ahead("claimed_until", now, webhook_claim_lasts()),
        pk=OuterRef("webhook"),
        tried_at=OuterRef("tried_at"),
    )
    waiting = WebhookDelivery.objects.filter(~Exists(sending), state=DeliveryState.WAITING)
    skipped = {"state": DeliveryState.SKIPPED, "done_at": now, "error": DROPPED}
    n_dropped = waiting.filter(first_due_at__lt=now - OLDEST_SENT).update(**skipped)
    seatings = waiting.filter(occurrence__kind=WebhookKind.ROUND_POSTED)
    for deliveries in _in_pieces(seatings.select_related("club", "occurrence")):
        past = find_deliveries_of_past_evenings(deliveries, now)
        n_dropped += waiting.filter(pk__in=past).update(**skipped)
    return n_dropped


def _in_pieces(rows: QuerySet[M]) -> Iterator[list[M]]:
    last = 0
    while piece := list(rows.filter(pk__gt=last).order_by("pk")[:PIECE]):
        yield piece
        last = piece[-1].pk
