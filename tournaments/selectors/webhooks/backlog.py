"""How many messages of webhooks wait, since when, and how many were given up; for monitoring."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Exists, Min, OuterRef, QuerySet

from tournaments.models.webhooks import DeliveryState, WebhookDelivery, WebhookState

GIVEN_UP_LATELY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class WebhookBacklog:
    """The messages of all webhooks that are not disabled, at one moment.

    `waiting` counts all that are not sent yet, `due` those that could be sent now: the next try is
    not later, and no earlier message of the same stream waits. `oldest_due` is when the first of
    these became due. `parked` counts all that are still listed, `parked_lately` those of the last
    day, both also of disabled webhooks.
    """

    waiting: int
    due: int
    oldest_due: datetime | None
    parked: int
    parked_lately: int


def webhook_backlog(now: datetime) -> WebhookBacklog:
    """Return how many messages of webhooks wait, and how many were given up."""
    due = _due(now).aggregate(n=Count("pk"), first=Min("due_at"))
    parked = WebhookDelivery.objects.filter(
        state=DeliveryState.PARKED, webhook__removed_at__isnull=True
    )
    return WebhookBacklog(
        waiting=_waiting().count(),
        due=due["n"],
        oldest_due=due["first"],
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
