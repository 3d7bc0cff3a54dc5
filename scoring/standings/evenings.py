"""Points for the place of each evening, for excused evenings, and evenings counted in periods.

Pure. An evening gives one value to each entrant who was ranked in it or was excused. See
docs/algorithms/standings.md.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from scoring.json_types import JsonObject
from scoring.standings.rows import EveningWorth, GameResult, PeriodValue, Worth, share_of

Tiers: TypeAlias = Sequence[Sequence[str]]
"""The codes that share each place, the best first."""

EXCUSES: Final = ("nothing", "lowest", "mean", "fixed")
"""What an excused evening may give: nothing, the lowest points that were given that evening, the
entrant's own mean over the evenings played, or the same number of points to everybody."""


@dataclass(frozen=True, slots=True)
class PlacedEvening:
    """One evening: its day (ISO), the number of its last round, and its places.

    `excused` are the codes of those who were excused; who has a place gets the points of that.
    """

    day: str
    last_round: int
    tiers: Tiers
    excused: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class ExcuseRule:
    """What an excused evening gives: one of `EXCUSES`, and the `points` of `fixed`."""

    gives: str = "nothing"
    points: int = 0


@dataclass(frozen=True, slots=True)
class Period:
    """A run of evenings that are counted together; `is_complete` once it has all its evenings."""

    number: int
    days: tuple[str, ...]
    is_complete: bool


@dataclass(frozen=True, slots=True)
class CountedEvenings:
    """The days of one entrant that do not count, and the value of each period."""

    left_out: frozenset[str] = frozenset()
    periods: tuple[PeriodValue, ...] = ()


def points_of_places(tiers: Tiers, points: Sequence[int] = ()) -> dict[str, Fraction]:
    """Return the points of each entrant of one evening; those who share places share their points.

    Args:
        points: for 1st, 2nd, …; places after the list get nothing. Empty: as many as are ranked,
            less the place, plus one.

    >>> tiers = [["A"], ["B", "C"], ["D"]]
    >>> {code: str(value) for code, value in points_of_places(tiers).items()}
    {'A': '4', 'B': '5/2', 'C': '5/2', 'D': '1'}
    >>> {code: str(value) for code, value in points_of_places(tiers, [6, 3]).items()}
    {'A': '6', 'B': '3/2', 'C': '3/2', 'D': '0'}
    """
    n_ranked = sum(map(len, tiers))
    scheme = list(range(n_ranked, 0, -1))
    if points:
        scheme = [*points, *[0] * (n_ranked - len(points))]
    result: dict[str, Fraction] = {}
    place = 1
    for tier in tiers:
        share = share_of(place, len(tier), scheme)
        result.update(dict.fromkeys(tier, share))
        place += len(tier)
    return result


def evening_results(
    evenings: Sequence[PlacedEvening],
    points: Sequence[int] = (),
    *,
    guests: Collection[str] = (),
    excuse: ExcuseRule = ExcuseRule(),
) -> list[GameResult]:
    """Return each evening as one result without a game, for those who get points of it.

    Guests get 0: the others have the places among themselves. An entrant who has played none of the
    evenings has no mean, and gets nothing by that rule. The key is (last round, 0), which is that
    of no table.

    >>> evenings = [
    ...     PlacedEvening("2026-01-08", 3, [["G"], ["A"], ["B"]]),
    ...     PlacedEvening("2026-01-15", 5, [["B"], ["C"]], excused=["A", "G"]),
    ... ]
    >>> rule = ExcuseRule("lowest")
    >>> results = evening_results(evenings, [5, 3, 1], guests={"G"}, excuse=rule)
    >>> for code, worth in results[1].chairs.items():
    ...     print(code, worth.evening.points, worth.evening.place)
    A 3 0
    B 5 1
    C 3 2
    """
    placed = [worths_of_places(evening.tiers, points, guests) for evening in evenings]
    played: dict[str, list[Fraction]] = defaultdict(list)
    for worths in placed:
        for code, worth in worths.items():
            played[code].append(worth.points)

    results = []
    for evening, worths in zip(evenings, placed, strict=True):
        every = dict(worths)
        played_by_guests = {code for tier in evening.tiers for code in tier}.difference(worths)
        every.update(dict.fromkeys(played_by_guests, EveningWorth(Fraction(0))))
        for code in evening.excused:
            if code in worths or code in guests:
                continue
            award = _points_of_excuse(excuse, worths, played.get(code, ()))
            if award is not None:
                every[code] = EveningWorth(award, place=0, evenings=0)
        chairs = {code: worth_of_evening(every[code]) for code in sorted(every)}
        results.append(GameResult((evening.last_round, 0), evening.day, chairs))
    return results


def worths_of_places(
    every_tier: Tiers, points: Sequence[int] = (), guests: Collection[str] = ()
) -> dict[str, EveningWorth]:
    """Return what the places of an evening give to those who are no guests.

    >>> worths = worths_of_places([["A"], ["G"], ["B"]], guests={"G"})
    >>> {code: (worth.place, str(worth.points)) for code, worth in worths.items()}
    {'A': (1, '2'), 'B': (2, '1')}
    """
    tiers = []
    for tier in every_tier:
        members = [code for code in tier if code not in guests]
        if members:
            tiers.append(members)

    worths: dict[str, EveningWorth] = {}
    values = points_of_places(tiers, points)
    place = 1
    for tier in tiers:
        worths.update(dict.fromkeys(tier, EveningWorth(values[tier[0]], place)))
        place += len(tier)
    return worths


def _points_of_excuse(
    rule: ExcuseRule, worths: Mapping[str, EveningWorth], played: Sequence[Fraction]
) -> Fraction | None:
    """Return the points of an excused evening, None if it gives nothing.

    Args:
        worths: what the evening gave to those who have a place in it; maybe to nobody.
        played: the points of the evenings that the entrant has played.
    """
    if rule.gives == "nothing":
        return None
    if rule.gives == "lowest":
        return min((worth.points for worth in worths.values()), default=Fraction(0))
    if rule.gives == "mean" and not played:
        return None
    if rule.gives == "mean":
        return sum(played, start=Fraction(0)) / len(played)
    return Fraction(rule.points)


def worth_of_evening(evening: EveningWorth) -> Worth:
    """Return the worth of an evening as such: it adds points of the evening and no game."""
    nothing = Fraction(0)
    return Worth(
        place=0,
        shared=1,
        points=0,
        hands=0,
        place_points=None,
        beaten=nothing,
        win_share=nothing,
        index=nothing,
        moons=0,
        moons_against=0,
        games=0,
        evening=evening,
    )


def periods_of(days: Collection[str], length: int) -> list[Period]:
    """Return the periods of the evenings on these days, so many evenings each, by date.

    >>> [period.days for period in periods_of(["2026-01-08", "2026-01-01", "2026-01-15"], 2)]
    [('2026-01-01', '2026-01-08'), ('2026-01-15',)]
    """
    in_order = sorted(set(days))
    periods = []
    for first in range(0, len(in_order), length):
        part = tuple(in_order[first : first + length])
        number = 1 + first // length
        periods.append(Period(number, part, is_complete=len(part) == length))
    return periods


def count_evenings(
    values: Mapping[str, Fraction],
    *,
    best_of: JsonObject | None = None,
    periods: Sequence[Period] = (),
    best_periods: int = 0,
) -> CountedEvenings:
    """Return which evenings of one entrant do not count, and what each period is worth.

    Without periods the rule of the best results holds over all evenings; with them, in each by
    itself, and then so many of the best periods count (0: all). Of equal ones the later is left
    out.

    Args:
        values: the points of the entrant by day.

    >>> points = {"01-01": 5, "01-08": 3, "01-15": 4, "01-22": 2}
    >>> values = {day: Fraction(value) for day, value in points.items()}
    >>> best = {"unit": "meeting", "min": 1, "per": 1}
    >>> sorted(count_evenings(values, best_of=best).left_out)
    ['01-08', '01-15', '01-22']
    >>> counted = count_evenings(values, best_of=best, periods=periods_of(values, 2))
    >>> sorted(counted.left_out), [str(period.value) for period in counted.periods]
    (['01-08', '01-22'], ['5', '4'])
    """
    if not periods:
        return CountedEvenings(_worst_days(sorted(values), values, best_of))

    left_out: set[str] = set()
    totals: dict[int, Fraction] = {}
    days_of: dict[int, list[str]] = defaultdict(list)
    for period in periods:
        days = [day for day in period.days if day in values]
        if not days:
            continue
        worst = _worst_days(days, values, best_of)
        left_out |= worst
        days_of[period.number] = days
        totals[period.number] = sum(
            (values[day] for day in days if day not in worst), start=Fraction(0)
        )

    out: list[int] = []
    if best_periods and len(totals) > best_periods:
        by_merit = sorted(totals, key=lambda number: (totals[number], -number))
        out = by_merit[: len(totals) - best_periods]
    for number in out:
        left_out.update(days_of[number])
    of_periods = tuple(
        PeriodValue(number, total, counts=number not in out) for number, total in totals.items()
    )
    return CountedEvenings(frozenset(left_out), of_periods)


def _worst_days(
    days: Sequence[str], values: Mapping[str, Fraction], best_of: JsonObject | None
) -> frozenset[str]:
    """The days that a rule of the best results leaves out; `days` are in order."""
    n_dropped = len(days) - number_counted(len(days), best_of=best_of)
    if n_dropped == 0:
        return frozenset()
    # The sort is stable: of equal days the later ones stay in front.
    by_merit = sorted(reversed(days), key=lambda day: values[day])
    return frozenset(by_merit[:n_dropped])


def number_counted(n_units: int, *, drop_worst: int = 0, best_of: JsonObject | None = None) -> int:
    """The number of an entrant's `n_units` (games or meetings) that count.

    >>> rule = {"unit": "meeting", "min": 5, "per": 2}
    >>> [number_counted(n, best_of=rule) for n in (4, 5, 9, 10, 15)]
    [4, 5, 7, 8, 10]
    >>> number_counted(9, drop_worst=2), number_counted(2, drop_worst=2)
    (7, 2)
    """
    if best_of is not None:
        n_beyond = max(0, n_units - best_of["min"])
        return n_units - int(n_beyond // best_of["per"])
    if n_units > drop_worst:
        return n_units - drop_worst
    return n_units
