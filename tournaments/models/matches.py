"""Matches of teams: who plays whom in a round, and at which tables."""

from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.events import Entrant, Event
from tournaments.models.meetings import Round, Table


class Match(models.Model):
    """Two teams that meet in a round, at one table or at two.

    A match without a table was not played: `forfeited_by` is the team that was short of people,
    empty where both were.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    event = models.ForeignKey(Event, models.CASCADE, related_name="matches")
    round = models.ForeignKey(Round, models.CASCADE, related_name="matches")
    number = models.PositiveSmallIntegerField()
    first = models.ForeignKey(Entrant, models.CASCADE, related_name="+")
    second = models.ForeignKey(Entrant, models.CASCADE, related_name="+")
    forfeited_by = models.ForeignKey(
        Entrant, models.CASCADE, null=True, blank=True, related_name="+"
    )

    class Meta:
        verbose_name = "match"
        verbose_name_plural = "matches"
        constraints = [
            models.UniqueConstraint(
                fields=["round", "number"], name="match_number_is_unique_in_its_round"
            ),
            models.CheckConstraint(
                condition=~models.Q(first=models.F("second")), name="match_has_two_teams"
            ),
            models.CheckConstraint(
                condition=models.Q(number__gte=1), name="match_numbers_start_at_one"
            ),
        ]

    def __str__(self) -> str:
        return f"match {self.number}"


class MatchTable(models.Model):
    """A table at which a match is played; a table belongs to one match at most."""

    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    match = models.ForeignKey(Match, models.CASCADE, related_name="tables")
    table = models.OneToOneField(Table, models.CASCADE, related_name="match_table")

    class Meta:
        verbose_name = "table of a match"
        verbose_name_plural = "tables of matches"

    def __str__(self) -> str:
        return f"table {self.table_id} of match {self.match_id}"
