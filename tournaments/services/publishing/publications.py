"""Numbered publications: stored one at a time, the number only grows, none is ever changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction

from tournaments.domain.etags import digest_of, publication_etag
from tournaments.domain.event_settings import settings_of
from tournaments.domain.people.public_names import NewNames, redact_document
from tournaments.domain.standings.counting_release import COUNTING
from tournaments.domain.standings.standings_documents import with_head
from tournaments.models.audit import AuditHead
from tournaments.models.clubs import Club, Player
from tournaments.models.events import EntrantKind, Event
from tournaments.models.jobs import (
    FIRST_TRY,
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
from tournaments.selectors.standings.counted_otherwise import (
    get_newest_counting,
    is_counted_otherwise,
    keeps_figures,
)
from tournaments.services.boards import open_boards
from tournaments.services.jobs.queue import mark_due
from tournaments.services.publishing import reviews, schedule_playoffs
from tournaments.services.publishing.counted_anew import (
    count_sums_anew,
    note_counted_anew,
    rename_history,
    restart_history,
    with_stored_figures,
)
from tournaments.services.publishing.evening_points import store_evenings
from tournaments.services.publishing.rank_and_render import (
    DraftStandings,
    Rendered,
    draft_standings,
    render_draft,
)
from tournaments.services.webhooks.delivery import record_event

HISTORY_INTERVAL: Final = timedelta(seconds=2)
"""Shortest interval between builds of an event's history, which costs more than a publication."""


@dataclass(frozen=True, slots=True)
class StandingsReading:
    """A table at one moment: its version, the last audit line, and how it is to be published.

    `is_asked`: a director is asked first. `keeps_figures`: the event is over and keeps the figures
    that an older release published.
    """

    table: DraftStandings
    version: int
    audit_number: int
    is_asked: bool
    keeps_figures: bool


def newest_publication(**owner: int) -> Publication | None:
    return Publication.objects.filter(**owner).order_by("-number").first()


def get_audit_number(club_id: int) -> int:
    """Return the number of the last line of a club's audit trail; 0 without one."""
    return AuditHead.objects.filter(club_id=club_id).values_list("number", flat=True).first() or 0


def store_publication(
    newest: Publication | None,
    rendered: Rendered,
    *,
    owner: Mapping[str, Any],
    version: int,
    audit_number: int,
    now: datetime,
    counting: int = COUNTING,
) -> Publication:
    """Store a table as the next publication, and return it.

    A table with the digest of the newest one makes no new publication: the newest is returned, and
    marked as one with the names of now that covers `version` too. The caller holds the lock under
    which numbers are given.

    Args:
        owner: the column of the event, the ladder, the season or the meeting, whose club is as it
            was when the names in `rendered` were read. Webhooks do not hear of a meeting's here.
        counting: the number of the formulas that gave its figures.
    """
    ((name, subject),) = owner.items()
    club = subject.club
    rendered = _without_erased(rendered, club)
    digest = digest_of(rendered.body)
    if newest is not None and newest.digest == digest:
        newest.covers = version
        newest.counting = counting
        Publication.objects.filter(pk=newest.pk).update(covers=version, counting=counting)
        older = Publication.objects.filter(pk=newest.pk, names_version__lt=club.names_version)
        if older.update(names_version=club.names_version):
            newest.names_version = club.names_version
        return newest
    number = newest.number + 1 if newest is not None else 1
    publication = Publication.objects.create(
        **owner,
        club_id=club.pk,
        audit_number=audit_number,
        number=number,
        version=version,
        digest=digest,
        etag=publication_etag(number, digest),
        body=with_head(rendered.body, number=number, version=version, now=now),
        csv=rendered.csv,
        published_at=now,
        names_version=club.names_version,
        counting=counting,
    )
    if name == "meeting":
        return publication
    kind = WebhookKind.LADDER_CHANGED if name == "ladder" else WebhookKind.PUBLICATION_CREATED
    data = {"publication": number} | ({} if name == "season" else {"event_version": version})
    record_event(subject, kind, data, now=now)
    return publication


def _without_erased(rendered: Rendered, club: Club) -> Rendered:
    """Return a table without the names of people who were erased since its names were read.

    An erasure holds the lock for which a publisher waits before it stores, so that one of the two
    sees the other (services/people/erase_player.py).
    """
    names_version = Club.objects.values_list("names_version", flat=True).get(pk=club.pk)
    if names_version == club.names_version:
        return rendered
    erased = Player.objects.filter(club=club, erased_at__isnull=False)
    alone = erased.filter(entries_in_events__entrant__kind=EntrantKind.PLAYER)
    names = dict(alone.values_list("entries_in_events__entrant__code", "name"))
    names |= dict(erased.values_list("player_id", "name"))
    return Rendered(*redact_document(rendered.body, rendered.csv, NewNames(names)))


def settle_scope(scope: str, version: int, *, now: datetime) -> None:
    """Note that a scope is done up to `version`; one that was marked meanwhile stays behind."""
    rows = Dirty.objects.filter(scope=scope, done__lt=version)
    rows.update(done=version, done_at=now, due_at=None, **FIRST_TRY)


def publish(event_id: int, *, now: datetime) -> Publication | None:
    """Publish the event's standings if they are behind, and return the newest publication.

    A computation with the digest of the newest publication makes no new one; only the dirty row's
    `done` moves. It waits while the event is recomputed (services/verification/event.py). If its
    table would change the members of a finished play-off, or the qualifiers, nothing is published
    until a director has answered; readers see "Under review". Returns None if the event does not
    exist or was never published.
    """
    reading = _read(event_id, now=now)
    if reading is None:
        return newest_publication(event=event_id)
    if reading.is_asked:
        return _put_under_review(reading.table.event, reading.version, now)
    return _store(reading, render_draft(reading.table), now)


def _read(event_id: int, *, now: datetime) -> StandingsReading | None:
    """Read and rank an event; None where there is nothing to publish."""
    if not _create_rows(event_id, now):
        return None
    counting = get_newest_counting(event_id)
    if _is_older(counting):
        _count_sums_anew(event_id)
    published = counting is not None
    with snapshot_read():
        dirty = Dirty.objects.get(scope=event_scope(event_id))
        if is_recounted(event_id):
            return None  # its sums are partly of other settings; it is published once all are right
        if published and dirty.done >= dirty.version:
            return None
        event = Event.objects.select_related("club", "season").filter(pk=event_id).first()
        if event is None:
            return None
        audit_number = get_audit_number(event.club_id)
        table = draft_standings(event)
        is_asked = published and (
            schedule_playoffs.has_open_question(event, table.settings)
            or reviews.has_open_question(event)
        )
        return StandingsReading(
            table=table,
            version=dirty.version,
            audit_number=audit_number,
            is_asked=is_asked,
            keeps_figures=_is_older(counting) and _keeps_figures(event),
        )


def _is_older(counting: int | None) -> bool:
    return counting is not None and counting < COUNTING


def _count_sums_anew(event_id: int) -> None:
    event = Event.objects.select_related("club", "season").get(pk=event_id)
    if not _keeps_figures(event):
        count_sums_anew(event)


def _keeps_figures(event: Event) -> bool:
    newest = newest_publication(event=event.pk)
    return newest is not None and keeps_figures(event, newest)


@transaction.atomic
def _create_rows(event_id: int, now: datetime) -> bool:
    """Create the rows that reading needs, for nothing is written in a read snapshot.

    Returns False where the event does not exist; its dirty row is settled.
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
def _put_under_review(event: Event, version: int, now: datetime) -> Publication | None:
    dirty = _lock_dirty(event.pk)
    if dirty.done < version:
        mark_due(playoffs_scope(event.pk), now=now)
        _settle(dirty, version, now, under_review=dirty.under_review_since or now)
    return newest_publication(event=event.pk)


@transaction.atomic
def _store(reading: StandingsReading, rendered: Rendered, now: datetime) -> Publication:
    table, version = reading.table, reading.version
    event = table.event
    dirty = _lock_dirty(event.pk)
    newest = newest_publication(event=event.pk)
    if newest is not None and dirty.done >= version:
        return newest
    is_older = is_counted_otherwise(newest)
    is_kept = is_older and reading.keeps_figures
    counting = COUNTING
    if newest is not None and is_kept:
        rendered = with_stored_figures(newest, rendered)
        counting = newest.counting
    publication = store_publication(
        newest,
        rendered,
        owner={"event": event},
        version=version,
        audit_number=reading.audit_number,
        now=now,
        counting=counting,
    )
    is_new = publication is not newest
    if is_kept and is_new:
        rename_history(event, rendered.body)
    elif is_older and not is_kept:
        restart_history(event)
    if newest is not None and is_new and is_older and not is_kept:
        note_counted_anew(newest, publication, event, now=now)
    if (is_new or is_older) and not is_kept:
        mark_due(history_scope(event.pk), now=now, apart=HISTORY_INTERVAL)
    if event.season is not None and event.season.settings:
        # Also where the event's table stays the same: a season may count its games differently.
        mark_due(season_scope(event.season.pk), now=now)
    if event.is_ladder:
        mark_due(ladder_scope(event.pk), now=now)
    if schedule_playoffs.may_need_playoffs(event, table.settings):
        mark_due(playoffs_scope(event.pk), now=now)
    if table.evenings is not None:
        store_evenings(event, table.evenings, version=version)
    _settle(dirty, version, now)
    return publication


def _lock_dirty(event_id: int) -> Dirty:
    scope = event_scope(event_id)
    Dirty.objects.get_or_create(scope=scope)
    return Dirty.objects.select_for_update().get(scope=scope)


def _settle(
    dirty: Dirty, version: int, now: datetime, *, under_review: datetime | None = None
) -> None:
    Dirty.objects.filter(pk=dirty.pk).update(
        done=version, done_at=now, due_at=None, under_review_since=under_review, **FIRST_TRY
    )
