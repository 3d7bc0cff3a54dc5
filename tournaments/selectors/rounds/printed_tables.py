"""The tables of a round as they are printed before play: who sits where, under which rules."""

from collections.abc import Sequence
from dataclasses import dataclass

from tournaments.domain.event_settings import settings_of
from tournaments.models.events import Event, Snapshot
from tournaments.models.meetings import Round, Seat, Sitting, Table
from tournaments.selectors.clubs.names import name_column, name_of
from tournaments.selectors.rounds.game_length import hands_of_games_in


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table with its seats in order and the name of who holds each, empty where nobody does.

    `hands` is how many are played there, None where that is not fixed; `plays_boards` says that
    each names its board.
    """

    number: int
    code: str
    snapshot: Snapshot
    seats: tuple[Seat, ...]
    names: tuple[str, ...]
    hands: int | None
    plays_boards: bool = False


def printed_tables(event: Event, round_: Round) -> Sequence[PrintedTable]:
    """Return the tables of a round that have seats, by number; six queries at most."""
    rows = Table.objects.filter(event=event, round=round_).select_related("game")
    tables = list(rows.order_by("number"))
    snapshots = Snapshot.objects.in_bulk({table.game.snapshot_id for table in tables})
    seats: dict[int, list[Seat]] = {}
    for seat in Seat.objects.filter(table__in=tables).order_by("number"):
        seats.setdefault(seat.table_id, []).append(seat)
    column = name_column(event)
    sittings = Sitting.objects.filter(round=round_, to_hand__isnull=True).select_related("player")
    names = {sitting.seat_id: name_of(sitting.player, column) for sitting in sittings}
    plays_boards = settings_of(event).duplicate
    hands = hands_of_games_in(event, [table.game for table in tables])
    return tuple(
        PrintedTable(
            number=table.number,
            code=table.code,
            snapshot=snapshots[table.game.snapshot_id],
            seats=tuple(seats[table.pk]),
            names=tuple(names.get(seat.pk, "") for seat in seats[table.pk]),
            hands=hands[table.game.pk],
            plays_boards=plays_boards and table.game.counts,
        )
        for table in tables
        if table.pk in seats
    )
