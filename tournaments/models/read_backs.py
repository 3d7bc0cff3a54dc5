"""A check of the entered hands against the sheet of paper, which found them equal."""

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.hands import Game


class ReadBack(models.Model):
    """Somebody said that the sheet of a game is the paper's twin. Never changed, never deleted.

    `sheet` is the digest of the sheet as it stood (`selectors.rounds.sheet_verification`): a hand
    that is added or corrected afterwards makes it another sheet, which nobody has checked yet.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_index=False)
    game = models.ForeignKey(Game, models.CASCADE, related_name="read_backs", db_index=False)
    sheet = models.CharField(max_length=64)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    by_as = models.CharField(max_length=120, blank=True)
    at = models.DateTimeField()

    class Meta:
        verbose_name = "sheet check"
        verbose_name_plural = "sheet checks"
        constraints = [
            models.UniqueConstraint(
                fields=["game", "sheet"], name="sheet_is_read_back_once_as_it_stands"
            ),
        ]

    def __str__(self) -> str:
        return f"check of game {self.game_id}"
