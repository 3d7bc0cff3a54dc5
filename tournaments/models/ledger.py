"""Penalties and bonuses: lines on an entrant's account, in units of the event's primary value."""

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.events import Entrant, Event


class LedgerKind(models.TextChoices):
    """A penalty worsens the primary value, a bonus betters it."""

    PENALTY = "penalty"
    BONUS = "bonus"


class LedgerLine(models.Model):
    """One penalty or bonus with its reason. Never changed: it is withdrawn, with a reason.

    `amount` is positive, in 1/360360 of the event's primary value (docs/event-settings.md);
    `number` counts 1, 2, ... through the event.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    event = models.ForeignKey(Event, models.CASCADE, related_name="ledger_lines")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="ledger_lines")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=7, choices=LedgerKind.choices)
    amount = models.BigIntegerField()
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    by_as = models.CharField(max_length=120, blank=True)
    at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_reason = models.CharField(max_length=500, blank=True)
    withdrawn_as = models.CharField(max_length=120, blank=True)

    class Meta:
        verbose_name = "penalty or bonus"
        verbose_name_plural = "penalties and bonuses"
        constraints = [
            models.UniqueConstraint(
                fields=["event", "number"], name="ledger_number_is_unique_in_its_event"
            ),
            models.CheckConstraint(
                condition=models.Q(amount__gt=0), name="ledger_amount_is_positive"
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=LedgerKind.values), name="ledger_kind_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"
