"""Webhooks of a club."""

from functools import cached_property
from typing import Any, Final

from django.db.models import QuerySet
from django.urls import reverse
from rest_framework import serializers
from rest_framework.fields import empty

from api.lists import Filter, limited
from api.resources import ResourceViewSet, changes, creates, performs, reads, removes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import ChoiceTextField, TextField, TextListField
from api.serializers.strict_serializers import StrictSerializer
from api.v1.addresses import uuid_of
from api.v1.fields import MomentField
from tournaments.models.webhooks import (
    DeliveryState,
    DisabledBy,
    Webhook,
    WebhookDelivery,
    WebhookFormat,
    WebhookKind,
    WebhookState,
)
from tournaments.selectors.webhooks import (
    get_delivery,
    get_webhook,
    list_deliveries,
    shown_url,
    tag_of,
    webhooks_of,
)
from tournaments.services.webhooks.manage import (
    RIGHT,
    change_webhook,
    create_webhook,
    remove_webhook,
    repeat_delivery,
    rotate_webhook_secret,
    test_webhook,
)

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
        help_text="`owner`, or `receiver` if that answered with 410; empty while it is active.",
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
        source="plain_secret",
        help_text="Secret that signs each message. Only this answer shows it.",
    )


class NewWebhookSerializer(StrictSerializer):
    """A webhook to create."""

    url = TextField(help_text="Address `https://…` without user name and fragment.")
    kinds = TextListField(
        child=serializers.ChoiceField(choices=WebhookKind.choices),
        help_text="Kinds of messages; a chat gets no `hand.corrected` and `playoff.changed`.",
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


class WebhookViewSet(ResourceViewSet):
    """The webhooks of a club, the newest first; for its owners."""

    resource = ("webhook", "webhooks")
    read_right = RIGHT
    lookup_url_kwarg = "webhook"
    serializer_class = WebhookSerializer
    rows_selector = staticmethod(webhooks_of)
    tag_of_row = staticmethod(tag_of)
    ordering = ("-id",)
    create = creates(
        create_webhook, NewWebhookSerializer, answer=CreatedWebhookSerializer, has_secret=True
    )
    retrieve = reads("One webhook of a club; `PATCH` needs the ETag of this answer.")
    partial_update = changes(change_webhook, ChangeWebhookSerializer)
    destroy = removes(remove_webhook, "RemovedWebhook", "The webhook that was removed.")
    rotate = performs(
        rotate_webhook_secret, "rotate", answer=CreatedWebhookSerializer, has_secret=True
    )
    test = performs(test_webhook, "test", answer=DeliverySerializer, status=201)

    def get_object(self) -> Webhook:
        return get_webhook(self.parent, uuid_of(self.kwargs["webhook"], "webhook"))

    def get_location(self, result: Any) -> str:
        if self.action == "test":
            return reverse("list_webhook_deliveries", kwargs=self.kwargs)
        return super().get_location(result)


class DeliveryViewSet(ResourceViewSet):
    """The messages of a webhook in the last 30 days, the newest first; for owners."""

    resource = ("delivery", "webhook_deliveries")
    read_right = RIGHT
    lookup_url_kwarg = "delivery"
    serializer_class = DeliverySerializer
    ordering = ("-id",)
    filters = (Filter("state", "Only messages in this state.", DeliveryState.values),)
    repeat = performs(repeat_delivery, "repeat")

    @cached_property
    def webhook(self) -> Webhook:
        return get_webhook(self.parent, uuid_of(self.kwargs["webhook"], "webhook"))

    def get_queryset(self, state: str = "") -> QuerySet[WebhookDelivery]:
        return limited(list_deliveries(self.webhook), state=state)

    def get_object(self) -> WebhookDelivery:
        return get_delivery(self.webhook, uuid_of(self.kwargs["delivery"], "delivery"))
