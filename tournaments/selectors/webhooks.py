"""The webhooks of a club, their messages, and how many are pending, for monitoring."""

from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from tournaments.domain.etags import mark_of_text
from tournaments.domain.sealing import SealBroken, unseal
from tournaments.errors import first_or_missing
from tournaments.models.clubs import Club
from tournaments.models.webhooks import (
    DeliveryState,
    Webhook,
    WebhookDelivery,
    WebhookFormat,
    WebhookState,
)
from tournaments.selectors.jobs.queue import GIVEN_UP_LATELY, MessageBacklog


def webhooks_of(club: Club) -> QuerySet[Webhook]:
    """Return the webhooks of a club, the newest first, with `n_waiting` and `n_parked`."""
    rows = Webhook.objects.filter(club=club, removed_at__isnull=True).select_related("club")
    waiting = Q(deliveries__state=DeliveryState.WAITING)
    parked = Q(deliveries__state=DeliveryState.PARKED)
    counted = rows.annotate(
        n_waiting=Count("deliveries", filter=waiting), n_parked=Count("deliveries", filter=parked)
    )
    return counted.order_by("-id")


def get_webhook(club: Club, public_id: UUID) -> Webhook:
    return first_or_missing(webhooks_of(club).filter(public_id=public_id), "webhook")


def list_deliveries(webhook: Webhook) -> QuerySet[WebhookDelivery]:
    rows = WebhookDelivery.objects.filter(webhook=webhook).select_related("occurrence")
    return rows.order_by("-id")


def get_delivery(webhook: Webhook, public_id: UUID) -> WebhookDelivery:
    rows = list_deliveries(webhook).filter(public_id=public_id)
    webhook_delivery = first_or_missing(rows, "delivery")
    webhook_delivery.webhook, webhook_delivery.club = webhook, webhook.club
    return webhook_delivery


def tag_of(webhook: Webhook) -> str:
    return mark_of_text(f"{webhook.public_id} {webhook.revision}")


def shown_url(webhook: Webhook) -> str:
    """Return the address of a webhook as its owners see it; of a chat the host alone.

    The address of a chat holds the key to it. Empty where the server has another secret key now.
    """
    try:
        address = unseal(webhook.sealed_url.encode()).decode()
    except SealBroken:
        address = ""
    if webhook.format == WebhookFormat.STANDARD:
        return address
    return f"{urlsplit(address).scheme or 'https'}://{webhook.host}/…"


def get_webhook_backlog(now: datetime) -> MessageBacklog:
    """Return the messages of all webhooks that are not disabled.

    A message is due once its next try is, and no earlier message of its stream waits. Those that
    were given up are also counted of disabled webhooks.
    """
    due = _due(now).aggregate(n=Count("pk"), first=Min("due_at"))
    parked = WebhookDelivery.objects.filter(
        state=DeliveryState.PARKED, webhook__removed_at__isnull=True
    )
    return MessageBacklog(
        waiting=_waiting().count(),
        due=due["n"],
        oldest=due["first"],
        parked=parked.count(),
        parked_lately=parked.filter(done_at__gt=now - GIVEN_UP_LATELY).count(),
    )


def _waiting() -> QuerySet[WebhookDelivery]:
    return WebhookDelivery.objects.filter(
        state=DeliveryState.WAITING,
        webhook__state=WebhookState.ACTIVE,
        webhook__removed_at__isnull=True,
    )


def _due(now: datetime) -> QuerySet[WebhookDelivery]:
    """Return what a worker may send now; a message waits for those before it in its stream."""
    before = WebhookDelivery.objects.filter(
        state=DeliveryState.WAITING,
        webhook=OuterRef("webhook"),
        stream=OuterRef("stream"),
        number__lt=OuterRef("number"),
    )
    return _waiting().filter(~Exists(before), due_at__lte=now)
