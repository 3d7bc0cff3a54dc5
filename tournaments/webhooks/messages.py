"""What a webhook is sent: the body and the headers of one message.

A signed message (format `standard`) has ids only, in the form and with the headers of Standard
Webhooks. It is the same at each try but for its time and signature.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from standardwebhooks import Webhook as Signer

from tournaments.domain.sealing import unseal
from tournaments.models.webhooks import Webhook, WebhookDelivery, WebhookFormat
from tournaments.webhooks.chats import chat_body

AGENT: Final = "Blacklady-Webhooks/1"


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """A message ready to be sent."""

    url: str
    body: bytes
    headers: Mapping[str, str]


def message_of(delivery: WebhookDelivery, *, now: datetime) -> WebhookMessage | None:
    """Return a message as it is sent; None where there is nothing to say to a chat.

    Raises:
        SealBroken: the server has another key than when the webhook was saved.
    """
    webhook = delivery.webhook
    url = unseal(webhook.sealed_url.encode()).decode()
    headers = {"Content-Type": "application/json", "User-Agent": AGENT}
    if webhook.format == WebhookFormat.STANDARD:
        body = standard_body(delivery)
        signed = signed_headers(webhook, delivery.occurrence.public_id.hex, body, now)
        return WebhookMessage(url, body.encode(), headers | signed)
    found = chat_body(delivery, url)
    return None if found is None else WebhookMessage(url, found, headers)


def standard_body(delivery: WebhookDelivery) -> str:
    """Return the body of a signed message: its kind, its time, and ids."""
    occurrence = delivery.occurrence
    body = {
        "type": occurrence.kind,
        "timestamp": occurrence.created_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "data": {**occurrence.data, "sequence": occurrence.number},
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def signed_headers(webhook: Webhook, name: str, body: str, now: datetime) -> dict[str, str]:
    """Return the headers of Standard Webhooks: id, time, and a signature for each secret."""
    secrets = [webhook.secret]
    if webhook.previous_secret and webhook.previous_until and webhook.previous_until > now:
        secrets.append(webhook.previous_secret)
    number, moment = f"msg_{name}", now.astimezone(UTC)
    signatures = [
        Signer(unseal(one.encode()).decode()).sign(number, moment, body) for one in secrets
    ]
    return {
        "webhook-id": number,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
