"""Webhooks: addresses that receive a club's events, and the delivery of each message."""

from typing import ClassVar

from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.columns import (
    Audited,
    OfClub,
    PlainRow,
    account,
    choice,
    index,
    known,
    optional_time,
    random_id,
    unique,
)
from tournaments.models.events import Event, Season


class WebhookKind(models.TextChoices):
    PUBLICATION_CREATED = "publication.created"
    HAND_CORRECTED = "hand.corrected"
    ROUND_POSTED = "round.posted"
    PLAYOFF_CHANGED = "playoff.changed"
    LADDER_CHANGED = "ladder.changed"
    EVENING_CLOSED = "evening.closed"
    CHALLENGE_CHANGED = "challenge.changed"


TEST_KIND = "webhook.test"
"""The kind of a test message, sent to one webhook."""


class WebhookFormat(models.TextChoices):
    """Form of a message: signed with ids only, or a ready-made notice for a chat."""

    STANDARD = "standard"
    DISCORD = "discord"
    SLACK = "slack"
    MATTERMOST = "mattermost"
    TELEGRAM = "telegram"


class WebhookState(models.TextChoices):
    ACTIVE = "active"
    DISABLED = "disabled"


class DisabledBy(models.TextChoices):
    """Why a webhook is disabled: by an owner, or by its receiver with the status 410."""

    OWNER = "owner"
    RECEIVER = "receiver"


class Webhook(Audited, models.Model):
    """An address that receives a club's messages of chosen `kinds`.

    The address and the secrets are sealed (tournaments/domain/sealing.py), as the address of a chat
    holds a key too; `host` is what lists and the audit trail show. The previous secret signs beside
    the new one until `previous_until`. A worker claims the webhook until `claimed_until` while it
    sends one message; after a failure nothing is sent until `rest_until`. `removed_at` marks one
    that was removed: its row goes when its deliveries are forgotten.
    """

    AUDIT_SUBJECT: ClassVar = "webhook:{0.public_id}"

    public_id = random_id()
    club = models.ForeignKey(Club, models.CASCADE, related_name="webhooks")
    sealed_url = models.TextField()
    host = models.CharField(max_length=255)
    kinds = models.JSONField(default=list)
    format = models.CharField(max_length=10, choices=WebhookFormat.choices)
    secret = models.TextField()
    previous_secret = models.TextField(blank=True)
    previous_until = optional_time()
    state = choice(WebhookState.ACTIVE, 8)
    disabled_by = models.CharField(max_length=8, choices=DisabledBy.choices, blank=True)
    revision = models.PositiveIntegerField(default=1)
    created_by = account()
    created_at = models.DateTimeField()
    removed_at = optional_time()
    claimed_until = optional_time()
    rest_until = optional_time()
    tried_at = optional_time()
    failures = models.PositiveSmallIntegerField(default=0)
    plain_secret = ""
    """The secret, where it was just made."""

    class Meta:
        constraints = [
            unique("webhook_id_is_unique", "public_id"),
            known("webhook_state_is_known", "state", WebhookState),
            known("webhook_format_is_known", "format", WebhookFormat),
        ]

    def __str__(self) -> str:
        return f"webhook to {self.host}"


class WebhookSequence(OfClub):
    """The last number of a stream of webhook events, such as `event:7`.

    Adding an event locks its row, so that numbers are in the order of commits.
    """

    stream = models.CharField(max_length=40)
    number = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [unique("webhook_stream_has_one_sequence", "stream")]


class WebhookEvent(PlainRow):
    """Something that happened, with the ids that say what; written in the operation's transaction.

    `stream` and `number` give its order: one stream for each event, season, or tested webhook.
    """

    public_id = random_id()
    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    event = models.ForeignKey(Event, models.CASCADE, null=True, blank=True, related_name="+")
    season = models.ForeignKey(Season, models.CASCADE, null=True, blank=True, related_name="+")
    stream = models.CharField(max_length=40)
    number = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=24)
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            unique("webhook_event_id_is_unique", "public_id"),
            unique("webhook_event_number_is_unique_in_its_stream", "stream", "number"),
        ]
        indexes = [index("webhook_events_by_age", "created_at")]


class DeliveryState(models.TextChoices):
    """The result of a message; `skipped` if there was nothing to send to a chat."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    SKIPPED = "skipped"
    PARKED = "parked"


class WebhookDelivery(PlainRow):
    """One event for one webhook: sent until the receiver accepts it, or parked after three days.

    `stream` and `number` are those of the event. `first_due_at` is when the tries began: at the
    event, or when it was repeated by hand. `status` is that of the last answer, `answer` its
    beginning, `error` what went wrong.
    """

    public_id = random_id()
    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    occurrence = models.ForeignKey(WebhookEvent, models.CASCADE, related_name="deliveries")
    stream = models.CharField(max_length=40)
    number = models.PositiveBigIntegerField()
    state = choice(DeliveryState.WAITING, 9)
    attempts = models.PositiveSmallIntegerField(default=0)
    first_due_at = models.DateTimeField()
    due_at = models.DateTimeField()
    tried_at = optional_time()
    done_at = optional_time()
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    answer = models.CharField(max_length=500, blank=True)
    error = models.CharField(max_length=300, blank=True)
    took_ms = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            unique("webhook_delivery_id_is_unique", "public_id"),
            unique("webhook_gets_an_event_once", "webhook", "occurrence"),
            known("webhook_delivery_state_is_known", "state", DeliveryState),
        ]
        indexes = [
            index(
                "webhook_deliveries_waiting",
                "webhook",
                "stream",
                "number",
                condition=models.Q(state="waiting"),
            ),
        ]
