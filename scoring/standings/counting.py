"""Counted results: the games that count for the primary value, and their total.

Pure. Dropped games stay in the row that is published and in every tie-break; only the primary
value is made without them. See docs/algorithms/standings.md.
"""

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import TypeAlias

from scoring.json_types import JsonObject
from scoring.standings.metrics import PRIMARIES
from scoring.standings.rows import PLACES, Key, Sums, Worth

Played: TypeAlias = tuple[Key, str | None, Worth]
"""One game of one entrant: which, at which meeting (an ISO date, or None), and its worth."""


def dropped(
    games: Sequence[Played],
    *,
    primary: str,
    low_wins: bool = True,
    drop_worst: int = 0,
    best_of: JsonObject | None = None,
) -> frozenset[Key]:
    """Return the games of one entrant that do not count.

    Args:
        games: all that the entrant played, in any order; byes are none.
        drop_worst: so many of the worst games, once there are more than that.
        best_of: `{"unit": "meeting" or "game", "min": m, "per": p}`: of n units one for each p
            beyond m. A game without a meeting is an evening by itself.

    Returns:
        Keys; at least one game is left. Of units worth the same the later is dropped; one whose
        worth is not known is the worst.

    See docs/algorithms/standings.md; the settings are `drop_worst` and `best_of`.

    >>> worth = lambda n: Worth(1, 1, n, 4, None, Fraction(0), Fraction(0), None, 0, 0)
    >>> games = [((n, 1), None, worth(points)) for n, points in enumerate([9, 30, 9, 30], 1)]
    >>> sorted(dropped(games, primary="raw_total", drop_worst=1))
    [(4, 1)]
    >>> rule = {"unit": "game", "min": 2, "per": 1}
    >>> sorted(dropped(games, primary="raw_total", best_of=rule))
    [(2, 1), (4, 1)]
    """
    unit = "game" if best_of is None else best_of["unit"]
    units: dict[object, list[Played]] = {}
    for played in sorted(games, key=lambda played: played[0]):
        key, meeting, _ = played
        units.setdefault(meeting if unit == "meeting" and meeting else key, []).append(played)
    number = len(units) - number_counted(len(units), drop_worst=drop_worst, best_of=best_of)
    if not number:
        return frozenset()
    metric = PRIMARIES[primary]
    sign = -1 if metric.is_ascending(low_wins=low_wins) else 1

    def merit(unit: Sequence[Played]) -> tuple[bool, Fraction]:
        value = metric.value(kept("", unit))
        return value is not None, Fraction(0) if value is None else sign * value

    later_first = reversed(list(units.values()))
    worst = sorted(later_first, key=merit)[:number]
    return frozenset(key for unit in worst for key, _, _ in unit)


def number_counted(n_units: int, *, drop_worst: int = 0, best_of: JsonObject | None = None) -> int:
    """Return how many of an entrant's `n_units` (games or meetings) count.

    >>> rule = {"unit": "meeting", "min": 5, "per": 2}
    >>> [number_counted(n, best_of=rule) for n in (4, 5, 9, 10, 15)]
    [4, 5, 7, 8, 10]
    >>> number_counted(9, drop_worst=2), number_counted(2, drop_worst=2)
    (7, 2)
    """
    if best_of is not None:
        return n_units - int(max(0, n_units - best_of["min"]) // best_of["per"])
    return n_units - (drop_worst if n_units > drop_worst else 0)


def kept(
    code: str, games: Sequence[Played], without: Collection[Key] = (), *, byes: int = 0
) -> Sums:
    """Return the sums of an entrant over its games but those `without`.

    `place_points` adds up the games for whose size there is a list; `index` is None where one game
    has none.

    >>> worth = Worth(1, 2, 20, 5, Fraction(4), Fraction(1), Fraction(1, 2), None, 1, 0)
    >>> sums = kept("a", [((1, 1), None, worth), ((2, 1), None, worth)], {(1, 1)}, byes=1)
    >>> sums.games, sums.points, sums.places[:2], sums.shared_wins, sums.index, sums.byes
    (1, 20, (1, 0), 1, None, 1)
    """
    worths = [worth for key, _, worth in games if key not in without]
    indices = [worth.index for worth in worths if worth.index is not None]
    nothing = Fraction(0)
    return Sums(
        code=code,
        games=len(worths),
        hands=sum(worth.hands for worth in worths),
        points=sum(worth.points for worth in worths),
        places=tuple(
            sum(1 for worth in worths if worth.place == place) for place in range(1, PLACES + 1)
        ),
        shared_wins=sum(1 for worth in worths if worth.place == 1 and worth.shared > 1),
        win_share=sum((worth.win_share for worth in worths), nothing),
        beaten=sum((worth.beaten for worth in worths), nothing),
        moons=sum(worth.moons for worth in worths),
        moons_against=sum(worth.moons_against for worth in worths),
        difference=sum(worth.difference for worth in worths),
        uncounted=sum(worth.uncounted for worth in worths),
        place_points=sum((worth.place_points or nothing for worth in worths), nothing),
        byes=byes,
        index=sum(indices, nothing) if len(indices) == len(worths) else None,
    )
