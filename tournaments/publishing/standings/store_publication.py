"""Storing a publication: its number, its digest and its ETag are made here, of every table."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tournaments.domain.etags import digest_of, publication_etag
from tournaments.models.standings import Publication
from tournaments.publishing.standings.publication_head import with_head
from tournaments.publishing.standings.render import Rendered


@dataclass(frozen=True, slots=True)
class PublicationSource:
    """What a publication is of: its owner's columns, the version and the place in the audit."""

    owner: Mapping[str, Any]
    version: int
    audit_number: int


def store_publication(
    newest: Publication | None, rendered: Rendered, source: PublicationSource, *, now: datetime
) -> Publication:
    """Store a table as the next publication, and return it.

    A table with the digest of the newest one makes no new publication; that one is returned. The
    caller holds the lock under which numbers are given.
    """
    digest = digest_of(rendered.body)
    if newest is not None and newest.digest == digest:
        return newest
    number = newest.number + 1 if newest is not None else 1
    return Publication.objects.create(
        **source.owner,
        audit_number=source.audit_number,
        number=number,
        version=source.version,
        digest=digest,
        etag=publication_etag(number, digest),
        body=with_head(rendered.body, number=number, version=source.version, now=now),
        csv=rendered.csv,
        published_at=now,
    )
