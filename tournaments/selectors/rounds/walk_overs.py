"""Walk-overs of tables, and who at a table may give it up."""

from dataclasses import dataclass

from django.db.models import Q

from tournaments.models.events import EntrantMember, Event, StageKind
from tournaments.models.hands import GameState
from tournaments.models.matches import MatchTable
from tournaments.models.meetings import Round, Sitting, Table
from tournaments.models.walk_overs import WalkOver
from tournaments.selectors.events.entrants import names_in


@dataclass(frozen=True, slots=True)
class WalkOverRow:
    """An entrant of a table, with the name."""

    entrant_id: str
    name: str


def walk_overs_at(event: Event, table_id: int) -> tuple[WalkOverRow, ...]:
    """Return who did not come to a table, or gave up it or its match, by name; three queries."""
    rows = WalkOver.objects.filter(table__in=tables_of_match(table_id)).values_list(
        "entrant__code", flat=True
    )
    return _named(event, list(rows))


def decided_by_walk_over(round_: Round) -> frozenset[str]:
    """Return the codes of the tables of a round that ended by a walk-over; one query.

    That are all tables of a match that a team gave up.
    """
    given_up = WalkOver.objects.filter(round=round_).values("table")
    of_matches = MatchTable.objects.filter(match__forfeited_by__isnull=False).values("table")
    ended = Table.objects.filter(round=round_, game__state=GameState.ABANDONED)
    ended = ended.filter(Q(pk__in=given_up) | Q(pk__in=of_matches))
    return frozenset(ended.values_list("code", flat=True))


def entrants_at(event: Event, table_id: int) -> tuple[WalkOverRow, ...]:
    """Return the entrants who sit at a table and did not give it up, by name; four queries."""
    sitting = Sitting.objects.filter(seat__table=table_id, to_hand__isnull=True)
    members = EntrantMember.objects.filter(event=event, player__in=sitting.values("player"))
    gone = WalkOver.objects.filter(table__in=tables_of_match(table_id)).values("entrant")
    codes = members.exclude(entrant__in=gone).values_list("entrant__code", flat=True)
    return _named(event, sorted(set(codes)))


def tables_of_match(table_id: int) -> list[int]:
    """Return the tables of the match that is played at a table, else the table alone; one query."""
    rows = MatchTable.objects.filter(match__tables__table=table_id).order_by("table__number")
    return list(rows.values_list("table_id", flat=True)) or [table_id]


def may_walk_over(event: Event, code: str) -> Table | None:
    """Return the table where the others of a knock-out, or of a match, go on without somebody.

    None for any other table; two queries at most.
    """
    table = Table.objects.filter(event=event, code=code).select_related("round__stage").first()
    if table is None or table.round.state in ("draft", "closed"):
        return None
    is_knockout = table.round.stage.kind == StageKind.KNOCKOUT
    return table if is_knockout or MatchTable.objects.filter(table=table).exists() else None


def _named(event: Event, codes: list[str]) -> tuple[WalkOverRow, ...]:
    if not codes:
        return ()
    names = names_in(event)
    rows = (WalkOverRow(code, names.get(code, code)) for code in codes)
    return tuple(sorted(rows, key=lambda one: (one.name, one.entrant_id)))
