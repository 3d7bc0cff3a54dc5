"""A locked game, with all data to validate a hand, its people, and what it adds to the sums so far.

One statement: it returns each kind of related rows as one JSON list.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection

from tournaments.domain.seating_runs import SeatRun
from tournaments.errors import Missing
from tournaments.models.events import EntrantKind
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.rounds import Seat
from tournaments.models.standings import Contribution
from tournaments.selectors.clubs.clubs import role_column
from tournaments.selectors.db.statements import one_row

ADDED: Final = tuple(
    field.attname
    for field in Contribution._meta.concrete_fields
    if field.attname not in ("id", "club_id", "event_id", "game_id", "entrant_id", "is_dropped")
)
"""The columns of what a game is worth to an entrant."""

_HAND: Final = tuple(field.attname for field in Hand._meta.concrete_fields)
_ENTRY: Final = ("id", "hand_id", "revision", "typed", "verified", "moon")
_SEAT: Final = tuple(field.attname for field in Seat._meta.concrete_fields)
_SITTING: Final = (
    "t.player_id",
    "t.from_hand",
    "t.to_hand",
    "t.substitute_for_id",
    "m.entrant_id",
    "x.kind",
    "p.player_id",
    "p.name",
)

_LISTS: Final = {
    "postgresql": ("COALESCE(json_agg(json_build_array({})), '[]')::text", "{}"),
    "sqlite": ("json_group_array(json_array({}))", "json({})"),
}
"""Database → SQL for rows as a JSON list, and for a JSON column in it."""

_REQUIRES: Final = (
    "(SELECT k.requires_second_factor FROM tournaments_club k WHERE k.id = g.club_id)"
)
_CLOSING: Final = (
    "EXISTS (SELECT 1 FROM tournaments_club k"
    " WHERE k.id = g.club_id AND k.delete_after IS NOT NULL)"
)
_STATEMENT: Final = """
    SELECT g.state, g.progress, g.hands_counted, r.state, e.state, e.settings,
        {role},
        (SELECT MIN(n.id) FROM tournaments_hand h JOIN tournaments_entry n ON n.hand_id = h.id
            WHERE h.game_id = g.id AND n.key = %s),
        (SELECT {hands} FROM tournaments_hand h
            LEFT JOIN tournaments_entry n ON n.id = h.entry_id WHERE h.game_id = g.id),
        (SELECT {seats} FROM tournaments_seat s
            LEFT JOIN tournaments_sitting t ON t.seat_id = s.id
            LEFT JOIN tournaments_player p ON p.id = t.player_id
            LEFT JOIN tournaments_entrantmember m
                ON m.event_id = g.event_id AND m.player_id = t.player_id
            LEFT JOIN tournaments_entrant x ON x.id = m.entrant_id
            WHERE s.table_id = g.table_id),
        (SELECT {added} FROM tournaments_contribution c WHERE c.game_id = g.id),
        g.snapshot_id, g.moves
    FROM tournaments_game g
    JOIN tournaments_table b ON b.id = g.table_id
    JOIN tournaments_round r ON r.id = b.round_id
    JOIN tournaments_event e ON e.id = g.event_id
    WHERE g.id = %s
"""


@dataclass(frozen=True, slots=True)
class LockedGame:
    """A locked game with its related data and hands.

    `role` is the actor's in the club, `under_key` the row of an entry stored under the actor's key,
    `hands` has each hand with its current entry by number, `added` the game's contributions by
    entrant, in the order of `ADDED`.
    """

    role: str | None
    under_key: int | None
    hands: Mapping[int, Hand]
    seats: Sequence[Seat]
    sat: Sequence[SeatRun]
    added: Mapping[int, Sequence[int]]


def game_now(game: Game, *, user_id: int | None = None, key: str | None = None) -> LockedGame:
    """Return the standing of `game`, and refresh the fields of `game`.

    Its own state, its round's and its event's are those of now, and so are its rules, the moves of
    its hands, and the event's settings.
    """
    row = one_row(_STATEMENTS[connection.vendor], (user_id, key, game.pk))
    if row is None:
        raise Missing("table", {"table": game.table.code})
    game.state, game.progress, game.hands_counted = row[0], _decoded(row[1]), row[2]
    game.table.round.state, game.event.state = row[3], row[4]
    game.event.settings = _decoded(row[5])
    hands, seated, added = (_decoded(column) for column in row[8:11])
    game.snapshot_id, game.moves = row[11:13]
    seats, sat = _people(seated)
    return LockedGame(
        role=row[6],
        under_key=row[7],
        hands=_hands(hands),
        seats=seats,
        sat=sat,
        added={entrant: values for entrant, *values in added},
    )


def _decoded(stored: Any) -> Any:
    if not isinstance(stored, str):
        return stored
    return json.loads(stored)


def _hands(rows: Sequence[Sequence[Any]]) -> dict[int, Hand]:
    hands = {}
    for row in sorted(rows, key=lambda row: row[_HAND.index("number")]):
        hand = Hand.from_db(connection.alias, _HAND, row[: len(_HAND)])
        if hand.entry_id is not None:
            hand.entry = Entry.from_db(connection.alias, _ENTRY, row[len(_HAND) :])
        hands[hand.number] = hand
    return hands


def _people(rows: Sequence[Sequence[Any]]) -> tuple[list[Seat], list[SeatRun]]:
    seats: dict[int, Seat] = {}
    sat = []
    for row in rows:
        seat = Seat.from_db(connection.alias, _SEAT, row[: len(_SEAT)])
        seats[seat.number] = seat
        if row[len(_SEAT)] is not None:
            player, first, last, substitute_for, entrant, kind, *names = row[len(_SEAT) :]
            is_group = kind in (EntrantKind.PAIR, EntrantKind.TEAM)
            run = (seat.number, player, first, last, substitute_for, entrant, is_group, *names)
            sat.append(SeatRun(*run))
    sat.sort(key=lambda run: (run.seat, run.first))
    return [seats[number] for number in sorted(seats)], sat


def _statement(vendor: str) -> str:
    rows, json_column = _LISTS[vendor]

    def listed(alias: str, names: Sequence[str], *more: str) -> str:
        return rows.format(", ".join([*(f"{alias}.{name}" for name in names), *more]))

    entry = [
        json_column.format(f"n.{name}") if name in ("typed", "moon") else f"n.{name}"
        for name in _ENTRY
    ]
    return _STATEMENT.format(
        role=role_column("g.club_id", _REQUIRES, _CLOSING),
        hands=listed("h", _HAND, *entry),
        seats=listed("s", _SEAT, *_SITTING),
        added=listed("c", ("entrant_id", *ADDED)),
    )


_STATEMENTS: Final = {vendor: _statement(vendor) for vendor in _LISTS}
