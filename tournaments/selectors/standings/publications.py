"""Published standings: the publications, pending changes, and reviews."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from operator import attrgetter
from typing import Any, Final, Literal

from django.db import connection
from django.db.models import Count, Exists, F, Max, OuterRef, QuerySet, Subquery, Value
from django.db.models.fields import CharField
from django.db.models.functions import Cast, Coalesce, Concat
from django.utils.dateparse import parse_datetime

from tournaments.errors import first_or_missing
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Dispute, DisputeState
from tournaments.models.jobs import EVENT_PREFIX, Dirty, event_scope
from tournaments.models.playoffs import is_unanswered
from tournaments.models.standings import Change, Publication
from tournaments.policy import ANYBODY, Actor
from tournaments.selectors.db.statements import PagedRows, RowMapper, one_row
from tournaments.selectors.events.change_log import CHANGE_KIND, OF_HANDS
from tournaments.selectors.events.events import events_for, get_event
from tournaments.selectors.events.players import as_read
from tournaments.selectors.jobs.queue import (
    get_last_heartbeat,
    mark_of_due_results,
    marks_of_changes,
)
from tournaments.selectors.stages import valid_playoffs

_OF_EVENT: Final = "FROM tournaments_publication p WHERE p.event_id = {event}"

_PUBLIC: Final = """
    SELECT e.id FROM tournaments_event e JOIN tournaments_club c ON c.id = e.club_id
    WHERE c.slug = %s AND e.slug = %s AND c.is_public AND c.delete_after IS NULL
        AND e.visibility = 'public'
"""

_NAMED: Final = RowMapper(
    Publication, "p", only=("number", "version", "covers", "published_at", "digest")
)
_CLUB: Final = "the club that is asked for"
_EVENT: Final = "the event that is asked for"

_COLUMNS: Final = (
    *("state", "published", "is_behind", "is_parked", "n_disputes", "worker_seen_at"),
    *("review_since", "marked", "club__names_version"),
)
"""The columns of `LiveMarks`, in order."""


@dataclass(frozen=True, slots=True)
class LiveMarks:
    """Marks that identify one state of an event's standings.

    `published` is the ETag of the newest publication, None before the first one. The others are
    what `events_with_state` describes.
    """

    state: str
    published: str | None
    is_behind: bool
    is_parked: bool
    n_disputes: int
    worker_seen_at: datetime | None
    review_since: datetime | None
    marked: str
    names_version: int


CORRECTIONS: Final = (
    *OF_HANDS,
    CHANGE_KIND,
    "penalty",
    "bonus",
    "withdrawn_line",
    "opening_values",
    "withdrawn_opening_values",
)
"""Kinds of lines of the change log that make other results."""


@dataclass(frozen=True, slots=True)
class Review:
    """Since when the standings are under review, and which play-offs and stages are asked about.

    `playoffs` and `stages` are empty for a moment, until a worker has stored the question.
    `waiting` counts the corrections that no publication holds yet: all of them wait, also those
    that have nothing to do with the question, for one publication holds the whole table.
    """

    since: datetime
    playoffs: tuple[int, ...] = ()
    stages: tuple[int, ...] = ()
    waiting: int = 0


def event_with_state(actor: Actor, club: str, event: str) -> Event:
    """Return the event like `get_event`, with the annotations of `events_with_state`; one query."""
    rows = events_with_state(actor).filter(club__slug=club, slug=event)
    return first_or_missing(rows, "event", club=club, event=event)


def events_with_state(actor: Actor) -> QuerySet[Event]:
    """Return the events that `actor` may read with the values for a 304.

    These are `published` (ETag or None); `is_behind` is true while a change waits to be published,
    `is_parked` when publishing gave up; `n_disputes` is the number of open disputes; `review_since`
    the start of a director's review before publication, or None; `worker_seen_at` the last
    heartbeat of any worker; `marked` a mark of the changes and operations that a review of the
    standings may be about.
    """
    newest = Publication.objects.filter(event=OuterRef("pk")).order_by("-number")
    scope = Concat(Value(EVENT_PREFIX), Cast(OuterRef("pk"), CharField()))
    behind = Dirty.objects.filter(scope=scope, done__lt=F("version"))
    reviewed = Dirty.objects.filter(scope=scope).values("under_review_since")[:1]
    is_open = Dispute.objects.filter(event=OuterRef("pk"), state=DisputeState.OPEN)
    disputes = is_open.order_by().values("event").annotate(n=Count("pk"))
    return events_for(actor).annotate(
        published=newest.values("etag")[:1],
        is_behind=Exists(behind),
        is_parked=Exists(behind.filter(parked=True)),
        review_since=Subquery(reviewed),
        n_disputes=Coalesce(Subquery(disputes.values("n")), 0),
        worker_seen_at=get_last_heartbeat(),
        marked=marks_of_changes(),
        results_due=mark_of_due_results(),
    )


def stored_publication(event: Event) -> Publication | None:
    """Return the newest publication of `event` as it is stored, or None before the first."""
    return Publication.objects.filter(event=event).order_by("-number").first()


def current_publication(event: Event) -> Publication | None:
    """Return the newest publication of `event` as the event's reader gets it, or None."""
    publication = stored_publication(event)
    if publication is None:
        return None
    return as_read(publication, event.club, event)


def has_hands(publication: Publication) -> bool:
    """Whether a hand counts in published standings, of an event or of a season."""
    n_hands: int = publication.document["as_of"]["hands"]
    return n_hands > 0


def publication_at(event: Event, number: int) -> Publication:
    """Return one numbered publication of `event`, as `current_publication` does."""
    rows = Publication.objects.filter(event=event, number=number)
    publication = first_or_missing(rows, "publication", publication=number)
    return as_read(publication, event.club, event)


def newest_publications(
    events: Sequence[Event], of: Literal["event", "ladder"]
) -> Mapping[int, Publication]:
    """Return the newest publication of each event as it is stored, by event; at most one query."""
    if not events:
        return {}
    rows = Publication.objects.filter(**{f"{of}__in": events})
    every = Publication.objects.filter(**{of: OuterRef(of)}).order_by().values(of)
    newest = every.annotate(last=Max("number")).values("last")
    publications = rows.filter(number=Subquery(newest)).defer("csv")
    return {getattr(publication, f"{of}_id"): publication for publication in publications}


def publications_of(event: Event) -> QuerySet[Publication]:
    """Return an event's publications without their bytes, the newest first."""
    return Publication.objects.filter(event=event).defer("body", "csv").order_by("-number")


def publication_rows(actor: Actor, club: str, event: str) -> PagedRows:
    """Return what names the publications at an address, the newest first."""

    def readable() -> PagedRows:
        values = (get_event(actor, club, event).pk,)
        return PagedRows(_NAMED, _OF_EVENT.format(event="%s"), values, ("-number",))

    public = _OF_EVENT.format(event=f"({_PUBLIC})")
    return PagedRows(_NAMED, public, (club, event), ("-number",), otherwise=readable)


_marks = attrgetter(*(column.replace("__", ".") for column in _COLUMNS))


def marks_of(event: Event) -> LiveMarks:
    return LiveMarks(*_marks(event))


def public_marks(club: str, event: str) -> LiveMarks | None:
    """Return the marks of an event that everybody may read, or None; one query."""
    statement, parameters = _statement(connection.vendor)
    address = {_CLUB: club, _EVENT: event}
    row = one_row(statement, [address.get(parameter, parameter) for parameter in parameters])
    if row is None:
        return None
    marks = LiveMarks(*row)
    return replace(
        marks,
        is_behind=bool(marks.is_behind),
        is_parked=bool(marks.is_parked),
        worker_seen_at=_moment(marks.worker_seen_at),
        review_since=_moment(marks.review_since),
    )


@cache
def _statement(vendor: str) -> tuple[str, tuple[Any, ...]]:
    """Return the statement as the ORM writes it for a kind of database, and its values."""
    events = events_with_state(ANYBODY).filter(club__slug=_CLUB, slug=_EVENT)
    statement, parameters = events.values_list(*_COLUMNS).query.sql_with_params()
    return statement, tuple(parameters)


def _moment(value: datetime | str | None) -> datetime | None:
    """Return a moment as Django would: SQLite gives it without its zone, or as a text."""
    moment = parse_datetime(value) if isinstance(value, str) else value
    if moment is None or moment.tzinfo:
        return moment
    return moment.replace(tzinfo=UTC)


def review_of(event: Event) -> Review | None:
    """Return what an event's standings wait for; None where they are published as they are."""
    rows = Dirty.objects.filter(scope=event_scope(event.pk), under_review_since__isnull=False)
    since = rows.values_list("under_review_since", flat=True).first()
    if since is None:
        return None
    questions = valid_playoffs(event).order_by("number").values_list("number", "asked")
    stages = Stage.objects.filter(event=event, cut__isnull=False).order_by("number")
    return Review(
        since,
        tuple(number for number, question in questions if is_unanswered(question)),
        tuple(n for n, question in stages.values_list("number", "asked") if question),
        _waiting(event),
    )


def _waiting(event: Event) -> int:
    published = Publication.objects.filter(event=event).order_by("-number").first()
    since = published.newest_version if published is not None else 0
    return Change.objects.filter(event=event, version__gt=since, kind__in=CORRECTIONS).count()
