"""What becomes of a person's records: merges of two players, and erasures."""

import uuid

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club, Player


class PlayerMerge(models.Model):
    """Two records of one person became one: `source` gave everything to `target`.

    `moved` lists the rows by table and id, with what they held before, so that the merge can be
    undone until something new depends on it.
    """

    public_id = models.UUIDField(default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.CASCADE, related_name="merges")
    source = models.ForeignKey(Player, models.CASCADE, related_name="merges")
    target = models.ForeignKey(Player, models.CASCADE, related_name="+")
    moved = models.JSONField()
    audit_number = models.PositiveBigIntegerField(default=0)
    merged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    merged_at = models.DateTimeField()
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "merge of two players"
        verbose_name_plural = "merges of players"
        constraints = [
            models.UniqueConstraint(fields=["public_id"], name="merge_id_is_unique"),
            models.UniqueConstraint(
                fields=["source"],
                condition=models.Q(undone_at__isnull=True),
                name="player_is_merged_once",
            ),
            models.CheckConstraint(
                condition=~models.Q(source=models.F("target")), name="merge_is_of_two_players"
            ),
        ]

    def __str__(self) -> str:
        return f"merge {self.public_id}"


class Erasure(models.Model):
    """A person asks to be erased, or was: an owner confirms. Holds ids, never the name.

    The rows with `erased_at` are the list that a restored backup applies again.
    """

    public_id = models.UUIDField(default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.CASCADE, related_name="erasures")
    player = models.ForeignKey(Player, models.CASCADE, related_name="erasures")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    asked_at = models.DateTimeField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    erased_at = models.DateTimeField(null=True, blank=True)
    declined_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "erasure of a person"
        verbose_name_plural = "erasures of persons"
        constraints = [
            models.UniqueConstraint(fields=["public_id"], name="erasure_id_is_unique"),
            models.UniqueConstraint(
                fields=["player"],
                condition=models.Q(erased_at__isnull=True, declined_at__isnull=True),
                name="player_has_one_pending_erasure",
            ),
        ]

    def __str__(self) -> str:
        return f"erasure {self.public_id}"
