"""Notices of accounts, and the kinds of notifications that they want by mail."""

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.columns import OfClub, index, optional_time, random_id, unique


class Notice(models.Model):
    """One notice for one account; `facts` are ids and reasons, the sentence is built on reading."""

    public_id = random_id()
    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=120)
    facts = models.JSONField()
    path = models.CharField(max_length=500, default="", blank=True)
    created_at = models.DateTimeField()
    read_at = optional_time()

    class Meta:
        constraints = [
            unique("notice_id_is_unique", "public_id"),
            unique("notice_is_written_once", "user", "kind", "key"),
        ]
        indexes = [
            index(
                "notices_not_read", "user", "created_at", condition=models.Q(read_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class NotificationChoice(OfClub):
    """Whether an account wants one kind by mail and as a notice in a club.

    Without a row the kind's own default holds.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="notification_choices"
    )
    kind = models.CharField(max_length=40)
    by_mail = models.BooleanField()
    as_notice = models.BooleanField()

    class Meta:
        constraints = [unique("account_chooses_once_for_a_kind_in_a_club", "club", "user", "kind")]

    def __str__(self) -> str:
        return f"{self.kind} of user {self.user_id}"


class DismissedHint(models.Model):
    """A hint of a page that an account does not want to see again; `key` names the hint."""

    # No constraint: 0.3.0, which does not know the rows, deletes accounts beside them.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="dismissed_hints",
        db_constraint=False,
    )
    key = models.CharField(max_length=40)

    class Meta:
        constraints = [unique("hint_is_dismissed_once", "user", "key")]

    def __str__(self) -> str:
        return f"hint {self.key} of user {self.user_id}"
