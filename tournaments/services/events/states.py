"""Whether the state of an event allows an act on its rounds, tables and entrants."""

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.events import Event


def require_running(event: Event) -> None:
    """Let rounds, tables and entrants change while their event is a draft or open."""
    if event.state in ("closed", "final"):
        raise Conflict(Problem("event_is_over", facts={"state": event.state}))
