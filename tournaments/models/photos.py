"""Photos of paper sheets: what is known of each, and beside it the picture itself.

The picture has a table of its own, so that a list of photos never reads megabytes.
"""

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.meetings import Table


class SheetPhoto(models.Model):
    """One photo of a table's sheet; numbered at its table, a number is never used again.

    `digest` is the SHA-256 of the file as it came in, so that the same one sent twice is known
    again. Taken away, the row stays with the reason and the picture is gone.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_index=False)
    table = models.ForeignKey(Table, models.CASCADE, related_name="photos", db_index=False)
    number = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=64)
    width = models.PositiveSmallIntegerField()
    height = models.PositiveSmallIntegerField()
    size = models.PositiveIntegerField()
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    added_as = models.CharField(max_length=120, blank=True)
    added_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_as = models.CharField(max_length=120, blank=True)
    removed_because = models.CharField(max_length=500, blank=True)

    class Meta:
        verbose_name = "sheet photo"
        verbose_name_plural = "sheet photos"
        constraints = [
            models.UniqueConstraint(
                fields=["table", "number"], name="photo_number_is_unique_at_its_table"
            ),
            models.CheckConstraint(
                condition=models.Q(number__gte=1), name="photo_numbers_start_at_one"
            ),
        ]

    def __str__(self) -> str:
        return f"photo {self.number}"


class Picture(models.Model):
    """The bytes of one photo: a JPEG that we wrote ourselves, without anything but its pixels."""

    photo = models.OneToOneField(
        SheetPhoto, models.CASCADE, primary_key=True, related_name="picture"
    )
    jpeg = models.BinaryField()

    class Meta:
        verbose_name = "stored picture"
        verbose_name_plural = "stored pictures"

    def __str__(self) -> str:
        return f"picture of photo {self.photo_id}"
