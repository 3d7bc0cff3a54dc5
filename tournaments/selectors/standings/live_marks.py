"""What an open page of standings asks again and again: which state of an event there is now.

The ORM takes several times as long to put this question together as a database to answer it. So
the ORM writes the statement once, with names in the place of club and event, and each question puts
its own values there.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from django.db import connection
from django.utils.dateparse import parse_datetime

from tournaments.models.events import Event
from tournaments.policy import ANYBODY
from tournaments.selectors.db.statements import one_row
from tournaments.selectors.standings.standings import events_with_state

_CLUB: Final = "the club that is asked for"
_EVENT: Final = "the event that is asked for"
_COLUMNS: Final = (
    *("state", "published", "is_behind", "is_parked", "n_disputes", "worker_seen_at"),
    *("review_since", "marked", "club__names_version"),
)


@dataclass(frozen=True, slots=True)
class LiveMarks:
    """What tells one state of the standings of an event from another.

    `published` is the ETag of the newest publication, None before the first one. The others are
    what `with_publication` and `event_with_state` describe.
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


def marks_of(event: Event) -> LiveMarks:
    """Return the marks of an event that `event_with_state` has read; no query."""
    found: Any = event
    return LiveMarks(
        found.state, found.published, found.is_behind, found.is_parked, found.n_disputes,
        found.worker_seen_at, found.review_since, found.marked, found.club.names_version,
    )  # fmt: skip


def public_marks(club: str, event: str) -> LiveMarks | None:
    """Return the marks of an event that everybody may read, None where there is none; one query."""
    statement, parameters = _statement(connection.vendor)
    asked = {_CLUB: club, _EVENT: event}
    row = one_row(statement, [asked.get(one, one) for one in parameters])
    if row is None:
        return None
    state, published, is_behind, is_parked, n_disputes, seen_at, review_since, marked, names = row
    return LiveMarks(
        state, published, bool(is_behind), bool(is_parked), n_disputes,
        _moment(seen_at), _moment(review_since), marked, names,
    )  # fmt: skip


@cache
def _statement(vendor: str) -> tuple[str, tuple[Any, ...]]:
    """Return the statement as the ORM writes it for a kind of database, and its values."""
    events = events_with_state(ANYBODY).filter(club__slug=_CLUB, slug=_EVENT)
    statement, parameters = events.values_list(*_COLUMNS).query.sql_with_params()
    return statement, tuple(parameters)


def _moment(value: datetime | str | None) -> datetime | None:
    """Return a moment as Django would: SQLite gives it without its zone, or as a text."""
    moment = parse_datetime(value) if isinstance(value, str) else value
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)
