"""The publication once more: is what is served what follows from the sums, byte for byte?"""

from datetime import datetime
from enum import StrEnum

from django.db import transaction

from tournaments.models.events import Event
from tournaments.models.outbox import Dirty, event_scope
from tournaments.models.standings import Publication
from tournaments.publishing.publish_event import publish
from tournaments.publishing.standings.publication_head import with_head
from tournaments.publishing.standings.render import draft, laid_out
from tournaments.selectors.db.isolation import snapshot_read
from tournaments.selectors.jobs.queue import is_recounted
from tournaments.services.jobs.enqueue import mark_changed


class PublicationVerification(StrEnum):
    """How the newest publication of an event stands to what is made of its sums now."""

    SAME = "same"
    DIFFERS = "differs"
    BEHIND = "behind"
    NONE = "none"


def look_at_publication(event: Event, *, mend: bool, now: datetime) -> PublicationVerification:
    """Compare what is served with what is made now, without the member `publication`.

    Where it differs and that is wanted, a new publication is made; bytes that are not those of
    their own digest are written again in its place. One that is behind is left to the workers, and
    published here where it is mended.

    Returns:
        How it stood before.
    """
    found = _compare(event, mend=mend, now=now)
    if mend and found in (PublicationVerification.DIFFERS, PublicationVerification.BEHIND):
        publish(event.pk, now=now)
    return found


def _compare(event: Event, *, mend: bool, now: datetime) -> PublicationVerification:
    with snapshot_read():
        dirty = Dirty.objects.filter(scope=event_scope(event.pk)).first()
        newest = Publication.objects.filter(event=event).order_by("-number").first()
        if dirty is not None and (
            dirty.done < dirty.version or dirty.under_review_since or is_recounted(event.pk)
        ):
            return PublicationVerification.BEHIND
        if newest is None:
            return PublicationVerification.NONE
        fresh = Event.objects.select_related("club", "season").get(pk=event.pk)
        table = draft(fresh)
    made = laid_out(table)
    body = with_head(
        made.body, number=newest.number, version=newest.version, now=newest.published_at
    )
    if bytes(newest.body) == body and bytes(newest.csv) == made.csv:
        return PublicationVerification.SAME
    if mend:
        _mend(event, newest, body, made.csv, now)
    return PublicationVerification.DIFFERS


@transaction.atomic
def _mend(event: Event, newest: Publication, body: bytes, csv: bytes, now: datetime) -> None:
    """Write bytes again that are not those of their own digest; have others published anew.

    What was published meanwhile has a row of its own and stays.
    """
    if body.split(b"}", 1)[0].endswith(f'"digest":"{newest.digest}"'.encode()):
        Publication.objects.filter(pk=newest.pk).update(body=body, csv=csv)
    else:
        mark_changed(event=event, now=now)
