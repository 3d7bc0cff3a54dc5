"""Disputes of an event as pages and REST show them.

Takes an event that `selectors.events.event_at` has let the actor read. Nothing here names who
opened a dispute or ruled on it: the role does.
"""

from collections.abc import Mapping, Sequence

from django.db.models import Count, Q, QuerySet

from tournaments.errors import Missing
from tournaments.models.disputes import Dispute, DisputeState
from tournaments.models.events import Event
from tournaments.models.meetings import Round, Sitting
from tournaments.policy import PLAYER, Actor, may


def disputes_of(event: Event) -> QuerySet[Dispute]:
    """Return the disputes of an event by number, each with its hand, table and round."""
    found = Dispute.objects.filter(event=event).select_related("hand__game__table__round")
    return found.order_by("number")


def dispute_at(event: Event, number: int) -> Dispute:
    """Return one dispute of an event.

    Raises:
        Missing: dispute.
    """
    found = disputes_of(event).filter(number=number).first()
    if found is None:
        raise Missing("dispute", {"dispute": number})
    return found


def n_open(event: Event) -> int:
    """Return how many disputes of an event are open; one query."""
    return Dispute.objects.filter(event=event, state=DisputeState.OPEN).count()


def open_at(event: Event, code: str) -> dict[int, int]:
    """Return how many disputes are open at a table, by number of the hand; one query."""
    rows = Dispute.objects.filter(
        event=event, state=DisputeState.OPEN, hand__game__table__code=code
    )
    return dict(rows.values_list("hand__number").annotate(n=Count("pk")).order_by("hand__number"))


def open_on(hand_id: int) -> int:
    """Return how many disputes of one hand, by its row, are open; one query."""
    return Dispute.objects.filter(hand=hand_id, state=DisputeState.OPEN).count()


def open_in(round_: Round) -> Mapping[str, Sequence[int]]:
    """Return the numbers of a round's hands with an open dispute, by table; one query."""
    rows = Dispute.objects.filter(
        event=round_.event_id, state=DisputeState.OPEN, hand__game__table__round=round_
    )
    found: dict[str, list[int]] = {}
    values = rows.order_by("hand__number").values_list("hand__game__table__code", "hand__number")
    for code, number in values.distinct():
        found.setdefault(code, []).append(number)
    return found


def of_hand(event: Event, code: str, number: int) -> Sequence[Dispute]:
    """Return the disputes of one hand by number."""
    own = Q(hand__game__table__code=code, hand__number=number)
    return tuple(disputes_of(event).filter(own))


def sat_at(actor: Actor, table_id: int) -> bool:
    """Whether the actor's own player has a sitting at a table; at most one query."""
    if actor.user_id is None:
        return False
    own = Sitting.objects.filter(seat__table=table_id, player__user_id=actor.user_id)
    return own.exists()


def may_dispute(actor: Actor, event: Event, code: str) -> bool:
    """Whether the actor, whom the event was read for, may dispute a hand of the table `code`."""
    role = str(getattr(event, "role", ""))
    if event.state == "final" or not may(role or "public", "open_dispute"):
        return False
    if role != PLAYER or actor.user_id is None:
        return role != PLAYER
    own = Sitting.objects.filter(
        seat__table__event=event, seat__table__code=code, player__user_id=actor.user_id
    )
    return own.exists()
