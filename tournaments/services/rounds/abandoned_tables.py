"""Who sat at a table that was abandoned and has no hand that counts is free for another one."""

from collections.abc import Collection, Iterable

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce, Greatest

from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Sitting
from tournaments.selectors.rounds.seatings import abandoned_without_hands


def end_abandoned_sittings(rounds: Collection[int], players: Iterable[int]) -> None:
    """End the sittings of players at abandoned tables of these rounds where nothing counts.

    The caller holds the event's row, under which hands of such a table come back.
    """
    open_ones = Sitting.objects.filter(
        round__in=rounds, player__in=list(players), to_hand__isnull=True
    )
    for one in open_ones.filter(abandoned_without_hands()):
        last = Hand.objects.filter(game__table__seats=one.seat_id).order_by("-number").first()
        one.to_hand = max(one.from_hand, last.number if last else 1)
        one.save(update_fields=["to_hand"])


def end_sittings_of(games: Collection[Game]) -> None:
    """End the open sittings of tables that are being abandoned, with their last hand.

    The caller holds the event's row and the games, and discards their hands.
    """
    last = Hand.objects.filter(game__table__seats=OuterRef("seat_id")).order_by("-number")
    ended = Coalesce(Subquery(last.values("number")[:1]), 1)
    tables = [game.table_id for game in games]
    open_ones = Sitting.objects.filter(seat__table__in=tables, to_hand__isnull=True)
    open_ones.update(to_hand=Greatest("from_hand", ended))
