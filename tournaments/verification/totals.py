"""Computes the totals of entrants from their games again, and says where they differ.

As with games, only what differs is locked, compared once more and repaired.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import transaction

from tournaments.models.events import Entrant, Event
from tournaments.models.standings import Aggregate, Contribution
from tournaments.selectors.standings.aggregates_bulk import SUMS, EntrantTotals, summed
from tournaments.services.db.bulk import add_to_aggregates
from tournaments.services.standings.counted_games import (
    CountedTotals,
    CountingScheme,
    flip_marks,
    games_by_entrant,
    lock_aggregates,
    store_counted,
    wrong_marks,
)
from tournaments.verification.differences import Difference, Verification
from tournaments.verification.games import locked_event, parts


def verify_totals(event: Event, found: Verification, *, repair: bool) -> None:
    """Compare all totals with the games, and repair those that differ where that is wanted."""
    differing = {one.entrant_id for one in summed(event) if one.found != one.stored}
    for some in parts(entrant_ids(event)):
        differing.update(one.entrant_id for one in _differing_counted(event, some))
    for some in parts(sorted(differing)):
        found.add_differences(verify_locked_totals(event, some, repair=repair))


def entrant_ids(event: Event) -> list[int]:
    """Return the ids of the event's entrants, ascending."""
    return sorted(Entrant.objects.filter(event=event).values_list("pk", flat=True))


@transaction.atomic
def verify_locked_totals(event: Event, entrants: Sequence[int], *, repair: bool) -> Verification:
    """Compare the totals of entrants while they are locked, and repair them where wanted.

    Returns:
        What differed.
    """
    found = Verification()
    if repair:
        event = locked_event(event)
    lock_aggregates(event, entrants)
    wrong = [one for one in summed(event, entrants) if one.found != one.stored]
    for one in wrong:
        found.add(Difference(None, None, "sums", one.stored, one.found, one.entrant_id))
    if repair and wrong:
        deltas = {one.entrant_id: _missing(one) for one in wrong}
        add_to_aggregates(club_id=event.club_id, event_id=event.pk, deltas=deltas)
    counted = _differing_counted(event, entrants)
    for each in counted:
        found.add(Difference(None, None, "kept", each.stored, each.found, each.entrant_id))
    if repair and counted:
        store_counted(event, {each.entrant_id: each.found for each in counted})
        flip_marks([row for each in counted for row in each.turned])
    return found


def _missing(one: EntrantTotals) -> dict[str, int]:
    pairs = zip(SUMS, one.stored, one.found, strict=True)
    return {name: found - stored for name, stored, found in pairs if found != stored}


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
        one = _DifferingCounted(
            entrant_id, stored[entrant_id], scheme.count(own, without), wrong_marks(own, without)
        )
        if one.stored != one.found or one.turned:
            found.append(one)
    return found
