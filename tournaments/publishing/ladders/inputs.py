"""What a ladder is made of, read in one moment, and from where on it is not what it was.

Digests of the steps and of the games are kept with the state of the ladder: the next computation
goes on from the first thing that differs. They save work and nothing hangs on them; from wherever
one begins, the same comes out, bit for bit.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from scoring.json_types import JsonObject
from scoring.ladders.positions import LadderEvent, PlayedAt
from scoring.ladders.rating_methods import LEAST_SIDES, MOST_SIDES, RatedGame, game_problems
from scoring.ladders.rules import LadderRules
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.events import Entrant, Event, Snapshot
from tournaments.models.ladders import LadderState
from tournaments.models.meetings import Sitting
from tournaments.models.standings import Contribution
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.ladders.log import PlayedGame, events_of, played_games

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
