"""What a club said of the columns of foreign files, kept for the next file of the same heads."""

from typing import Final

from django.db import models

from tournaments.models.clubs import Club

SEATS: Final = "seats"
HANDS: Final = "hands"
NAMES: Final = "names"
"""What a row of a foreign file is: a player in a hand; or a hand, with a column for each player;
or a hand, with columns of names and of the numbers beside them."""

IGNORE: Final = "ignore"
PLAYER: Final = "player"
CHOICE: Final = "moon_choice"
PLEDGE: Final = "pledge:"
"""In a row a hand: `pledge:` and the id of a pledge, a column that names who made it."""

MOST_PLAYERS: Final = 13
"""So many names may stand in a row of names."""

NAME_OF: Final = "player:"
VALUE_OF: Final = "value:"
"""Where names are beside numbers: with a number from 1, a name (or id), and its number."""

DATES: Final = "dates"
"""Given for the round: each new date is the next one."""


class ColumnMap(models.Model):
    """A kept mapping. `plan` says what each column is; `heads_key` tells files of its heads.

    `number` is its place in addresses.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="column_maps")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=120)
    plan = models.JSONField()
    heads_key = models.CharField(max_length=64)
    made_as = models.CharField(max_length=120, blank=True)
    changed_at = models.DateTimeField()

    class Meta:
        verbose_name = "column mapping"
        verbose_name_plural = "column mappings"
        constraints = [
            models.UniqueConstraint(
                fields=["club", "number"], name="mapping_number_is_unique_in_its_club"
            ),
            models.UniqueConstraint(
                fields=["club", "name"], name="mapping_name_is_unique_in_its_club"
            ),
            models.UniqueConstraint(
                fields=["club", "heads_key"], name="club_has_one_mapping_for_the_same_heads"
            ),
            models.CheckConstraint(condition=~models.Q(name=""), name="mapping_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name
