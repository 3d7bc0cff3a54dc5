"""What an address below an event names, and what its caller may do there, in one statement."""

from typing import Final

from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game
from tournaments.models.meetings import Round, Table
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import role_from
from tournaments.selectors.clubs.second_factor import role_column
from tournaments.selectors.db.prepared_statements import one_row
from tournaments.selectors.db.row_mapper import RowMapper, cut
from tournaments.selectors.events.events import is_readable

_PARTS: Final = (
    RowMapper(Club, "c"),
    RowMapper(Event, "e"),
    RowMapper(Table, "t"),
    RowMapper(Round, "r"),
    RowMapper(Game, "g"),
    RowMapper(Snapshot, "s", without=("options", "rules")),  # known to the process after one hand
)
_GAME: Final = f"""
    SELECT {role_column("c.id", "c.requires_second_factor")},
        {", ".join(map(str, _PARTS))}
    FROM tournaments_club c
    JOIN tournaments_event e ON e.club_id = c.id
    LEFT JOIN tournaments_table t ON t.event_id = e.id AND t.code = %s
    LEFT JOIN tournaments_round r ON r.id = t.round_id
    LEFT JOIN tournaments_game g ON g.table_id = t.id
    LEFT JOIN tournaments_snapshot s ON s.id = g.snapshot_id
    WHERE c.slug = %s AND e.slug = %s
"""  # noqa: S608 - names of our own columns


def game_at_address(actor: Actor, club: str, event: str, code: str) -> Game:
    """Return what `event_at` and `game_at` return one after the other.

    The game's event has the actor's `role`, as `event_at` gives it.

    Raises:
        Missing: no such club, event or table, or not one that the actor may know of.
    """
    row = one_row(_GAME, (actor.user_id, code, club, event))
    if row is None:
        raise Missing("event", {"club": club, "event": event})
    home, found, table, round_, game, snapshot = cut(row[1:], *_PARTS)
    role = role_from(actor, home.pk, row[0], table_id=table.pk if table is not None else None)
    if not is_readable(actor, found, home, role):
        raise Missing("event", {"club": club, "event": event})
    if game is None:
        raise Missing("table", {"table": code})
    found.club, found.role = home, role
    table.round, table.event, table.club = round_, found, home
    game.table, game.event, game.club, game.snapshot = table, found, home, snapshot
    made: Game = game
    return made
