"""Publications as a reader gets them: with the names that this reader may read today.

The public gets a publication that is older than a change of names with the names of today, as if
it had been made with them; members get the bytes as they are stored, and pages put the full names
in for them. Where a club never hid a name, nothing is asked of the database.
"""

from collections.abc import Iterable, Sequence
from copy import copy

from tournaments.domain.etags import digest_of
from tournaments.domain.people.public_names import NewNames, redact_publication, redact_table
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.standings import Publication
from tournaments.selectors.clubs.names import (
    FULL_NAME,
    find_full_names,
    find_public_names,
    hides_names,
    name_column,
)


def is_behind_names(publication: Publication, club: Club) -> bool:
    """Whether a publication may show a name more fully than the public may read it today."""
    return publication.names_version < club.names_version


def as_read(publication: Publication, club: Club, event: Event | None) -> Publication:
    """Return a publication for a page; at most three queries, and none where no name is hidden.

    Members get the rows with full names, under the digest and beside the CSV of what is stored.
    """
    if name_column(event or club) != FULL_NAME:
        return for_public(publication, club, event)
    if not hides_names(club):
        return publication
    full = copy(publication)
    full.body = _redacted(publication, find_full_names(club, event)).body
    return full


def for_public(publication: Publication, club: Club, event: Event | None) -> Publication:
    """Return a publication as the public reads it; as it is stored where that says no more."""
    if not is_behind_names(publication, club):
        return publication
    public = _redacted(publication, find_public_names(club, event))
    if public.body != publication.body:
        public.is_redacted = True
    return public


def all_for_public(
    publications: Iterable[Publication], club: Club, event: Event
) -> Sequence[Publication]:
    """Return publications of an event as the public reads them; at most three queries for all."""
    rows = tuple(publications)
    if not any(is_behind_names(row, club) for row in rows):
        return rows
    names = find_public_names(club, event)
    return tuple(_redacted(row, names) if is_behind_names(row, club) else row for row in rows)


def _redacted(publication: Publication, names: NewNames) -> Publication:
    redacted = redact_publication(bytes(publication.body), bytes(publication.csv), names)
    if not redacted.is_changed:
        return publication
    public = copy(publication)
    for column in ("body", "csv", "digest", "etag"):
        setattr(public, column, getattr(redacted, column))
    return public


def table_as_read(body: bytes, event: Event) -> tuple[bytes, str]:
    """Return a stored table of the past as a reader gets it, and its digest.

    It is made again some time after its publication, so that the names of today are put in wherever
    the club hides names.
    """
    if hides_names(event.club):
        is_member = name_column(event) == FULL_NAME
        names = find_full_names if is_member else find_public_names
        body = redact_table(body, names(event.club, event))
    return body, digest_of(body)
