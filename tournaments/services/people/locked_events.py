"""The events that a player is in, locked as whole acts on a person need them."""

from collections.abc import Callable, Collection, Iterable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from django.db.models import Q

from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event, EventKind
from tournaments.models.meetings import Sitting
from tournaments.services.ladders.log import locked_state

TRIES: Final = 3

P = ParamSpec("P")
R = TypeVar("R")


class PlayedElsewhere(Exception):
    """The player was entered into another event while these were locked."""


def repeat_where_played_elsewhere(act: Callable[P, R]) -> Callable[P, R]:
    """Do an act again, as a new transaction, where its player was entered into another event."""

    @wraps(act)
    def repeated(*args: P.args, **kwargs: P.kwargs) -> R:
        for _ in range(TRIES - 1):
            try:
                return act(*args, **kwargs)
            except PlayedElsewhere:
                continue
        return act(*args, **kwargs)

    return repeated


def require_all_locked(player: Player, events: Iterable[Event]) -> None:
    """Require that a player, whose row is locked, is in no other event than these.

    Raises:
        PlayedElsewhere: they were entered into one before the row was locked.
    """
    if events_of_player(player) - {event.pk for event in events}:
        raise PlayedElsewhere


def events_of_player(player: Player) -> set[int]:
    """Return the events in which a player competes, sat, or was substituted."""
    members = EntrantMember.objects.filter(player=player).values_list("event_id", flat=True)
    sat = Sitting.objects.filter(Q(player=player) | Q(substitute_for=player))
    return set(members) | set(sat.values_list("round__event_id", flat=True))


def locked_events(ids: Collection[int]) -> list[Event]:
    """Return events with their rows and the states of their ladders locked, by ascending id."""
    rows = Event.objects.select_for_update(of=("self",), no_key=True).select_related("club")
    events = list(rows.filter(pk__in=ids).order_by("pk"))
    for event in events:
        if event.kind == EventKind.LADDER:
            locked_state(event)
    return events
