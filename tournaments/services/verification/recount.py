"""Counting an event again: what every game adds, what is dropped, and all sums.

When settings change what contributions hold, they change for games that were played long ago. A
worker counts them again in pieces, each committed by itself; until the last one the sums are partly
of the old settings, so nothing is published meanwhile (docs/operations.md). Hands go on being
entered: each holds its game and its players' sums, as each piece does.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from tournaments.models.events import Entrant, Event
from tournaments.models.outbox import recount_scope
from tournaments.selectors.jobs.queue import is_recounted, state_of
from tournaments.selectors.standings.aggregates_bulk import number_of_games
from tournaments.services.db.transactions import atomic_act
from tournaments.services.jobs import queue
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.verification.rebuild import batches, count_games, count_sums, parts, spans
from tournaments.services.verification.verify_scores import TableKinds

READ_AT_ONCE = 5000


def pieces(event_id: int) -> Iterator[Mapping[str, int]]:
    """Count an event again, a piece at a time, and go on where an earlier call was ended.

    Yields:
        How far it is, to be kept with the scope: the `version` that it counts for, `done` of `of`
        games, and after which game it goes on.
    """
    scope = recount_scope(event_id)
    version, kept = state_of(scope)
    event = Event.objects.filter(pk=event_id).first()
    if event is None:
        return
    state = {"version": version, "done": 0, "of": number_of_games(event), "after": 0}
    if kept and kept["version"] == version:
        state = dict(kept)
    kinds = TableKinds(event)
    for ids in batches(event, READ_AT_ONCE, after=state["after"]):
        for first, last in spans(ids):
            count_games(event, kinds, first=first, last=last, mend=True)
            counted = sum(1 for one in ids if first <= one <= last)
            state |= {"done": state["done"] + counted, "after": last}
            yield dict(state)
    entrants = sorted(Entrant.objects.filter(event=event).values_list("pk", flat=True))
    for some in parts(entrants):
        count_sums(event, some, mend=True)
        yield dict(state)


@atomic_act
def finish_recount(
    event_id: int, version: int, *, now: datetime, took_ms: int | None = None
) -> None:
    """Note that the event is counted up to `version`, and have it published."""
    event = Event.objects.filter(pk=event_id).first()
    if event is not None:
        mark_changed(event=event, now=now)
    queue.finish(recount_scope(event_id), version, now=now, took_ms=took_ms)


def recount_now(event_id: int, *, now: datetime) -> bool:
    """Count an event again in this process, if that is to be done; returns whether it was.

    Safe beside a worker that does the same.
    """
    version, _ = state_of(recount_scope(event_id))
    if not is_recounted(event_id):
        return False
    for _ in pieces(event_id):
        pass
    finish_recount(event_id, version, now=now)
    return True
