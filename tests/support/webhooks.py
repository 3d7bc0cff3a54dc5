"""A webhook of Riverside at a known id, with a message of another known id."""

from typing import Final
from uuid import UUID

from django.utils import timezone

from tests.support.builders import by_tests
from tests.support.cast import Cast
from tests.support.live.project import PATIENCE_S
from tournaments.delivery.webhooks.sender import WebhookSender
from tournaments.models.clubs import Club
from tournaments.models.webhooks import Webhook, WebhookDelivery
from tournaments.services.webhooks.manage import create_webhook, test_webhook

HOOK: Final = "https://203.0.114.7/hook"
"""A public address, so that no name server is asked; nothing is sent there."""
WEBHOOK: Final = UUID("0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a66")
DELIVERY: Final = UUID("0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a77")


def webhook_of(club: Club) -> dict[str, UUID]:
    """Create a webhook of a club with a test message; returns their ids by the names of paths."""
    now, kinds = timezone.now(), ("publication.created",)
    made = create_webhook(by_tests(now), club, url=HOOK, kinds=kinds)
    sent = test_webhook(by_tests(now), made)
    return {"webhook": made.public_id, "delivery": sent.public_id}


def with_webhook(cast: Cast) -> Webhook:
    """Create a webhook with a test message; they get their known ids afterwards."""
    names = webhook_of(cast.riverside)
    Webhook.objects.filter(public_id=names["webhook"]).update(public_id=WEBHOOK)
    WebhookDelivery.objects.filter(public_id=names["delivery"]).update(public_id=DELIVERY)
    return Webhook.objects.get(public_id=WEBHOOK)


def send_waiting() -> None:
    sender = WebhookSender()
    sender.send_due()
    while sender.sending:
        sender.pause(PATIENCE_S)
        sender.note_answers()
        sender.send_due()
