"""Builds the history of an event in pieces; readers take it as stored.

After each publication a worker looks which tables changed since it last looked, and makes again
what follows from them: the table as of each round from the first changed one on, places round by
round, who met whom, best and worst nights, the event's records. A piece is bounded, keeps what is
left to do in a row of its own and is safe twice, late and beside another one: what was made from
older rows than somebody else's is thrown away.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tournaments.domain.etags import digest_of
from tournaments.domain.standings.publication_head import compact
from tournaments.models.audit import AuditHead
from tournaments.models.events import Event
from tournaments.models.standings import Publication, StoredHistory
from tournaments.publishing.history import as_of, head_to_head, records
from tournaments.publishing.history.work_units import Body, Maker, PendingWork
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.standings.changed_tables import changed_tables_since
from tournaments.services.db.transactions import atomic_act

STATE: Final = "todo"
"""Kind of the row that keeps what is left to do, and how far the audit trail was looked at."""

BUDGET: Final = 1500
"""So much is made in one piece, in rows of a table: some tenths of a second."""

MAKERS: Final[Mapping[str, Maker]] = {
    "rounds": as_of.make_tables,
    "entrants": head_to_head.make_head_to_head,
    "records": records.make_records,
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
    found = StoredHistory.objects.filter(event=event, kind=STATE).first()
    if found is None:
        return _State(0, 0, 0, PendingWork())
    stored = json.loads(bytes(found.body))
    return _State(stored["turn"], stored["seen"], stored["whole"], PendingWork.read(stored["todo"]))


def _differs(publication: Publication, made: Mapping[tuple[str, str], Body]) -> bool:
    """Whether the last table as of a round is not the publication's own.

    That happens where sums moved without a line in the trail: they were counted again, say.
    """
    rounds = json.loads(made.get((as_of.CHAIN, ""), b"null"))
    if rounds is None:
        found = StoredHistory.objects.filter(event=publication.event_id, kind=as_of.CHAIN).first()
        rounds = json.loads(bytes(found.body)) if found else {}
    last = str(max(map(int, rounds), default=0))
    if (as_of.AS_OF, last) in made:
        return publication.digest != digest_of(made[as_of.AS_OF, last])
    kept = StoredHistory.objects.filter(event=publication.event_id, kind=as_of.AS_OF, key=last)
    own = kept.values_list("digest", flat=True).first()
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
