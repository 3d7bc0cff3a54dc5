"""What the workers ask the queue: which events are behind, and may be worked on now."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.fields import CharField
from django.db.models.functions import Cast, Coalesce, Concat

from tournaments.models.audit import AuditHead
from tournaments.models.events import Event
from tournaments.models.outbox import (
    DEADLINE_PREFIX,
    EVENT_PREFIX,
    PREFIXES_OF_EVENTS,
    Deadline,
    Dirty,
    event_scope,
    import_scope,
    ladder_scope,
    playoffs_scope,
    recount_scope,
)
from tournaments.selectors.jobs.workers import is_worker_heard

LEASE = timedelta(seconds=3)
"""How long a claim keeps others away; a killed worker's event waits no longer than this."""


LONGEST_WAIT = timedelta(seconds=5)
"""No wait after an error is longer."""


@dataclass(frozen=True, slots=True)
class PendingEvent:
    """An event whose publication is behind its rows; `done` grows with each publication."""

    event_id: int
    done: int


def list_pending_scopes() -> QuerySet[Dirty]:
    """Return the dirty rows that are behind."""
    return Dirty.objects.filter(done__lt=F("version"))


def computed_version(event: Event) -> int:
    """Return the version of an event up to which its standings are computed."""
    done = Dirty.objects.filter(scope=event_scope(event.pk)).values_list("done", flat=True).first()
    return done or 0


def list_pending_deadlines() -> QuerySet[Deadline]:
    """Return the deadlines whose job is still to be done."""
    return Deadline.objects.filter(done_at__isnull=True)


def find_pending_job(scope: str) -> QuerySet[Dirty] | QuerySet[Deadline]:
    """Return the row of a scope, where its job is still to be done."""
    if scope.startswith(DEADLINE_PREFIX):
        return list_pending_deadlines().filter(pk=scope.removeprefix(DEADLINE_PREFIX))
    return list_pending_scopes().filter(scope=scope)


def list_due_deadlines(now: datetime) -> QuerySet[Deadline]:
    """Return the deadlines whose time has come and that are not parked."""
    return list_pending_deadlines().filter(parked=False, due_at__lte=now)


def list_free_rows(now: datetime) -> QuerySet[Dirty]:
    """Return the rows that are behind, not parked, not claimed and not waiting after an error.

    A time further ahead than anybody ever sets was written before the clock stepped back: it counts
    as over.
    """
    claimed = Q(claimed_until__gt=now, claimed_until__lte=now + LEASE)
    waiting = Q(due_at__gt=now, due_at__lte=now + LONGEST_WAIT)
    return list_pending_scopes().filter(~claimed, ~waiting, parked=False)


def list_events_behind(now: datetime, *, at_most: int = 200) -> tuple[PendingEvent, ...]:
    """Return the events a worker may take up now, the longest waiting first."""
    rows = list_free_rows(now).filter(scope__startswith=EVENT_PREFIX).order_by("marked_at", "pk")
    return tuple(
        PendingEvent(int(scope.removeprefix(EVENT_PREFIX)), done)
        for scope, done in rows.values_list("scope", "done")[:at_most]
    )


@dataclass(frozen=True, slots=True)
class PendingScope:
    """A scope that a worker may take up now: `event:` and 7. `done` grows as it is worked off.

    One that `rested` was left until now on purpose.
    """

    prefix: str
    number: int
    done: int
    rested: bool = False


def list_claimable_scopes(now: datetime, *, at_most: int = 200) -> tuple[PendingScope, ...]:
    """Return all scopes that may be taken up now, events first, then the longest waiting.

    Deadlines that are over come last, as scopes of their own; `done` counts their tries.
    """
    others = Case(When(scope__startswith=EVENT_PREFIX, then=0), default=1)
    rows = list_free_rows(now).order_by(others, "marked_at", "pk")
    named = _named(rows.values_list("scope", "done", "claimed_until")[:at_most])
    return (*named, *_over(now))


def _over(now: datetime, *, at_most: int = 50) -> Iterator[PendingScope]:
    """The deadlines whose time has come, the earliest first."""
    for pk, tries in (
        list_due_deadlines(now).order_by("due_at", "pk").values_list("pk", "attempts")[:at_most]
    ):
        yield PendingScope(DEADLINE_PREFIX, pk, tries)


def _named(rows: Iterable[tuple[str, int, datetime | None]]) -> Iterator[PendingScope]:
    for scope, done, claimed_until in rows:
        kind, _colon, number = scope.partition(":")
        if number.isdecimal():
            yield PendingScope(f"{kind}:", int(number), done, rested=claimed_until is not None)


def get_version(scope: str) -> int:
    """Return the version that `scope` was marked with; 0 where it never was."""
    return get_versions(scope)[0]


def event_version(event: Event) -> int:
    """Return the event's version: a publication with at least this version is not behind."""
    return get_version(event_scope(event.pk))


def get_versions(scope: str) -> tuple[int, int]:
    """Return the version that `scope` was marked with, and up to which it is worked off."""
    dirty = Dirty.objects.filter(scope=scope).values_list("version", "done").first()
    return dirty or (0, 0)


def get_done_version(scope: str) -> int:
    """Return the version up to which `scope` is worked off; 0 where it never was."""
    return get_versions(scope)[1]


def get_publication_progress(scope: str) -> tuple[int, Mapping[str, int] | None]:
    """Return the version that `scope` was marked with, and how far long work on it has come."""
    rows = Dirty.objects.filter(scope=scope).values_list("version", "progress")
    return rows.first() or (0, None)


def is_recounted(event_id: int) -> bool:
    """Whether an event's sums are being counted again, so that they are not to be shown."""
    return find_pending_job(recount_scope(event_id)).exists()


@dataclass(frozen=True, slots=True)
class Recount:
    """How far an event's games are counted again; `fault` is why that was given up, empty else."""

    done: int
    of: int
    fault: str


def get_recount(event_id: int) -> Recount | None:
    """Return how far the recount of an event is; None where nothing is counted again."""
    row = list_pending_scopes().filter(scope=recount_scope(event_id)).first()
    if row is None:
        return None
    fresh = row.progress if row.progress and row.progress["version"] == row.version else {}
    return Recount(fresh.get("done", 0), fresh.get("of", 0), row.error if row.parked else "")


@dataclass(frozen=True, slots=True)
class PublicationProgress:
    """How an event's publication stands; `fault` is why publishing gave up, empty else.

    `has_worker` is false where nobody is there to do what waits.
    """

    is_behind: bool
    fault: str
    has_worker: bool = True


def get_ladder_progress(event_id: int, now: datetime) -> PublicationProgress:
    """Return whether a ladder is being counted again, or waits for its event's standings; `fault`
    is why one of them was given up."""
    publication_progress = _together(event_scope(event_id), ladder_scope(event_id))
    return (
        replace(publication_progress, has_worker=is_worker_heard(now))
        if publication_progress.is_behind
        else publication_progress
    )


def get_progress_of_all(event_id: int) -> PublicationProgress:
    """Return whether anything that follows from an event's changes is still being worked on: its
    standings, its ladder, its play-offs; `fault` is why one of them was given up."""
    scopes = (event_scope, ladder_scope, playoffs_scope)
    return _together(*(scope(event_id) for scope in scopes))


def _together(*scopes: str) -> PublicationProgress:
    found = [_progress(scope) for scope in scopes]
    return PublicationProgress(
        is_behind=any(one.is_behind for one in found),
        fault="; ".join(one.fault for one in found if one.fault),
    )


def get_import_progress(batch_id: int) -> PublicationProgress:
    """Return whether a file is still being worked on; `fault` is why the workers gave up."""
    return _progress(import_scope(batch_id))


def _progress(scope: str) -> PublicationProgress:
    row = Dirty.objects.filter(scope=scope).first()
    if row is None:
        return PublicationProgress(is_behind=False, fault="")
    return PublicationProgress(
        is_behind=row.done < row.version, fault=row.error if row.parked else ""
    )


@dataclass(frozen=True, slots=True)
class FailedJob:
    """Work on an event that was given up after its tries: which, and what went wrong last."""

    kind: str
    fault: str


def list_failed_jobs(event: Event) -> tuple[FailedJob, ...]:
    """Return what was given up for `event`; `kind` is that of a scope without its colon (`event`,
    `ladder` …), or that of a deadline."""
    scopes = {f"{kind}{event.pk}": kind.rstrip(":") for kind in PREFIXES_OF_EVENTS}
    rows = list_pending_scopes().filter(scope__in=scopes, parked=True)
    faults = [FailedJob(scopes[row.scope], row.error) for row in rows.order_by("scope")]
    late = list_pending_deadlines().filter(event=event, parked=True).order_by("kind", "key")
    return (*faults, *(FailedJob(row.kind, row.error) for row in late))


def marks_of_changes(*more: QuerySet[Any, Any]) -> Concat:
    """Return a database expression for a mark of an event: its version, and its club's acts.

    Hands raise the version of the event's queue row, all other acts leave a line in the audit trail
    of the club; some do both.

    Args:
        more: subqueries of one column, whose value is part of the mark as well.
    """
    scope = Concat(Value(EVENT_PREFIX), Cast(OuterRef("pk"), CharField()))
    marks = (
        AuditHead.objects.filter(club=OuterRef("club")).values("number")[:1],
        Dirty.objects.filter(scope=scope).values("version")[:1],
        *more,
    )
    texts = [Coalesce(Cast(Subquery(one), CharField()), Value("")) for one in marks]
    return Concat(*(part for one in texts for part in (one, Value("-"))))
