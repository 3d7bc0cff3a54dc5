"""The inputs of a ladder, and its positions: its steps replayed from the first new one on."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.models import OuterRef, QuerySet, Subquery

from scoring.json_types import JsonObject
from scoring.ladders.positions import Ladder, LadderEvent, Move, replay
from scoring.ladders.rating import LEAST_SIDES, MOST_SIDES, RatedGame, game_problems
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.events import Entrant, Event, Snapshot
from tournaments.models.ladders import LadderMove, LadderState
from tournaments.models.rounds import Sitting
from tournaments.models.standings import Contribution
from tournaments.selectors.ladders.log import events_of, stored_ladder
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.db.bulk import write_rows
from tournaments.services.ladders.log import PlayedGame, played_games
from tournaments.services.publishing.entrant_rows import names_of
from tournaments.services.publishing.publications import get_audit_number

BLOCK: Final = 64
"""Games in a block with one digest; a correction replays from the start of its block."""


class LadderInputs:
    """Everything that the computation of an event's ladder reads, as it is now, in the caller's
    snapshot; `ids` are those of the games."""

    def __init__(self, event: Event) -> None:
        self.event = event = Event.objects.select_related("club").get(pk=event.pk)
        self.audit_number = get_audit_number(event.club_id)
        self.entrants = dict(Entrant.objects.filter(event=event).values_list("code", "pk"))
        codes = {pk: code for code, pk in self.entrants.items()}
        self.games, self.ids = _list_rated_games(event, codes)
        state = LadderState.objects.filter(event=event).first()
        self.state = state or LadderState(club_id=event.club_id, event=event)
        self.rules = ladder_rules_of(event)
        self.log = events_of(event)
        self.names = names_of(event)


class ReplayedPositions(NamedTuple):
    """The list after all steps, and the moves after the step `after`.

    `last_moves` are everybody's by code; `digest` is that of the steps.
    """

    ladder: Ladder
    after: int
    moves: Sequence[Move]
    last_moves: Mapping[str, Move]
    digest: str


_JSON: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
"""In one order of keys, for PostgreSQL keeps none."""

POSITION_COLUMNS: Final = (
    "club_id",
    "event_id",
    "number",
    "entrant_id",
    "before",
    "after",
    "on",
    "kind",
    "facts",
)


def _list_rated_games(event: Event, codes: Mapping[int, str]) -> tuple[list[RatedGame], list[int]]:
    played = played_games(event)
    places: dict[int, dict[int, int]] = defaultdict(dict)
    rows = Contribution.objects.filter(event=event, games__gt=0)
    for game_id, entrant, place in rows.values_list("game_id", "entrant_id", "place"):
        places[game_id][entrant] = place
    sides = _get_sides(event)
    rated = []
    for game in played:
        rated_game = _rated_game(game, places[game.pk], sides.get(game.pk), codes)
        if rated_game is not None:
            rated.append((rated_game, game.pk))
    rated.sort(key=lambda pair: pair[0].at)
    return [rated_game for rated_game, _ in rated], [pk for _, pk in rated]


def _rated_game(
    played: PlayedGame,
    places: Mapping[int, int],
    side_of: Mapping[int, object] | None,
    codes: Mapping[int, str],
) -> RatedGame | None:
    round_number, table = played.round_number, played.table_number
    at = (played.on, round_number, table, f"r{round_number}t{table}")
    sides: tuple[tuple[str, ...], ...]
    if side_of is None:
        row = sorted([(codes[pk], place) for pk, place in places.items()])
        sides = tuple([(code,) for code, _ in row])
        ends = tuple([place for _, place in row])
        if LEAST_SIDES <= len(ends) <= MOST_SIDES:  # all that can be wrong with single players
            return RatedGame(at, sides, ends)
    else:
        together: dict[Any, list[int]] = defaultdict(list)
        for pk in places:
            together[side_of.get(pk, pk)].append(pk)
        groups = sorted(
            (tuple(sorted(codes[pk] for pk in side)), places[side[0]]) for side in together.values()
        )
        sides = tuple([side for side, _ in groups])
        ends = tuple([place for _, place in groups])
    if game_problems(sides, ends):
        return None
    return RatedGame(at, sides, ends)


def _get_sides(event: Event) -> dict[int, dict[int, object]]:
    """Return the side of each entrant in the games whose rules have sides: game → entrant → side.

    A pair that is one entrant is a side by itself. Seats without a stored side have that of the
    rules, as when the game was scored.
    """
    rules = {row.pk: rules_of(row) for row in Snapshot.objects.filter(event=event)}
    shapes = {pk: each.keys.teams.shape for pk, each in rules.items() if each.keys.teams.shape}
    if not shapes:
        return {}
    sittings = Sitting.objects.filter(
        seat__table__game__event=event,
        seat__table__game__snapshot__in=shapes,
        player__entries_in_events__event=event,
    )
    sides: dict[int, dict[int, object]] = defaultdict(dict)
    for game, snapshot, number, side, entrant in sittings.values_list(
        "seat__table__game__pk",
        "seat__table__game__snapshot_id",
        "seat__number",
        "seat__side",
        "player__entries_in_events__entrant_id",
    ):
        shape = shapes[snapshot]
        of_rules = next((at for at, seats in enumerate(shape) if number - 1 in seats), -1)
        sides[game][entrant] = side or of_rules
    return sides


def _digest_of_log(log: Sequence[LadderEvent], *, upto: int) -> str:
    text = hashlib.sha256()
    for event in log:
        if event.number > upto:
            break
        text.update(repr(event).encode())
    return text.hexdigest()[:32]


def digests_of_games(games: Sequence[RatedGame], ids: Sequence[int]) -> list[str]:
    """Return the digests of the blocks of games, the last of which may be shorter."""
    lines = [
        f"{pk} {game.at} {game.sides} {game.places}" for pk, game in zip(ids, games, strict=True)
    ]
    return [
        hashlib.sha256("\n".join(lines[start : start + BLOCK]).encode()).hexdigest()[:16]
        for start in range(0, len(lines), BLOCK)
    ]


def first_changed(
    before: JsonObject, games: Sequence[RatedGame], ids: Sequence[int], blocks: Sequence[str]
) -> int:
    n_before: int = before.get("games", 0)
    old: Sequence[str] = before.get("blocks", ())
    if n_before <= len(games):
        last = n_before - n_before % BLOCK
        tail = digests_of_games(games[last:n_before], ids[last:n_before])
        if [*blocks[: last // BLOCK], *tail] == list(old):
            return n_before
    same = next(
        (at for at, pair in enumerate(zip(old, blocks, strict=False)) if pair[0] != pair[1]),
        min(len(old), len(blocks)),
    )
    return min(same * BLOCK, n_before, len(games))


def make_positions(inputs: LadderInputs, *, from_start: bool) -> ReplayedPositions:
    """Replay the list from the stored one where that still holds."""
    state, log = inputs.state, inputs.log
    before = stored_ladder(state)
    is_unchanged = (
        not from_start
        and before.number > 0
        and state.rules == inputs.rules.as_json()
        and state.inputs.get("steps") == _digest_of_log(log, upto=before.number)
    )
    start = before if is_unchanged else Ladder()
    replayed = replay(log, inputs.rules, after=start)
    last = _get_last_moves(inputs.event) if is_unchanged else {}
    last |= {move.member: move for move in replayed.moves}
    digest = _digest_of_log(log, upto=replayed.ladder.number)
    return ReplayedPositions(replayed.ladder, start.number, replayed.moves, last, digest)


def _get_last_moves(event: Event) -> dict[str, Move]:
    moves = LadderMove.objects.filter(entrant=OuterRef("pk")).order_by("-number")
    members = Entrant.objects.filter(event=event).annotate(last=Subquery(moves.values("pk")[:1]))
    rows = LadderMove.objects.filter(pk__in=members.values("last")).select_related("entrant")
    return {
        row.entrant.code: Move(
            row.number, row.entrant.code, row.before, row.after, row.on, row.kind, row.facts
        )
        for row in rows
    }


def store_moves(inputs: LadderInputs, moves: Iterable[Move], *, after: int) -> None:
    """Replace the stored moves after a step from the first that differs on, in a transaction."""
    rows = move_rows(inputs, moves)
    stored = LadderMove.objects.filter(event=inputs.event, number__gt=after)
    pairs = zip_longest(stored_moves(stored), rows)
    pair = next((pair for pair in pairs if pair[0] != pair[1]), None)
    if pair is not None:
        first = min(row[2] for row in pair if row is not None)
        stored.filter(number__gte=first).delete()
        day = connection.ops.adapt_datefield_value
        new = [row for row in rows if row[2] >= first]
        write_rows(LadderMove, POSITION_COLUMNS, [(*row[:6], day(row[6]), *row[7:]) for row in new])


def stored_moves(moves: QuerySet[LadderMove]) -> Iterator[tuple[Any, ...]]:
    """Yield stored moves in the form and order of `move_rows`."""
    rows = moves.order_by("number", "entrant_id").values_list(*POSITION_COLUMNS)
    for row in rows.iterator(chunk_size=500):
        yield (*row[:-1], _JSON(dict(row[-1])))


def move_rows(inputs: LadderInputs, moves: Iterable[Move]) -> list[tuple[Any, ...]]:
    """Return the rows of moves by step and entrant, in the order of `POSITION_COLUMNS`."""
    club = inputs.event.club_id
    event = inputs.event.pk
    entrants = inputs.entrants
    rows = [
        (
            club,
            event,
            move.number,
            entrants[move.member],
            move.before,
            move.after,
            move.on,
            move.kind,
            _JSON(dict(move.facts)),
        )
        for move in moves
    ]
    rows.sort(key=lambda row: (row[2], row[3]))
    return rows
