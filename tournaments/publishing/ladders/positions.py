"""The positions of a ladder: the replay of its steps, and its moves from the first new one on."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final

from django.db import connection
from django.db.models import OuterRef, QuerySet, Subquery

from scoring.ladders.replay import Ladder, Move, replay
from tournaments.models.events import Entrant, Event
from tournaments.models.ladders import LadderMove
from tournaments.publishing.ladders.inputs import LadderInputs, digest_of_log
from tournaments.services.db.bulk import write_rows
from tournaments.services.ladders.log import stored_ladder


@dataclass(frozen=True, slots=True)
class ComputedPositions:
    """What a computation found: the list, and the `moves` after step `after`.

    `last` is everybody's last move, by code; `digest` that of the steps up to the list's.
    """

    ladder: Ladder
    after: int
    moves: Sequence[Move]
    digest: str
    last: Mapping[str, Move] = field(default_factory=dict)


def make_positions(inputs: LadderInputs, *, from_start: bool = False) -> ComputedPositions:
    """Return the list that the steps make: replayed on, where nothing before the end changed.

    Args:
        from_start: replay all of them, whatever is stored.
    """
    state, log = inputs.state, inputs.log
    before = stored_ladder(state)
    goes_on = (
        not from_start
        and before.number > 0
        and state.rules == inputs.rules.as_json()
        and state.inputs.get("steps") == digest_of_log(log, upto=before.number)
    )
    start = before if goes_on else Ladder()
    done = replay(log, inputs.rules, after=start)
    last = {row.entrant.code: as_move(row) for row in last_moves(inputs.event)} if goes_on else {}
    last |= {move.member: move for move in done.moves}
    digest = digest_of_log(log, upto=done.ladder.number)
    return ComputedPositions(done.ladder, start.number, done.moves, digest, last)


def last_moves(event: Event) -> QuerySet[LadderMove]:
    """Return each member's last move as stored; one query."""
    own = LadderMove.objects.filter(entrant=OuterRef("pk")).order_by("-number")
    members = Entrant.objects.filter(event=event).annotate(last=Subquery(own.values("pk")[:1]))
    return LadderMove.objects.filter(pk__in=members.values("last")).select_related("entrant")


def as_move(row: LadderMove) -> Move:
    """Return a stored move as the replay gave it."""
    return Move(row.number, row.entrant.code, row.before, row.after, row.on, row.kind, row.facts)


def store_moves(inputs: LadderInputs, made: ComputedPositions) -> None:
    """Replace what is stored from the first unlike move on; in the caller's transaction."""
    rows = move_rows(inputs, made.moves)
    there = LadderMove.objects.filter(event=inputs.event, number__gt=made.after)
    first = _first_unlike(stored_moves(there), rows)
    if first is not None:
        there.filter(number__gte=first).delete()
        day = connection.ops.adapt_datefield_value
        new = [row for row in rows if row[2] >= first]
        write_rows(LadderMove, COLUMNS, [(*row[:6], day(row[6]), *row[7:]) for row in new])


def stored_moves(moves: QuerySet[LadderMove]) -> Iterator[tuple[object, ...]]:
    """Yield stored moves as `move_rows` gives them, in its order, read as far as anybody asks."""
    rows = moves.order_by("number", "entrant_id").values_list(*COLUMNS)
    for row in rows.iterator(chunk_size=500):
        yield (*row[:-1], _text(row[-1]))


def move_rows(inputs: LadderInputs, moves: Iterable[Move]) -> list[tuple[Any, ...]]:
    """Return the rows of moves in the order of `COLUMNS`, by step and entrant."""
    club, event, entrants = inputs.event.club_id, inputs.event.pk, inputs.entrants
    rows = [
        (club, event, move.number, entrants[move.member], move.before, move.after, move.on,
         move.kind, _text(move.facts))
        for move in moves
    ]  # fmt: skip
    rows.sort(key=lambda row: (row[2], row[3]))
    return rows


def _first_unlike(there: Iterable[tuple[Any, ...]], rows: Iterable[tuple[Any, ...]]) -> int | None:
    """The step from which on two lists of moves are not the same; None where they are."""
    for pair in zip_longest(there, rows):
        if pair[0] != pair[1]:
            return int(min(row[2] for row in pair if row is not None))
    return None


def _text(facts: Mapping[str, object]) -> str:
    """Facts as JSON, in one order of keys: PostgreSQL keeps none."""
    return _JSON(dict(facts))


_JSON: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


COLUMNS: Final = (
    "club_id", "event_id", "number", "entrant_id", "before", "after", "on", "kind", "facts",
)  # fmt: skip
