"""Computes the totals of entrants again from their games, to compare or to store them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction

from tournaments.models.events import Entrant, Event
from tournaments.models.outbox import recount_scope
from tournaments.models.standings import Aggregate, Contribution
from tournaments.selectors.jobs.queue import get_publication_progress, is_recounted
from tournaments.selectors.standings.bulk_reads import (
    SUMS,
    game_ids,
    number_of_games,
    summed,
)
from tournaments.services.db.bulk import add_to_aggregates
from tournaments.services.db.transactions import atomic_act
from tournaments.services.jobs import queue
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.standings.counted_games import (
    CountedTotals,
    CountingScheme,
    flip_marks,
    games_by_entrant,
    lock_aggregates,
    store_counted,
    wrong_marks,
)
from tournaments.services.verification import games
from tournaments.services.verification.differences import Difference, Verification
from tournaments.services.verification.games import (
    TableKinds,
    locked_event,
    parts,
    verify_locked_games,
)


def verify_totals(event: Event, verification: Verification, *, repair: bool) -> None:
    """Compare all totals with the games, and repair those that differ where that is wanted."""
    differing = {entrant for entrant, computed, stored in summed(event) if computed != stored}
    for some in parts(entrant_ids(event)):
        differing.update(difference.entrant_id for difference in _differing_counted(event, some))
    for some in parts(sorted(differing)):
        verification.add_differences(verify_locked_totals(event, some, repair=repair))


def entrant_ids(event: Event) -> list[int]:
    """Return the ids of the event's entrants, ascending."""
    return sorted(Entrant.objects.filter(event=event).values_list("pk", flat=True))


@transaction.atomic
def verify_locked_totals(event: Event, entrants: Sequence[int], *, repair: bool) -> Verification:
    """Compare the totals of entrants while they are locked, and repair them where wanted.

    Returns:
        What differed.
    """
    verification = Verification()
    if repair:
        event = locked_event(event)
    lock_aggregates(event, entrants)
    wrong = [sums for sums in summed(event, entrants) if sums[1] != sums[2]]
    for entrant, computed, stored in wrong:
        verification.add(Difference(None, None, "sums", stored, computed, entrant))
    if repair and wrong:
        deltas = {entrant: _missing(computed, stored) for entrant, computed, stored in wrong}
        add_to_aggregates(club_id=event.club_id, event_id=event.pk, deltas=deltas)
    counted = _differing_counted(event, entrants)
    for each in counted:
        verification.add(Difference(None, None, "kept", each.stored, each.found, each.entrant_id))
    if repair and counted:
        store_counted(event, {each.entrant_id: each.found for each in counted})
        flip_marks([row for each in counted for row in each.turned])
    return verification


def _missing(computed: Sequence[int], stored: Sequence[int]) -> dict[str, int]:
    rows = zip(SUMS, computed, stored, strict=True)
    return {name: new - old for name, new, old in rows if new != old}


class _DifferingCounted(NamedTuple):
    """Counted games of an entrant as stored and as found; `turned` has marks that are wrong."""

    entrant_id: int
    stored: Any
    found: CountedTotals | None
    turned: Sequence[int]


def _differing_counted(event: Event, entrants: Sequence[int]) -> list[_DifferingCounted]:
    scheme = CountingScheme.of(event)
    sums = Aggregate.objects.filter(event=event, entrant_id__in=entrants)
    stored = dict(sums.values_list("entrant_id", "kept"))
    if scheme.settings.keeps or any(one is not None for one in stored.values()):
        games = dict(games_by_entrant(entrants))
    else:
        marked = Contribution.objects.filter(entrant_id__in=entrants, is_dropped=True)
        games = dict(games_by_entrant(set(marked.values_list("entrant_id", flat=True))))
    found = []
    for entrant_id in sorted(stored):
        own = games.get(entrant_id, [])
        without = scheme.without(own)
        difference = _DifferingCounted(
            entrant_id, stored[entrant_id], scheme.count(own, without), wrong_marks(own, without)
        )
        if difference.stored != difference.found or difference.turned:
            found.append(difference)
    return found


def recount_steps(event_id: int) -> Iterator[Mapping[str, int]]:
    """Count an event again, a step at a time, and go on where an earlier call was ended.

    Yields:
        How far it is, to be stored with the scope: the `version` that it counts for, `done` of
        `of` games, and after which game it goes on.
    """
    version, progress = get_publication_progress(recount_scope(event_id))
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
    version, _ = get_publication_progress(recount_scope(event_id))
    if not is_recounted(event_id):
        return False
    for _ in recount_steps(event_id):
        pass
    finish_recount(event_id, version, now=now)
    return True
