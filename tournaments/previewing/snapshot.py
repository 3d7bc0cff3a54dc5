"""What stands beyond the table of standings at one moment, and what lies between two of them."""

from dataclasses import dataclass
from datetime import datetime

from tournaments.models.events import Event
from tournaments.previewing.ladders import (
    LadderMoment,
    has_ladder,
    ladder_as_published,
    ladder_changes,
    ladder_in_rehearsal,
)
from tournaments.previewing.other_effects import Consequences
from tournaments.previewing.ties import (
    TiesMoment,
    cut_changes,
    has_ties,
    playoff_changes,
    ties_as_stored,
    ties_in_rehearsal,
)
from tournaments.services.db.dry_run import dry_run
from tournaments.services.db.event_lock import lock_event
from tournaments.services.ladders.log import locked_state


@dataclass(frozen=True, slots=True)
class Moment:
    """The ladder of an event, its play-offs and its cuts, where it has any."""

    ladder: LadderMoment | None = None
    ties: TiesMoment | None = None


def moment_now(event: Event, code: str, *, now: datetime) -> Moment:
    """Return what stands now: as stored, unless the workers are behind.

    Args:
        code: of the table that is about to be changed.
    """
    is_ladder, is_tied = has_ladder(event), has_ties(event)
    ladder = ladder_as_published(event, code) if is_ladder else None
    ties = ties_as_stored(event) if is_tied else None
    if (is_ladder and ladder is None) or (is_tied and ties is None):
        with dry_run():
            hold(event)
            return moment_then(event, code, now=now)
    return Moment(ladder, ties)


def hold(event: Event) -> None:
    """Hold the rows that `moment_then` locks, before any game is: everybody takes them so."""
    if has_ladder(event):
        lock_event(event)
        locked_state(event)
    elif has_ties(event):
        lock_event(event)


def moment_then(event: Event, code: str, *, now: datetime) -> Moment:
    """Return what the workers would make of the rows as they are; only in a rehearsal, and held."""
    return Moment(
        ladder_in_rehearsal(event, code, now=now) if has_ladder(event) else None,
        ties_in_rehearsal(event, now=now) if has_ties(event) else None,
    )


def consequences(event: Event, before: Moment, after: Moment) -> Consequences:
    """Return what lies between two moments."""
    ladder = None
    if before.ladder is not None and after.ladder is not None:
        ladder = ladder_changes(event, before.ladder, after.ladder)
    if before.ties is None or after.ties is None:
        return Consequences(ladder)
    return Consequences(
        ladder, playoff_changes(before.ties, after.ties), cut_changes(before.ties, after.ties)
    )
