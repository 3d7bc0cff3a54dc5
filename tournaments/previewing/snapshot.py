"""What standings hold beside their rows at one moment, and the difference between two of them."""

from dataclasses import dataclass
from datetime import datetime

from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.previewing.ladders import (
    LadderSnapshot,
    has_ladder,
    ladder_as_published,
    ladder_changes,
    ladder_in_dry_run,
)
from tournaments.previewing.other_effects import Consequences
from tournaments.previewing.ties import (
    TiesSnapshot,
    cut_changes,
    has_ties,
    playoff_changes,
    ties_as_stored,
    ties_in_dry_run,
)
from tournaments.services.db.dry_run import dry_run
from tournaments.services.db.event_lock import lock_event, lock_games
from tournaments.services.ladders.log import locked_state


@dataclass(frozen=True, slots=True)
class EffectsSnapshot:
    """The ladder of an event, its play-offs and its cuts, where it has any."""

    ladder: LadderSnapshot | None = None
    ties: TiesSnapshot | None = None


def current_snapshot(event: Event, code: str, *, now: datetime) -> EffectsSnapshot:
    """Return what stands now: as stored, unless the workers are behind.

    Args:
        code: of the table that is about to be changed.
    """
    is_ladder, is_tied = has_ladder(event), has_ties(event)
    ladder = ladder_as_published(event, code) if is_ladder else None
    ties = ties_as_stored(event) if is_tied else None
    if (is_ladder and ladder is None) or (is_tied and ties is None):
        with dry_run():
            lock_for_snapshot(event)
            return snapshot_in_dry_run(event, code, now=now)
    return EffectsSnapshot(ladder, ties)


def lock_for_snapshot(event: Event) -> None:
    """Lock the rows of `snapshot_in_dry_run` before those of any game: the order of all locks."""
    if has_ladder(event):
        lock_event(event)
        locked_state(event)
    if has_ties(event):
        lock_event(event)
        lock_games(Game.objects.filter(event=event, counts=False))  # those of play-offs


def snapshot_in_dry_run(event: Event, code: str, *, now: datetime) -> EffectsSnapshot:
    """Return what the workers would make of the rows as they are; only in a dry run, and held."""
    return EffectsSnapshot(
        ladder_in_dry_run(event, code, now=now) if has_ladder(event) else None,
        ties_in_dry_run(event, now=now) if has_ties(event) else None,
    )


def consequences(event: Event, before: EffectsSnapshot, after: EffectsSnapshot) -> Consequences:
    """Return what lies between two moments."""
    ladder = None
    if before.ladder is not None and after.ladder is not None:
        ladder = ladder_changes(event, before.ladder, after.ladder)
    if before.ties is None or after.ties is None:
        return Consequences(ladder)
    return Consequences(
        ladder, playoff_changes(before.ties, after.ties), cut_changes(before.ties, after.ties)
    )
