"""Builds the history of an event after a publication: the table as of each round, in pieces."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tournaments.domain.etags import digest_of
from tournaments.domain.standings.standings_documents import (
    HistoryColumn,
    MovementColumn,
    StandingsDocument,
    StandingsDocumentRow,
    compact,
)
from tournaments.models.audit import AuditHead
from tournaments.models.events import Event
from tournaments.models.standings import Publication, StoredHistory
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.standings.bulk_reads import changed_tables_since
from tournaments.services.db.transactions import atomic_act
from tournaments.services.publishing import head_to_head
from tournaments.services.publishing.head_to_head import Body, Maker, PendingWork, WorkUnit
from tournaments.services.publishing.running_tables import (
    PlayedRound,
    RunningTables,
    played_rounds,
    stage_tables,
    stale_stage_tables,
)

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
    kept = [columns[round_.number] for round_ in rounds if round_.number in columns]
    made[HISTORY, ""] = compact({"rounds": kept})
    made[MOVEMENT, ""] = compact({"rounds": [_short(one) for one in kept[-SHOWN:]]})
    if left is None:
        own = stage_tables(event)
        made |= own
        cost += sum(body.count(b'"player_id"') for body in own.values())
        gone += stale_stage_tables(event, own)
    marks = {
        str(round_.number): chain[str(round_.number)]
        for round_ in rounds
        if str(round_.number) in chain
    }
    made[CHAIN, ""] = compact(marks)
    return WorkUnit(replace(todo, round=left), cost, made, gone)


def _stored(event: Event) -> Mapping[str, bytes]:
    rows = StoredHistory.objects.filter(event=event, kind__in=(CHAIN, HISTORY))
    return {kind: bytes(body) for kind, body in rows.values_list("kind", "body")}


def _column(played_round: PlayedRound, body: bytes) -> HistoryColumn:
    """What the history keeps of a round: places as they are written, and primary values."""
    table: StandingsDocument = json.loads(body)
    rows = sorted(
        (*table["rows"], *table["provisional_rows"]), key=lambda row: str(row["player_id"])
    )
    primary = table["scheme"]["primary"]
    return {
        "round": played_round.number,
        "meeting": played_round.day.isoformat() if played_round.day else None,
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


STATE: Final = "todo"
"""Kind of the row that keeps what is left to do, and how far the audit trail was looked at."""


BUDGET: Final = 1500
"""So much is made in one piece, in rows of a table: some tenths of a second."""


MAKERS: Final[Mapping[str, Maker]] = {
    "rounds": make_tables,
    "entrants": head_to_head.make_head_to_head,
    "records": head_to_head.make_records,
}
"""What is made, in this order: each takes what is to do and gives back what it left."""


@dataclass(frozen=True, slots=True)
class _State:
    """The row of kind `todo`: `turn` counts the pieces, `seen` is an audit number, `whole` the
    publication after which everything was made again."""

    turn: int
    seen: int
    whole: int
    todo: PendingWork


@dataclass(frozen=True, slots=True)
class _Made:
    """A piece that is made and not yet stored, and the state after it."""

    event: Event
    version: int
    made: Mapping[tuple[str, str], Body]
    gone: Sequence[tuple[str, str]]
    state: _State


def make_piece(event_id: int, *, budget: int = BUDGET) -> bool:
    """Make some of what is to be made for an event, and return whether something is left.

    Rows are read in one snapshot before the transaction that stores what was made of them: nobody
    waits for it longer than a write. Whatever changes meanwhile is in the trail behind `seen`, and
    made again by a later piece.
    """
    with snapshot_read():
        piece = _made(event_id, budget)
    if piece is None:
        return False
    return not _store(piece) or not piece.state.todo.is_done


def _made(event_id: int, budget: int) -> _Made | None:
    """Make a piece of what the transaction reads; None without an event or a publication."""
    event = Event.objects.select_related("club", "season").filter(pk=event_id).first()
    newest = Publication.objects.filter(event=event_id).defer("body", "csv").order_by("-number")
    publication = newest.first()
    if event is None or publication is None:
        return None
    state = _read(event)
    heads = AuditHead.objects.filter(club=event.club_id)
    seen = heads.values_list("number", flat=True).first() or 0
    todo = state.todo
    if seen > state.seen or state.turn == 0:
        changed = changed_tables_since(event, state.seen, seen) if state.turn else None
        todo = todo.joined(changed)
    made: dict[tuple[str, str], Body] = {}
    gone: list[tuple[str, str]] = []
    for maker in MAKERS.values():
        piece = maker(event, todo, budget)
        made |= piece.made
        gone += piece.gone
        todo, budget = piece.left, budget - piece.cost
        if budget <= 0 or piece.ends:
            break
    state = replace(state, seen=seen, todo=todo)
    is_known = seen == publication.audit_number and state.whole < publication.number
    if todo.is_done and is_known and _differs(publication, made):
        state = replace(state, whole=publication.number, todo=PendingWork.everything())
    return _Made(event, publication.version, made, gone, state)


def _read(event: Event) -> _State:
    stored_history = StoredHistory.objects.filter(event=event, kind=STATE).first()
    if stored_history is None:
        return _State(0, 0, 0, PendingWork())
    stored = json.loads(bytes(stored_history.body))
    return _State(stored["turn"], stored["seen"], stored["whole"], PendingWork.read(stored["todo"]))


def _differs(publication: Publication, made: Mapping[tuple[str, str], Body]) -> bool:
    """Whether the last table as of a round is not the publication's own.

    That happens where sums moved without a line in the trail: they were counted again, say.
    """
    rounds = json.loads(made.get((CHAIN, ""), b"null"))
    if rounds is None:
        stored_history = StoredHistory.objects.filter(
            event=publication.event_id, kind=CHAIN
        ).first()
        rounds = json.loads(bytes(stored_history.body)) if stored_history else {}
    last = str(max(map(int, rounds), default=0))
    if (AS_OF, last) in made:
        return publication.digest != digest_of(made[AS_OF, last])
    stored_histories = StoredHistory.objects.filter(
        event=publication.event_id, kind=AS_OF, key=last
    )
    own = stored_histories.values_list("digest", flat=True).first()
    return own is not None and own != publication.digest


@atomic_act
def _store(piece: _Made) -> bool:
    """Store a piece; False where another one was stored since its rows were read."""
    event, state, gone = piece.event, piece.state, piece.gone
    rows = StoredHistory.objects.filter(event=event)
    locked = rows.select_for_update().filter(kind=STATE).first()
    if (json.loads(bytes(locked.body))["turn"] if locked else 0) != state.turn:
        return False
    for kind in {kind for kind, _ in gone}:
        rows.filter(kind=kind, key__in=[key for of, key in gone if of == kind]).delete()
    kept = {
        "turn": state.turn + 1, "seen": state.seen, "whole": state.whole,
        "todo": state.todo.stored(),
    }  # fmt: skip
    bodies = {**piece.made, (STATE, ""): compact(kept)}
    StoredHistory.objects.bulk_create(
        [
            StoredHistory(
                club_id=event.club_id,
                event=event,
                kind=kind,
                key=key,
                version=piece.version,
                digest=digest_of(body),
                body=body,
            )
            for (kind, key), body in sorted(bodies.items())
        ],
        batch_size=100,
        update_conflicts=True,
        unique_fields=["event", "kind", "key"],
        update_fields=["version", "digest", "body"],
    )
    return True
