"""Every hand of an event that counts, in the order of its sheets: as typed, and who sat there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, TypeAlias

from django.db.models import Count

from scoring.json_types import JsonObject
from tournaments.domain.replay_game import TOTALS
from tournaments.domain.seating_runs import has_hand
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Sitting
from tournaments.selectors.clubs.names import name_column

AT_ONCE: Final = 2000
"""Number of hands fetched at once."""


@dataclass(frozen=True, slots=True)
class EnteredHand:
    """A hand as typed.

    `snapshot` and `seats` give its rules and boxes; `shooter` is the seat (index from 0) that shot
    by the engine, `choice` how that was settled, `players` (player id, name) of each seat
    clockwise. Number 0 is a sheet of totals only, for `hands` hands, None if unknown. `board` is
    the number of the board that was played.
    """

    date: date | None
    round: int
    table: int
    number: int
    snapshot: int
    seats: int
    typed: JsonObject
    shooter: int | None
    choice: str
    players: tuple[tuple[str, str], ...]
    hands: int | None = None
    board: int | None = None


Under: TypeAlias = Mapping[int, tuple[Snapshot, frozenset[int]]]
"""Rules by their row, with the numbers of seats of the tables that play by them."""


def played_under(event: Event) -> Under:
    rules: dict[int, tuple[Snapshot, frozenset[int]]] = {}
    games = Game.objects.filter(event=event).values("snapshot", "table")
    tables = games.annotate(seats=Count("table__seats")).values_list("snapshot", "seats").distinct()
    seat_counts: dict[int, set[int]] = {}
    for pk, seats in tables:
        seat_counts.setdefault(pk, set()).add(seats)
    for snapshot in Snapshot.objects.filter(pk__in=seat_counts).order_by("pk"):
        rules[snapshot.pk] = (snapshot, frozenset(seat_counts[snapshot.pk]))
    return rules


def has_totals(event: Event) -> bool:
    return Hand.objects.filter(game__event=event, state="accepted", number=TOTALS).exists()


def played_hands(event: Event) -> Iterator[EnteredHand]:
    sat: dict[int, list[tuple[int, str, str, int, int | None]]] = {}
    sittings = Sitting.objects.filter(seat__table__event=event)
    for table, seat, code, name, first, last in sittings.values_list(
        "seat__table_id",
        "seat__number",
        "player__player_id",
        f"player__{name_column(event)}",
        "from_hand",
        "to_hand",
    ):
        sat.setdefault(table, []).append((seat, code, name, first, last))
    seats = dict(
        Game.objects.filter(event=event).annotate(n=Count("table__seats")).values_list("pk", "n")
    )
    hands = (
        Hand.objects.filter(game__event=event, state="accepted", entry__isnull=False)
        .order_by("game__table__round__number", "game__table__number", "number")
        .values_list(
            "game__table__round__meeting__date",
            "game__table__round__number",
            "game__table__number",
            "number",
            "game__snapshot_id",
            "game_id",
            "game__table_id",
            "entry__typed",
            "entry__moon",
            "hands",
            "board__number",
        )
    )
    for row in hands.iterator(AT_ONCE):
        day, round_, table, number, snapshot, game, at, entry, moon, length, board = row
        holders = {
            seat: (code, name)
            for seat, code, name, first, last in sat.get(at, ())
            if has_hand(number, first, last)
        }
        players = tuple(holders.get(seat, ("", "")) for seat in range(1, seats[game] + 1))
        yield EnteredHand(
            day,
            round_,
            table,
            number,
            snapshot,
            seats[game],
            entry,
            shooter_of(moon),
            choice_of(moon),
            players,
            length,
            board,
        )


def choice_of(moon: JsonObject | None) -> str:
    """Return how one player's moon was settled; empty where that is not a choice."""
    finding = moon or {}
    if len(finding.get("by") or ()) != 1:
        return ""
    return str(finding.get("choice") or "")


def shooter_of(moon: JsonObject | None) -> int | None:
    """Return the seat (index from 0) that the engine found to have shot, as entries keep it."""
    by = (moon or {}).get("by") or ()
    return int(by[0]) - 1 if by else None
