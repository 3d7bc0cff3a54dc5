"""The events whose standings are out of date, as a worker would find them."""

from datetime import datetime

from tournaments.models.jobs import EVENT_PREFIX
from tournaments.selectors.jobs.queue import list_free_rows


def list_events_behind(now: datetime) -> tuple[tuple[int, int], ...]:
    """Return the ids of the events that a worker may take up now, the longest waiting first.

    The second number is `done`, which grows with each publication.
    """
    rows = list_free_rows(now).filter(scope__startswith=EVENT_PREFIX).order_by("marked_at", "pk")
    scopes = rows.values_list("scope", "done")
    return tuple((int(scope.removeprefix(EVENT_PREFIX)), done) for scope, done in scopes)
