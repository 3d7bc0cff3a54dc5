"""Counted results (best n of m, byes, what earlier stages carry over) and refused schemes.

See docs/algorithms/standings.md.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod
from operator import itemgetter
from typing import Final, TypeAlias

from scoring.errors import Problem
from scoring.json_types import JsonObject
from scoring.standings.metrics import PRIMARIES, Metric
from scoring.standings.rows import PLACES, Key, Sums, Worth, in_play_order
from scoring.standings.tie_breaks import TIE_BREAKS

Played: TypeAlias = tuple[Key, str | None, Worth]
"""One game of one entrant: which, at which meeting (an ISO date, or None), and its worth."""

BYE_AWARDS: Final = ("none", "scheme_mean", "own_mean")
"""Values of a bye; the first is the default."""

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


_ADDED: Final = (
    "games",
    "hands",
    "points",
    "shared_wins",
    "win_share",
    "beaten",
    "moons",
    "moons_against",
    "difference",
    "uncounted",
    "place_points",
    "byes",
    "without_games",
)

UNITS: Final = ("meeting", "game")
"""Units that `best_of` can drop."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """The order that an event asks for: keys of the registries, as they are stored.

    `placement` has the event's list of place points by size of table (2 = two sides); `duplicate`
    says that all tables play the same deals.
    """

    primary: str
    tie_breaks: Sequence[str] = ()
    placement: Mapping[int, Sequence[int]] = field(default_factory=dict)
    mixed_raw: bool = False
    drop_worst: int = 0
    best_of: JsonObject | None = None
    min_games: int = 0
    bye_award: str = "none"
    seed: str = ""
    duplicate: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of the event's tables, played or planned.

    Args:
        variants: how many different games (variant and options).
        sizes: how many finish at each table, once each size: 4; with two sides 2.
        has_points_only: whether some sheet has totals only, so that the shooter is unknown.
        has_unknown_hands: whether some game has an unknown number of hands.
        hands_differ: whether entrants may have played different numbers of hands.
        is_complex: whether some game is scored in complex numbers.
        has_sides: whether partners play against others.
    """

    variants: int = 1
    sizes: tuple[int, ...] = (4,)
    has_points_only: bool = False
    has_unknown_hands: bool = False
    hands_differ: bool = False
    is_complex: bool = False
    has_sides: bool = False


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

    Return keys; at least one game remains. Of units of equal worth the later by date is dropped, of
    one day that of the later round or table, whatever number its evening got; a unit of unknown
    worth is the worst.

    See docs/algorithms/standings.md; the settings are `drop_worst` and `best_of`.

    >>> worth = lambda n: Worth(1, 1, n, 4, None, Fraction(0), Fraction(0), None, 0, 0)
    >>> games = [((n, 1), None, worth(points)) for n, points in enumerate([9, 30, 9, 30], 1)]
    >>> sorted(dropped(games, primary="raw_total", drop_worst=1))
    [(4, 1)]
    >>> rule = {"unit": "game", "min": 2, "per": 1}
    >>> sorted(dropped(games, primary="raw_total", best_of=rule))
    [(2, 1), (4, 1)]
    >>> imported = [((1, 1), "2026-11-20", worth(9)), ((2, 1), "2026-10-16", worth(9))]
    >>> sorted(dropped(imported, primary="raw_total", drop_worst=1))
    [(1, 1)]
    """
    unit = "game" if best_of is None else best_of["unit"]
    units: dict[object, list[Played]] = {}
    for key, meeting, worth in in_play_order(games, itemgetter(0, 1)):
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
    ends = Counter(worth.place for worth in worths)
    ends[1] += sum(worth.firsts for worth in worths)
    nothing = Fraction(0)
    return Sums(
        code=code,
        games=sum(worth.games for worth in worths),
        hands=sum(worth.hands for worth in worths),
        points=sum(worth.points for worth in worths),
        places=tuple(ends[place] for place in range(1, PLACES + 1)),
        shared_wins=sum(1 for worth in worths if worth.place == 1 and worth.shared > 1),
        win_share=sum((worth.win_share for worth in worths), nothing),
        beaten=sum((worth.beaten for worth in worths), nothing),
        moons=sum(worth.moons for worth in worths),
        moons_against=sum(worth.moons_against for worth in worths),
        difference=sum(worth.difference for worth in worths),
        uncounted=sum(worth.uncounted for worth in worths),
        without_games=sum(worth.without_games for worth in worths),
        place_points=sum((worth.place_points or nothing for worth in worths), nothing),
        byes=byes,
        index=sum(indices, nothing) if len(indices) == len(worths) else None,
    )


def opening_worth(
    primary: str,
    value: int | Fraction,
    games: int | None = None,
    wins: int | None = None,
    hands: int | None = None,
) -> Worth:
    """Return an entrant's total from before as a value that counts like a game.

    Args:
        value: total in the unit of the primary value; of means the total over games or hands.
        games, wins, hands: as far as they are known; tables won that are not known are none, but
            where they are the value itself.

    >>> worth = opening_worth("placement_points", Fraction(13), games=4, wins=2)
    >>> sums = kept("a", [((0, 1), "2026-10-06", worth)])
    >>> str(sums.place_points), sums.games, sums.places[:2], str(sums.win_share)
    ('13', 4, (2, 0), '2')
    """
    opening = PRIMARIES[primary].opening
    nothing = Fraction(0)
    if wins is None:
        wins = int(value) if primary == "wins" else 0
    worth = Worth(
        place=0,
        shared=1,
        points=0,
        hands=hands or 0,
        place_points=nothing,
        beaten=nothing,
        win_share=Fraction(wins),
        index=nothing,
        moons=0,
        moons_against=0,
        games=games or 0,
        firsts=wins,
    )
    if opening is None:
        return worth
    amount = value if opening.field == "points" else Fraction(value)
    without_games = 0 if games else amount
    return replace(worth, without_games=without_games, **{opening.field: amount})  # type: ignore[arg-type]


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
    """Return the primary value of the games that count with the worth of the entrant's byes.

    The own mean is that of the games, or matches, whose number is known. Without any a bye is worth
    nothing: it waits for the number of games of a value from before.
    """
    if award == "none" or not sums.byes:
        return value
    if award == "own_mean":
        mean = metric.mean(value, sums)
        if metric.is_mean or mean is None:
            return value
        return value + sums.byes * mean
    if not can_award(award, metric.key) or scheme_mean is None:
        raise ValueError(f"a bye cannot be worth {award} under {metric.key}")
    return value + sums.byes * scheme_mean


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


def weighted(sums: Sequence[tuple[int | Fraction, Sums]]) -> Sums:
    """Return sums in which each part counts as often as its weight says; exact.

    Counts (games, hands) may become fractions: half a game. Such sums make a
    primary value and are shown nowhere. With whole weights they stay whole.

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


def refusals(scheme: Scheme, facts: Facts) -> list[Problem]:
    """The reasons for which the tables cannot give the scheme; empty if they can.

    Each problem names in `at` the setting, and the place in the tie-break order.

    >>> [problem.code for problem in refusals(Scheme("wins", ["moons_shot"]), Facts())]
    []
    >>> found = refusals(Scheme("wins", ["moons_shot"]), Facts(has_points_only=True))
    >>> [(problem.code, problem.at) for problem in found]
    [('moons_not_known', ('tie_breaks', 0))]
    """
    return [*_primary(scheme, facts), *_tie_breaks(scheme, facts), *_counting(scheme)]


def warnings(tie_breaks: Sequence[str], *, has_playoff: bool = False) -> list[Problem]:
    """Warnings about chosen tie-breaks, maybe of an event with play-offs; none forbids the choice.

    >>> [problem.code for problem in warnings(["h2h"])], warnings(["h2h", "lot"])
    (['ties_stay'], [])
    """
    problems = []
    if "lot" not in tie_breaks:
        facts = {"chain": ", ".join(tie_breaks), "always": "lot"}
        problems.append(Problem("ties_stay", ("tie_breaks",), facts))
        return problems
    place = list(tie_breaks).index("lot")
    if rest := list(tie_breaks)[place + 1 :]:
        facts = {"found": ", ".join(rest)}
        problems.append(Problem("never_asked", ("tie_breaks", place + 1), facts))
    if has_playoff:
        problems.append(Problem("lot_waits_for_playoff", ("tie_breaks", place)))
    return problems


def _primary(scheme: Scheme, facts: Facts) -> Iterator[Problem]:
    metric = PRIMARIES.get(scheme.primary)
    if metric is None:
        unknown = {"found": scheme.primary, "known": ", ".join(PRIMARIES)}
        yield Problem("unknown_criterion", ("primary",), unknown)
        return
    yield from _needs(metric.needs, metric.name, ("primary",), scheme, facts)


def _tie_breaks(scheme: Scheme, facts: Facts) -> Iterator[Problem]:
    for place, key in enumerate(scheme.tie_breaks):
        at = ("tie_breaks", place)
        if key in scheme.tie_breaks[:place]:
            yield Problem("criterion_twice", at, {"found": key})
        elif key not in TIE_BREAKS:
            criteria = ", ".join(TIE_BREAKS)
            yield Problem("unknown_criterion", at, {"found": key, "known": criteria})
        else:
            yield from _needs(TIE_BREAKS[key].needs, TIE_BREAKS[key].name, at, scheme, facts)


def _counting(scheme: Scheme) -> Iterator[Problem]:
    if scheme.bye_award not in BYE_AWARDS or not can_award(scheme.bye_award, scheme.primary):
        facts = {"found": scheme.bye_award, "primary": scheme.primary}
        yield Problem("bye_award_not_possible", ("bye_award",), facts)
    if scheme.drop_worst < 0:
        yield Problem("bad_drop", ("drop_worst",), {"found": scheme.drop_worst})
    if scheme.best_of is None:
        return
    if scheme.drop_worst > 0:
        yield Problem("dropped_twice", ("best_of",), {"found": scheme.drop_worst})
    rule = scheme.best_of
    if (
        set(rule) != {"unit", "min", "per"}
        or rule["unit"] not in UNITS
        or any(type(rule[key]) is not int or rule[key] < 1 for key in ("min", "per"))
    ):
        yield Problem("bad_best_of", ("best_of",), {"found": str(dict(rule))})


def _needs(
    needs: frozenset[str], name: str, at: tuple[str | int, ...], scheme: Scheme, facts: Facts
) -> Iterator[Problem]:
    for code, details in _missing(needs, scheme, facts):
        yield Problem(code, at, {"what": name, **details})


def _missing(
    needs: frozenset[str], scheme: Scheme, facts: Facts
) -> Iterator[tuple[str, dict[str, int | str]]]:
    sizes = sorted(set(facts.sizes))
    sizes_text = ", ".join(map(str, sizes))
    compares_raw = not scheme.mixed_raw
    has_dropped = bool(scheme.drop_worst or scheme.best_of)
    # A need, whether it is not met, and the code and facts of the problem then.
    checks: list[tuple[str, bool, str, dict[str, int | str]]] = [
        ("scores", facts.is_complex, "scores_have_no_order", {}),
        ("hands", facts.has_unknown_hands, "hands_not_known", {}),
        ("equal_hands", facts.hands_differ, "hands_differ", {}),
        (
            "one_game",
            compares_raw and facts.variants > 1,
            "raw_over_games",
            {"found": facts.variants},
        ),
        ("one_game", compares_raw and len(sizes) > 1, "raw_over_sizes", {"found": sizes_text}),
    ]
    for size in sizes:
        n_points = len(scheme.placement.get(size, ()))
        has_list = size in scheme.placement
        wrong = {"size": size, "found": n_points}
        checks += [
            ("placement", not has_list, "no_placement_list", {"size": size}),
            ("placement", has_list and n_points != size, "bad_placement_list", {**wrong}),
        ]
    checks += [
        ("moons", facts.has_points_only, "moons_not_known", {}),
        ("sides", not facts.has_sides, "no_sides", {}),
        ("boards", not scheme.duplicate, "no_boards", {}),
        ("boards", has_dropped, "boards_not_dropped", {}),
        ("matches", has_dropped, "matches_not_dropped", {}),
        ("seed", not scheme.seed, "no_seed", {}),
    ]
    return ((code, details) for need, holds, code, details in checks if holds and need in needs)
