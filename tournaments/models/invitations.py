"""How people come into a club: invitations, claims of a player, and the site's first account."""

import uuid

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club, Player, Role


class Invitation(models.Model):
    """Makes whoever opens it a member of a club, once, and the player that it names.

    The token is made from `seed` under the server's secret key, so that it can be copied and
    printed again and a copy of the database opens nothing (docs/decisions/0015); `token_digest` is
    its SHA-256. `name` is what stands on the card where no player is named.
    """

    public_id = models.UUIDField(default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Role.choices)
    player = models.ForeignKey(
        Player, models.SET_NULL, null=True, blank=True, related_name="invitations"
    )
    name = models.CharField(max_length=120, default="", blank=True)
    email = models.EmailField(max_length=254, default="", blank=True)
    seed = models.CharField(max_length=43)
    token_digest = models.CharField(max_length=64)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "invitation"
        verbose_name_plural = "invitations"
        constraints = [
            models.UniqueConstraint(fields=["public_id"], name="invitation_id_is_unique"),
            models.UniqueConstraint(fields=["seed"], name="invitation_seed_is_unique"),
            models.UniqueConstraint(fields=["token_digest"], name="invitation_token_is_unique"),
            models.UniqueConstraint(
                fields=["player"],
                condition=models.Q(accepted_at__isnull=True, revoked_at__isnull=True),
                name="player_has_one_pending_invitation",
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="invited_role_is_known"
            ),
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("created_at")),
                name="invitation_expires_after_it_is_made",
            ),
            models.CheckConstraint(
                condition=models.Q(accepted_at__isnull=True) | models.Q(revoked_at__isnull=True),
                name="invitation_is_accepted_or_revoked",
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.public_id}"


class ClaimState(models.TextChoices):
    """States of a claim; only a pending one can be decided."""

    PENDING = "pending"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class PlayerClaim(models.Model):
    """An account says "this is me" of a player; a director confirms or rejects it."""

    public_id = models.UUIDField(default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.CASCADE, related_name="claims")
    player = models.ForeignKey(Player, models.CASCADE, related_name="claims")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    state = models.CharField(max_length=9, choices=ClaimState.choices, default=ClaimState.PENDING)
    created_at = models.DateTimeField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "claim of a player"
        verbose_name_plural = "claims of players"
        constraints = [
            models.UniqueConstraint(fields=["public_id"], name="claim_id_is_unique"),
            models.UniqueConstraint(
                fields=["club", "user"],
                condition=models.Q(state="pending"),
                name="account_has_one_pending_claim_in_a_club",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=ClaimState.values), name="claim_state_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"claim {self.public_id}"


class SetupLink(models.Model):
    """Makes the site's first account, once; of its token only the SHA-256 is kept."""

    token_digest = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "set-up link"
        verbose_name_plural = "set-up links"
        constraints = [
            models.UniqueConstraint(fields=["token_digest"], name="setup_token_is_unique"),
        ]

    def __str__(self) -> str:
        return f"set-up link {self.pk}"
