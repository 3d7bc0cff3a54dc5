"""Storing a publication: its number, its digest and its ETag are made here, of every table."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tournaments.domain.etags import digest_of, publication_etag
from tournaments.domain.people.public_names import NewNames, redact_document
from tournaments.domain.standings.publication_head import with_head
from tournaments.models.clubs import Club, Player
from tournaments.models.events import EntrantKind
from tournaments.models.standings import Publication
from tournaments.models.webhooks import WebhookKind
from tournaments.publishing.standings.render import Rendered
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
