"""Who shares the first place of an event that plays ties off, but not for a title."""

from scoring.playoffs.progress import PLAYED
from tournaments.domain.event_settings import Settings
from tournaments.models.events import Event
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.standings.publications import current_publication


def list_shared_first(event: Event, settings: Settings) -> tuple[str, ...]:
    """Return the names of those who share place 1; empty where one is alone there."""
    is_played_off = settings.playoff in PLAYED and "title" not in settings.boundaries
    publication = current_publication(event) if is_played_off else None
    if publication is None:
        return ()
    rows = publication.document["rows"]
    first = [row for row in rows if row["rank"] == 1 and not row.get("withdrawn")]
    if len(first) < 2:
        return ()
    names = names_in(event)
    return tuple(names[row["player_id"]] for row in first)
