"""The public change log of an event: what was mended after it had counted, and why."""

from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.events import Event


class Change(models.Model):
    """One thing that changed an event's results other than a new hand: a correction, a void, a
    penalty, a ruling, other settings, an event opened again.

    `version` is the event's version that contains it, so that it belongs to the first publication
    at or after that version. `by` is the role that did it, never a name. `facts` has ids and
    numbers of the kind (the revision, the old and new setting).
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    event = models.ForeignKey(Event, models.CASCADE, related_name="changes")
    version = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    kind = models.CharField(max_length=24)
    table = models.CharField(max_length=24, blank=True)
    number = models.PositiveIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    by = models.CharField(max_length=12, blank=True)
    facts = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = "change log line"
        verbose_name_plural = "change log lines"
        indexes = [models.Index(fields=["event", "version"], name="changes_of_an_event")]

    def __str__(self) -> str:
        return f"{self.kind} at version {self.version}"
