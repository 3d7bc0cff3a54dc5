"""Marking events whose published names are out of date: of their club, of themselves, of people."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from tournaments.models.events import Event
from tournaments.models.standings import Publication
from tournaments.services.audit.change_log import note_change
from tournaments.services.jobs.enqueue import mark_changed

NAMES: Final = "names"
"""Kind of the change log's line: ranks and values of the next publication are the same."""


def mark_names_changed(events: Iterable[Event], *, by: str, now: datetime) -> None:
    """Have events published again under the names of today, final ones too.

    The caller's transaction changed the names. The events are marked in ascending id, so that two
    such acts queue; the change log says why there is a new publication, where there was one.

    Args:
        by: the role that changed the names.
    """
    marked = sorted(events, key=lambda event: event.pk)
    there = Publication.objects.filter(event__in=marked).values_list("event_id", flat=True)
    published = set(there.distinct())
    for event in marked:
        version = mark_changed(event=event, now=now)
        if event.pk in published:
            note_change(event=event, version=version, kind=NAMES, by=by, now=now)
