"""Head-to-head results and records of an event, computed one piece of work at a time."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Final, TypeAlias, cast

from scoring.json_types import JsonDict, JsonObject
from scoring.numbers import ScoreJson
from scoring.standings.rows import GameResult, Worth
from tournaments.domain.standings.standings_documents import (
    BestsDocument,
    EncounterDocument,
    HolderPlace,
    NightDocument,
    PointsBests,
    RecordDocument,
    compact,
)
from tournaments.models.events import Event
from tournaments.models.numbers import UNIT, as_json
from tournaments.models.standings import Aggregate, StoredHistory
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.hands.games import first_rounds_without_moons, known_moons
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.publishing.tie_break_evidence import StoredGames

Body: TypeAlias = bytes


@dataclass(frozen=True, slots=True)
class PendingWork:
    """What is to be made: tables as of rounds from `round` on (None: none), the lists of
    `entrants` by code, the records where one of these changed.

    `everybody` means the entrants are still to be listed.
    """

    round: int | None = None
    entrants: tuple[str, ...] = ()
    everybody: bool = False
    records: bool = False

    @classmethod
    def everything(cls) -> "PendingWork":
        """Return all there is; what did not change is told by its fingerprints."""
        return cls(round=1, everybody=True, records=True)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left."""
        return self.round is None and not (self.entrants or self.everybody or self.records)

    def joined(self, changed: tuple[frozenset[int], frozenset[str]] | None) -> "PendingWork":
        """Return what is to do with these changes as well; None: anything may have changed."""
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

    def stored(self) -> JsonDict:
        """Return it as JSON holds it."""
        return {
            "round": self.round,
            "entrants": list(self.entrants),
            "everybody": self.everybody,
            "records": self.records,
        }

    @classmethod
    def read(cls, stored: JsonObject) -> "PendingWork":
        """Return what `stored` gave."""
        return cls(**{**stored, "entrants": tuple(stored["entrants"])})


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """What a maker made and took away, by kind and key; what it left, and what it cost.

    `ends` where the next maker reads what this one made, so that it has to be stored first.
    """

    left: PendingWork
    cost: int = 0
    made: Mapping[tuple[str, str], Body] = field(default_factory=dict)
    gone: Sequence[tuple[str, str]] = ()
    ends: bool = False


Maker: TypeAlias = Callable[[Event, PendingWork, int], WorkUnit]
"""Takes the event, what is to do and a budget in rows."""


HEAD_TO_HEAD: Final = "head_to_head"
BESTS: Final = "bests"


COST: Final = 40
"""An entrant costs as much as so many rows of a table."""


def make_head_to_head(event: Event, todo: PendingWork, budget: int) -> WorkUnit:
    """Make the lists of as many entrants as the budget lets."""
    if todo.everybody:
        todo = replace(todo, everybody=False, entrants=tuple(sorted(_everybody(event))))
    if not todo.entrants or budget <= 0:
        return WorkUnit(todo)
    some = todo.entrants[: max(1, budget // COST)]
    is_low = low_wins(rules_of(default_snapshot(event)))
    games: dict[str, list[GameResult]] = defaultdict(list)
    for game in StoredGames(event).games_of(some):
        for code in game.chairs.keys() & set(some):
            games[code].append(game)
    unknown = first_rounds_without_moons(event)
    made: dict[tuple[str, str], Body] = {}
    gone: list[tuple[str, str]] = []
    for code in some:
        if games[code]:
            made[HEAD_TO_HEAD, code] = compact(
                {"against": encounters_of_entrant(code, games[code])}
            )
            made[BESTS, code] = compact(bests(code, games[code], low_wins=is_low, unknown=unknown))
        else:
            gone += [(HEAD_TO_HEAD, code), (BESTS, code)]
    left = replace(todo, entrants=todo.entrants[len(some) :], records=True)
    return WorkUnit(left, COST * len(some), made, gone, ends=True)


def _everybody(event: Event) -> set[str]:
    """All who have played, and all of whom something is kept."""
    played = Aggregate.objects.filter(event=event, games__gt=0)
    stored_histories = StoredHistory.objects.filter(event=event, kind=BESTS)
    return {
        *played.values_list("entrant__code", flat=True),
        *stored_histories.values_list("key", flat=True),
    }


def encounters_of_entrant(code: str, games: Sequence[GameResult]) -> list[EncounterDocument]:
    """Return how `code` fared against everybody met, most games first.

    `share` is the share of games in which the other was beaten, ties half, as an exact fraction;
    `difference` the own points less the other's, None where no game has points with a total.

    >>> none = Fraction(0)
    >>> worth = lambda place, points: Worth(place, 1, points, 4, None, none, none, None, 0, 0)
    >>> game = GameResult((1, 1), None, {"a": worth(1, 20), "b": worth(2, 30)})
    >>> of_a, of_b = (encounters_of_entrant(code, [game]) for code in "ab")
    >>> of_a[0]["share"], of_b[0]["difference"]
    ('1', 10)
    """
    met: dict[str, list[tuple[Worth, Worth]]] = defaultdict(list)
    ahead_by: dict[str, Fraction] = {}
    for game in games:
        chair = game.chairs[code]
        for other, theirs in game.chairs.items():
            if other != code and (chair.side is None or chair.side != theirs.side):
                met[other].append((chair, theirs))
                if game.has_points:
                    before = ahead_by.get(other, Fraction(0))
                    ahead_by[other] = before + chair.points - theirs.points
    rows: list[EncounterDocument] = []
    for other in sorted(met, key=lambda other: (-len(met[other]), other)):
        ahead = sum(own.place < theirs.place for own, theirs in met[other])
        level = sum(own.place == theirs.place for own, theirs in met[other])
        share = Fraction(2 * ahead + level, 2 * len(met[other]))
        rows.append(
            {
                "player_id": other,
                "games": len(met[other]),
                "ahead": ahead,
                "level": level,
                "behind": len(met[other]) - ahead - level,
                "share": str(share),
                "difference": _number(ahead_by[other]) if other in ahead_by else None,
            }
        )
    return rows


@dataclass(frozen=True, slots=True)
class _Night:
    """What somebody made on one evening, or in one game."""

    points: Fraction
    hands: int
    games: tuple[GameResult, ...]

    def told(self) -> NightDocument:
        """As JSON has it: what, when, and the tables where it stands."""
        return {
            "points": _number(self.points),
            "hands": self.hands,
            "meeting": self.games[0].meeting,
            "round": self.games[0].key[0],
            "tables": [_code(game) for game in self.games],
        }


def bests(
    code: str,
    games: Sequence[GameResult],
    *,
    low_wins: bool,
    unknown: Collection[str] = (),
) -> BestsDocument:
    """Return the best and the worst that an entrant made; of equals the first.

    Args:
        games: all games of `code`, in the order of play.
        unknown: codes of those of whom some table does not tell the moons.
    """
    run = _longest_run(_marked(code, games))
    return {
        "games": len(games),
        "hands": sum(game.chairs[code].hands for game in games),
        "wins": sum(game.chairs[code].place == 1 for game in games),
        "moons": known_moons(
            sum(game.chairs[code].moons for game in games), is_unknown=code in unknown
        ),
        "moon_tables": [_code(game) for game in games if game.chairs[code].moons],
        **_of_points(code, [game for game in games if game.has_points], low_wins=low_wins),
        "longest_series": {
            "wins": len(run),
            "tables": [_code(game) for game in run],
        },
    }


def _of_points(code: str, games: Sequence[GameResult], *, low_wins: bool) -> PointsBests:
    """The most and the least points of a night and of a game; None where none has any."""
    if not games:
        return {
            "best_night": None,
            "worst_night": None,
            "lowest_game": None,
            "highest_game": None,
        }
    sign = 1 if low_wins else -1
    alone = [_night(code, [game]) for game in games]
    evenings: dict[object, list[GameResult]] = defaultdict(list)
    for game in games:
        evenings[game.meeting or game.key].append(game)
    nights = [_night(code, evening) for evening in evenings.values()]
    return {
        "best_night": min(nights, key=lambda one: sign * one.points).told(),
        "worst_night": max(nights, key=lambda one: sign * one.points).told(),
        "lowest_game": min(alone, key=lambda one: one.points).told(),
        "highest_game": max(alone, key=lambda one: one.points).told(),
    }


def _night(code: str, games: Sequence[GameResult]) -> _Night:
    worths = [game.chairs[code] for game in games]
    points = sum((Fraction(worth.points) for worth in worths), Fraction(0))
    return _Night(points, sum(worth.hands for worth in worths), tuple(games))


def _marked(code: str, games: Sequence[GameResult]) -> Iterable[tuple[GameResult, bool]]:
    return ((game, game.chairs[code].place == 1) for game in games)


def _longest_run(games: Iterable[tuple[GameResult, bool]]) -> list[GameResult]:
    """The longest series of games won, the first one of equals."""
    best: list[GameResult] = []
    run: list[GameResult] = []
    for game, is_won in games:
        run = [*run, game] if is_won else []
        best = run if len(run) > len(best) else best
    return best


def _code(game: GameResult) -> str:
    return f"r{game.key[0]}t{game.key[1]}"


def _number(points: Fraction) -> ScoreJson:
    return as_json(int(points * UNIT))


RECORDS: Final = "records"
MOST_HOLDERS: Final = 12
"""A record that more people hold is not said of anybody."""


COUNTS: Final = ("moons", "wins", "games", "hands")
"""Records of a number; nobody holds one of none."""


HIGHEST: Final = {
    "best_night": False, "worst_night": True, "lowest_game": False, "highest_game": True,
}  # fmt: skip
"""Records of points → whether more is further; the nights turn where the highest total wins."""


def make_records(event: Event, todo: PendingWork, budget: int) -> WorkUnit:
    """Make the records of an event, once all its entrants are through."""
    if not todo.records or todo.entrants or todo.everybody or budget <= 0:
        return WorkUnit(todo)
    rows = StoredHistory.objects.filter(event=event, kind=BESTS).order_by("key")
    found = {key: json.loads(bytes(body)) for key, body in rows.values_list("key", "body")}
    is_low = low_wins(rules_of(default_snapshot(event)))
    body = compact({"records": records(found, low_wins=is_low)})
    return WorkUnit(replace(todo, records=False), len(found) // 10, {(RECORDS, ""): body})


def records(bests: Mapping[str, Mapping[str, Any]], *, low_wins: bool) -> list[RecordDocument]:
    """Return the records over what each entrant made, by code; holders in the order of codes."""
    told = []
    for key in COUNTS:
        tables = "moon_tables" if key == "moons" else ""
        told.append(
            _record(
                key,
                {code: Fraction(own[key]) for code, own in bests.items() if own[key]},
                {code: {"tables": own[tables] if tables else []} for code, own in bests.items()},
                highest=True,
            )
        )
    series = {code: own["longest_series"] for code, own in bests.items()}
    won = {code: Fraction(one["wins"]) for code, one in series.items() if one["wins"] > 1}
    told.append(_record("longest_series", won, series, highest=True))
    for key, highest in HIGHEST.items():
        turned = key.endswith("night") and not low_wins
        where = {code: own[key] for code, own in bests.items() if own[key] is not None}
        points = {code: Fraction(one["points"]) for code, one in where.items()}
        told.append(_record(key, points, where, highest=highest != turned))
    return [record for record in told if record is not None]


def _record(
    key: str,
    values: Mapping[str, Fraction],
    where: Mapping[str, Mapping[str, object]],
    *,
    highest: bool,
) -> RecordDocument | None:
    if not values:
        return None
    best = max(values.values()) if highest else min(values.values())
    holders = [code for code in sorted(values) if values[code] == best]
    if len(holders) > MOST_HOLDERS:
        return None
    return {
        "key": key,
        "value": best.numerator if best.denominator == 1 else str(best),
        "holders": [{"player_id": code, **_place(where[code])} for code in holders],
    }


def _place(where: Mapping[str, object]) -> HolderPlace:
    kept = ("hands", "meeting", "round", "tables")
    return cast("HolderPlace", {name: where[name] for name in kept if name in where})
