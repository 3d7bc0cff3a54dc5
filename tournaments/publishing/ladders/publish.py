"""A ladder's numbered publications, and the rows that are derived from its log and its games.

`publish_ladder` is the only writer of moves, rating changes and the state of a ladder. It brings
the log in step with the rows (services/ladders/sync_log.py), reads what there is at one moment
without holding a lock, computes, and stores under the state's row, unless another computation has
stored meanwhile: then the scope stays behind and is looked at again. Safe twice, late and out of
order.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from tournaments.models.audit import AuditHead
from tournaments.models.events import Event, EventKind
from tournaments.models.ladders import LadderState
from tournaments.models.outbox import Dirty, ladder_scope
from tournaments.models.standings import Publication
from tournaments.publishing.ladders.inputs import LadderInputs, inputs_of
from tournaments.publishing.ladders.positions import ComputedPositions, make_positions, store_moves
from tournaments.publishing.ladders.ratings import (
    ComputedRatings,
    as_stored,
    make_ratings,
    store_ratings,
)
from tournaments.publishing.ladders.render import render_ladder
from tournaments.publishing.standings.render import Rendered
from tournaments.publishing.standings.rows import NamedEntrant, names_of
from tournaments.publishing.standings.store_publication import (
    PublicationSource,
    store_publication,
)
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.jobs.queue import is_recounted
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.schedule_ladder_deadlines import ensure_sweeps
from tournaments.services.ladders.log import locked_state
from tournaments.services.ladders.sync_log import sync_log


@dataclass(frozen=True, slots=True)
class LadderReading:
    """What a computation is made of, and how far the audit chain was."""

    inputs: LadderInputs
    names: Mapping[str, NamedEntrant]
    audit_number: int


@dataclass(frozen=True, slots=True)
class ComputedLadder:
    """All that a computation found, with what it was made of."""

    inputs: LadderInputs
    positions: ComputedPositions
    ratings: ComputedRatings
    bytes: Rendered
    audit_number: int


PARTS: Final = 3
"""A computation has so many parts: its log, replaying, storing."""


def _nobody(done: int) -> None:
    """Tell nobody how far a computation is."""


def publish_ladder(
    event_id: int, *, now: datetime, tell: Callable[[int], None] = _nobody
) -> Publication | None:
    """Publish an event's ladder if it is behind, and return the newest publication.

    A computation with the digest of the current publication makes no new one. While the event is
    counted again it waits. Returns None where nothing was ever published.

    Args:
        tell: called with how many of the `PARTS` are done, before each of the others.
    """
    row = Dirty.objects.filter(scope=ladder_scope(event_id)).first()
    if row is None or (_newest(event_id) is not None and row.done >= row.version):
        return _newest(event_id)
    event = Event.objects.select_related("club").filter(pk=event_id, kind=EventKind.LADDER).first()
    if event is None:
        _settle(event_id, row.version, now)
        return _newest(event_id)
    if is_recounted(event_id):
        return _newest(event_id)
    tell(0)
    sync_log(event, now)
    ensure_sweeps(event, now=now)
    tell(1)
    made = read_and_compute_ladder(event)
    tell(2)
    return _store(made, row.version, now)


def read_and_compute_ladder(event: Event, *, from_start: bool = False) -> ComputedLadder:
    """Read what an event's ladder is made of, and compute it; nothing is written.

    Args:
        from_start: replay everything, whatever is stored.
    """
    with snapshot_read():
        read = read_ladder(event)
        positions = make_positions(read.inputs, from_start=from_start)
        ratings = make_ratings(read.inputs, from_start=from_start)
    return _made(read, positions, ratings)


def read_ladder(event: Event) -> LadderReading:
    """Read all that an event's ladder is made of, as it is now; for `compute_ladder`."""
    head = AuditHead.objects.filter(club_id=event.club_id).values_list("number", flat=True)
    fresh = Event.objects.select_related("club").get(pk=event.pk)
    return LadderReading(inputs_of(fresh), names_of(fresh), head.first() or 0)


def compute_ladder(read: LadderReading) -> ComputedLadder:
    """Return the ladder replayed from the start; nothing is asked of the database."""
    positions = make_positions(read.inputs, from_start=True)
    return _made(read, positions, make_ratings(read.inputs, from_start=True))


def _made(
    read: LadderReading, positions: ComputedPositions, ratings: ComputedRatings
) -> ComputedLadder:
    found = render_ladder(read.inputs, read.names, positions, ratings)
    return ComputedLadder(read.inputs, positions, ratings, found, read.audit_number)


@atomic_act
def _store(made: ComputedLadder, version: int, now: datetime) -> Publication | None:
    """Store what was computed, unless another computation has stored since it was read."""
    event = made.inputs.event
    state = locked_state(event)
    newest = _newest(event.pk)
    if state.turn != made.inputs.state.turn:
        return newest
    store_moves(made.inputs, made.positions)
    store_ratings(made.inputs, made.ratings)
    LadderState.objects.filter(pk=state.pk).update(turn=state.turn + 1, **state_values(made))
    owner = {"club_id": event.club_id, "ladder": event}
    source = PublicationSource(owner, version, made.audit_number, event.club.names_version)
    stored = store_publication(newest, made.bytes, source, now=now)
    _settle(event.pk, version, now)
    return stored


def state_values(made: ComputedLadder) -> dict[str, object]:
    """Return what a state holds after a computation, but how many there were."""
    ladder = made.positions.ladder
    return {
        "number": ladder.number,
        "order": list(ladder.order),
        "dropped": [list(one) for one in sorted(ladder.dropped)],
        "ratings": as_stored(made.ratings.ratings),
        "rules": made.inputs.rules.as_json(),
        "inputs": {
            "steps": made.positions.digest,
            "ratings": {"games": len(made.inputs.games), "blocks": list(made.ratings.blocks)},
        },
    }


def _settle(event_id: int, version: int, now: datetime) -> None:
    """Note what is done; a version that was marked meanwhile stays behind."""
    rows = Dirty.objects.filter(scope=ladder_scope(event_id), done__lt=version)
    done: dict[str, Any] = {"done": version, "done_at": now, "attempts": 0, "due_at": None}
    rows.update(**done, parked=False, error="")


def _newest(event_id: int) -> Publication | None:
    return Publication.objects.filter(ladder_id=event_id).order_by("-number").first()
