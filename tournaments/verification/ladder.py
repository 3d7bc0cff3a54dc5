"""Computes a ladder from its log and its games again, and compares its rows and bytes."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db import transaction

from tournaments.models.events import Event
from tournaments.models.ladders import LadderMove, LadderState, RatingChange
from tournaments.models.outbox import Dirty, event_scope, ladder_scope
from tournaments.models.standings import Publication
from tournaments.publishing.ladders.positions import move_rows, store_moves, stored_moves
from tournaments.publishing.ladders.publish import (
    ComputedLadder,
    publish_ladder,
    read_and_compute_ladder,
    state_values,
)
from tournaments.publishing.ladders.ratings import COLUMNS, rating_rows, store_ratings
from tournaments.selectors.db.statements import snapshot_read
from tournaments.services.jobs.queue import mark_due
from tournaments.services.ladders.log import locked_state
from tournaments.verification.differences import Difference, PublicationState, Verification
from tournaments.verification.publication import (
    compare_publication,
    is_behind,
    repair_publication,
)


def verify_ladder(event: Event, *, repair: bool, now: datetime) -> Verification:
    """Replay a ladder from its first step and game, and compare what is stored, bit for bit.

    Where that is wanted, rows that differ are written again, and the bytes as those of standings
    are (publication.py). One that is behind is left to the workers, and published here where it is
    repaired.

    Returns:
        How it compared before: each move and rating that is in one of the two only, and the state
        at the end.
    """
    if repair and not LadderState.objects.filter(event=event).exists():
        found = Verification(publication=PublicationState.BEHIND)
    else:
        with snapshot_read():
            found, _ = _compare(event)
        if repair and found.differs:
            found = _repair_locked(event, now)
    if repair and (found.differs or found.publication == PublicationState.BEHIND):
        publish_ladder(event.pk, now=now)
    return found


@transaction.atomic
def _repair_locked(event: Event, now: datetime) -> Verification:
    """Compare again while no hand comes in between games and ladder, and repair what differs."""
    locked_state(event)
    rows = Dirty.objects.select_for_update().filter(scope__in=_scopes(event))
    list(rows.order_by("pk").values("pk"))
    found, made = _compare(event)
    if made is not None and found.differs:
        _repair(made, now)
    return found


def _scopes(event: Event) -> tuple[str, str]:
    return event_scope(event.pk), ladder_scope(event.pk)


def _compare(event: Event) -> tuple[Verification, ComputedLadder | None]:
    """Compare what is stored with a computation, as the caller's transaction reads both."""
    state = LadderState.objects.filter(event=event).first()
    if state is None:
        return Verification(), None
    if is_behind(event, _scopes(event)):
        return Verification(publication=PublicationState.BEHIND), None
    newest = _newest(event)
    if newest is None:
        return Verification(), None
    made = read_and_compute_ladder(event, from_start=True)
    found = Verification(publication=compare_publication(newest, made.bytes))
    moves = stored_moves(LadderMove.objects.filter(event=event))
    found.add(*_differing_rows("moves", moves, move_rows(made.inputs, made.positions.moves)))
    ratings = RatingChange.objects.filter(event=event).values_list(*COLUMNS)
    found.add(*_differing_rows("ratings", ratings, rating_rows(made.inputs, made.ratings)))
    now = state_values(made)
    before = {key: getattr(state, key) for key in now}
    if before != now:
        found.add(Difference(None, None, "state", before, now))
    return found, made


def _newest(event: Event) -> Publication | None:
    return Publication.objects.filter(ladder=event).order_by("-number").first()


def _differing_rows(
    what: str, stored: Iterable[object], found: Iterable[object]
) -> Iterator[Difference]:
    """Yield the rows that are in one of two lists only."""
    before, now = set(stored), set(found)
    yield from (Difference(None, None, what, row, None) for row in before - now)
    yield from (Difference(None, None, what, None, row) for row in now - before)


def _repair(made: ComputedLadder, now: datetime) -> None:
    event = made.inputs.event
    state, newest = locked_state(event), _newest(event)
    store_moves(made.inputs, made.positions)
    store_ratings(made.inputs, made.ratings)
    LadderState.objects.filter(pk=state.pk).update(turn=state.turn + 1, **state_values(made))
    if newest is not None and not repair_publication(newest, made.bytes):
        mark_due(ladder_scope(event.pk), now=now)
