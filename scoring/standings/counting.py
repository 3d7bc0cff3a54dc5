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
from scoring.standings.evenings import Period, count_evenings, number_counted
from scoring.standings.metrics import EVENING_POINTS, PRIMARIES, Metric
from scoring.standings.rows import PLACES, EveningWorth, Key, Sums, Worth, in_play_order
from scoring.standings.tie_breaks import TIE_BREAKS

Played: TypeAlias = tuple[Key, str | None, Worth]
"""One game of one entrant: which, at which meeting (an ISO date, or None), and its worth."""

UNITS: Final = ("meeting", "game")
"""Units that `best_of` can drop."""

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
    "evening_points",
    "evenings",
    "evenings_won",
    "evenings_second",
)
"""Sums that add up when parts of an event are put together."""


@dataclass(frozen=True, slots=True)
class CarryRule:
    """A stage that does not count everything: its rounds, and a weight for the games before them.

    `codes` has who plays in it; None is everybody.
    """

    rounds: frozenset[int]
    factor: Fraction
    codes: frozenset[str] | None = None


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
    evening_ranking: str = "placement_points"
    min_unit: str = "game"
    period_evenings: int = 0
    best_periods: int = 0
    excused: str = "nothing"

    @property
    def games_ranked_by(self) -> str:
        """The value that orders by games: of the event, or of each evening."""
        if self.primary == EVENING_POINTS:
            return self.evening_ranking
        return self.primary


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of the event's tables, played or planned.

    Args:
        variants: how many different games (variant and options).
        sizes: how many finish at each table, once each size: 4; with two sides 2.
        has_points_only: whether some sheet has totals only, so that the shooter is unknown.
        has_unknown_hands: whether some game has an unknown number of hands.
        hands_differ: whether entrants may have played different numbers of hands;
            `hands_differ_in_evening`: within one evening.
        is_complex: whether some game is scored in complex numbers.
        has_sides: whether partners play against others.
        has_evening_tables: whether each evening is ranked by itself.
    """

    variants: int = 1
    sizes: tuple[int, ...] = (4,)
    has_points_only: bool = False
    has_unknown_hands: bool = False
    hands_differ: bool = False
    hands_differ_in_evening: bool = False
    is_complex: bool = False
    has_sides: bool = False
    has_evening_tables: bool = True


def dropped(
    games: Sequence[Played],
    *,
    primary: str,
    low_wins: bool = True,
    drop_worst: int = 0,
    best_of: JsonObject | None = None,
    periods: Sequence[Period] = (),
    best_periods: int = 0,
) -> frozenset[Key]:
    """Return the games of one entrant that do not count.

    Args:
        drop_worst: so many of the worst games, once there are more than that.
        best_of: `{"unit": "meeting" or "game", "min": m, "per": p}`: of n units one for each p
            beyond m. A game without a meeting is an evening by itself.
        periods, best_periods: of evening points; see `count_evenings`. There evenings are left out
            with their games, and a game without a meeting is of none.

    Return keys; at least one game remains. Of units of equal worth the later by date is dropped, of
    one day that of the later round or table, whatever number its evening got; a unit of unknown
    worth is the worst. The places of an evening are dropped with it, and with no single game.

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
    if primary == EVENING_POINTS:
        days = count_evenings(
            evening_values(games), best_of=best_of, periods=periods, best_periods=best_periods
        ).left_out
        return frozenset(key for key, meeting, _worth in games if meeting in days)

    drops_meetings = best_of is not None and best_of["unit"] == "meeting"
    units: dict[object, list[Played]] = {}
    for game in in_play_order(games, itemgetter(0, 1)):
        key, meeting, worth = game
        if drops_meetings and meeting:
            units.setdefault(meeting, []).append(game)
        elif worth.evening is None:
            units.setdefault(key, []).append(game)

    n_counted = number_counted(len(units), drop_worst=drop_worst, best_of=best_of)
    n_dropped = len(units) - n_counted
    if n_dropped == 0:
        return frozenset()

    metric = PRIMARIES[primary]
    is_ascending = metric.is_ascending(low_wins=low_wins)

    def merit(unit: Sequence[Played]) -> tuple[bool, Fraction]:
        """The sort key of a unit: the worst first, whether low or high values win."""
        value = metric.value(kept("", unit))
        if value is None:
            return False, Fraction(0)
        if is_ascending:
            return True, Fraction(-value)
        return True, Fraction(value)

    # The sort is stable: of units of equal merit the later ones stay in front, and are dropped.
    later_first = reversed(list(units.values()))
    worst = sorted(later_first, key=merit)[:n_dropped]
    return frozenset(key for unit in worst for key, _, _ in unit)


def evening_values(games: Sequence[Played]) -> dict[str, Fraction]:
    """Return the evening points of one entrant by day."""
    values: dict[str, Fraction] = {}
    for _key, meeting, worth in games:
        if meeting is not None and worth.evening is not None:
            values[meeting] = values.get(meeting, Fraction(0)) + worth.evening.points
    return values


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
    nothing = Fraction(0)
    worths = [worth for key, _, worth in games if key not in without]

    finishes = Counter(worth.place for worth in worths)
    # Wins from before the event, which no game of it stands for.
    finishes[1] += sum(worth.firsts for worth in worths)

    indices = [worth.index for worth in worths if worth.index is not None]
    index = None
    if len(indices) == len(worths):
        index = sum(indices, nothing)

    evenings = [worth.evening for worth in worths if worth.evening is not None]

    return Sums(
        code=code,
        games=sum(worth.games for worth in worths),
        hands=sum(worth.hands for worth in worths),
        points=sum(worth.points for worth in worths),
        places=tuple(finishes[place] for place in range(1, PLACES + 1)),
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
        index=index,
        evening_points=sum((evening.points for evening in evenings), nothing),
        evenings=sum(evening.evenings for evening in evenings),
        evenings_won=sum(1 for evening in evenings if evening.place == 1),
        evenings_second=sum(1 for evening in evenings if evening.place == 2),
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
    n_wins = 0
    if wins is not None:
        n_wins = wins
    elif primary == "wins":
        n_wins = int(value)
    nothing = Fraction(0)
    worth = Worth(
        place=0,
        shared=1,
        points=0,
        hands=hands or 0,
        place_points=nothing,
        beaten=nothing,
        win_share=Fraction(n_wins),
        index=nothing,
        moons=0,
        moons_against=0,
        games=games or 0,
        firsts=n_wins,
    )
    if primary == EVENING_POINTS:
        return replace(worth, evening=EveningWorth(Fraction(value)))
    opening = PRIMARIES[primary].opening
    if opening is None:
        return worth
    # Points may stay whole numbers; all other fields are fractions.
    amount = value if opening.field == "points" else Fraction(value)
    without_games: int | Fraction = 0
    if not games:
        without_games = amount
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
    added = {}
    for name in _ADDED:
        added[name] = sum(factor * getattr(part, name) for factor, part in sums)

    places: list[int | Fraction] = [0] * PLACES
    for factor, part in sums:
        for at, count in enumerate(part.places[:PLACES]):
            places[at] += factor * count

    # A part without weight may have an unknown index; any other makes the sum unknown.
    counting = [(factor, part.index) for factor, part in sums if factor]
    indices = [factor * of_part for factor, of_part in counting if of_part is not None]
    index = None
    if len(indices) == len(counting):
        index = sum(indices, Fraction(0))

    _factor, first = sums[0]
    return replace(first, **added, places=tuple(places), index=index)  # type: ignore[arg-type]


def refusals(scheme: Scheme, facts: Facts) -> list[Problem]:
    """The reasons for which the tables cannot give the scheme; empty if they can.

    Each problem names in `at` the setting, and the place in the tie-break order.

    >>> [problem.code for problem in refusals(Scheme("wins", ["moons_shot"]), Facts())]
    []
    >>> found = refusals(Scheme("wins", ["moons_shot"]), Facts(has_points_only=True))
    >>> [(problem.code, problem.at) for problem in found]
    [('moons_not_known', ('tie_breaks', 0))]
    """
    return [
        *_primary(scheme, facts),
        *_evening_ranking(scheme, facts),
        *_tie_breaks(scheme, facts),
        *_counting(scheme),
        *_evenings(scheme),
    ]


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
    rest = tie_breaks[place + 1 :]
    if rest:
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


def _evening_ranking(scheme: Scheme, facts: Facts) -> Iterator[Problem]:
    """Ask of an evening what is asked of an event that is ranked by its value.

    All games of an evening count for its places, and what is dropped later are whole evenings.
    """
    if scheme.primary != EVENING_POINTS:
        return
    metric = PRIMARIES.get(scheme.evening_ranking)
    if metric is None or metric.key == EVENING_POINTS:
        known = ", ".join(key for key in PRIMARIES if key != EVENING_POINTS)
        unknown = {"found": scheme.evening_ranking, "known": known}
        yield Problem("unknown_criterion", ("evening_ranking",), unknown)
        return
    of_evening = replace(scheme, drop_worst=0, best_of=None)
    in_evening = replace(facts, hands_differ=facts.hands_differ_in_evening)
    yield from _needs(metric.needs, metric.name, ("evening_ranking",), of_evening, in_evening)


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
    primary = scheme.games_ranked_by
    if scheme.bye_award not in BYE_AWARDS or not can_award(scheme.bye_award, primary):
        facts = {"found": scheme.bye_award, "primary": primary}
        yield Problem("bye_award_not_possible", ("bye_award",), facts)
    if scheme.drop_worst < 0:
        yield Problem("bad_drop", ("drop_worst",), {"found": scheme.drop_worst})
    if scheme.best_of is None:
        return
    if scheme.drop_worst > 0:
        yield Problem("dropped_twice", ("best_of",), {"found": scheme.drop_worst})
    if not _is_best_of(scheme.best_of):
        yield Problem("bad_best_of", ("best_of",), {"found": str(dict(scheme.best_of))})


def _evenings(scheme: Scheme) -> Iterator[Problem]:
    """Yield why settings of evenings contradict each other, each at its own field."""
    if scheme.primary != EVENING_POINTS:
        if scheme.min_unit == "meeting":
            yield Problem("only_with_evening_points", ("min_unit",))
        if scheme.period_evenings:
            yield Problem("only_with_evening_points", ("period_evenings",))
        if scheme.best_periods:
            yield Problem("only_with_evening_points", ("best_periods",))
        if scheme.excused != "nothing":
            yield Problem("only_with_evening_points", ("excused",))
        return
    if scheme.drop_worst > 0:
        yield Problem("evenings_not_dropped_by_game", ("drop_worst",))
    if scheme.best_of is not None and scheme.best_of.get("unit") == "game":
        yield Problem("evenings_not_dropped_by_game", ("best_of",))
    if scheme.best_periods and not scheme.period_evenings:
        yield Problem("periods_without_evenings", ("best_periods",))
    if scheme.period_evenings and scheme.best_of and _is_best_of(scheme.best_of):
        n_counted = scheme.best_of["min"]
        if n_counted > scheme.period_evenings:
            facts = {"found": n_counted, "expected": scheme.period_evenings}
            yield Problem("more_than_a_period", ("best_of",), facts)


def _is_best_of(rule: JsonObject) -> bool:
    """Whether a stored rule has a unit and two positive whole numbers."""
    if set(rule) != {"unit", "min", "per"} or rule["unit"] not in UNITS:
        return False
    return all(type(rule[key]) is int and rule[key] >= 1 for key in ("min", "per"))


def _needs(
    needs: frozenset[str], name: str, at: tuple[str | int, ...], scheme: Scheme, facts: Facts
) -> Iterator[Problem]:
    for code, details in _missing(needs, scheme, facts):
        yield Problem(code, at, {"what": name, **details})


def _missing(
    needs: frozenset[str], scheme: Scheme, facts: Facts
) -> Iterator[tuple[str, dict[str, int | str]]]:
    """Yield the code and the facts of each need that the event does not meet."""
    if "scores" in needs and facts.is_complex:
        yield "scores_have_no_order", {}
    if "hands" in needs and facts.has_unknown_hands:
        yield "hands_not_known", {}
    if "equal_hands" in needs and facts.hands_differ:
        yield "hands_differ", {}
    if "one_game" in needs and not scheme.mixed_raw:
        yield from _mixed_games(facts)
    if "placement" in needs:
        yield from _wrong_placement_lists(scheme, facts)
    if "moons" in needs and facts.has_points_only:
        yield "moons_not_known", {}
    if "sides" in needs and not facts.has_sides:
        yield "no_sides", {}
    yield from _missing_boards(needs, scheme)
    if "evenings" in needs and scheme.primary != EVENING_POINTS and not facts.has_evening_tables:
        yield "no_evening_points", {}
    if "seed" in needs and not scheme.seed:
        yield "no_seed", {}


def _mixed_games(facts: Facts) -> Iterator[tuple[str, dict[str, int | str]]]:
    """Points as they were played compare only within one game, and at tables of one size."""
    if facts.variants > 1:
        yield "raw_over_games", {"found": facts.variants}
    sizes = sorted(set(facts.sizes))
    if len(sizes) > 1:
        yield "raw_over_sizes", {"found": ", ".join(map(str, sizes))}


def _wrong_placement_lists(
    scheme: Scheme, facts: Facts
) -> Iterator[tuple[str, dict[str, int | str]]]:
    for size in sorted(set(facts.sizes)):
        points = scheme.placement.get(size)
        if points is None:
            yield "no_placement_list", {"size": size}
        elif len(points) != size:
            yield "bad_placement_list", {"size": size, "found": len(points)}


def _missing_boards(
    needs: frozenset[str], scheme: Scheme
) -> Iterator[tuple[str, dict[str, int | str]]]:
    """Boards and matches compare results over all rounds, so that no round can be dropped."""
    has_dropped = bool(scheme.drop_worst or scheme.best_of)
    if "boards" in needs and not scheme.duplicate:
        yield "no_boards", {}
    if "boards" in needs and has_dropped:
        yield "boards_not_dropped", {}
    if "matches" in needs and has_dropped:
        yield "matches_not_dropped", {}
