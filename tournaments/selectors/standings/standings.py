"""Standings as published: which publications there are, and their stored bytes.

A read never computes: no function here touches a hand, a contribution or an aggregate. A page lays
out the publication's own JSON (`standings_view`).
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from django.db.models import Count, Exists, F, Max, OuterRef, QuerySet, Subquery, Value
from django.db.models.fields import CharField
from django.db.models.functions import Cast, Coalesce, Concat

from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.hands import Dispute, DisputeState
from tournaments.models.outbox import EVENT_PREFIX, Dirty
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.db.statements import PagedRows, RowMapper
from tournaments.selectors.events.events import event_at, events_for
from tournaments.selectors.events.published_names import as_read
from tournaments.selectors.jobs.queue import marks_of_changes
from tournaments.selectors.jobs.workers import last_heard


def with_publication(events: QuerySet[Event]) -> QuerySet[Event]:
    """Annotate `events` with what a 304 needs: `published` (ETag or None) and `is_behind`.

    `is_behind` is true while a change waits to be published, `is_parked` when publishing gave up;
    `n_disputes` is how many disputes are open; `review_since` since when a director is asked
    before the standings are published, None where nobody is.
    """
    newest = Publication.objects.filter(event=OuterRef("pk")).order_by("-number")
    scope = Concat(Value(EVENT_PREFIX), Cast(OuterRef("pk"), CharField()))
    behind = Dirty.objects.filter(scope=scope, done__lt=F("version"))
    reviewed = Dirty.objects.filter(scope=scope).values("under_review_since")[:1]
    is_open = Dispute.objects.filter(event=OuterRef("pk"), state=DisputeState.OPEN)
    disputes = is_open.order_by().values("event").annotate(n=Count("pk"))
    return events.annotate(
        published=newest.values("etag")[:1],
        is_behind=Exists(behind),
        is_parked=Exists(behind.filter(parked=True)),
        review_since=Subquery(reviewed),
        n_disputes=Coalesce(Subquery(disputes.values("n")), 0),
    )


def event_with_state(actor: Actor, club: str, event: str) -> Event:
    """Return what `event_at` returns, with the annotations of `with_publication`; one query.

    Two more say what a page of it waits for: `worker_seen_at`, when any worker was last heard, and
    `marked`, a mark of the changes and acts that a review of the standings may be about.

    Raises:
        Missing: no such club or event, or not one that the actor may know of.
    """
    found = events_with_state(actor).filter(club__slug=club, slug=event).first()
    if found is None:
        raise Missing("event", {"club": club, "event": event})
    return found


def events_with_state(actor: Actor) -> QuerySet[Event]:
    """Return the events that `actor` may read, with the annotations of `event_with_state`."""
    return with_publication(events_for(actor)).annotate(
        worker_seen_at=last_heard(), marked=marks_of_changes()
    )


def stored_publication(event: Event) -> Publication | None:
    """Return the newest publication of `event` as it is stored, or None before the first."""
    return Publication.objects.filter(event=event).order_by("-number").first()


def current_publication(event: Event) -> Publication | None:
    """Return the newest publication of `event` as the reader whom it was read for gets it, or None
    before the first."""
    found = stored_publication(event)
    return as_read(found, event.club, event) if found is not None else None


def publication_at(event: Event, number: int) -> Publication:
    """Return one numbered publication of `event`, as `current_publication` does.

    Raises:
        Missing: the event has no publication with that number.
    """
    found = Publication.objects.filter(event=event, number=number).first()
    if found is None:
        raise Missing("publication", {"publication": number})
    return as_read(found, event.club, event)


def newest_publications(
    events: Sequence[Event], of: Literal["event", "ladder"]
) -> Mapping[int, Publication]:
    """Return the newest publication of each event as it is stored, by event; at most one query.

    Args:
        of: `event` for standings, `ladder` for the lists of ladders.
    """
    if not events:
        return {}
    rows: QuerySet[Publication] = Publication.objects.filter(**{f"{of}__in": events})
    every = Publication.objects.filter(**{of: OuterRef(of)}).order_by().values(of)
    newest = every.annotate(last=Max("number")).values("last")
    found = rows.filter(number=Subquery(newest)).defer("csv")
    return {getattr(one, f"{of}_id"): one for one in found}


def publications_of(event: Event) -> QuerySet[Publication]:
    """Return an event's publications without their bytes, the newest first."""
    return Publication.objects.filter(event=event).defer("body", "csv").order_by("-number")


def publication_rows(actor: Actor, club: str, event: str) -> PagedRows:
    """Return what names the publications at an address, the newest first.

    One query for an event that is public, two for any other. Asking for them raises

    Missing: no such club or event, or not one that the actor may know of.
    """

    def readable() -> PagedRows:
        values = (event_at(actor, club, event).pk,)
        return PagedRows(_NAMED, _OF_EVENT.format(event="%s"), values, ("-number",))

    public = _OF_EVENT.format(event=f"({_PUBLIC})")
    return PagedRows(_NAMED, public, (club, event), ("-number",), otherwise=readable)


_OF_EVENT: Final = "FROM tournaments_publication p WHERE p.event_id = {event}"
_PUBLIC: Final = """
    SELECT e.id FROM tournaments_event e JOIN tournaments_club c ON c.id = e.club_id
    WHERE c.slug = %s AND e.slug = %s AND c.is_public AND c.delete_after IS NULL
        AND e.visibility = 'public'
"""
_NAMED: Final = RowMapper(Publication, "p", only=("number", "version", "published_at", "digest"))
