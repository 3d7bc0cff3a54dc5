"""Whom an entrant met and how it went, and the entrant's best and worst of everything.

Both are made of the entrant's own games, so that a changed hand costs those who sit at its table.
Partners did not play against each other: they are not counted as met.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from scoring.numbers import ScoreJson
from scoring.standings.rows import GameResult, Worth
from tournaments.domain.standings.publication_head import compact
from tournaments.domain.standings.standings_documents import (
    BestsDocument,
    EncounterDocument,
    NightDocument,
    PointsBests,
)
from tournaments.models.events import Event
from tournaments.models.numbers import UNIT, as_json
from tournaments.models.standings import Aggregate, StoredHistory
from tournaments.publishing.history.work_units import Body, PendingWork, WorkUnit
from tournaments.publishing.standings.tie_break_evidence import StoredGames
from tournaments.selectors.hands.games import first_rounds_without_moons, known_moons
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.events.events import default_snapshot

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
    kept = StoredHistory.objects.filter(event=event, kind=BESTS)
    return {*played.values_list("entrant__code", flat=True), *kept.values_list("key", flat=True)}


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
        own = game.chairs[code]
        for other, theirs in game.chairs.items():
            if other != code and (own.side is None or own.side != theirs.side):
                met[other].append((own, theirs))
                if game.has_points:
                    before = ahead_by.get(other, Fraction(0))
                    ahead_by[other] = before + own.points - theirs.points
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
