"""Links that open one table to whoever holds them; of their secrets only hashes are kept."""

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.meetings import Table


class TableLink(models.Model):
    """Opens `table` until `expires_at`, by a token (in a QR code) or by a short code.

    Both are made from `seed` under the server's secret key, so that they can be printed again and a
    copy of the database opens nothing (docs/decisions/0015). `token_digest` is the SHA-256 of the
    token, `code_digest` a keyed hash of the short code, whose 40 bits a plain one would not hide.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    table = models.ForeignKey(Table, models.CASCADE, related_name="links")
    seed = models.CharField(max_length=43)
    token_digest = models.CharField(max_length=64)
    code_digest = models.CharField(max_length=64)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "table link"
        verbose_name_plural = "table links"
        constraints = [
            models.UniqueConstraint(fields=["seed"], name="link_seed_is_unique"),
            models.UniqueConstraint(fields=["token_digest"], name="link_token_is_unique"),
            models.UniqueConstraint(fields=["code_digest"], name="link_code_is_unique"),
            models.UniqueConstraint(
                fields=["table"],
                condition=models.Q(revoked_at__isnull=True),
                name="table_has_one_link_that_is_not_revoked",
            ),
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("made_at")),
                name="link_expires_after_it_is_made",
            ),
        ]

    def __str__(self) -> str:
        return f"link {self.pk} to table {self.table_id}"
