"""Several hands of one game in one transaction: what each of them would lock, locked before them.

Each hand takes its board, the sums of those whose points it changes, then the event's dirty row.
A later hand would take another board or further sums while that row is held, which no other act
does. See docs/decisions/0029-one-lock-order.md.
"""

from collections.abc import Collection

from django.db import connection
from django.db.models import Q

from tournaments.domain.event_settings import settings_of
from tournaments.models.deals import Board
from tournaments.models.events import EntrantMember
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Sitting
from tournaments.services.db.event_lock import lock_for_hand
from tournaments.services.standings.counted_games import lock_aggregates


def lock_table_totals(game: Game, boards: Collection[int] = ()) -> None:
    """Lock the event, the game, boards and the sums of all who sat there, in this transaction.

    The event, because a void hand that comes back takes its row, whichever hand of these it is.

    Args:
        boards: the numbers that the hands name; those that hands of the game have are locked too.
    """
    lock_for_hand(game, seats=True)
    if not game.counts:
        return
    if connection.features.has_select_for_update and settings_of(game.event).duplicate:
        played = Hand.objects.filter(game=game.pk, board__isnull=False).values("board")
        wanted = Board.objects.filter(Q(number__in=boards) | Q(pk__in=played), event=game.event_id)
        list(wanted.select_for_update(of=("self",), no_key=True).order_by("pk"))
    sat = Sitting.objects.filter(seat__table=game.table_id).values("player")
    members = EntrantMember.objects.filter(event=game.event_id, player__in=sat)
    lock_aggregates(game.event, set(members.values_list("entrant", flat=True)))
