"""Private calendars: addresses that calendar programs read without signing in."""

from django.conf import settings
from django.db import models


class CalendarLink(models.Model):
    """Lets whoever holds its token read the calendar of `user`, and nothing else.

    `digest` is the SHA-256 of 256 random bits; the address is shown once and stored nowhere. An
    account has one link at most: a new one takes the place of the old one, and revoking deletes it.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="calendar_link"
    )
    digest = models.CharField(max_length=64)
    made_at = models.DateTimeField()

    class Meta:
        verbose_name = "calendar link"
        verbose_name_plural = "calendar links"
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="calendar_link_digest_is_unique"),
        ]

    def __str__(self) -> str:
        return f"calendar link of account {self.user_id}"
