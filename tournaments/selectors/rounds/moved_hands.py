"""Moves of hands between tables, and the tables to which hands may belong."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from tournaments.models.events import Event
from tournaments.models.rounds import Sitting, Table
from tournaments.models.standings import Change
from tournaments.selectors.clubs.names import name_column, texts_for
from tournaments.selectors.events.change_log import MOVE_KIND
from tournaments.selectors.events.events import tables_of_event


@dataclass(frozen=True, slots=True)
class TableChoice:
    """A table with the names of its players in seat order."""

    code: str
    round: int
    number: int
    names: Sequence[str]


def _moves(event: Event, code: str) -> QuerySet[Change]:
    rows = Change.objects.filter(Q(facts__from=code) | Q(facts__to=code), event=event)
    return rows.filter(kind=MOVE_KIND).order_by("-id")


def find_newest_move(event: Event, code: str) -> Change | None:
    """Return the newest move of hands from or to a table."""
    return _moves(event, code).first()


def list_moves(event: Event, code: str) -> list[Change]:
    """Return the moves of hands from or to a table as the event's reader reads them, the newest
    first."""
    moves = list(_moves(event, code))
    say = texts_for(event) if moves else str
    for move in moves:
        move.reason = say(move.reason)
    return moves


def tables_of_meeting(event: Event, table: Table) -> list[TableChoice]:
    """Return the other tables of a table's evening, its own round first; two queries."""
    tables = tables_of_event(event).filter(game__counts=True).exclude(pk=table.pk)
    same_evening = Q(round=table.round_id)
    if table.round.meeting_id is not None:
        same_evening |= Q(round__meeting=table.round.meeting_id)
    rows = list(tables.filter(same_evening).select_related("round"))
    rows.sort(key=lambda row: (row.round_id != table.round_id, row.round.number, row.number))
    names: dict[int, list[str]] = defaultdict(list)
    sat = Sitting.objects.filter(seat__table__in=rows, to_hand__isnull=True)
    sat = sat.order_by("seat__table", "seat__number")
    for pk, name in sat.values_list("seat__table_id", f"player__{name_column(event)}"):
        names[pk].append(name)
    return [TableChoice(row.code, row.round.number, row.number, names[row.pk]) for row in rows]
