"""A problem that somebody reports with a hand; by itself it changes no score."""

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.hands import Hand


class DisputeState(models.TextChoices):
    """`open` until it is ruled on or withdrawn."""

    OPEN = "open"
    UPHELD = "upheld"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class Dispute(models.Model):
    """One dispute; `number` counts 1, 2, ... through the event, `revision` is that of the hand
    when it was opened. Who opened it keeps it in `opened_by`, or in `link_id` of a table's link."""

    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    event = models.ForeignKey(Event, models.CASCADE, related_name="disputes")
    hand = models.ForeignKey(Hand, models.CASCADE, related_name="disputes")
    number = models.PositiveIntegerField()
    revision = models.PositiveIntegerField()
    state = models.CharField(max_length=9, choices=DisputeState.choices, default=DisputeState.OPEN)
    words = models.CharField(max_length=500)
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    opened_as = models.CharField(max_length=120, blank=True)
    opened_label = models.CharField(max_length=80, blank=True)
    opened_at = models.DateTimeField()
    ruling = models.CharField(max_length=500, blank=True)
    ruled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    ruled_as = models.CharField(max_length=120, blank=True)
    ruled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "dispute"
        verbose_name_plural = "disputes"
        constraints = [
            models.UniqueConstraint(
                fields=["event", "number"], name="dispute_number_is_unique_in_its_event"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=DisputeState.values), name="dispute_state_is_known"
            ),
        ]
        indexes = [
            models.Index(
                fields=["event"],
                condition=models.Q(state="open"),
                name="disputes_still_open",
            ),
        ]

    def __str__(self) -> str:
        return f"dispute {self.number}"
