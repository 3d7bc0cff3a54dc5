"""Reads an event's games in batches, for comparing them: a few statements a batch."""

from collections.abc import Iterator, Sequence

from tournaments.models.events import Event
from tournaments.selectors.standings.hands_bulk import GAMES, StoredGame, stored_games

Batch = Sequence[StoredGame]


def batches(event: Event, *, size: int = GAMES, after: int = 0) -> Iterator[Batch]:
    """Yield the event's games above the id `after` by ascending id, so many at a time."""
    while games := stored_games(event, after=after, limit=size):
        yield games
        after = games[-1].id
