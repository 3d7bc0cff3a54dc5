"""Webhooks of a club."""

from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.conditional_requests import etag_parameter, if_match_parameter, if_match_tag_or_any
from api.idempotency import created, idempotent_write, json_answer
from api.lists.list_filters import Filter, limited
from api.lists.pagination import Listing
from api.openapi import reading
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import ChoiceTextField, TextField, TextListField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.v1.addresses import managed_club, requested_club, uuid_of
from api.v1.fields import MomentField
from scoring.json_types import JsonDict
from tournaments.domain.etags import etag
from tournaments.models.webhooks import (
    DeliveryState,
    DisabledBy,
    Webhook,
    WebhookDelivery,
    WebhookFormat,
    WebhookKind,
    WebhookState,
)
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.webhooks import (
    get_webhook,
    list_deliveries,
    shown_url,
    tag_of,
    webhooks_of,
)
from tournaments.services.webhooks.manage import (
    ACT,
    CreatedWebhook,
    change_webhook,
    create_webhook,
    remove_webhook,
    repeat_delivery,
    rotate_secret,
    test_webhook,
)

IF_MATCH: Final = if_match_parameter("The ETag of the webhook that you read, or `*`")
ETAG: Final = etag_parameter("ETag of the webhook, for `If-Match` of `PATCH`.", 200)
_STAYS: Final[dict[str, Any]] = {"left_out": empty}


class WebhookSerializer(OutputSerializer):
    """A webhook: messages about events in the club are sent to its address."""

    id = serializers.UUIDField(source="public_id")
    url = serializers.SerializerMethodField(
        help_text="Address of the receiver; for a chat only its host, as the rest is secret. "
        "Empty if the server's secret key has changed: send the address again."
    )
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=WebhookKind.choices))
    format = serializers.ChoiceField(choices=WebhookFormat.choices)
    state = serializers.ChoiceField(choices=WebhookState.choices)
    disabled_by = serializers.ChoiceField(
        choices=DisabledBy.choices,
        allow_blank=True,
        help_text="User who disabled it; `receiver` if it answered with 410, empty while active.",
    )
    waiting = serializers.IntegerField(source="n_waiting", help_text="Number of waiting messages.")
    parked = serializers.IntegerField(
        source="n_parked", help_text="Number of messages that were given up after three days."
    )
    previous_secret_until = MomentField(
        source="previous_until",
        allow_null=True,
        help_text="Time until which messages are signed with the previous secret as well.",
    )
    created_at = MomentField()

    def get_url(self, webhook: Webhook) -> str:
        """Return the address as owners see it."""
        return shown_url(webhook)


class CreatedWebhookSerializer(WebhookSerializer):
    """A webhook with its new secret."""

    secret = serializers.CharField(
        help_text="Secret that signs each message. Only this answer shows it."
    )


class NewWebhookSerializer(StrictSerializer):
    """A webhook to create."""

    url = TextField(help_text="Address `https://…` without user name and fragment.")
    kinds = TextListField(
        child=serializers.ChoiceField(choices=WebhookKind.choices),
        help_text="Kinds of messages; for a chat `publication.created` and `ladder.changed` only.",
    )
    format = ChoiceTextField(
        choices=WebhookFormat.choices,
        left_out=str(WebhookFormat.STANDARD),
        help_text="Form of messages: `standard` (signed, ids only) or a notice for the named chat.",
    )


class ChangeWebhookSerializer(StrictSerializer):
    """A change of a webhook; omitted members keep their values."""

    url = TextField(**_STAYS)
    kinds = TextListField(**_STAYS, child=serializers.ChoiceField(choices=WebhookKind.choices))
    state = ChoiceTextField(
        **_STAYS,
        choices=WebhookState.choices,
        help_text="New state; `active` also sends the waiting messages.",
    )


class RemovedWebhookSerializer(OutputSerializer):
    """The webhook that was removed."""

    id = serializers.UUIDField()


class DeliverySerializer(OutputSerializer):
    """A message of a webhook and the outcome of its delivery."""

    id = serializers.UUIDField(source="public_id")
    message_id = serializers.SerializerMethodField(
        help_text="Header `webhook-id`, the same at each attempt."
    )
    kind = serializers.CharField(source="occurrence.kind")
    data = serializers.DictField(  # type: ignore[assignment]  # a member of the answer
        source="occurrence.data", help_text="Content of the message: ids."
    )
    state = serializers.ChoiceField(choices=DeliveryState.choices)
    attempts = serializers.IntegerField()
    status = serializers.IntegerField(
        allow_null=True, help_text="HTTP status of the last answer; null if there was none."
    )
    answer = serializers.CharField(
        allow_blank=True, help_text="The first 500 characters of the last answer."
    )
    error = serializers.CharField(
        allow_blank=True, help_text="Error of the last attempt; empty if there was none."
    )
    took_ms = serializers.IntegerField(allow_null=True)
    created_at = MomentField(source="occurrence.created_at")
    tried_at = MomentField(allow_null=True)
    due_at = MomentField(
        help_text="Time of the next attempt, or of the last one if no other follows."
    )
    done_at = MomentField(allow_null=True)

    def get_message_id(self, delivery: WebhookDelivery) -> str:
        """Return the id that the receiver gets."""
        return f"msg_{delivery.occurrence.public_id.hex}"


def _webhooks(actor: Actor, club: str) -> QuerySet[Webhook]:
    """The webhooks of a club, the newest first; for its owners."""
    return webhooks_of(managed_club(actor, club, ACT))


def _deliveries(
    actor: Actor, club: str, webhook: str, state: str = ""
) -> QuerySet[WebhookDelivery]:
    """The messages of a webhook in the last 30 days, the newest first; for owners."""
    webhook_deliveries = list_deliveries(
        get_webhook(managed_club(actor, club, ACT), uuid_of(webhook, "webhook"))
    )
    return limited(webhook_deliveries, state=state)


WEBHOOKS: Final = Listing(name="webhooks", shape=WebhookSerializer, rows=_webhooks, order=("-id",))
DELIVERIES: Final = Listing(
    name="webhook_deliveries",
    shape=DeliverySerializer,
    rows=_deliveries,
    order=("-id",),
    filters={"state": Filter("Only messages in this state.", DeliveryState.values)},
)


@reading("read_webhook", WebhookSerializer, parameters=(ETAG,))
def read_webhook(request: Request, club: str, webhook: str) -> HttpResponseBase:
    """One webhook of a club; `PATCH` needs the ETag of this answer."""
    row = get_webhook(managed_club(caller(request), club, ACT), uuid_of(webhook, "webhook"))
    return Response(plain(WebhookSerializer)(row), headers={"ETag": etag(tag_of(row))})


@idempotent_write(CreatedWebhookSerializer, NewWebhookSerializer, status=201, has_secret=True)
def create_webhook_view(request: Request, club: str) -> HttpResponse:
    """Create a webhook. Only this answer shows the secret that signs its messages.

    A host with a private, loopback, link-local or metadata address is refused, now and at each
    message.
    """
    actor, home = requested_club(request, club)
    body = validated(request, NewWebhookSerializer)
    webhook = create_webhook(actor=actor, club=home, now=timezone.now(), **body)
    return created(_with_secret(webhook), "list_webhooks", club, is_secret=True)


@idempotent_write(
    WebhookSerializer, ChangeWebhookSerializer, method="PATCH", asks=(IF_MATCH,), tells=(ETAG,)
)
def change_webhook_view(request: Request, club: str, webhook: str) -> HttpResponse:
    """Change the address or the kinds of a webhook, or disable or enable it.

    `If-Match` is the ETag of the webhook that you read, or `*`.
    """
    actor, home = requested_club(request, club)
    based_on = if_match_tag_or_any(request, of="webhook")
    body = validated(request, ChangeWebhookSerializer)
    changed = change_webhook(
        actor=actor,
        club=home,
        public_id=uuid_of(webhook, "webhook"),
        based_on=based_on,
        now=timezone.now(),
        **body,
    )
    return json_answer(plain(WebhookSerializer)(changed), tag=etag(tag_of(changed)))


@idempotent_write(RemovedWebhookSerializer, None, method="DELETE")
def remove_webhook_view(request: Request, club: str, webhook: str) -> HttpResponse:
    """Remove a webhook; pending messages are not sent."""
    actor, public_id = known_caller(request), uuid_of(webhook, "webhook")
    home = get_club(actor, club)
    remove_webhook(actor=actor, club=home, public_id=public_id, now=timezone.now())
    return json_answer({"id": str(public_id)})


@idempotent_write(CreatedWebhookSerializer, EmptyBody, has_secret=True)
def rotate_webhook_secret_view(request: Request, club: str, webhook: str) -> HttpResponse:
    """Create a new secret for a webhook. Only this answer shows it.

    For 24 hours messages are signed with the previous secret as well.
    """
    actor, public_id = known_caller(request), uuid_of(webhook, "webhook")
    home = get_club(actor, club)
    validated(request, EmptyBody)
    created_webhook = rotate_secret(actor=actor, club=home, public_id=public_id, now=timezone.now())
    return json_answer(_with_secret(created_webhook), is_secret=True)


@idempotent_write(DeliverySerializer, EmptyBody, status=201)
def test_webhook_view(request: Request, club: str, webhook: str) -> HttpResponse:
    """Send a test message (`webhook.test`); the list of deliveries shows the outcome."""
    actor, public_id = known_caller(request), uuid_of(webhook, "webhook")
    home = get_club(actor, club)
    validated(request, EmptyBody)
    webhook_delivery = test_webhook(actor=actor, club=home, public_id=public_id, now=timezone.now())
    return created(
        plain(DeliverySerializer)(webhook_delivery), "list_webhook_deliveries", club, public_id
    )


@idempotent_write(DeliverySerializer, EmptyBody)
def repeat_delivery_view(request: Request, club: str, webhook: str, delivery: str) -> HttpResponse:
    """Send a message again, with all its attempts. The answer is 409 if the webhook is disabled."""
    actor, public_id = known_caller(request), uuid_of(webhook, "webhook")
    home = get_club(actor, club)
    validated(request, EmptyBody)
    webhook_delivery = repeat_delivery(
        actor=actor,
        club=home,
        webhook=public_id,
        public_id=uuid_of(delivery, "delivery"),
        now=timezone.now(),
    )
    return json_answer(plain(DeliverySerializer)(webhook_delivery))


def _with_secret(webhook: CreatedWebhook) -> JsonDict:
    return plain(WebhookSerializer)(webhook.webhook) | {"secret": webhook.secret}
