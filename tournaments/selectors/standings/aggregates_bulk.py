"""What games are stored to be worth to whom, and the sums of it, in bulk, for comparing them.

Every function asks once; the rows are tuples.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from django.db import connection

from tournaments.models.events import Entrant, EntrantKind, Event
from tournaments.models.hands import Game, Hand
from tournaments.models.standings import PLACES, Aggregate, Contribution
from tournaments.selectors.hands.game_for_update import ADDED

Sat: TypeAlias = tuple[int, int, int, int | None, bool]
"""Seat from 0, entrant, first hand, last hand (None = to the end), whether a pair or a team."""

SUMS: Final = (
    *(field.attname for field in Aggregate._meta.concrete_fields if field.attname in ADDED),
    *(f"place_{place}" for place in range(1, PLACES + 1)),
)
"""The columns of an aggregate that are sums of contributions."""


def game_ids(event: Event, *, after: int, limit: int) -> Sequence[int]:
    """Return the next games of the event by id, those with an id above `after`."""
    games = Game.objects.filter(event=event, pk__gt=after).order_by("pk")
    return list(games.values_list("pk", flat=True)[:limit])


def number_of_games(event: Event) -> int:
    """Return how many games the event has."""
    return Game.objects.filter(event=event).count()


def stored_chairs(event: Event, *, first: int, last: int) -> Mapping[int, Sequence[Sat]]:
    """Return who sat where in the games of these ids, as far as they compete."""
    statement = """
        SELECT g.id, s.number - 1, m.entrant_id, t.from_hand, t.to_hand, n.kind
        FROM tournaments_game g
        JOIN tournaments_seat s ON s.table_id = g.table_id
        JOIN tournaments_sitting t ON t.seat_id = s.id
        JOIN tournaments_entrantmember m
            ON m.event_id = g.event_id AND m.player_id = t.player_id
        JOIN tournaments_entrant n ON n.id = m.entrant_id
        WHERE g.event_id = %s AND g.id BETWEEN %s AND %s
        """
    found: dict[int, list[Sat]] = {}
    with connection.cursor() as cursor:
        cursor.execute(statement, [event.pk, first, last])
        for game_id, *sat, kind in cursor.fetchall():
            found.setdefault(game_id, []).append((*sat, kind != EntrantKind.PLAYER))
    return found


def stored_lengths(event: Event, *, first: int, last: int) -> Mapping[int, int | None]:
    """Return how many hands a sheet with totals only stands for, by game."""
    totals = Hand.objects.filter(
        game__event=event, game__gte=first, game__lte=last, number=0, state="accepted"
    )
    return dict(totals.values_list("game_id", "hands"))


def stored_worth(
    event: Event, *, first: int, last: int
) -> Mapping[int, Mapping[int, tuple[int, ...]]]:
    """Return what each of these games adds as stored: by entrant, in the order of `ADDED`."""
    rows = Contribution.objects.filter(event=event, game__gte=first, game__lte=last)
    found: dict[int, dict[int, tuple[int, ...]]] = {}
    for game_id, entrant_id, *values in rows.values_list("game_id", "entrant_id", *ADDED):
        found.setdefault(game_id, {})[entrant_id] = tuple(values)
    return found


class EntrantTotals(NamedTuple):
    """An entrant's sums as its games give them, and as stored; in the order of `SUMS`."""

    entrant_id: int
    found: tuple[int, ...]
    stored: tuple[int, ...]


def summed(event: Event, entrants: Sequence[int] | None = None) -> Sequence[EntrantTotals]:
    """Return the sums of the event's entrants, or of some; one statement, so of one moment.

    Who has no row yet has sums of 0.
    """
    names = ", ".join(f"COALESCE(c.{name}, 0)" for name in SUMS)
    there = ", ".join(f"COALESCE(a.{name}, 0)" for name in SUMS)
    sums = ", ".join(f"CAST(SUM({_SOURCE.get(name, name)}) AS bigint) AS {name}" for name in SUMS)
    only = "" if entrants is None else f"AND e.id IN ({', '.join(map(str, map(int, entrants)))})"
    own = only.replace("e.id", "entrant_id")
    statement = f"""
        SELECT e.id, {names}, {there} FROM {Entrant._meta.db_table} e
        LEFT JOIN (SELECT entrant_id, {sums} FROM {Contribution._meta.db_table}
            WHERE event_id = %s {own} GROUP BY entrant_id) c ON c.entrant_id = e.id
        LEFT JOIN {Aggregate._meta.db_table} a ON a.entrant_id = e.id AND a.event_id = e.event_id
        WHERE e.event_id = %s {only} ORDER BY e.id
        """  # noqa: S608 - names of our own tables, and numbers
    with connection.cursor() as cursor:
        cursor.execute(statement, [event.pk, event.pk])
        rows = cursor.fetchall()
    middle = 1 + len(SUMS)
    return [EntrantTotals(row[0], tuple(row[1:middle]), tuple(row[middle:])) for row in rows]


_SOURCE: Final = {
    f"place_{place}": f"CASE WHEN place = {place} THEN 1 ELSE 0 END"
    for place in range(1, PLACES + 1)
}
"""What is totalled where it is no column of its own."""
