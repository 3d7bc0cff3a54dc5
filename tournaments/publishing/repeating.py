"""The publication once more: is what is served what follows from the sums, byte for byte?"""

from datetime import datetime
from enum import StrEnum

from django.db import transaction

from tournaments.models.events import Event
from tournaments.models.outbox import Dirty, event_scope
from tournaments.models.standings import Publication
from tournaments.publishing.publications import publish, with_head
from tournaments.publishing.rendering import draft, laid_out
from tournaments.selectors.work import is_recounted
from tournaments.services.marks import mark_changed


class Served(StrEnum):
    """How the newest publication of an event stands to what is made of its sums now."""

    SAME = "same"
    DIFFERS = "differs"
    BEHIND = "behind"
    NONE = "none"


def look_at_publication(event: Event, *, mend: bool, now: datetime) -> Served:
    """Compare what is served with what is made now, without the member `publication`.

    Where it differs and that is wanted, a new publication is made; bytes that are not those of
    their own digest are written again in its place. One that is behind is left to the workers, and
    published here where it is mended.

    Returns:
        How it stood before.
    """
    found = _compare(event, mend=mend, now=now)
    if mend and found in (Served.DIFFERS, Served.BEHIND):
        publish(event.pk, now=now)
    return found


@transaction.atomic
def _compare(event: Event, *, mend: bool, now: datetime) -> Served:
    scope = event_scope(event.pk)
    dirty = Dirty.objects.select_for_update().filter(scope=scope).first()
    newest = Publication.objects.filter(event=event).order_by("-number").first()
    if dirty is not None and (dirty.done < dirty.version or is_recounted(event.pk)):
        return Served.BEHIND
    if newest is None:
        return Served.NONE
    fresh = Event.objects.select_related("club", "season").get(pk=event.pk)
    made = laid_out(draft(fresh))
    body = with_head(
        made.body, number=newest.number, version=newest.version, now=newest.published_at
    )
    if bytes(newest.body) == body and bytes(newest.csv) == made.csv:
        return Served.SAME
    if mend:
        if body.split(b"}", 1)[0].endswith(f'"digest":"{newest.digest}"'.encode()):
            Publication.objects.filter(pk=newest.pk).update(body=body, csv=made.csv)
        else:
            mark_changed(event=event, now=now)
    return Served.DIFFERS
