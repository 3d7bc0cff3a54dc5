"""What a ladder is made of, and its positions: its steps replayed from the first new one on."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any, Final

from django.db import connection
from django.db.models import OuterRef, QuerySet, Subquery

from scoring.json_types import JsonObject
from scoring.ladders.positions import LadderEvent, PlayedAt
from scoring.ladders.rating_methods import LEAST_SIDES, MOST_SIDES, RatedGame, game_problems
from scoring.ladders.replay import Ladder, Move, replay
from scoring.ladders.rules import LadderRules
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.events import Entrant, Event, Snapshot
from tournaments.models.ladders import LadderMove, LadderState
from tournaments.models.meetings import Sitting
from tournaments.models.standings import Contribution
from tournaments.selectors.ladders.log import events_of, stored_ladder
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.db.bulk import write_rows
from tournaments.services.ladders.log import PlayedGame, played_games

BLOCK: Final = 64
"""So many games have one digest: a correction costs what comes after the block that it is in."""


Sides = Mapping[int, Mapping[int, Any]]
"""By game, which side each entrant played on, where games have sides."""


@dataclass(frozen=True, slots=True)
class LadderInputs:
    """Everything that a computation reads; `ids` are the games' own, `entrants` by their code."""

    event: Event
    rules: LadderRules
    log: Sequence[LadderEvent]
    games: Sequence[RatedGame]
    ids: Sequence[int]
    entrants: Mapping[str, int]
    state: LadderState


def inputs_of(event: Event) -> LadderInputs:
    """Read everything that the event's ladder is made of; the caller says of which moment."""
    entrants = dict(Entrant.objects.filter(event=event).values_list("code", "pk"))
    played = played_games(event)
    games, ids = _rated(event, played, {pk: code for code, pk in entrants.items()})
    state = LadderState.objects.filter(event=event).first()
    return LadderInputs(
        event=event,
        rules=ladder_rules_of(event),
        log=events_of(event),
        games=games,
        ids=ids,
        entrants=entrants,
        state=state or LadderState(club_id=event.club_id, event=event),
    )


def _rated(
    event: Event, played: Sequence[PlayedGame], codes: Mapping[int, str]
) -> tuple[list[RatedGame], list[int]]:
    """The games that are rated, in the order in which they count, and their ids."""
    tables: dict[int, dict[int, int]] = defaultdict(dict)
    rows = Contribution.objects.filter(event=event, games__gt=0)
    for game, entrant, place in rows.values_list("game_id", "entrant_id", "place"):
        tables[game][entrant] = place
    sides = _sides(event)
    found = []
    for one in played:
        rated = _game(one, tables[one.id], sides.get(one.id), codes)
        if rated is not None:
            found.append((rated, one.id))
    found.sort(key=lambda one: one[0].at.key)
    return [game for game, _ in found], [pk for _, pk in found]


def _game(
    played: PlayedGame,
    places: Mapping[int, int],
    side_of: Mapping[int, object] | None,
    codes: Mapping[int, str],
) -> RatedGame | None:
    at = PlayedAt(played.on, played.round, played.table, f"r{played.round}t{played.table}")
    sides: tuple[tuple[str, ...], ...]
    if side_of is None:
        row = sorted([(codes[one], place) for one, place in places.items()])
        sides = tuple([(code,) for code, _ in row])
        ends = tuple([place for _, place in row])
        if LEAST_SIDES <= len(ends) <= MOST_SIDES:  # all that can be wrong with single players
            return RatedGame(at, sides, ends)
    else:
        together: dict[Any, list[int]] = defaultdict(list)
        for one in places:
            together[side_of.get(one, one)].append(one)
        groups = sorted((tuple(sorted(codes[one] for one in side)), places[side[0]])
                        for side in together.values())  # fmt: skip
        sides = tuple([side for side, _ in groups])
        ends = tuple([place for _, place in groups])
    return None if game_problems(sides, ends) else RatedGame(at, sides, ends)


def _sides(event: Event) -> dict[int, dict[int, object]]:
    """Who played on which side, of the games whose rules have sides; a query where there are any.

    A pair that is one entrant is a side by itself. Seats without a side of their own have that of
    the rules, as when the game was scored.
    """
    kinds = {one.pk: rules_of(one) for one in Snapshot.objects.filter(event=event)}
    shapes = {pk: one.keys.teams.shape for pk, one in kinds.items() if one.keys.teams.shape}
    if not shapes:
        return {}
    sittings = Sitting.objects.filter(
        seat__table__game__event=event,
        seat__table__game__snapshot__in=shapes,
        player__entries_in_events__event=event,
    )
    found: dict[int, dict[int, Any]] = defaultdict(dict)
    for game, snapshot, number, side, entrant in sittings.values_list(
        "seat__table__game__pk",
        "seat__table__game__snapshot_id",
        "seat__number",
        "seat__side",
        "player__entries_in_events__entrant_id",
    ):
        found[game][entrant] = side or _side_in(shapes[snapshot], number - 1)
    return found


def _side_in(shape: Sequence[Sequence[int]], seat: int) -> int:
    return next((at for at, seats in enumerate(shape) if seat in seats), -1)


# --- from where on something changed ----------------------------------------------------------


def digest_of_log(log: Sequence[LadderEvent], *, upto: int) -> str:
    """Return the digest of what happened up to step `upto`."""
    text = hashlib.sha256()
    for event in log:
        if event.number > upto:
            break
        text.update(repr(event).encode())
    return text.hexdigest()[:32]


def digests_of_games(games: Sequence[RatedGame], ids: Sequence[int]) -> list[str]:
    """Return the digests of the blocks of games, the last of which may be shorter."""
    lines = [
        f"{pk} {game.at.key} {game.sides} {game.places}"
        for pk, game in zip(ids, games, strict=True)
    ]
    return [_digest(lines[start : start + BLOCK]) for start in range(0, len(lines), BLOCK)]


def first_changed(
    before: JsonObject, games: Sequence[RatedGame], ids: Sequence[int], blocks: Sequence[str]
) -> int:
    """Return the number of the first game from which on they have to be rated again.

    Args:
        before: `games`, how many there were, and the digests of their `blocks`.
        blocks: the digests as they are now.

    Returns:
        How many there were, where they are all still the first ones.
    """
    there: int = before.get("games", 0)
    old: Sequence[str] = before.get("blocks", ())
    if there <= len(games):
        last = there - there % BLOCK
        tail = digests_of_games(games[last:there], ids[last:there])
        if [*blocks[: last // BLOCK], *tail] == list(old):
            return there
    same = next((at for at, pair in enumerate(zip(old, blocks, strict=False))
                 if pair[0] != pair[1]), min(len(old), len(blocks)))  # fmt: skip
    return min(same * BLOCK, there, len(games))


def _digest(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(chain(lines)).encode()).hexdigest()[:16]


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
    ladder_moves = LadderMove.objects.filter(entrant=OuterRef("pk")).order_by("-number")
    members = Entrant.objects.filter(event=event).annotate(
        last=Subquery(ladder_moves.values("pk")[:1])
    )
    return LadderMove.objects.filter(pk__in=members.values("last")).select_related("entrant")


def as_move(row: LadderMove) -> Move:
    """Return a stored move as the replay gave it."""
    return Move(row.number, row.entrant.code, row.before, row.after, row.on, row.kind, row.facts)


def store_moves(inputs: LadderInputs, computed_positions: ComputedPositions) -> None:
    """Replace what is stored from the first unlike move on; in the caller's transaction."""
    rows = move_rows(inputs, computed_positions.moves)
    ladder_moves = LadderMove.objects.filter(
        event=inputs.event, number__gt=computed_positions.after
    )
    first = _first_unlike(stored_moves(ladder_moves), rows)
    if first is not None:
        ladder_moves.filter(number__gte=first).delete()
        day = connection.ops.adapt_datefield_value
        new = [row for row in rows if row[2] >= first]
        write_rows(LadderMove, POSITION_COLUMNS, [(*row[:6], day(row[6]), *row[7:]) for row in new])


def stored_moves(moves: QuerySet[LadderMove]) -> Iterator[tuple[object, ...]]:
    """Yield stored moves as `move_rows` gives them, in its order, read as far as anybody asks."""
    rows = moves.order_by("number", "entrant_id").values_list(*POSITION_COLUMNS)
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


POSITION_COLUMNS: Final = (
    "club_id", "event_id", "number", "entrant_id", "before", "after", "on", "kind", "facts",
)  # fmt: skip
