"""Numbered publications: stored one at a time, the number only grows, none is ever changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction

from tournaments.domain.etags import digest_of, publication_etag
from tournaments.domain.event_settings import settings_of
from tournaments.domain.people.public_names import NewNames, redact_document
from tournaments.domain.standings.standings_documents import with_head
from tournaments.models.audit import AuditHead
from tournaments.models.clubs import Club, Player
from tournaments.models.events import EntrantKind, Event, EventKind
from tournaments.models.outbox import (
    Dirty,
    event_scope,
    history_scope,
    ladder_scope,
    playoffs_scope,
    season_scope,
)
from tournaments.models.standings import Publication
from tournaments.models.webhooks import WebhookKind
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.jobs.queue import is_recounted
from tournaments.services.boards.deals import open_boards
from tournaments.services.jobs.queue import mark_due
from tournaments.services.publishing import reviews, schedule_playoffs
from tournaments.services.publishing.standings import (
    DraftStandings,
    Rendered,
    draft_standings,
    render_draft,
)
from tournaments.services.webhooks.record_event import record_event, record_season_publication


@dataclass(frozen=True, slots=True)
class PublicationSource:
    """What a publication is of: its owner's columns, the version, the place in the audit, and the
    club's `names_version` of the moment at which its names were read."""

    owner: Mapping[str, Any]
    version: int
    audit_number: int
    names_version: int


def store_publication(
    newest: Publication | None, rendered: Rendered, source: PublicationSource, *, now: datetime
) -> Publication:
    """Store a table as the next publication, and return it.

    A table with the digest of the newest one makes no new publication; that one is returned, and
    known to have the names of now. The caller holds the lock under which numbers are given.
    """
    rendered = _without_erased(rendered, source)
    digest = digest_of(rendered.body)
    if newest is not None and newest.digest == digest:
        older = Publication.objects.filter(pk=newest.pk, names_version__lt=source.names_version)
        if older.update(names_version=source.names_version):
            newest.names_version = source.names_version
        return newest
    number = newest.number + 1 if newest is not None else 1
    stored = Publication.objects.create(
        **source.owner,
        audit_number=source.audit_number,
        number=number,
        version=source.version,
        digest=digest,
        etag=publication_etag(number, digest),
        body=with_head(rendered.body, number=number, version=source.version, now=now),
        csv=rendered.csv,
        published_at=now,
        names_version=source.names_version,
    )
    _tell_webhooks(stored, now)
    return stored


def _tell_webhooks(stored: Publication, now: datetime) -> None:
    """Record a new publication for the club's webhooks: ids only, in the same transaction."""
    data = {"publication": stored.number, "event_version": stored.version}
    if stored.event is not None:
        record_event(stored.event, WebhookKind.PUBLICATION_CREATED, data, now=now)
    elif stored.ladder is not None:
        record_event(stored.ladder, WebhookKind.LADDER_CHANGED, data, now=now)
    elif stored.season is not None:
        record_season_publication(stored.season, stored.number, now=now)


def _without_erased(rendered: Rendered, source: PublicationSource) -> Rendered:
    """Return a table without the names of people who were erased since its names were read.

    An erasure holds what whoever publishes waits for before it stores, so that one of the two sees
    the other (services/people/erase_player.py).
    """
    club_id = source.owner["club_id"]
    names_version = Club.objects.values_list("names_version", flat=True).get(pk=club_id)
    if names_version == source.names_version:
        return rendered
    erased = Player.objects.filter(club=club_id, erased_at__isnull=False)
    alone = erased.filter(entries_in_events__entrant__kind=EntrantKind.PLAYER)
    names = dict(alone.values_list("entries_in_events__entrant__code", "name"))
    names |= dict(erased.values_list("player_id", "name"))
    body, csv = redact_document(rendered.body, rendered.csv, NewNames(names))
    return Rendered(body, csv)


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
    `done` moves. While the event is counted again (services/verification/totals.py) it waits.
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
            or reviews.has_open_question(event)
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
