"""The table as of each round, and everybody's place after each: from the first changed round on.

A table as of a round is made by the same code as the publication; the last one is the
publication's own. What a round and those before it were made of is told by a chain of
fingerprints: where that of a round is as it was, its table stays.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tournaments.domain.standings.publication_head import compact
from tournaments.domain.standings.standings_documents import (
    HistoryColumn,
    MovementColumn,
    StandingsDocument,
    StandingsDocumentRow,
)
from tournaments.models.events import Event
from tournaments.models.standings import StoredHistory
from tournaments.publishing.history.running_tables import PlayedRound, RunningTables, played_rounds
from tournaments.publishing.history.stage_tables import stage_tables, stale_stage_tables
from tournaments.publishing.history.work_units import Body, PendingWork, WorkUnit

AS_OF: Final = "as_of"
HISTORY: Final = "history"
CHAIN: Final = "chain"
MOVEMENT: Final = "movement"
SHOWN: Final = 24
"""So many rounds a small chart of places has room for."""

UNCHANGED: Final = 5
"""A round that needs no new table costs a fifth of one that does."""


def make_tables(event: Event, todo: PendingWork, budget: int) -> WorkUnit:
    """Make the tables as of rounds from `todo.round` on, as many as the budget has rows for."""
    if todo.round is None:
        return WorkUnit(todo)
    rounds = played_rounds(event)
    stored = _stored(event)
    chain: dict[str, str] = json.loads(stored.get(CHAIN, b"{}"))
    columns = {
        one["round"]: one for one in json.loads(stored.get(HISTORY, b"{}")).get("rounds", ())
    }
    gone = [(AS_OF, number) for number in chain if int(number) not in {r.number for r in rounds}]
    first = next((at for at, one in enumerate(rounds) if one.number >= todo.round), len(rounds))
    made: dict[tuple[str, str], Body] = {}
    cost, left = 0, None
    tables = RunningTables(event, rounds, first) if first < len(rounds) else None
    mark = chain.get(str(rounds[first - 1].number), "") if first else ""
    for at, one in enumerate(rounds[first:], first):
        if cost >= budget or tables is None:
            left = one.number
            break
        mark = tables.to(at, mark)
        cost += 1 + len(tables) // UNCHANGED
        if chain.get(str(one.number)) != mark or one.number not in columns:
            body = made[AS_OF, str(one.number)] = tables.table()
            chain[str(one.number)], columns[one.number] = mark, _column(one, body)
            cost += len(tables)
    kept = [columns[one.number] for one in rounds if one.number in columns]
    made[HISTORY, ""] = compact({"rounds": kept})
    made[MOVEMENT, ""] = compact({"rounds": [_short(one) for one in kept[-SHOWN:]]})
    if left is None:
        own = stage_tables(event)
        made |= own
        cost += sum(body.count(b'"player_id"') for body in own.values())
        gone += stale_stage_tables(event, own)
    marks = {str(one.number): chain[str(one.number)] for one in rounds if str(one.number) in chain}
    made[CHAIN, ""] = compact(marks)
    return WorkUnit(replace(todo, round=left), cost, made, gone)


def _stored(event: Event) -> Mapping[str, bytes]:
    rows = StoredHistory.objects.filter(event=event, kind__in=(CHAIN, HISTORY))
    return {kind: bytes(body) for kind, body in rows.values_list("kind", "body")}


def _column(one: PlayedRound, body: bytes) -> HistoryColumn:
    """What the history keeps of a round: places as they are written, and primary values."""
    table: StandingsDocument = json.loads(body)
    rows = sorted(
        (*table["rows"], *table["provisional_rows"]), key=lambda row: str(row["player_id"])
    )
    primary = table["scheme"]["primary"]
    return {
        "round": one.number,
        "meeting": one.day.isoformat() if one.day else None,
        "hands": table["as_of"]["hands"],
        "last": max((row["rank"] or 0 for row in table["rows"]), default=0),
        "places": {row["player_id"]: place_of(row) for row in rows},
        "values": {row["player_id"]: row["values"].get(primary) for row in rows},
    }


def _short(column: HistoryColumn) -> MovementColumn:
    return {"round": column["round"], "last": column["last"], "places": column["places"]}


def place_of(row: StandingsDocumentRow) -> str:
    """Return a published row's place as it is written; empty where it has none.

    >>> place_of({"rank": 2, "tied": True}), place_of({"rank": None, "tied": False})
    ('2=', '')
    """
    return "" if row["rank"] is None else f"{row['rank']}{'=' if row['tied'] else ''}"
