"""Build the history of an event after a publication: the table as of each round, in pieces."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Final, TypeAlias

from django.db.models import Max

from scoring.json_types import JsonDict
from tournaments.domain.etags import digest_of
from tournaments.domain.event_settings import settings_of
from tournaments.domain.figures import place_text
from tournaments.domain.standings.standings_documents import (
    HistoryColumn,
    MovementColumn,
    StandingsDocument,
    compact,
)
from tournaments.models.events import Event
from tournaments.models.rounds import Round
from tournaments.models.standings import EVENINGS, Publication, StoredHistory
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.standings.bulk_reads import ChangedTables, changed_tables_since
from tournaments.selectors.standings.counted_otherwise import keeps_figures
from tournaments.selectors.standings.evenings import EVENING
from tournaments.services.db.transactions import atomic_step
from tournaments.services.publishing.evening_results import schedule_results
from tournaments.services.publishing.evening_tables import (
    make_evening_tables,
    stored_evening_work,
)
from tournaments.services.publishing.head_to_head import (
    Maker,
    PendingWork,
    WorkUnit,
    make_head_to_head,
    make_records,
)
from tournaments.services.publishing.publications import get_audit_number
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
DAYS: Final = "days"
"""Kind of the days with an evening or a ledger line: each with the key of its table as of then (the
number of a round, or the day itself) and, if that is the day, a mark of what the table counts."""
Days: TypeAlias = Mapping[str, Sequence[str]]
MOST_IN_CHART: Final = 24
"""Rounds of a small chart of places."""
UNCHANGED: Final = 5
"""A round that needs no new table costs a fifth of one that does."""

STATE: Final = "todo"
"""Kind of the row with the pending work, and how far the audit trail was read."""


def make_tables(event: Event, todo: PendingWork, budget: int) -> WorkUnit:
    """Make the tables as of rounds from `todo.round` on, as many as the budget has rows for."""
    if todo.round is None:
        return WorkUnit(todo)
    rounds = played_rounds(event)
    stored = StoredHistory.objects.filter(event=event, kind__in=(CHAIN, HISTORY, DAYS))
    documents = {kind: json.loads(bytes(body)) for kind, body in stored.values_list("kind", "body")}
    chain: dict[str, str] = documents.get(CHAIN, {})
    columns: dict[int, HistoryColumn] = {
        column["round"]: column for column in documents.get(HISTORY, {}).get("rounds", ())
    }
    numbers = [round_.number for round_ in rounds]
    gone = [(AS_OF, number) for number in chain if int(number) not in numbers]
    first = next((at for at, number in enumerate(numbers) if number >= todo.round), len(rounds))
    if list(columns) != sorted(columns):
        first = 0  # stored by 0.3.0, which had rounds in the order of their days
    bodies: dict[tuple[str, str], bytes] = {}
    cost = 0
    next_round = None
    tables = RunningTables(event, rounds, first) if first < len(rounds) else None
    mark = chain.get(str(numbers[first - 1]), "") if first else ""
    for at, round_ in enumerate(rounds[first:], first):
        number = round_.number
        if tables is None or cost >= budget:
            next_round = number
            break
        mark = tables.to(at, mark)
        cost += 1 + len(tables) // UNCHANGED
        if chain.get(str(number)) != mark or number not in columns:
            body = bodies[AS_OF, str(number)] = tables.table()
            chain[str(number)], columns[number] = mark, _column(round_, body)
            cost += len(tables)
    if next_round is None and rounds:
        tables = tables or RunningTables(event, rounds, len(rounds))
        remaining = budget - cost if bodies else max(1, budget - cost)
        unit = _make_day_tables(tables, chain, documents.get(DAYS, {}), remaining)
        bodies |= unit.bodies
        gone += unit.gone
        cost, next_round = cost + unit.cost, unit.left.round
    elif next_round is None:
        gone += [(AS_OF, day) for day in documents.get(DAYS, {})]
        bodies[DAYS, ""] = compact({})
    history = [columns[number] for number in numbers if number in columns]
    bodies[HISTORY, ""] = compact({"rounds": history})
    bodies["movement", ""] = compact({"rounds": _movement_columns(event, history)})
    if next_round is None:
        of_stages = stage_tables(event)
        bodies |= of_stages
        cost += sum(body.count(b'"player_id"') for body in of_stages.values())
        gone += stale_stage_tables(event, of_stages)
    marks = {str(number): chain[str(number)] for number in numbers if str(number) in chain}
    bodies[CHAIN, ""] = compact(marks)
    return WorkUnit(replace(todo, round=next_round), cost, bodies, gone)


def _make_day_tables(
    tables: RunningTables, chain: Mapping[str, str], before: Days, budget: int
) -> WorkUnit:
    """Make the tables as of days that are not the table as of a round."""
    days: dict[str, Sequence[str]] = {}
    bodies: dict[tuple[str, str], bytes] = {}
    cost = 0
    next_round = None
    for day, rounds, counted in tables.days():
        key = str(rounds[-1].number)
        mark = ""
        is_to_make = False
        if counted:
            mark = digest_of(f"{chain[key]} {counted}".encode())
            is_to_make = before.get(day, ("", ""))[1] != mark
        if next_round is None and is_to_make and cost >= budget:
            next_round = rounds[-1].number
        if next_round is not None:
            days[day] = before.get(day, (key, ""))  # until a later piece makes it
            continue
        if is_to_make:
            bodies[AS_OF, day] = tables.on_day(day, rounds)
            cost += 2 * len(tables)
        days[day] = (day if counted else key, mark)
    stale = [day for day, (key, _) in before.items() if key == day]
    gone = [(AS_OF, day) for day in stale if days.get(day, ("", ""))[0] != day]
    bodies[DAYS, ""] = compact(days)
    return WorkUnit(PendingWork(round=next_round), cost, bodies, gone)


def _movement_columns(event: Event, columns: Sequence[HistoryColumn]) -> list[MovementColumn]:
    """Return the newest columns of the small charts, one an evening where evenings give points."""
    if settings_of(event).counts_evenings:
        columns = _last_of_evenings(columns)
    return [
        {
            "round": column["round"],
            "meeting": column["meeting"],
            "last": column["last"],
            "places": column["places"],
        }
        for column in columns[-MOST_IN_CHART:]
    ]


def _last_of_evenings(columns: Sequence[HistoryColumn]) -> list[HistoryColumn]:
    """Return the last round of each evening, and the rounds without one, by round."""
    last_rounds = {column["meeting"]: column["round"] for column in columns}
    return [
        column
        for column in columns
        if column["meeting"] is None or last_rounds[column["meeting"]] == column["round"]
    ]


def _column(played_round: PlayedRound, body: bytes) -> HistoryColumn:
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
        "places": {row["player_id"]: place_text(row["rank"], is_tied=row["tied"]) for row in rows},
        "values": {row["player_id"]: row["values"].get(primary) for row in rows},
    }


BUDGET: Final = 1500
"""The size of one piece, in rows of a table: some tenths of a second."""
MAKERS: Final[Sequence[Maker]] = (make_tables, make_head_to_head, make_records)
"""The makers in their order: each takes the pending work and returns what is left of it."""


def make_piece(event_id: int, *, clock: Callable[[], datetime], budget: int = BUDGET) -> bool:
    """Do some of an event's pending work, and return whether something is left.

    Rows are read in one snapshot before the transaction that stores the piece, which is as short as
    a write. Changes made meanwhile are in the audit trail after `seen`, and part of a later piece.
    `clock` is read as the piece is stored.
    """
    with snapshot_read():
        piece = _make_piece(event_id, budget)
    if piece is None:
        return False
    is_stored = _store(event_id, piece, clock)
    return not is_stored or not piece.is_done


@dataclass(frozen=True, slots=True)
class _Piece:
    """What a piece of work made: the documents, and those to delete, by kind and key.

    `turn` counts the pieces. `as_of` are the evenings whose table is that of the event as of then.
    """

    publication: Publication
    turn: int
    as_of: Collection[str]
    bodies: Mapping[tuple[str, str], bytes]
    gone: Sequence[tuple[str, str]]
    is_done: bool


def _make_piece(event_id: int, budget: int) -> _Piece | None:
    """Make a piece from the caller's snapshot; None without an event or a publication.

    The state counts the pieces (`turn`) and has the last audit line that was read (`seen`) and the
    publication after which everything was made again (`whole`). Evenings have a row of their own:
    0.5.0 does not read a state with further members.
    """
    event = Event.objects.select_related("club", "season").filter(pk=event_id).first()
    newest = Publication.objects.filter(event=event_id).defer("body", "csv").order_by("-number")
    publication = newest.first()
    if event is None or publication is None:
        return None
    state: JsonDict = {"turn": 0, "seen": 0, "whole": 0, "todo": {"entrants": ()}}
    stored = StoredHistory.objects.filter(event=event, kind=STATE).first()
    if stored is not None:
        state = json.loads(bytes(stored.body))
    todo = PendingWork.read(state["todo"])
    turn, whole, seen = state["turn"], state["whole"], state["seen"]
    audit_number = get_audit_number(event.club_id)
    # Tables of an event that is over stay by the formulas that it was counted with.
    is_kept = turn > 0 and keeps_figures(event, publication)
    changed: ChangedTables | None = None
    if turn and audit_number > seen:
        changed = changed_tables_since(event, seen, audit_number)
    if (audit_number > seen or turn == 0) and not is_kept:
        todo = todo.joined(changed)
        state["seen"] = audit_number
    evenings = stored_evening_work(event)
    if evenings.seen != seen:
        # There were none yet, or 0.5.0 went on without them.
        changed = None
        if evenings.seen:
            changed = changed_tables_since(event, evenings.seen, audit_number)
    if evenings.seen != audit_number or turn == 0:
        evenings = evenings.with_changes(changed and changed[0], seen=audit_number)
    # They are read the same night, so they come first.
    made = make_evening_tables(event, evenings, budget)
    budget -= made.cost
    bodies = dict(made.bodies)
    gone = list(made.gone)
    for maker in MAKERS if budget > 0 else ():
        unit = maker(event, todo, budget)
        bodies |= unit.bodies
        gone += unit.gone
        todo, budget = unit.left, budget - unit.cost
        if budget <= 0 or unit.ends:
            break
    is_current = audit_number == publication.audit_number and whole < publication.number
    if todo.is_done and is_current and not is_kept and _differs(publication, bodies):
        whole = publication.number
        todo = PendingWork.everything()
        made = replace(made, work=replace(made.work, left=None))
    state |= {"turn": turn + 1, "whole": whole, "todo": asdict(todo)}
    bodies[STATE, ""] = compact(state)
    bodies[EVENINGS, ""] = made.work.document()
    is_done = todo.is_done and made.work.is_done
    return _Piece(publication, turn + 1, made.work.as_of, bodies, gone, is_done)


def _differs(publication: Publication, bodies: Mapping[tuple[str, str], bytes]) -> bool:
    """Whether the last table as of a round is not the publication's own.

    That happens where sums changed without an audit line, such as after a recount.
    """
    stored = StoredHistory.objects.filter(event=publication.event_id)
    if (CHAIN, "") in bodies:
        rounds = json.loads(bodies[CHAIN, ""])
    else:
        chain = stored.filter(kind=CHAIN).values_list("body", flat=True).first()
        rounds = json.loads(bytes(chain)) if chain is not None else {}
    last = str(max(map(int, rounds), default=0))
    if (AS_OF, last) in bodies:
        return publication.digest != digest_of(bodies[AS_OF, last])
    digest = stored.filter(kind=AS_OF, key=last).values_list("digest", flat=True).first()
    return digest is not None and digest != publication.digest


def _changed_evenings(event_id: int, piece: _Piece) -> Collection[str]:
    """Return the days of the evenings that have another table after a piece."""
    changed = {key for kind, key in piece.bodies if kind == EVENING}
    keys = {key for kind, key in piece.bodies if kind == AS_OF}
    numbers = [int(key) for key in keys if key.isdigit()]
    if not piece.as_of or not keys:
        return changed
    last = Round.objects.filter(event=event_id, meeting__date__in=piece.as_of)
    for day, number in last.values_list("meeting__date").annotate(last=Max("number")):
        if day.isoformat() in keys or any(made <= number for made in numbers):
            changed.add(day.isoformat())
    return changed


@atomic_step
def _store(event_id: int, piece: _Piece, clock: Callable[[], datetime]) -> bool:
    publication = piece.publication
    schedule_results(event_id, _changed_evenings(event_id, piece), clock=clock)
    rows = StoredHistory.objects.filter(event=event_id)
    locked = rows.select_for_update().filter(kind=STATE).first()
    if (json.loads(bytes(locked.body))["turn"] if locked else 0) != piece.turn - 1:
        return False
    for kind in {kind for kind, _ in piece.gone}:
        rows.filter(kind=kind, key__in=[key for of, key in piece.gone if of == kind]).delete()
    StoredHistory.objects.bulk_create(
        [
            StoredHistory(
                club_id=publication.club_id,
                event_id=event_id,
                kind=kind,
                key=key,
                version=publication.version,
                digest=digest_of(body),
                body=body,
            )
            for (kind, key), body in sorted(piece.bodies.items())
        ],
        batch_size=100,
        update_conflicts=True,
        unique_fields=["event", "kind", "key"],
        update_fields=["version", "digest", "body"],
    )
    return True
