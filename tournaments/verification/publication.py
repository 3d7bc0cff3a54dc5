"""Computes a publication again: is what is served what follows from the totals, byte for byte?"""

import json
from collections.abc import Collection
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import F

from tournaments.domain.etags import digest_of
from tournaments.domain.standings.publication_head import compact, with_head
from tournaments.models.events import Event
from tournaments.models.outbox import Dirty, event_scope
from tournaments.models.standings import Publication
from tournaments.publishing.publish_event import publish
from tournaments.publishing.standings.render import Rendered, draft_standings, render_draft
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.jobs.queue import is_recounted
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.standings.publication_files import drop_files
from tournaments.verification.differences import PublicationState


def verify_publication(event: Event, *, repair: bool, now: datetime) -> PublicationState:
    """Compare what is served with what is made now, without the member `publication`.

    Where it differs and that is wanted, a new publication is made; bytes that are not those of
    their own digest are written again in its place. One that is behind is left to the workers, and
    published here where it is repaired.

    Returns:
        How it compared before.
    """
    found = _compare(event, repair=repair, now=now)
    if repair and found in (PublicationState.DIFFERS, PublicationState.BEHIND):
        publish(event.pk, now=now)
    return found


def _compare(event: Event, *, repair: bool, now: datetime) -> PublicationState:
    with snapshot_read():
        scope = event_scope(event.pk)
        waits_for_answer = Dirty.objects.filter(scope=scope, under_review_since__isnull=False)
        if is_behind(event, [scope]) or waits_for_answer.exists():
            return PublicationState.BEHIND
        newest = Publication.objects.filter(event=event).order_by("-number").first()
        if newest is None:
            return PublicationState.NONE
        fresh = Event.objects.select_related("club", "season").get(pk=event.pk)
        table = draft_standings(fresh)
    made = render_draft(table)
    found = compare_publication(newest, made)
    if repair and found == PublicationState.DIFFERS:
        _repair(event, newest, made, now)
    return found


@transaction.atomic
def _repair(event: Event, newest: Publication, made: Rendered, now: datetime) -> None:
    if not repair_publication(newest, made):
        mark_changed(event=event, now=now)


def is_behind(event: Event, scopes: Collection[str]) -> bool:
    """Whether one of the scopes of an event is still to be worked off."""
    behind = Dirty.objects.filter(scope__in=scopes, done__lt=F("version"))
    return behind.exists() or is_recounted(event.pk)


def compare_publication(newest: Publication, made: Rendered) -> PublicationState:
    """Compare a publication, byte for byte, with what is made now."""
    stored, expected = bytes(newest.body), _body(newest, made)
    if _FACTS in expected and _FACTS not in stored:
        stored, expected = _without_reasons(stored), _without_reasons(expected)
    same = (stored, bytes(newest.csv)) == (expected, made.csv)
    return PublicationState.SAME if same else PublicationState.DIFFERS


_FACTS: Final = b'"reason_facts":'


def _without_reasons(body: bytes) -> bytes:
    """What a publication says besides reasons and titles, for those from before there were facts.

    The head says instead of its digest whether that is the one of the bytes.
    """
    document = json.loads(body)
    head = document.pop("publication")
    head["digest"] = head["digest"] == digest_of(compact(document))
    for row in (*document["rows"], *document["provisional_rows"]):
        for key in ("reason", "ahead", "reason_facts"):
            row.pop(key, None)
    for column in document["columns"]:
        del column["title"]  # 0.3.0 says "Win share" for "Tables won"
    return compact([head, document])


def repair_publication(newest: Publication, made: Rendered) -> bool:
    """Write bytes again that are not those of their own digest.

    What was published meanwhile has a row of its own and stays.

    Returns:
        False where the digest is another one, so that a new publication has to be made.
    """
    body = _body(newest, made)
    if not body.split(b"}", 1)[0].endswith(f'"digest":"{newest.digest}"'.encode()):
        return False
    Publication.objects.filter(pk=newest.pk).update(body=body, csv=made.csv)
    drop_files(newest.pk)
    return True


def _body(newest: Publication, made: Rendered) -> bytes:
    """Return the bytes that the publication should have."""
    return with_head(
        made.body,
        number=newest.number,
        version=newest.version,
        now=newest.published_at,
        redacted=newest.is_redacted,
    )
