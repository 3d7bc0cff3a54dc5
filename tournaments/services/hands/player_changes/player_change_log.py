"""How the change log keeps who played at a table, and how an undo reads it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.errors import Problem
from scoring.json_types import JsonObject
from tournaments.domain.seating.seating_runs import SeatRun, holder
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.services.hands.player_changes.changed_tables import ChangedTable


def ids_of_rows(tables: Iterable[ChangedTable]) -> dict[int, str]:
    """Return the ids of all players of these tables, by their rows."""
    runs = [run for one in tables for run in (*one.runs, *one.after)]
    rows = {run.player for run in runs} | {
        run.substitute_for for run in runs if run.substitute_for is not None
    }
    return dict(Player.objects.filter(pk__in=rows).values_list("pk", "player_id"))


def as_stored(runs: Iterable[SeatRun], ids: Mapping[int, str]) -> list[list[int | str | None]]:
    """Return runs as the change log keeps them."""
    return [
        [
            run.seat,
            ids[run.player],
            run.first,
            run.last,
            ids[run.substitute_for] if run.substitute_for is not None else None,
        ]
        for run in runs
    ]


def stored_run(stored: Sequence[Any], rows: Mapping[str, int]) -> SeatRun:
    """Return a run that the change log keeps."""
    seat, player, first, last, instead = stored
    return SeatRun(seat, rows[player], first, last, rows[instead] if instead else None)


@dataclass(frozen=True, slots=True)
class IdsInLine:
    """The players that a line of the change log names: row by id, and id by row."""

    rows: Mapping[str, int]
    back: Mapping[int, str]


def ids_in_line(event: Event, told: JsonObject) -> IdsInLine:
    """Return the players that a line of the change log names, both ways.

    Raises:
        Conflict: seats_moved_on, where one of them has another id by now.
    """
    runs = [run for side in ("before", "after") for own in told[side].values() for run in own]
    wanted = {run[1] for run in runs} | {run[4] for run in runs if run[4]}
    found = Player.objects.filter(club_id=event.club_id, player_id__in=wanted)
    rows = dict(found.values_list("player_id", "pk"))
    if set(rows) != wanted:
        raise Conflict(Problem("seats_moved_on", facts={"table": next(iter(told["after"]))}))
    return IdsInLine(rows, {pk: code for code, pk in rows.items()} | _everybody(event))


def _everybody(event: Event) -> dict[int, str]:
    sat = Player.objects.filter(sittings__seat__table__event=event)
    return dict(sat.values_list("pk", "player_id"))


def moves_at(table: ChangedTable, ids: Mapping[int, str]) -> list[dict[str, int | str | None]]:
    """Return for each seat that somebody else has now: who had it, and who has it."""
    found: list[dict[str, int | str | None]] = []
    for seat in table.seats:
        before, after = holder(table.runs, seat.number), holder(table.after, seat.number)
        if before is not None and after is not None and before != after:
            found.append(
                {
                    "table": table.code,
                    "seat": seat.number,
                    "from": ids[before.player],
                    "to": ids[after.player],
                    "from_hand": after.first,
                }
            )
    return found
