"""Sheets of which only the totals are known: how many hands they stand for, whose moons they hide.

A sheet with totals is no hand. It stands for as many as it says, or for nobody knows how many.
"""

from collections.abc import Collection, Mapping
from typing import Final

from django.db.models import F, Min, QuerySet, Sum
from django.db.models.functions import Coalesce

from tournaments.models.events import Event
from tournaments.models.hands import Hand, HandState
from tournaments.models.meetings import Round
from tournaments.models.standings import Contribution

TOTALS: Final = 0
"""The number of the hand that a sheet with totals is stored as."""


def sheets_of(event: Event) -> QuerySet[Hand]:
    """Return the sheets with totals only that count in the event's table."""
    there = Hand.objects.filter(number=TOTALS, state=HandState.ACCEPTED)
    return there.filter(game__event=event, game__counts=True)


def extra_hands(event: Event) -> dict[int, int]:
    """Return what the event's sheets with totals add to the stored hands, by round; one query.

    Each of them is stored as one hand: four hands add three, an unknown number takes one away.
    """
    rows = sheets_of(event).order_by().values("game__table__round__number")
    found = rows.annotate(extra=Sum(Coalesce(F("hands"), 0) - 1))
    return dict(found.values_list("game__table__round__number", "extra"))


def first_rounds_without_moons(event: Event) -> dict[str, int]:
    """Return who has a table of which nobody knows the moons: code → its first round; one query."""
    rows = Contribution.objects.filter(event=event, game__in=sheets_of(event).values("game"))
    first = rows.order_by().values("entrant__code").annotate(n=Min("game__table__round__number"))
    return dict(first.values_list("entrant__code", "n"))


def hands_of_games(games: Collection[int]) -> Mapping[int, int | None]:
    """Return how many hands totals stand for, by the row of their game, of those that have them."""
    there = Hand.objects.filter(number=TOTALS, state=HandState.ACCEPTED, game__in=games)
    return dict(there.values_list("game_id", "hands"))


def hands_in_round(round_: Round) -> Mapping[int, int | None]:
    """Return how many hands totals stand for, by the row of the game, at the tables of a round."""
    there = Hand.objects.filter(number=TOTALS, state=HandState.ACCEPTED)
    return dict(there.filter(game__table__round=round_).values_list("game_id", "hands"))


def known_moons(moons: int, *, is_unknown: bool) -> int | None:
    """Return how many moons are known; None where none is and some table does not tell."""
    return None if is_unknown and not moons else moons
