"""Evening points counted naively, for comparison: by all combinations, from card points on.

It shares no code with what it is compared with.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

TableTotals = Mapping[str, int]
"""Card points of those at one table, by code; fewer are better."""


@dataclass(frozen=True)
class NaiveRules:
    """How a league counts; `best` evenings of all, or of each `period`, and `best_periods`.

    `excuse` says what an excused evening gives, `excuse_points` how much if that is fixed.
    """

    table_points: Sequence[int] = (5, 3, 2, 1)
    places: Sequence[int] = ()
    best: int = 0
    period: int = 0
    best_periods: int = 0
    excuse: str = "nothing"
    excuse_points: int = 0


@dataclass(frozen=True)
class NaiveEvening:
    """One evening: its tables, and who was excused, whether they played or not."""

    tables: Sequence[TableTotals]
    excused: Collection[str] = ()


def naive_league(
    evenings: Sequence[NaiveEvening], rules: NaiveRules, guests: Collection[str] = ()
) -> list[tuple[int, str, Fraction]]:
    """Return (place, code, value) of a league without tie-breaks, by place and code."""
    played = [_points_of(evening, rules, guests) for evening in evenings]
    points = [
        _with_excused(number, evening, played, rules, guests)
        for number, evening in enumerate(evenings)
    ]
    codes = sorted({code for of_evening in points for code in of_evening})
    totals = {code: _total(code, points, rules) for code in codes}
    table = []
    for code in codes:
        place = 1 + sum(1 for other in codes if totals[other] > totals[code])
        table.append((place, code, totals[code]))
    return sorted(table)


def naive_evenings_won(
    evenings: Sequence[NaiveEvening], rules: NaiveRules, guests: Collection[str] = ()
) -> dict[str, tuple[int, int]]:
    """Return how many evenings each member has won and in how many they were second, by code."""
    counts: dict[str, tuple[int, int]] = {}
    for evening in evenings:
        scores = _scores_of(evening, rules)
        members = [code for code in scores if code not in guests]
        for code in members:
            n_better = sum(1 for other in members if scores[other] > scores[code])
            won, second = counts.get(code, (0, 0))
            counts[code] = (won + (n_better == 0), second + (n_better == 1))
    return counts


def _scores_of(evening: NaiveEvening, rules: NaiveRules) -> dict[str, Fraction]:
    scores: dict[str, Fraction] = {}
    for table in evening.tables:
        for code, total in table.items():
            better = sum(1 for other in table.values() if other < total)
            equal = sum(1 for other in table.values() if other == total)
            taken = [rules.table_points[better + step] for step in range(equal)]
            scores[code] = scores.get(code, Fraction(0)) + Fraction(sum(taken), equal)
    return scores


def _points_of(
    evening: NaiveEvening, rules: NaiveRules, guests: Collection[str]
) -> dict[str, Fraction]:
    scores = _scores_of(evening, rules)
    members = [code for code in scores if code not in guests]
    n = len(members)
    result = {}
    for code in members:
        better = sum(1 for other in members if scores[other] > scores[code])
        equal = sum(1 for other in members if scores[other] == scores[code])
        taken = []
        for place in range(better + 1, better + equal + 1):
            if not rules.places:
                taken.append(n - place + 1)
            elif place <= len(rules.places):
                taken.append(rules.places[place - 1])
        result[code] = Fraction(sum(taken), equal)
    return result


def _with_excused(
    number: int,
    evening: NaiveEvening,
    played: Sequence[Mapping[str, Fraction]],
    rules: NaiveRules,
    guests: Collection[str],
) -> dict[str, Fraction]:
    result = dict(played[number])
    for code in evening.excused:
        own = [of_evening[code] for of_evening in played if code in of_evening]
        if code in played[number] or code in guests or rules.excuse == "nothing":
            continue
        if rules.excuse == "mean" and not own:
            continue
        if rules.excuse == "fixed":
            result[code] = Fraction(rules.excuse_points)
        elif rules.excuse == "mean":
            result[code] = sum(own, Fraction(0)) / len(own)
        else:
            result[code] = min(played[number].values(), default=Fraction(0))
    return result


def _total(code: str, points: Sequence[Mapping[str, Fraction]], rules: NaiveRules) -> Fraction:
    length = rules.period or len(points)
    of_periods = []
    for first in range(0, len(points), length):
        own = [evening[code] for evening in points[first : first + length] if code in evening]
        if own:
            of_periods.append(_best_sum(own, rules.best))
    return _best_sum(of_periods, rules.best_periods)


def _best_sum(values: Sequence[Fraction], n_best: int) -> Fraction:
    if not n_best or len(values) <= n_best:
        return sum(values, Fraction(0))
    return max(sum(chosen, Fraction(0)) for chosen in combinations(values, n_best))
