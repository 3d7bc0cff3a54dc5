"""Archives of clubs that were uploaded: what became of them, and their files until they are in."""

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club


class ClubImportState(models.TextChoices):
    """The way of an uploaded archive.

    A worker checks it (`checking`); it waits for its sender (`preview`) and is imported
    (`running`, `done`). One that cannot be imported is `refused`.
    """

    CHECKING = "checking"
    PREVIEW = "preview"
    RUNNING = "running"
    DONE = "done"
    REFUSED = "refused"


class ClubImport(models.Model):
    """One archive that an account uploaded; `number` counts from 1 within the account.

    `slug` is the address that the club is to have here. `found` is what the check found (keys of
    `ArchiveFound` in domain/archives/found.py). `problems` are why it was refused, or why its
    import did not begin: `[{"code", "facts"}]`. `club` is the club that it became.
    """

    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="club_imports"
    )
    number = models.PositiveIntegerField()
    file_name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    state = models.CharField(
        max_length=8, choices=ClubImportState.choices, default=ClubImportState.CHECKING
    )
    slug = models.CharField(max_length=60, blank=True)
    found = models.JSONField(null=True, blank=True)
    problems = models.JSONField(default=list, blank=True)
    club = models.ForeignKey(Club, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "import of a club"
        verbose_name_plural = "imports of clubs"
        constraints = [
            models.UniqueConstraint(
                fields=["made_by", "number"], name="club_import_number_is_unique_in_its_account"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=ClubImportState.values),
                name="club_import_state_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"import {self.number} of {self.file_name}"


class ClubImportPiece(models.Model):
    """A piece of the file of an import, in order; the file is deleted when the club is there."""

    club_import = models.ForeignKey(ClubImport, models.CASCADE, related_name="pieces")
    position = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        verbose_name = "piece of an uploaded archive"
        verbose_name_plural = "pieces of uploaded archives"
        constraints = [
            models.UniqueConstraint(
                fields=["club_import", "position"], name="piece_has_its_place_in_its_file"
            ),
        ]

    def __str__(self) -> str:
        return f"piece {self.position} of import {self.club_import_id}"
