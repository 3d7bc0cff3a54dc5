"""Read the queue and its workers: backlog, claimable scopes, progress."""

import fcntl
import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from django.conf import settings
from django.db import connection
from django.db.models import Case, Count, F, Max, Min, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.fields import CharField
from django.db.models.functions import Cast, Coalesce, Concat

from tournaments.domain.references import reference_of
from tournaments.models.audit import AuditHead
from tournaments.models.events import Event
from tournaments.models.imports import ImportBatch
from tournaments.models.jobs import (
    CLUB_IMPORT_PREFIX,
    DEADLINE_PREFIX,
    EVENING_RESULT,
    EVENT_PREFIX,
    IMPORT_PREFIX,
    IMPORT_PREFIXES,
    PREFIXES_OF_EVENTS,
    Deadline,
    Dirty,
    Heartbeat,
    event_scope,
    import_scope,
    ladder_scope,
    playoffs_scope,
    recount_scope,
)
from tournaments.models.standings import EVENINGS, StoredHistory

SILENT_AFTER: Final = timedelta(seconds=30)
"""A worker without a heartbeat for this long counts as dead; it writes one every few seconds."""

LEASE = timedelta(seconds=3)
"""Duration of a claim; the event of a killed worker waits no longer than this."""

LONGEST_WAIT = timedelta(seconds=5)
"""No wait after an error is longer."""

MOST_SCOPES: Final = 200

MOST_DEADLINES: Final = 50

GIVEN_UP_LATELY: Final = timedelta(days=1)

_SAME_WORKER: Final = timedelta(seconds=15)
"""The file of a lock is touched with each heartbeat. A heartbeat that is newer than the file by
more than this is of another worker."""

WITHOUT_PROCESS_AFTER: Final = timedelta(seconds=30)
"""A worker all of whose processes have ended has one again within seconds."""


@dataclass(frozen=True, slots=True)
class WorkerState:
    """A worker by its name in Celery's log, with its last heartbeat.

    `without_process_since` is since when no process of it lasts, if it is alive; None else.
    """

    name: str
    seen_at: datetime
    is_alive: bool
    without_process_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class PendingScope:
    """A scope that a worker may take up now: `event:` and 7. `done` grows as it is worked off.

    One that `rested` was left until now on purpose.
    """

    prefix: str
    number: int
    done: int
    rested: bool = False


@dataclass(frozen=True, slots=True)
class PublicationProgress:
    """The progress of a publication; `fault` is why it was given up, empty else.

    `has_worker` is false where no worker is alive.
    """

    is_behind: bool
    fault: str
    has_worker: bool = True


@dataclass(frozen=True, slots=True)
class MessageBacklog:
    """The mails, or the messages of webhooks, at one moment.

    `waiting` counts all that are not sent yet, `due` those that could be sent now, the first of
    them since `oldest`. `parked` counts all that were given up and are still listed,
    `parked_lately` those of the last day.
    """

    waiting: int
    due: int
    oldest: datetime | None
    parked: int
    parked_lately: int


def get_database_time(now: datetime) -> datetime:
    """Return the time of the PostgreSQL server; `now` with SQLite, which has no other clock."""
    if connection.vendor != "postgresql":
        return now
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment


def is_worker_heard(now: datetime) -> bool:
    """Whether any worker is alive, so that pending work is done within seconds."""
    return Heartbeat.objects.filter(seen_at__gt=now - SILENT_AFTER).exists()


def get_last_heartbeat() -> Subquery:
    """Return a database expression for when any worker was last heard; null: none ever was."""
    return Subquery(Heartbeat.objects.order_by("-seen_at").values("seen_at")[:1])


def is_heard(seen_at: datetime | None, now: datetime) -> bool:
    return seen_at is not None and seen_at > now - SILENT_AFTER


def list_workers() -> tuple[tuple[str, datetime], ...]:
    return tuple(Heartbeat.objects.order_by("name").values_list("name", "seen_at"))


class Versions(NamedTuple):
    """The version that a scope was marked with, and up to which it is worked off."""

    version: int
    done: int


class WorkerPresence:
    """The lock that one worker holds as long as it lives."""

    def __init__(self, name: str) -> None:
        self._path = _path(name)
        self._without_process = self._path.with_suffix(".without-process")
        self._file: int | None = None

    def renew(self, *, has_process: bool = True) -> None:
        """Take the lock where it is not held yet, and touch its file.

        Beside it lies another file while the worker is without a process, for a health check.
        """
        if self._file is None:
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(file)
                raise
            self._file = file
        os.utime(self._path)
        if has_process:
            self._without_process.unlink(missing_ok=True)
        else:
            self._without_process.touch(mode=0o600)

    def end(self) -> None:
        """Remove the files when the worker is stopped."""
        if self._file is not None:
            self._path.unlink(missing_ok=True)
            self._without_process.unlink(missing_ok=True)
            os.close(self._file)
            self._file = None


def is_dead(name: str, seen_at: datetime) -> bool:
    """Whether a worker of this machine was killed; `seen_at` is its last heartbeat."""
    try:
        file = os.open(_path(name), os.O_RDONLY)
    except OSError:
        return False
    try:
        touched = datetime.fromtimestamp(os.fstat(file).st_mtime, UTC)
        if seen_at - touched > _SAME_WORKER:
            return False
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(file)


def _path(name: str) -> Path:
    """Return the file of the lock, of which each database has another one."""
    database = settings.DATABASES["default"]
    key = "|".join(str(database.get(part, "")) for part in ("HOST", "PORT", "NAME"))
    digest = hashlib.sha256(key.encode()).hexdigest()[:12]
    return Path(settings.VAR_DIR) / "workers" / f"{quote(name, safe='@')}-{digest}.lock"


def is_without_process(now: datetime, since: datetime | None) -> bool:
    """Whether no process of a worker has lasted for long, as of its heartbeat at `now`."""
    return since is not None and now - since >= WITHOUT_PROCESS_AFTER


def list_worker_states(now: datetime) -> tuple[WorkerState, ...]:
    """Return the workers by name.

    A worker is dead after `SILENT_AFTER` without a heartbeat, or once its process' lock is free.
    """
    rows = Heartbeat.objects.order_by("name")
    states = []
    for name, seen_at, since in rows.values_list("name", "seen_at", "without_process_since"):
        is_alive = now - seen_at <= SILENT_AFTER and not is_dead(name, seen_at)
        without_process_since = None
        if is_alive and is_without_process(seen_at, since):
            without_process_since = since
        state = WorkerState(
            name=name,
            seen_at=seen_at,
            is_alive=is_alive,
            without_process_since=without_process_since,
        )
        states.append(state)
    return tuple(states)


def is_ahead(column: str, now: datetime, longest: timedelta) -> Q:
    """Return the condition that a moment in `column` is still to come.

    A time further ahead than any that is set (`longest`) was written before the clock was set back:
    it counts as over.
    """
    return Q(**{f"{column}__gt": now, f"{column}__lte": now + longest})


def list_pending_scopes() -> QuerySet[Dirty]:
    return Dirty.objects.filter(done__lt=F("version"))


def computed_version(event: Event) -> int:
    """Return the version of an event up to which its publications are computed."""
    return get_versions(event_scope(event.pk)).done


def list_pending_deadlines() -> QuerySet[Deadline]:
    return Deadline.objects.filter(done_at__isnull=True)


def find_pending_job(scope: str) -> QuerySet[Dirty] | QuerySet[Deadline]:
    """Return the row of a scope, or of a deadline, if it is behind; else no row."""
    if scope.startswith(DEADLINE_PREFIX):
        return list_pending_deadlines().filter(pk=scope.removeprefix(DEADLINE_PREFIX))
    return list_pending_scopes().filter(scope=scope)


def list_due_deadlines(now: datetime) -> QuerySet[Deadline]:
    return list_pending_deadlines().filter(parked=False, due_at__lte=now)


def list_free_rows(now: datetime) -> QuerySet[Dirty]:
    """Return the rows that are behind, not parked, not claimed and not waiting after an error."""
    claimed = is_ahead("claimed_until", now, LEASE)
    waiting = is_ahead("due_at", now, LONGEST_WAIT)
    return list_pending_scopes().filter(~claimed, ~waiting, parked=False)


def list_claimable_scopes(now: datetime) -> tuple[PendingScope, ...]:
    """Return all scopes that can be claimed now: events, other work, files that have a place.

    Of each kind the longest waiting come first. Deadlines that are due come last; their `done`
    counts the tries.
    """
    kinds = Case(
        When(scope__startswith=EVENT_PREFIX, then=0),
        *(When(scope__startswith=prefix, then=2) for prefix in IMPORT_PREFIXES),
        default=1,
    )
    rows = list_free_rows(now).order_by(kinds, "marked_at", "pk")
    columns = rows.values_list("scope", "done", "claimed_until")
    free_scopes = []
    for scope, done, claimed_until in columns[:MOST_SCOPES]:
        kind, number = reference_of(scope)
        if number.isdecimal():
            rested = claimed_until is not None
            free_scopes.append(PendingScope(f"{kind}:", int(number), done=done, rested=rested))

    scopes = _with_places(free_scopes, now)
    deadlines = list_due_deadlines(now).order_by("due_at", "pk")
    for pk, attempts in deadlines.values_list("pk", "attempts")[:MOST_DEADLINES]:
        scopes.append(PendingScope(DEADLINE_PREFIX, pk, done=attempts))
    return tuple(scopes)


def has_place(scope: str, now: datetime) -> bool:
    """Whether the work on a file may begin, or another one has to end before."""
    kind, _colon, number = scope.partition(":")
    pending = PendingScope(f"{kind}:", int(number), done=0)
    return bool(_with_places([pending], now))


def _with_places(scopes: Sequence[PendingScope], now: datetime) -> list[PendingScope]:
    """Return scopes without the files that have to wait.

    A club has one file at a time, and one process of the installation is left to publish. Where
    there is only one, it publishes between the pieces of a file.
    """
    if not any(pending.prefix in IMPORT_PREFIXES for pending in scopes):
        return list(scopes)
    is_file = Q(scope__startswith=IMPORT_PREFIX) | Q(scope__startswith=CLUB_IMPORT_PREFIX)
    running = list_pending_scopes().filter(is_ahead("claimed_until", now, LEASE))
    running_files = set(running.filter(is_file).values_list("scope", flat=True))
    n_free = max(1, count_processes(now) - 1) - len(running_files)

    batch_ids = [pending.number for pending in scopes if pending.prefix == IMPORT_PREFIX]
    for scope in running_files:
        if scope.startswith(IMPORT_PREFIX):
            batch_ids.append(int(scope.removeprefix(IMPORT_PREFIX)))
    rows = ImportBatch.objects.filter(pk__in=batch_ids).values_list("pk", "club_id")
    clubs = {import_scope(pk): club for pk, club in rows}
    # The archive of a whole club is not here: it waits for a process, and for no other file.
    busy_clubs = {clubs[scope] for scope in running_files if scope in clubs}

    placed: list[PendingScope] = []
    for pending in scopes:
        if pending.prefix not in IMPORT_PREFIXES:
            placed.append(pending)
            continue
        club = clubs.get(f"{pending.prefix}{pending.number}")
        if n_free <= 0 or club in busy_clubs:
            continue
        n_free -= 1
        if club is not None:
            busy_clubs.add(club)
        placed.append(pending)
    return placed


def count_processes(now: datetime) -> int:
    """Return how many jobs the workers that are alive do at once."""
    heard = Heartbeat.objects.filter(seen_at__gt=now - SILENT_AFTER)
    return sum(processes or 1 for processes in heard.values_list("processes", flat=True))


def get_version(scope: str) -> int:
    return get_versions(scope).version


def event_version(event: Event) -> int:
    return get_version(event_scope(event.pk))


def get_versions(scope: str) -> Versions:
    """Return the version that `scope` was marked with, and up to which it is worked off."""
    row = Dirty.objects.filter(scope=scope).values_list("version", "done").first()
    if row is None:
        return Versions(version=0, done=0)
    return Versions(*row)


def get_publication_progress(scope: str) -> tuple[int, Mapping[str, int] | None]:
    """Return the version that `scope` was marked with, and the progress of long work on it."""
    return Dirty.objects.filter(scope=scope).values_list("version", "progress").first() or (0, None)


def is_recounted(event_id: int) -> bool:
    """Whether an event's sums are being counted again; until then they are not shown."""
    return find_pending_job(recount_scope(event_id)).exists()


def get_recount(event_id: int) -> dict[str, int | str] | None:
    """Return how far the recount of an event is; None where nothing is counted again.

    `done` of `of` games are counted; `fault` is why the recount was given up, empty else.
    """
    row = list_pending_scopes().filter(scope=recount_scope(event_id)).first()
    if row is None:
        return None
    progress = {}
    if row.progress and row.progress["version"] == row.version:
        progress = row.progress
    return {
        "done": progress.get("done", 0),
        "of": progress.get("of", 0),
        "fault": row.error if row.parked else "",
    }


def get_ladder_progress(event_id: int, now: datetime) -> PublicationProgress:
    progress = _get_progress(event_scope(event_id), ladder_scope(event_id))
    if not progress.is_behind:
        return progress
    return replace(progress, has_worker=is_worker_heard(now))


def get_progress_of_all(event_id: int) -> PublicationProgress:
    return _get_progress(event_scope(event_id), ladder_scope(event_id), playoffs_scope(event_id))


def get_change_time(event_id: int) -> datetime | None:
    """Return when something changed last that the publications of an event depend on."""
    rows = Dirty.objects.filter(scope=event_scope(event_id))
    return rows.values_list("marked_at", flat=True).first()


def get_import_progress(batch_id: int) -> PublicationProgress:
    return _get_progress(import_scope(batch_id))


def _get_progress(*scopes: str) -> PublicationProgress:
    is_behind = False
    faults = []
    for scope in scopes:
        row = Dirty.objects.filter(scope=scope).first()
        if row is None:
            continue
        if row.done < row.version:
            is_behind = True
        if row.parked and row.error:
            faults.append(row.error)
    return PublicationProgress(is_behind=is_behind, fault="; ".join(faults))


def list_failed_jobs(event: Event) -> list[tuple[str, str]]:
    """Return the kind and the last fault of the work that was given up for `event`.

    The kind is that of a scope without its colon (`event`, `ladder` …), or that of a deadline.
    """
    kinds = {f"{prefix}{event.pk}": prefix.rstrip(":") for prefix in PREFIXES_OF_EVENTS}
    rows = list_pending_scopes().filter(scope__in=kinds, parked=True)
    faults = [(kinds[row.scope], row.error) for row in rows.order_by("scope")]
    deadlines = list_pending_deadlines().filter(event=event, parked=True)
    faults += [(row.kind, row.error) for row in deadlines.order_by("kind", "key")]
    return faults


def mark_of_due_results() -> Concat:
    """Return a database expression for a mark of an event's evenings whose results are to be drawn.

    It changes when another result is due, at another time, and when one is drawn.
    """
    waiting = Deadline.objects.filter(event=OuterRef("pk"), kind=EVENING_RESULT, done_at=None)
    counted = (
        waiting.order_by()
        .values("event")
        .annotate(n=Count("pk"), first=Min("due_at"), last=Max("due_at"))
    )
    return _joined(counted.values(name) for name in ("n", "first", "last"))


def marks_of_changes(*more: QuerySet[Any, Any]) -> Concat:
    """Return a database expression for a mark of an event: its version, its club's audit line, and
    the state of the tables of its evenings.

    Hands raise the version of the event's queue row, all other operations write an audit line of
    the club; some do both. The tables of evenings are made a moment later.

    Args:
        more: subqueries of one column, whose value is part of the mark as well.
    """
    scope = Concat(Value(EVENT_PREFIX), Cast(OuterRef("pk"), CharField()))
    marks = (
        AuditHead.objects.filter(club=OuterRef("club")).values("number")[:1],
        Dirty.objects.filter(scope=scope).values("version")[:1],
        StoredHistory.objects.filter(event=OuterRef("pk"), kind=EVENINGS).values("digest")[:1],
        *more,
    )
    return _joined(marks)


def _joined(marks: Iterable[QuerySet[Any, Any]]) -> Concat:
    """Return the values of subqueries of one column as one text."""
    parts: list[Coalesce | Value] = []
    for mark in marks:
        parts.append(Coalesce(Cast(Subquery(mark), CharField()), Value("")))
        parts.append(Value("-"))
    return Concat(*parts)
