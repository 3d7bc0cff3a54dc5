"""Sheets that a second person typed again, without seeing the first, and what was decided then."""

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.hands import Game


class SecondTyping(models.Model):
    """One hand as a second person typed it. Never changed, never deleted; the newest one counts.

    `typed` is None where that person's paper has no such hand, `board` the number of its board in a
    duplicate event. `revision` is the one that it was
    compared with (0: the sheet had no such hand), `agreed` what came of it.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_index=False)
    game = models.ForeignKey(Game, models.CASCADE, related_name="second_typings", db_index=False)
    number = models.PositiveIntegerField()
    typed = models.JSONField(null=True, blank=True)
    board = models.PositiveSmallIntegerField(null=True, blank=True)
    revision = models.PositiveIntegerField()
    agreed = models.BooleanField()
    key = models.CharField(max_length=128, null=True, blank=True)  # noqa: DJ001 - NULLs may repeat under the unique key, empty texts may not
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    by_as = models.CharField(max_length=120, blank=True)
    at = models.DateTimeField()

    class Meta:
        verbose_name = "second entry"
        verbose_name_plural = "second entries"
        indexes = [models.Index(fields=["game", "number"], name="second_typing_by_its_hand")]
        constraints = [
            models.UniqueConstraint(
                fields=["game", "number", "key"], name="second_typing_is_kept_once_under_its_key"
            ),
        ]

    def __str__(self) -> str:
        return f"hand {self.number}, second entry"


class Ruling(models.Model):
    """Somebody decided which of two typings stands. Never changed, never deleted.

    `revision` is the hand's after the decision; a later one makes the decision an old one.
    """

    class Stands(models.TextChoices):
        """Which typing is right."""

        FIRST = "first"
        SECOND = "second"

    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_index=False)
    second = models.ForeignKey(SecondTyping, models.CASCADE, related_name="rulings")
    stands = models.CharField(max_length=6, choices=Stands.choices)
    revision = models.PositiveIntegerField()
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    by_as = models.CharField(max_length=120, blank=True)
    at = models.DateTimeField()

    class Meta:
        verbose_name = "choice between two entries"
        verbose_name_plural = "choices between two entries"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(stands__in=("first", "second")), name="ruling_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stands} kept"
