"""Counts an event again: what every game adds, what is dropped, and all totals.

When settings change what contributions hold, they change for games that were played long ago. A
worker counts them again in steps, each committed by itself; until the last one the totals are
partly of the old settings, so nothing is published meanwhile (docs/operations.md). Hands go on
being entered: each locks its game and its players' totals, as each step does.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from tournaments.models.events import Event
from tournaments.models.outbox import recount_scope
from tournaments.selectors.jobs.queue import is_recounted, state_of
from tournaments.selectors.standings.aggregates_bulk import game_ids, number_of_games
from tournaments.services.db.transactions import atomic_act
from tournaments.services.jobs import queue
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.verification import games
from tournaments.verification.games import parts, verify_locked_games
from tournaments.verification.scores import TableKinds
from tournaments.verification.totals import entrant_ids, verify_locked_totals


def recount_steps(event_id: int) -> Iterator[Mapping[str, int]]:
    """Count an event again, a step at a time, and go on where an earlier call was ended.

    Yields:
        How far it is, to be stored with the scope: the `version` that it counts for, `done` of
        `of` games, and after which game it goes on.
    """
    version, progress = state_of(recount_scope(event_id))
    event = Event.objects.filter(pk=event_id).first()
    if event is None:
        return
    state = {"version": version, "done": 0, "of": number_of_games(event), "after": 0}
    if progress and progress["version"] == version:
        state = dict(progress)
    kinds = TableKinds(event)
    while ids := game_ids(event, after=state["after"], limit=games.LOCKED):
        verify_locked_games(event, kinds, first=ids[0], last=ids[-1], repair=True)
        state |= {"done": state["done"] + len(ids), "after": ids[-1]}
        yield dict(state)
    for some in parts(entrant_ids(event)):
        verify_locked_totals(event, some, repair=True)
        yield dict(state)


@atomic_act
def finish_recount(
    event_id: int, version: int, *, now: datetime, took_ms: int | None = None
) -> None:
    """Note that the event is counted up to `version`, and have it published."""
    event = Event.objects.filter(pk=event_id).first()
    if event is not None:
        mark_changed(event=event, now=now)
    queue.finish_job(recount_scope(event_id), version, now=now, took_ms=took_ms)


def recount_now(event_id: int, *, now: datetime) -> bool:
    """Count an event again in this process, if that is to be done; returns whether it was.

    Safe beside a worker that does the same.
    """
    version, _ = state_of(recount_scope(event_id))
    if not is_recounted(event_id):
        return False
    for _ in recount_steps(event_id):
        pass
    finish_recount(event_id, version, now=now)
    return True
