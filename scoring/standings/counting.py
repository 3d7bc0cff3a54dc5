"""Counted results: best n of m, byes, and what earlier stages carry over.

See docs/algorithms/standings.md.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from operator import itemgetter
from typing import Final, TypeAlias

from scoring.json_types import JsonObject
from scoring.standings.metrics import PRIMARIES, Metric
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
        drop_worst: so many of the worst games, once there are more than that.
        best_of: `{"unit": "meeting" or "game", "min": m, "per": p}`: of n units one for each p
            beyond m. A game without a meeting is an evening by itself.

    Keys; at least one game is left. Of units worth the same the later is dropped; one whose worth
    is not known is the worst.

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
    for key, meeting, worth in sorted(games, key=itemgetter(0)):
        name = meeting if unit == "meeting" and meeting else key
        units.setdefault(name, []).append((key, meeting, worth))
    number = len(units) - number_counted(len(units), drop_worst=drop_worst, best_of=best_of)
    if not number:
        return frozenset()
    metric = PRIMARIES[primary]
    sign = -1 if metric.is_ascending(low_wins=low_wins) else 1

    def merit(unit: Sequence[Played]) -> tuple[bool, Fraction]:
        value = metric.value(kept("", unit))
        return value is not None, sign * (value or Fraction(0))

    later_first = reversed(list(units.values()))
    worst = sorted(later_first, key=merit)[:number]
    return frozenset(key for unit in worst for key, _, _ in unit)


def number_counted(n_units: int, *, drop_worst: int = 0, best_of: JsonObject | None = None) -> int:
    """The number of an entrant's `n_units` (games or meetings) that count.

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


BYE_AWARDS: Final = ("none", "scheme_mean", "own_mean")
"""What an event can give for a bye; nothing is the default."""


def can_award(award: str, primary: str) -> bool:
    """Return whether a bye can be worth `award` in an event ordered by `primary`.

    `scheme_mean` is a number of place points, so that it goes with placement points only;
    `own_mean` goes with every primary value: totals grow by it, means stay what they are.

    >>> [can_award("scheme_mean", key) for key in ("placement_points", "wins", "beaten_mean")]
    [True, False, False]
    """
    return award != "scheme_mean" or primary == "placement_points"


def mean_of_scheme(scheme: Sequence[int]) -> Fraction:
    """The mean value of a place.

    >>> mean_of_scheme([5, 3, 2, 1])
    Fraction(11, 4)
    """
    return Fraction(sum(scheme), len(scheme))


def with_byes(
    value: Fraction, sums: Sums, metric: Metric, *, award: str, scheme_mean: Fraction | None
) -> Fraction:
    """Return the primary value of the games that count with the worth of the entrant's byes."""
    if award == "none" or not sums.byes:
        return value
    if award == "own_mean":
        return value if metric.is_mean or not sums.games else value + sums.byes * value / sums.games
    if not can_award(award, metric.key) or scheme_mean is None:
        raise ValueError(f"a bye cannot be worth {award} under {metric.key}")
    return value + sums.byes * scheme_mean


CARRIES: Final[Mapping[str, Fraction]] = {
    "all": Fraction(1),
    "half": Fraction(1, 2),
    "none": Fraction(0),
    "seeding": Fraction(0),
}
"""What a stage carries over → the weight of the games before it. `seeding` is `none`: the games
before give the order of the draw and nothing else."""


@dataclass(frozen=True, slots=True)
class CarryRule:
    """A stage that does not count everything: its rounds, and a weight for the games before them.

    `codes` has who plays in it; None is everybody.
    """

    rounds: frozenset[int]
    factor: Fraction
    codes: frozenset[str] | None = None


def carry_lines(
    code: str, rounds: Collection[int], rules: Sequence[CarryRule]
) -> tuple[tuple[int, Fraction], ...]:
    """Return from which round on an entrant's earlier games count less, with the factor.

    A stage's rule holds from the entrant's first game in it. Until then the games count as they
    did, so that nobody loses the place that they went on with before they have played.

    Args:
        rounds: those in which the entrant has played.
        rules: in the order of the stages.

    >>> half = CarryRule(frozenset({2, 3}), Fraction(1, 2))
    >>> none = CarryRule(frozenset({4}), Fraction(0), frozenset({"b"}))
    >>> carry_lines("a", {1, 3}, [half, none]), carry_lines("b", {1}, [half, none])
    (((3, Fraction(1, 2)),), ())
    """
    lines = []
    for rule in rules:
        played = rule.rounds.intersection(rounds)
        if played and (rule.codes is None or code in rule.codes):
            lines.append((min(played), rule.factor))
    return tuple(lines)


def weight(round_: int, lines: Iterable[tuple[int, Fraction]]) -> Fraction:
    """The weight of a game or a bye of a round: the product over the later `carry_lines`.

    >>> lines = [(2, Fraction(1, 2)), (4, Fraction(1, 2))]
    >>> [str(weight(round_, lines)) for round_ in (1, 2, 3, 4)]
    ['1/4', '1/2', '1/2', '1']
    """
    return prod((factor for first, factor in lines if round_ < first), start=Fraction(1))


def weighted(sums: Sequence[tuple[Fraction, Sums]]) -> Sums:
    """Return sums in which each part counts as often as its weight says; exact.

    What counts whole things (games, hands) may be a fraction here: half a game. Such sums make a
    primary value and are shown nowhere.

    >>> one = Sums("a", 2, 8, 26, (1,), 0, Fraction(1), Fraction(1), 0, 0, byes=1)
    >>> half = weighted([(Fraction(1, 2), one), (Fraction(1), one)])
    >>> half.points, half.games, half.byes
    (Fraction(39, 1), Fraction(3, 1), Fraction(3, 2))
    """
    added = {name: sum(weight * getattr(part, name) for weight, part in sums) for name in _ADDED}
    counting = [(weight, part.index) for weight, part in sums if weight]
    indices = [weight * index for weight, index in counting if index is not None]
    places = tuple(
        sum(weight * part.places[at] for weight, part in sums if at < len(part.places))
        for at in range(PLACES)
    )
    index = sum(indices, Fraction(0)) if len(indices) == len(counting) else None
    return replace(sums[0][1], **added, places=places, index=index)  # type: ignore[arg-type]


_ADDED: Final = (
    "games", "hands", "points", "shared_wins", "win_share", "beaten", "moons", "moons_against",
    "difference", "uncounted", "place_points", "byes",
)  # fmt: skip
