"""What a club cannot make of a webhook, and what is not done with one that was removed."""

from collections.abc import Callable
from typing import Any

import pytest

from scoring.errors import Refused
from tests.support.cast import NOW, Cast
from tests.support.webhooks import HOOK, with_webhook
from tournaments.errors import Conflict, Missing
from tournaments.models.webhooks import Webhook, WebhookDelivery
from tournaments.services.operations import Operation
from tournaments.services.webhooks import manage

pytestmark = pytest.mark.django_db

BAD_VALUES: list[tuple[dict[str, Any], str]] = [
    ({"url": "ftp://203.0.114.7/"}, "bad_webhook_url"),
    ({"url": "https://203.0.114.7:25/"}, "bad_webhook_url"),
    ({"url": "https://203.0.114.7:1023/"}, "bad_webhook_url"),
    ({"url": "https://10.0.0.7/"}, "address_not_allowed"),
    ({"kinds": ()}, "bad_webhook_kinds"),
]


@pytest.fixture
def op(cast: Cast) -> Operation:
    return cast.operation("olga")


@pytest.fixture
def webhook(cast: Cast) -> Webhook:
    return with_webhook(cast)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        *BAD_VALUES,
        ({"format": "fax"}, "bad_webhook_format"),
        ({"format": "telegram"}, "telegram_chat_needed"),
        ({"format": "slack", "kinds": ["hand.corrected"]}, "kind_not_for_chat"),
    ],
)
def test_webhook_that_cannot_work_is_not_created(
    cast: Cast, op: Operation, changes: dict[str, Any], code: str
) -> None:
    wanted = {"url": HOOK, "kinds": ["publication.created"], **changes}
    with pytest.raises(Refused, match=code):
        manage.create_webhook(op, cast.riverside, **wanted)
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(
    ("format", "changes", "code"),
    [
        *(("standard", *bad) for bad in BAD_VALUES),
        ("standard", {"state": "lost"}, "bad_webhook_state"),
        ("telegram", {"url": HOOK}, "telegram_chat_needed"),
        ("slack", {"kinds": ["hand.corrected"]}, "kind_not_for_chat"),
    ],
)
def test_webhook_is_not_changed_into_one_that_cannot_work(
    op: Operation, webhook: Webhook, format: str, changes: dict[str, Any], code: str
) -> None:
    webhook.format = format
    with pytest.raises(Refused, match=code):
        manage.change_webhook(op, webhook, **changes)


def test_webhooks_are_limited(cast: Cast, op: Operation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manage, "MOST_WEBHOOKS", 0)
    with pytest.raises(Conflict, match="too_many_webhooks"):
        manage.create_webhook(op, cast.riverside, url=HOOK, kinds=["publication.created"])


def repeat(op: Operation, webhook: Webhook) -> object:
    return manage.repeat_delivery(op, WebhookDelivery.objects.get(webhook=webhook))


@pytest.mark.parametrize(
    "operation",
    [
        manage.change_webhook,
        manage.remove_webhook,
        manage.rotate_webhook_secret,
        manage.test_webhook,
        repeat,
    ],
)
def test_removed_webhook_is_not_known(
    op: Operation, webhook: Webhook, operation: Callable[[Operation, Webhook], object]
) -> None:
    Webhook.objects.update(removed_at=NOW)
    with pytest.raises(Missing, match="webhook"):
        operation(op, webhook)


@pytest.mark.parametrize("operation", [manage.test_webhook, repeat])
def test_nothing_is_sent_to_a_disabled_webhook(
    op: Operation, webhook: Webhook, operation: Callable[[Operation, Webhook], object]
) -> None:
    Webhook.objects.update(state="disabled")
    with pytest.raises(Conflict, match="webhook_is_disabled"):
        operation(op, webhook)


def test_delivery_that_was_deleted_is_not_known(op: Operation, webhook: Webhook) -> None:
    delivery = WebhookDelivery.objects.get(webhook=webhook)
    WebhookDelivery.objects.filter(pk=delivery.pk).delete()
    with pytest.raises(Missing, match="delivery"):
        manage.repeat_delivery(op, delivery)
