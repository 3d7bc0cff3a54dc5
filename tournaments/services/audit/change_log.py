"""The public change log: corrections of what had counted, with their reasons."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from tournaments.models.events import Event
from tournaments.models.standings import Change, Publication
from tournaments.policy import shown_role
from tournaments.services.jobs.enqueue import mark_changed

LONGEST_REASON: Final = 500


def note_change(
    *,
    event: Event,
    version: int,
    kind: str,
    by: str,
    now: datetime,
    table: str = "",
    number: int | None = None,
    reason: str = "",
    facts: Mapping[str, object] | None = None,
) -> Change:
    """Add a line to the event's change log.

    Args:
        version: the event's version that contains the change (`mark_changed`).
        kind: `correct_hand`, `void_hand`, `settings`, `penalty`, `ruling` and so on.
        by: the role that did it.
        table: the public code of the table, `number` the hand's, where it is about one.
    """
    return Change.objects.create(
        club_id=event.club_id,
        event=event,
        version=version,
        at=now,
        kind=kind,
        table=table,
        number=number,
        reason=reason.strip()[:LONGEST_REASON],
        by=shown_role(by),
        facts=dict(facts or {}),
    )


NAMES: Final = "names"
"""Kind of the change log's line: ranks and values of the next publication are the same."""


def mark_names_changed(events: Iterable[Event], *, by: str, now: datetime) -> None:
    """Have events published again under the names of today, final ones too.

    The caller's transaction changed the names. The events are marked in ascending id, so that two
    such acts queue; the change log says why there is a new publication, where there was one.

    Args:
        by: the role that changed the names.
    """
    ordered = sorted(events, key=lambda event: event.pk)
    publications = Publication.objects.filter(event__in=ordered)
    published = set(publications.values_list("event_id", flat=True).distinct())
    for event in ordered:
        version = mark_changed(event=event, now=now)
        if event.pk in published:
            note_change(event=event, version=version, kind=NAMES, by=by, now=now)
