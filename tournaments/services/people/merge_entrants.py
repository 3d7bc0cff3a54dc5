"""Gives what a player has in one event to another player: seats, the entrant, its codes.

Where only the source competes, its entrant goes on under the target's id. Where both compete alone,
their entrants become one. The caller holds the event, its ladder's state and the games of both;
what follows from games is counted again (services/hands/apply_games.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import F, Q

from tournaments.domain.event_settings import settings_of
from tournaments.models.clubs import Player
from tournaments.models.events import (
    Entrant,
    EntrantKind,
    EntrantMember,
    EntrantState,
    Event,
    EventKind,
)
from tournaments.models.ladders import LadderAbsence, LadderState
from tournaments.models.meetings import Sitting
from tournaments.models.playoffs import StageEntrant
from tournaments.models.walk_overs import WalkOver
from tournaments.services.clubs.codes import code_for
from tournaments.services.hands.apply_games import apply_games
from tournaments.services.people.codes_in_event import join_ladder_steps, rename_code
from tournaments.services.people.moved_rows import MovedRows, columns_to
from tournaments.services.standings.counted_games import lock_aggregates, recompute_counted


@dataclass(frozen=True, slots=True)
class EventMerge:
    """What became of the two in one event: the code that the source had, and the target's."""

    code: str
    into: str
    is_joined: bool


def merge_in_event(
    event: Event, source: Player, target: Player, games: Sequence[int], moved: MovedRows
) -> EventMerge | None:
    """Give the source's part in an event to the target; None where the source has no entrant.

    Args:
        games: of the event, in which the source sat.
    """
    for sitting in Sitting.objects.filter(round__event=event, player=source).order_by("pk"):
        moved.change(sitting, player_id=target.pk)
    instead = Sitting.objects.filter(round__event=event, substitute_for=source)
    for sitting in instead.order_by("pk"):
        moved.change(sitting, substitute_for_id=target.pk)
    members = EntrantMember.objects.filter(event=event).select_related("entrant")
    own, there = members.filter(player=source).first(), members.filter(player=target).first()
    if own is None:
        count_again(event, games, [there.entrant_id] if there else [])
        return None
    code = own.entrant.code
    if there is None:
        moved.change(own, player_id=target.pk)
        entrant = own.entrant
        if entrant.kind == EntrantKind.PLAYER:
            _rename(event, entrant, code_for(event, target.player_id), moved)
        count_again(event, games, [entrant.pk])
        return EventMerge(code, entrant.code, is_joined=False)
    _join(event, own, there.entrant, games, moved)
    return EventMerge(code, there.entrant.code, is_joined=True)


def _rename(event: Event, entrant: Entrant, code: str, moved: MovedRows) -> None:
    old = entrant.code
    if old == code:
        return
    moved.change(entrant, code=code)
    rename_code(event, old, code, moved)
    if event.kind == EventKind.LADDER:
        reset_ladder(event, {old: code})


def _join(
    event: Event, own: EntrantMember, into: Entrant, games: Sequence[int], moved: MovedRows
) -> None:
    """Make two entrants one: all that hangs on the first hangs on the second."""
    entrant = own.entrant
    moved.delete(own)
    _drop_repeated(entrant, into, moved)
    if event.kind == EventKind.LADDER:
        join_ladder_steps(event, entrant, into, moved)
    for column in columns_to(Entrant):
        if column.model in (EntrantMember,):
            continue
        for row in column.model._default_manager.filter(**{column.name: entrant.pk}).order_by("pk"):
            moved.change(row, **{column.attname: into.pk})
    rename_code(event, entrant.code, into.code, moved)
    if event.kind == EventKind.LADDER:
        reset_ladder(event, {entrant.code: into.code})
    starts = [one.start_position for one in (entrant, into) if one.start_position is not None]
    state = entrant.state
    moved.change(entrant, start_position=None)
    if starts:
        moved.change(into, start_position=min(starts))
    if state == EntrantState.ACTIVE:
        moved.change(into, state=state)
    count_again(event, games, [entrant.pk, into.pk])
    moved.delete(entrant)


def _drop_repeated(entrant: Entrant, into: Entrant, moved: MovedRows) -> None:
    """Delete what both have in the same place: days away that begin together, a stage of both."""
    days = LadderAbsence.objects.filter(entrant=into).values("since")
    for away in LadderAbsence.objects.filter(entrant=entrant, since__in=days):
        moved.delete(away)
    rounds = WalkOver.objects.filter(entrant=into).values("round")
    for given_up in WalkOver.objects.filter(entrant=entrant, round__in=rounds):
        moved.delete(given_up)
    stages = StageEntrant.objects.filter(entrant=into).values("stage")
    for place in StageEntrant.objects.filter(entrant=entrant, stage__in=stages):
        moved.delete(place)


def count_again(event: Event, games: Sequence[int], entrants: Sequence[int]) -> None:
    """Count games again, and what entrants have of them."""
    lock_aggregates(event, sorted(entrants), make=True)
    apply_games(event=event, games=games)
    if settings_of(event).keeps:
        recompute_counted(event=event, entrants=entrants)


def reset_ladder(event: Event, codes: dict[str, str]) -> None:
    """Have a ladder replayed from its first step; readers get its order with other codes till then.

    Args:
        codes: old code → new code; a code that is there already is not listed twice.
    """
    row = LadderState.objects.filter(event=event).first()
    if row is not None:
        order = list(dict.fromkeys(codes.get(code, code) for code in row.order))
        LadderState.objects.filter(pk=row.pk).update(order=order, turn=F("turn") + 1, **_ANEW)


_ANEW: Final[dict[str, Any]] = {"number": 0, "dropped": [], "ratings": {}, "inputs": {}}


def games_with(event_ids: Sequence[int], players: Sequence[int]) -> Q:
    """Return the condition for games of events in which players sat, or were substituted."""
    sat = Q(table__seats__sittings__player__in=players)
    instead = Q(table__seats__sittings__substitute_for__in=players)
    return Q(event__in=event_ids) & (sat | instead)
