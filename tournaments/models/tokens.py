"""Keys for programs: bearer tokens, of which only the hash is kept."""

import uuid

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club
from tournaments.random_uuid import RandomUUID


class Scope(models.TextChoices):
    """What a token may do at most; each scope includes the ones before it."""

    READ = "read"
    ENTER = "enter"
    MANAGE = "manage"


class Token(models.Model):
    """Lets a program act as `user`, within `scope`, and in `club` only where one is named.

    `digest` is the SHA-256 of 256 random bits; the token itself is shown once and stored nowhere.
    `used_at` is written at most once an hour.
    """

    public_id = models.UUIDField(default=uuid.uuid4, db_default=RandomUUID(), editable=False)
    name = models.CharField(max_length=60, default="", db_default="", blank=True)

    digest = models.CharField(max_length=64)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    club = models.ForeignKey(Club, models.CASCADE, null=True, blank=True, related_name="tokens")
    scope = models.CharField(max_length=6, choices=Scope.choices)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "access token"
        verbose_name_plural = "access tokens"
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="token_digest_is_unique"),
            models.UniqueConstraint(fields=["public_id"], name="token_id_is_unique"),
            models.CheckConstraint(
                condition=models.Q(scope__in=Scope.values), name="token_scope_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"token {self.pk} to {self.scope}"
