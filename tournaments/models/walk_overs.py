"""Walk-overs: who does not play at a table of a knock-out, so that the others go on."""

from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.events import Entrant, Event
from tournaments.models.meetings import Round, Table


class WalkOver(models.Model):
    """An entrant who did not come to a table, or gave it up.

    `took_seat` says that the others play on with one seat less; else the seat is kept.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    event = models.ForeignKey(Event, models.CASCADE, related_name="walk_overs")
    round = models.ForeignKey(Round, models.CASCADE, related_name="walk_overs")
    table = models.ForeignKey(Table, models.CASCADE, related_name="walk_overs")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="+")
    took_seat = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = "walk-over"
        verbose_name_plural = "walk-overs"
        constraints = [
            models.UniqueConstraint(
                fields=["round", "entrant"], name="walk_over_is_recorded_once_a_round"
            ),
        ]

    def __str__(self) -> str:
        return f"walk-over at table {self.table_id}"
