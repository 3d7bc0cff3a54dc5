"""Every hand of an event that counts, as typed and as stored, batch by batch, for replaying them.

A hand is one row, with the scores and running totals of its seats as texts: `units:moons` a seat,
clockwise, with commas (`units:imaginary:moons` for complex scores); `units`, likewise. A text is
compared with a text.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from django.db import connection

from tournaments.models.events import Event

GAMES = 10_000
"""Games in one batch."""


class StoredGame(NamedTuple):
    """A game as stored. `sides` has the side of each seat clockwise; `progress` is JSON."""

    id: int
    snapshot_id: int
    sides: str
    progress: str | None
    hands_counted: int
    counts: bool


Row: TypeAlias = tuple[Any, ...]


class StoredHand(NamedTuple):
    """A hand that counts; `typed` and `moon` are JSON, `scores` and `totals` None without rows."""

    game_id: int
    number: int
    typed: str
    scores: str | None
    totals: str | None
    verified: str
    moon: str | None


_SCORE = """CASE WHEN s.score_im IS NULL THEN s.score || ':' || s.moons
                ELSE s.score || ':' || s.score_im || ':' || s.moons END"""
_TOTAL = "CASE WHEN s.total_im IS NULL THEN s.total || '' ELSE s.total || ':' || s.total_im END"
_GAMES = {
    "postgresql": """
        SELECT g.id, g.snapshot_id, string_agg(t.side, ',' ORDER BY t.number), g.progress,
            g.hands_counted, g.counts
        FROM tournaments_game g JOIN tournaments_seat t ON t.table_id = g.table_id
        WHERE g.id = ANY(ARRAY(SELECT id FROM tournaments_game
            WHERE event_id = {event} AND id > {after} ORDER BY id LIMIT {limit}))
        GROUP BY g.id ORDER BY g.id
        """,
    # Before 3.44 it cannot order what it puts together, but it goes through a list in its order.
    "sqlite": """
        SELECT g.id, g.snapshot_id, (SELECT group_concat(side, ',') FROM (
            SELECT t.side FROM tournaments_seat t WHERE t.table_id = g.table_id
            ORDER BY t.number)), g.progress, g.hands_counted, g.counts
        FROM tournaments_game g WHERE g.event_id = {event} AND g.id > {after}
        ORDER BY g.id LIMIT {limit}
        """,
}
# PostgreSQL sorts all seats once and groups them as they come: half of the time that it takes to
# sort the seats of every hand by itself.
_HANDS = {
    "postgresql": """
        SELECT h.game_id, h.number, e.typed, s.scores, s.totals, e.verified, e.moon
        FROM tournaments_hand h
        JOIN tournaments_game g ON g.id = h.game_id
        JOIN tournaments_entry e ON e.id = h.entry_id
        LEFT JOIN (
            SELECT entry_id, string_agg(score, ',') AS scores, string_agg(total, ',') AS totals
            FROM (
                SELECT s.entry_id, {score} AS score, {total} AS total
                FROM tournaments_seatscore s
                JOIN tournaments_seat t ON t.id = s.seat_id
                JOIN tournaments_game g ON g.table_id = t.table_id
                WHERE g.event_id = {event} AND g.id BETWEEN {first} AND {last}
                ORDER BY s.entry_id, t.number
            ) in_order
            GROUP BY entry_id
        ) s ON s.entry_id = e.id
        WHERE g.event_id = {event} AND g.id BETWEEN {first} AND {last} AND h.state = 'accepted'
        ORDER BY h.game_id, h.number
        """,
    "sqlite": """
        SELECT h.game_id, h.number, e.typed,
            (SELECT group_concat(one, ',') FROM (SELECT {score} AS one
                FROM tournaments_seatscore s JOIN tournaments_seat t ON t.id = s.seat_id
                WHERE s.entry_id = e.id ORDER BY t.number)),
            (SELECT group_concat(one, ',') FROM (SELECT {total} AS one
                FROM tournaments_seatscore s JOIN tournaments_seat t ON t.id = s.seat_id
                WHERE s.entry_id = e.id ORDER BY t.number)),
            e.verified, e.moon
        FROM tournaments_hand h
        JOIN tournaments_game g ON g.id = h.game_id
        JOIN tournaments_entry e ON e.id = h.entry_id
        WHERE g.event_id = {event} AND g.id BETWEEN {first} AND {last}
            AND h.state = 'accepted'
        ORDER BY h.game_id, h.number
        """,
}


def stored_games(event: Event, *, after: int = 0, limit: int = GAMES) -> Sequence[StoredGame]:
    """Return the next games of the event by id, those with an id above `after`."""
    statement = _GAMES[connection.vendor].format(event=event.pk, after=after, limit=limit)
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return [_game(row) for row in cursor.fetchall()]


def _game(row: Sequence[object]) -> StoredGame:
    return StoredGame._make([*row[:-1], bool(row[-1])])


def stored_hands(event: Event, *, first: int, last: int) -> Sequence[Row]:
    """Return the rows (as `StoredHand`) of the event's games of these ids, in order."""
    with connection.cursor() as cursor:
        cursor.execute(hands_statement(event, first, last))
        rows: list[Row] = cursor.fetchall()
        return rows


def hands_statement(event: Event, first: int, last: int) -> str:
    """Return the statement that reads hands of the event; it takes no parameters."""
    return _HANDS[connection.vendor].format(
        score=_SCORE, total=_TOTAL, event=event.pk, first=first, last=last
    )
