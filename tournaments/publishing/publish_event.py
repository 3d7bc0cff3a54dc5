"""Numbered publications: one at a time, the number only grows, none is ever changed.

`publish` is the only writer of publications. It reads the version of the event's dirty row and the
rows of that version in one snapshot, ranks them and lays them out while hands go on being entered,
and locks the row, which every hand of the event waits for, only to store the bytes, unless
something at least as new is there by then. Whoever changes the event raises that row's version
before committing, so that a snapshot holds a version whole. Safe twice, late and out of order.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from tournaments.domain.event_settings import settings_of
from tournaments.models.audit import AuditHead
from tournaments.models.events import Event, EventKind
from tournaments.models.outbox import (
    Dirty,
    event_scope,
    history_scope,
    ladder_scope,
    playoffs_scope,
    season_scope,
)
from tournaments.models.standings import Publication
from tournaments.publishing.playoffs import review_cuts, schedule_playoffs
from tournaments.publishing.standings.render import (
    DraftStandings,
    Rendered,
    draft_standings,
    render_draft,
)
from tournaments.publishing.standings.store_publication import (
    PublicationSource,
    store_publication,
)
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.jobs.queue import is_recounted
from tournaments.services.boards.open_boards import open_boards
from tournaments.services.events.events import default_snapshot
from tournaments.services.jobs.queue import mark_due

HISTORY_INTERVAL: Final = timedelta(seconds=2)
"""The history of an event costs more than a publication; while hands pour in it is made so
often."""


@dataclass(frozen=True, slots=True)
class StandingsReading:
    """What was read in one snapshot: the table, its version, how far the audit chain was, and
    whether a director has to answer something before the table is published."""

    table: DraftStandings
    version: int
    audit_number: int
    is_asked: bool = False


def publish(event_id: int, *, now: datetime) -> Publication | None:
    """Publish the event's standings if they are behind, and return the newest publication.

    A computation with the digest of the current publication makes no new one; only the dirty row's
    `done` moves. While the event is counted again (verification/recount.py) it waits.
    Where its table would change who was in a finished play-off, or who went on, nothing is
    published until a director has answered: readers see "Under review" meanwhile. Returns None
    where the event is gone or was never published.
    """
    read = _read(event_id, now=now)
    if read is None:
        return _newest(event_id)
    if read.is_asked:
        return _hold_back(read, now)
    return _store(read, render_draft(read.table), now)


def _read(event_id: int, *, now: datetime) -> StandingsReading | None:
    """Read and rank the event as of one moment; None where nothing is to be done."""
    if not _is_ready(event_id, now):
        return None
    with snapshot_read():
        dirty = Dirty.objects.get(scope=event_scope(event_id))
        if is_recounted(event_id):
            return None  # its sums are partly of other settings; it is published once all are right
        published = Publication.objects.filter(event_id=event_id).exists()
        if published and dirty.done >= dirty.version:
            return None
        event = Event.objects.select_related("club", "season").filter(pk=event_id).first()
        if event is None:
            return None
        head = AuditHead.objects.filter(club_id=event.club_id).values_list("number", flat=True)
        table = draft_standings(event)
        is_asked = published and (
            schedule_playoffs.has_open_question(event, table.settings)
            or review_cuts.has_open_question(event)
        )
        return StandingsReading(table, dirty.version, head.first() or 0, is_asked)


@transaction.atomic
def _is_ready(event_id: int, now: datetime) -> bool:
    """Make the rows that reading needs, for nothing is written in a snapshot; False without event.

    What the dirty row of an event that is gone still asks for is settled.
    """
    event = Event.objects.select_related("club").filter(pk=event_id).first()
    if event is None:
        row = Dirty.objects.filter(scope=event_scope(event_id)).first()
        if row is not None:
            _settle(row, row.version, now)
        return False
    Dirty.objects.get_or_create(scope=event_scope(event_id))
    default_snapshot(event)
    if settings_of(event).duplicate:
        open_boards(event)
    return True


@transaction.atomic
def _hold_back(read: StandingsReading, now: datetime) -> Publication | None:
    """Note that the standings are under review, and have the question asked."""
    event = read.table.event
    dirty = _locked(event.pk)
    if dirty.done < read.version:
        mark_due(playoffs_scope(event.pk), now=now)
        _settle(dirty, read.version, now, under_review=dirty.under_review_since or now)
    return _newest(event.pk)


@transaction.atomic
def _store(read: StandingsReading, rendered: Rendered, now: datetime) -> Publication:
    """Store the table as the next publication, unless one of its version or a newer is there."""
    event = read.table.event
    dirty = _locked(event.pk)
    newest = _newest(event.pk)
    if newest is not None and dirty.done >= read.version:
        return newest
    owner = {"club_id": event.club_id, "event": event}
    names = event.club.names_version
    source = PublicationSource(owner, read.version, read.audit_number, names)
    stored = store_publication(newest, rendered, source, now=now)
    if stored is not newest:
        mark_due(history_scope(event.pk), now=now, apart=HISTORY_INTERVAL)
    _mark_season(event, now)
    _mark_ladder(event, now)
    if schedule_playoffs.may_need_playoffs(event, read.table.settings):
        mark_due(playoffs_scope(event.pk), now=now)
    _settle(dirty, read.version, now)
    return stored


def _mark_season(event: Event, now: datetime) -> None:
    """Put the season's own table before the workers.

    Also where the event's stays the same: a season may count its games in another way.
    """
    if event.season is not None and event.season.settings:
        mark_due(season_scope(event.season.pk), now=now)


def _mark_ladder(event: Event, now: datetime) -> None:
    """Put a ladder's positions and ratings before the workers: its games may be other ones."""
    if event.kind == EventKind.LADDER:
        mark_due(ladder_scope(event.pk), now=now)


def _locked(event_id: int) -> Dirty:
    scope = event_scope(event_id)
    Dirty.objects.get_or_create(scope=scope)
    return Dirty.objects.select_for_update().get(scope=scope)


def _settle(
    dirty: Dirty, version: int, now: datetime, *, under_review: datetime | None = None
) -> None:
    Dirty.objects.filter(pk=dirty.pk).update(
        done=version,
        done_at=now,
        attempts=0,
        due_at=None,
        parked=False,
        error="",
        under_review_since=under_review,
    )


def _newest(event_id: int) -> Publication | None:
    return Publication.objects.filter(event_id=event_id).order_by("-number").first()
