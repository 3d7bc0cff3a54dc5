"""The audit trail (append-only, one hash chain a club), refused operations, and stored answers."""

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.columns import PlainRow, account, unique


class AuditHead(PlainRow):
    """The newest link of a club's chain; the last row a transaction locks."""

    club = models.OneToOneField(Club, models.CASCADE, related_name="audit_head")
    number = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64, default="")


class AuditLine(models.Model):
    """Who did what to which object. Facts hold ids, never names (erasing a person keeps it true).

    `digest` is the SHA-256 over the previous line's digest and this line's own members.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="audit_lines")
    number = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    user = account()
    actor = models.CharField(max_length=80)
    act = models.CharField(max_length=60)
    subject = models.CharField(max_length=160)
    facts = models.JSONField(default=dict)
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [unique("audit_number_is_unique_in_its_club", "club", "number")]

    def __str__(self) -> str:
        return f"{self.number}: {self.act}"


class RefusedAct(PlainRow):
    """The number of forbidden attempts of an operation by one caller in a club within an hour."""

    # No constraints: 0.3.0, which does not know the rows, deletes accounts and clubs beside them.
    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_constraint=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        db_constraint=False,
    )
    actor = models.CharField(max_length=80)
    act = models.CharField(max_length=60)
    hour = models.DateTimeField()
    times = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [unique("refused_act_has_one_row_an_hour", "club", "actor", "act", "hour")]


class Reply(PlainRow):
    """One request under a key of its caller; `status` is empty while it is being worked on.

    `fingerprint` distinguishes a repeated request from another one under the same key. The key of
    an entry is stored with its revision for ever instead (`Entry.key`).
    """

    caller = models.CharField(max_length=40)
    key = models.CharField(max_length=128)
    fingerprint = models.CharField(max_length=64)
    started_at = models.DateTimeField(db_index=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    headers = models.JSONField(default=dict)
    body = models.BinaryField(default=bytes)

    class Meta:
        constraints = [unique("caller_uses_a_key_once", "caller", "key")]
