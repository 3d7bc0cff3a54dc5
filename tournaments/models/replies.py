"""What was answered under an idempotency key, kept for a day so that it can be said again."""

from django.db import models


class Reply(models.Model):
    """One request under a key of its caller; `status` is empty while it is being worked on.

    `fingerprint` tells a repeated request from another one under the same key. The key of an
    entry is not here: it stays with its revision for ever (`Entry.key`).
    """

    caller = models.CharField(max_length=40)
    key = models.CharField(max_length=128)
    fingerprint = models.CharField(max_length=64)
    started_at = models.DateTimeField(db_index=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    headers = models.JSONField(default=dict)
    body = models.BinaryField(default=bytes)

    class Meta:
        verbose_name = "stored reply"
        verbose_name_plural = "stored replies"
        constraints = [
            models.UniqueConstraint(fields=["caller", "key"], name="caller_uses_a_key_once"),
        ]

    def __str__(self) -> str:
        return f"{self.caller}: {self.status}"
