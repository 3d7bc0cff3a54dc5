"""Several hands of one game in one transaction: what each of them would lock, locked before them.

Each hand takes the sums of those whose points it changes, and the event's dirty row after them: a
later hand would take further sums while that row is held, which no other act does. See
docs/decisions/0029-one-lock-order.md.
"""

from tournaments.models.events import EntrantMember
from tournaments.models.hands import Game
from tournaments.models.meetings import Sitting
from tournaments.services.db.event_lock import lock_for_hand
from tournaments.services.standings.counted_games import lock_aggregates


def lock_table_totals(game: Game) -> None:
    """Lock the event, the game and the sums of all who sat there, in this transaction.

    The event, because a void hand that comes back takes its row, whichever hand of these it is.
    """
    lock_for_hand(game, seats=True)
    if not game.counts:
        return
    sat = Sitting.objects.filter(seat__table=game.table_id).values("player")
    members = EntrantMember.objects.filter(event=game.event_id, player__in=sat)
    lock_aggregates(game.event, set(members.values_list("entrant", flat=True)))
