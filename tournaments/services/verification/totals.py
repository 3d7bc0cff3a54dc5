"""Compute the totals of entrants again from their games, to compare or to store them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

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
    """Compare all totals with the games, and repair those that differ with `repair`."""
    differing = {entrant for entrant, computed, stored in summed(event) if computed != stored}
    for entrants in parts(_list_entrant_ids(event)):
        differing.update(entrant_id for entrant_id, *_ in _differing_counted(event, entrants))
    for entrants in parts(sorted(differing)):
        verification.add_differences(_verify_locked_totals(event, entrants, repair=repair))


def _list_entrant_ids(event: Event) -> list[int]:
    return sorted(Entrant.objects.filter(event=event).values_list("pk", flat=True))


@transaction.atomic
def _verify_locked_totals(event: Event, entrants: Sequence[int], *, repair: bool) -> Verification:
    """Return how the totals of entrants differ while they are locked; repair them with `repair`."""
    verification = Verification()
    if repair:
        event = locked_event(event)
    lock_aggregates(event, entrants)
    deltas = {}
    for entrant_id, computed, stored in summed(event, entrants):
        if computed != stored:
            verification.add(Difference(None, None, "sums", stored, computed, entrant_id))
            sums = zip(SUMS, stored, computed, strict=True)
            deltas[entrant_id] = {name: new - old for name, old, new in sums if new != old}
    if repair and deltas:
        add_to_aggregates(club_id=event.club_id, event_id=event.pk, deltas=deltas)
    counted = _differing_counted(event, entrants)
    for entrant_id, before, now, _ in counted:
        verification.add(Difference(None, None, "kept", before, now, entrant_id))
    if repair and counted:
        store_counted(event, {entrant_id: now for entrant_id, _, now, _ in counted})
        flip_marks([row for *_, wrong in counted for row in wrong])
    return verification


def _differing_counted(
    event: Event, entrants: Sequence[int]
) -> Sequence[tuple[int, object, CountedTotals | None, Sequence[int]]]:
    """Return the entrants whose counted games differ: as stored, as computed, and the rows whose
    marks are wrong."""
    scheme = CountingScheme.of(event)
    sums = Aggregate.objects.filter(event=event, entrant_id__in=entrants)
    stored = dict(sums.values_list("entrant_id", "kept"))
    if scheme.settings.keeps or any(counted is not None for counted in stored.values()):
        games = dict(games_by_entrant(entrants))
    else:
        marked = Contribution.objects.filter(entrant_id__in=entrants, is_dropped=True)
        games = dict(games_by_entrant(set(marked.values_list("entrant_id", flat=True))))
    differing = []
    for entrant_id, before in sorted(stored.items()):
        played = games.get(entrant_id, [])
        without = scheme.without(played)
        now, wrong = scheme.count(played, without), wrong_marks(played, without)
        if before != now or wrong:
            differing.append((entrant_id, before, now, wrong))
    return differing


def recount_steps(event_id: int) -> Iterator[Mapping[str, int]]:
    """Count an event again, a step at a time, and continue where an earlier call ended.

    Yields:
        The progress, to be stored with the scope: the `version` that it counts for, `done` of
        `of` games, and after which game it continues.
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
    for entrants in parts(_list_entrant_ids(event)):
        _verify_locked_totals(event, entrants, repair=True)
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
    """Count an event again in this process, if that is pending; return whether it was.

    Safe beside a worker that does the same.
    """
    version, _ = get_publication_progress(recount_scope(event_id))
    if not is_recounted(event_id):
        return False
    for _ in recount_steps(event_id):
        pass
    finish_recount(event_id, version, now=now)
    return True
