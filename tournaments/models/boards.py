"""Deals of a duplicate event: where they come from, and its numbered boards."""

from django.db import models

from tournaments.models.columns import OfClub, account, from_one, known, unique
from tournaments.models.events import Event


class DealSource(models.TextChoices):
    """Boards are dealt from a seed, or read from a file."""

    SEED = "seed"
    FILE = "file"


class Deal(OfClub):
    """Boards that were made together.

    `sealed` is the seed, or the deals of the file as one text, encrypted under the server's key;
    `commitment` its SHA-256, public from the start. `secret` is that text in the
    clear, empty until all of its boards may be shown.

    If its boards move between tables, `moving_tables` is the number of tables and `first_round` the
    round in which that starts; otherwise both are empty.
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="deals")
    source = models.CharField(max_length=4, choices=DealSource.choices)
    sealed = models.BinaryField()
    secret = models.TextField(blank=True, default="", db_default="")
    commitment = models.CharField(max_length=64)
    made_at = models.DateTimeField()
    moving_tables = models.PositiveSmallIntegerField(null=True, blank=True)
    first_round = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [known("deal_source_is_known", "source", DealSource)]


class DealPrinting(OfClub):
    """One printing of the cards of boards that are still secret, to deal them.

    `printed_by` is empty for a command of the server, and once the account is gone. See
    docs/decisions/0041-printing-secret-deals.md.
    """

    deal = models.ForeignKey(Deal, models.CASCADE, related_name="printings")
    printed_by = account()
    printed_at = models.DateTimeField()


class Board(OfClub):
    """One deal that the tables of an event play, with its number.

    `round` is the number of the round in which every table plays it; empty where boards move, or
    belong to no round. `board_set` is the set, from 1, with which it moves as its deal says.
    `hands` are the cards of N, E, S and W, empty until they may be shown; before that they are
    in `Deal.sealed` alone.
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="boards", db_index=False)
    deal = models.ForeignKey(Deal, models.CASCADE, related_name="boards")
    number = models.PositiveSmallIntegerField()
    dealer = models.CharField(max_length=1)
    round = models.PositiveIntegerField(null=True, blank=True)
    board_set = models.PositiveSmallIntegerField(null=True, blank=True)
    hands = models.JSONField(null=True, blank=True)

    class Meta:
        constraints = [
            unique("board_number_is_unique_in_its_event", "event", "number"),
            from_one("board_numbers_start_at_one"),
        ]

    def __str__(self) -> str:
        return f"board {self.number}"
