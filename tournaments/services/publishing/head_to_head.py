"""Head-to-head results and records of an event, computed one piece of work at a time."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, TypeAlias, cast

from scoring.json_types import JsonObject
from scoring.numbers import ScoreJson
from scoring.standings.rows import GameResult, in_play_order
from tournaments.domain.figures import exact_json
from tournaments.domain.standings.standings_documents import (
    BestsDocument,
    EncounterDocument,
    HolderPlace,
    NightDocument,
    PointsBests,
    RecordDocument,
    compact,
)
from tournaments.models.columns import UNIT, as_json
from tournaments.models.events import Event
from tournaments.models.standings import Aggregate, StoredHistory
from tournaments.selectors.hands.games import first_rounds_without_moons, known_moons
from tournaments.services.publishing.entrant_rows import lowest_wins
from tournaments.services.publishing.tie_break_evidence import StoredGames


@dataclass(frozen=True, slots=True)
class PendingWork:
    """The pending work: tables from round `round` on, lists of `entrants` by code, the records."""

    round: int | None = None
    entrants: tuple[str, ...] = ()
    everybody: bool = False
    records: bool = False

    @classmethod
    def everything(cls) -> "PendingWork":
        return cls(round=1, everybody=True, records=True)

    @property
    def is_done(self) -> bool:
        return self.round is None and not (self.entrants or self.everybody or self.records)

    def joined(self, changed: tuple[frozenset[int], frozenset[str]] | None) -> "PendingWork":
        """Return the work with that of these changes; None: anything may have changed."""
        if changed is None:
            return PendingWork.everything()
        rounds, entrants = changed
        if not rounds:
            return self
        first = min(rounds)
        return PendingWork(
            round=first if self.round is None else min(first, self.round),
            entrants=tuple(sorted({*self.entrants, *entrants})),
            everybody=self.everybody,
            records=True,
        )

    @classmethod
    def read(cls, stored: JsonObject) -> "PendingWork":
        return cls(**{**stored, "entrants": tuple(stored["entrants"])})


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """The documents that a maker made and those to delete, by kind and key; the work that is left.

    `ends`: the next maker reads these documents, so that they have to be stored first.
    """

    left: PendingWork
    cost: int = 0
    bodies: Mapping[tuple[str, str], bytes] = field(default_factory=dict)
    gone: Sequence[tuple[str, str]] = ()
    ends: bool = False


Maker: TypeAlias = Callable[[Event, PendingWork, int], WorkUnit]
"""Takes the event, the pending work and a budget in rows."""
HEAD_TO_HEAD: Final = "head_to_head"
BESTS: Final = "bests"
COST: Final = 40
"""Cost of an entrant, in rows of a table."""

MOST_HOLDERS: Final = 12
"""A record that more people hold is left out."""


def make_head_to_head(event: Event, todo: PendingWork, budget: int) -> WorkUnit:
    if todo.everybody:
        todo = replace(todo, everybody=False, entrants=tuple(sorted(_list_entrants(event))))
    if not todo.entrants or budget <= 0:
        return WorkUnit(todo)
    some = todo.entrants[: max(1, budget // COST)]
    is_low = lowest_wins(event)
    games: dict[str, list[GameResult]] = defaultdict(list)
    for game in StoredGames(event).games_of(some):
        for code in game.chairs.keys() & set(some):
            games[code].append(game)
    unknown = first_rounds_without_moons(event)
    bodies: dict[tuple[str, str], bytes] = {}
    gone: list[tuple[str, str]] = []
    for code in some:
        # A series of wins goes by the date of the evenings.
        games[code] = in_play_order(games[code], lambda game: (game.key, game.meeting))
        if games[code]:
            bodies[HEAD_TO_HEAD, code] = compact(
                {"against": encounters_of_entrant(code, games[code])}
            )
            bodies[BESTS, code] = compact(
                bests(code, games[code], low_wins=is_low, unknown=unknown)
            )
        else:
            gone += [(HEAD_TO_HEAD, code), (BESTS, code)]
    rest = replace(todo, entrants=todo.entrants[len(some) :], records=True)
    return WorkUnit(rest, COST * len(some), bodies, gone, ends=True)


def _list_entrants(event: Event) -> set[str]:
    played = Aggregate.objects.filter(event=event, games__gt=0)
    stored = StoredHistory.objects.filter(event=event, kind=BESTS)
    return {*played.values_list("entrant__code", flat=True), *stored.values_list("key", flat=True)}


def encounters_of_entrant(code: str, games: Sequence[GameResult]) -> list[EncounterDocument]:
    """Return the results of `code` against each opponent, most games first.

    `share` is the share of games in which the opponent was beaten, ties half, as an exact fraction;
    `difference` the points less the opponent's, None where no game has points with a total.

    >>> from scoring.standings.rows import Worth
    >>> none = Fraction(0)
    >>> worth = lambda place, points: Worth(place, 1, points, 4, None, none, none, None, 0, 0)
    >>> game = GameResult((1, 1), None, {"a": worth(1, 20), "b": worth(2, 30)})
    >>> of_a, of_b = (encounters_of_entrant(code, [game]) for code in "ab")
    >>> of_a[0]["share"], of_b[0]["difference"]
    ('1', 10)
    """
    places: dict[str, list[tuple[int, int]]] = defaultdict(list)
    differences: dict[str, Fraction] = {}
    for game in games:
        worth = game.chairs[code]
        for opponent, theirs in game.chairs.items():
            if opponent != code and (worth.side is None or worth.side != theirs.side):
                places[opponent].append((worth.place, theirs.place))
                if game.has_points:
                    before = differences.get(opponent, Fraction(0))
                    differences[opponent] = before + worth.points - theirs.points
    rows: list[EncounterDocument] = []
    for opponent, pairs in sorted(places.items(), key=lambda row: (-len(row[1]), row[0])):
        ahead = sum(place < theirs for place, theirs in pairs)
        level = sum(place == theirs for place, theirs in pairs)
        rows.append(
            {
                "player_id": opponent,
                "games": len(pairs),
                "ahead": ahead,
                "level": level,
                "behind": len(pairs) - ahead - level,
                "share": str(Fraction(2 * ahead + level, 2 * len(pairs))),
                "difference": _number(differences[opponent]) if opponent in differences else None,
            }
        )
    return rows


def bests(
    code: str, games: Sequence[GameResult], *, low_wins: bool, unknown: Collection[str]
) -> BestsDocument:
    longest: list[GameResult] = []
    run: list[GameResult] = []
    for game in games:
        run = [*run, game] if game.chairs[code].place == 1 else []
        longest = run if len(run) > len(longest) else longest
    return {
        "games": len(games),
        "hands": sum(game.chairs[code].hands for game in games),
        "wins": sum(game.chairs[code].place == 1 for game in games),
        "moons": known_moons(
            sum(game.chairs[code].moons for game in games), is_unknown=code in unknown
        ),
        "moon_tables": [_code(game) for game in games if game.chairs[code].moons],
        **_points_bests(code, [game for game in games if game.has_points], low_wins=low_wins),
        "longest_series": {"wins": len(longest), "tables": [_code(game) for game in longest]},
    }


def _points_bests(code: str, games: Sequence[GameResult], *, low_wins: bool) -> PointsBests:
    if not games:
        return {"best_night": None, "worst_night": None, "lowest_game": None, "highest_game": None}

    def points(games: Sequence[GameResult]) -> Fraction:
        return sum((Fraction(game.chairs[code].points) for game in games), Fraction(0))

    def document(games: Sequence[GameResult]) -> NightDocument:
        return {
            "points": _number(points(games)),
            "hands": sum(game.chairs[code].hands for game in games),
            "meeting": games[0].meeting,
            "round": games[0].key[0],
            "tables": [_code(game) for game in games],
        }

    evenings: dict[object, list[GameResult]] = defaultdict(list)
    for game in games:
        evenings[game.meeting or game.key].append(game)
    alone = [[game] for game in games]
    sign = 1 if low_wins else -1
    return {
        "best_night": document(min(evenings.values(), key=lambda games: sign * points(games))),
        "worst_night": document(max(evenings.values(), key=lambda games: sign * points(games))),
        "lowest_game": document(min(alone, key=points)),
        "highest_game": document(max(alone, key=points)),
    }


def _code(game: GameResult) -> str:
    return f"r{game.key[0]}t{game.key[1]}"


def _number(points: Fraction) -> ScoreJson:
    return as_json(int(points * UNIT))


RECORDS: Final = "records"
COUNTS: Final = ("moons", "wins", "games", "hands")
"""Records of a number; 0 is no record."""
HIGHEST: Final = {
    "best_night": False,
    "worst_night": True,
    "lowest_game": False,
    "highest_game": True,
}
"""Records of points → whether the most is the record where the lowest total wins; those of evenings
turn where the highest wins."""


def make_records(event: Event, todo: PendingWork, budget: int) -> WorkUnit:
    """Make the records of an event, once the lists of all its entrants are made."""
    if not todo.records or todo.entrants or todo.everybody or budget <= 0:
        return WorkUnit(todo)
    rows = StoredHistory.objects.filter(event=event, kind=BESTS).order_by("key")
    bests = {key: json.loads(bytes(body)) for key, body in rows.values_list("key", "body")}
    is_low = lowest_wins(event)
    body = compact({"records": records(bests, low_wins=is_low)})
    return WorkUnit(replace(todo, records=False), len(bests) // 10, {(RECORDS, ""): body})


def records(bests: Mapping[str, JsonObject], *, low_wins: bool) -> list[RecordDocument]:
    """Return the records over the bests of each entrant, by code; holders in the order of codes."""
    records = []
    for key in COUNTS:
        counts = {code: Fraction(best[key]) for code, best in bests.items() if best[key]}
        tables = {
            code: {"tables": best["moon_tables"] if key == "moons" else []}
            for code, best in bests.items()
        }
        records.append(_record(key, counts, tables, highest=True))
    series = {code: best["longest_series"] for code, best in bests.items()}
    wins = {code: Fraction(run["wins"]) for code, run in series.items() if run["wins"] > 1}
    records.append(_record("longest_series", wins, series, highest=True))
    for key, highest in HIGHEST.items():
        is_reversed = key.endswith("night") and not low_wins
        places = {code: best[key] for code, best in bests.items() if best[key] is not None}
        points = {code: Fraction(place["points"]) for code, place in places.items()}
        records.append(_record(key, points, places, highest=highest != is_reversed))
    return [record for record in records if record is not None]


def _record(
    key: str,
    values: Mapping[str, Fraction],
    places: Mapping[str, Mapping[str, object]],
    *,
    highest: bool,
) -> RecordDocument | None:
    if not values:
        return None
    if highest:
        best = max(values.values())
    else:
        best = min(values.values())
    holders = [code for code in sorted(values) if values[code] == best]
    if len(holders) > MOST_HOLDERS:
        return None
    return {
        "key": key,
        "value": exact_json(best),
        "holders": [{"player_id": code, **_holder_place(places[code])} for code in holders],
    }


def _holder_place(place: Mapping[str, object]) -> HolderPlace:
    keys = ("hands", "meeting", "round", "tables")
    return cast("HolderPlace", {key: place[key] for key in keys if key in place})
