"""Clubs, who may do what in them, and the people a club keeps a record of."""

from django.conf import settings
from django.db import models


class Role(models.TextChoices):
    """A member's role in one club, weakest first."""

    PLAYER = "player"
    HOST = "host"
    DIRECTOR = "director"
    OWNER = "owner"


class Club(models.Model):
    """An organisation; everything below it carries it, so that no query can cross clubs."""

    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=120)
    time_zone = models.CharField(max_length=60, default="UTC")
    language = models.CharField(max_length=12, default="en")
    is_public = models.BooleanField(default=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = "club"
        verbose_name_plural = "clubs"
        constraints = [
            models.UniqueConstraint(fields=["slug"], name="club_slug_is_unique"),
            models.CheckConstraint(condition=~models.Q(slug=""), name="club_has_a_slug"),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A login's role in a club. A site administrator stands above and needs none."""

    club = models.ForeignKey(Club, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="club_memberships"
    )
    role = models.CharField(max_length=10, choices=Role.choices)

    class Meta:
        verbose_name = "membership"
        verbose_name_plural = "memberships"
        constraints = [
            models.UniqueConstraint(
                fields=["club", "user"], name="user_has_one_membership_in_a_club"
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="membership_role_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} in club {self.club_id}"


class Player(models.Model):
    """A club's record of a person; `player_id` is the club's own number (RL24)."""

    club = models.ForeignKey(Club, models.CASCADE, related_name="players")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="club_players",
    )
    player_id = models.CharField(max_length=40)
    name = models.CharField(max_length=120)
    joined = models.DateField(null=True, blank=True)

    class Meta:
        verbose_name = "player"
        verbose_name_plural = "players"
        constraints = [
            models.UniqueConstraint(
                fields=["club", "player_id"], name="player_id_is_unique_in_its_club"
            ),
            models.CheckConstraint(
                condition=~models.Q(player_id=""), name="player_has_a_player_id"
            ),
        ]
        indexes = [models.Index(fields=["club", "name"], name="player_by_name")]

    def __str__(self) -> str:
        return self.name
