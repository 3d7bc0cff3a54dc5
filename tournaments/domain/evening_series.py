"""The dates of a series of evenings: every week or every month on one weekday, without breaks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

from scoring.errors import Path, Problem, Refused, shown

INTERVALS: Final = {"week": 7, "two_weeks": 14, "four_weeks": 28, "day": 1}
"""Interval of the evenings of an event → its days."""
MONTH: Final = "month"
"""The interval from the second Thursday of a month to that of the next one."""
SERIES_INTERVALS: Final = (*INTERVALS, MONTH)

FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2999
MOST_EVENINGS: Final = 100
"""Maximum number of dates from the first to the last evening, with those in breaks."""
MOST_BREAKS: Final = 30
WEEKDAYS: Final[tuple[str, ...]] = (
    *("monday", "tuesday", "wednesday", "thursday"),
    *("friday", "saturday", "sunday"),
)
"""Days of the week in the order of `date.weekday`."""

_WEEK: Final = 7
_MONTHS: Final = 12
_FIFTH: Final = 4
"""Weeks before the fifth weekday of a month, which not every month has."""
_SPAN: Final = re.compile(r"(?P<first>[0-9-]+)(?:\s*(?:to|–|/)\s*(?P<last>[0-9-]+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Break:
    """Days on which a series has no evening; `reason` is empty or a sentence, such as Easter."""

    first: date
    last: date
    reason: str = ""

    def has(self, day: date) -> bool:
        return self.first <= day <= self.last


@dataclass(frozen=True, slots=True)
class Series:
    """Evenings from `first` on, on its day of the week.

    They go on until `last`, or there are `number` of them outside of the breaks. Without both there
    is one. Every month, the first Thursday of a month is followed by the first one of the next; a
    fifth one is the last of its month.
    """

    first: date
    interval: str = "week"
    last: date | None = None
    number: int | None = None
    breaks: Sequence[Break] = ()

    def break_on(self, day: date) -> Break | None:
        return next((each for each in self.breaks if each.has(day)), None)


def series_days(series: Series) -> tuple[date, ...]:
    """Return the dates of a series, with those in its breaks, or refuse with all that is wrong.

    >>> easter = Break(date(2026, 4, 2), date(2026, 4, 9))
    >>> series = Series(date(2026, 3, 26), number=2, breaks=[easter])
    >>> [f"{day:%d.%m.}" for day in series_days(series)]
    ['26.03.', '02.04.', '09.04.', '16.04.']
    >>> monthly = Series(date(2026, 1, 29), "month", last=date(2026, 4, 30))
    >>> [f"{day:%d.%m.}" for day in series_days(monthly)]
    ['29.01.', '26.02.', '26.03.', '30.04.']
    """
    problems = [*_problems(series), *break_problems(series.breaks)]
    if problems:
        raise Refused(*problems)
    if series.last is None:
        return _days_by_number(series, series.number or 1)
    count = _count_until(series, series.last)
    if count > MOST_EVENINGS:
        raise _too_many(count, "last")
    days = tuple(_day(series, n) for n in range(count))
    n_evenings = sum(series.break_on(day) is None for day in days)
    if series.number is not None and series.number != n_evenings:
        numbers = {"found": series.number, "expected": n_evenings}
        raise Refused(Problem("other_number_of_evenings", ("number",), numbers))
    return days


def moved_to_weekday(day: date, weekday: int) -> date:
    """Return the day of the same week, from Monday on, that is this day of the week.

    >>> moved_to_weekday(date(2026, 3, 5), 4)
    datetime.date(2026, 3, 6)
    """
    return day + timedelta(days=weekday - day.weekday())


def read_days_off(text: str, at: str) -> tuple[Break, ...]:
    """Return the days of a text such as `2026-04-02, 2026-12-21 to 2027-01-04`.

    >>> [each.last.day for each in read_days_off("2026-04-02, 2026-12-21 to 2027-01-04", "off")]
    [2, 4]
    """
    breaks = []
    problems = []
    for part in filter(None, (part.strip() for part in re.split(r"[,;\n]", text))):
        span = _SPAN.fullmatch(part)
        try:
            first = date.fromisoformat(span["first"] if span else part)
            last = date.fromisoformat(span["last"]) if span and span["last"] else first
        except ValueError:
            problems.append(Problem("bad_day", (at,), {"found": shown(part)}))
            continue
        breaks.append(Break(first, last))
    problems += [Problem(each.code, (at,), each.facts) for each in break_problems(breaks)]
    if problems:
        raise Refused(*problems)
    return tuple(breaks)


def break_problems(breaks: Sequence[Break]) -> list[Problem]:
    """Return what is wrong with breaks; each problem names its break by its position."""
    if len(breaks) > MOST_BREAKS:
        numbers = {"found": len(breaks), "expected": MOST_BREAKS}
        return [Problem("too_many_breaks", ("breaks",), numbers)]
    problems = []
    for number, each in enumerate(breaks):
        problems += _day_problems(each.first, ("breaks", number, "first"))
        problems += _day_problems(each.last, ("breaks", number, "last"))
        if each.last < each.first:
            facts = {"found": str(each.last), "expected": str(each.first)}
            problems.append(Problem("ends_before_it_starts", ("breaks", number, "last"), facts))
    in_order = sorted(enumerate(breaks), key=lambda pair: pair[1].first)
    for (_, earlier), (number, later) in pairwise(in_order):
        if later.first <= earlier.last:
            facts = {"date": later.first.isoformat()}
            problems.append(Problem("day_in_two_breaks", ("breaks", number, "first"), facts))
    return problems


def _problems(series: Series) -> list[Problem]:
    problems = _day_problems(series.first, ("first",))
    if series.interval not in SERIES_INTERVALS:
        expected = ", ".join(SERIES_INTERVALS)
        facts = {"key": "interval", "found": shown(series.interval), "expected": expected}
        problems.append(Problem("bad_setting", ("interval",), facts))
    if series.number is not None and not 1 <= series.number <= MOST_EVENINGS:
        numbers = {"found": str(series.number), "expected": f"1 to {MOST_EVENINGS}"}
        problems.append(Problem("bad_number_of_evenings", ("number",), numbers))
    if series.last is not None:
        problems += _day_problems(series.last, ("last",))
        if series.last < series.first:
            facts = {"found": str(series.last), "expected": str(series.first)}
            problems.append(Problem("ends_before_it_starts", ("last",), facts))
    return problems


def _day_problems(day: date, at: Path) -> list[Problem]:
    if FIRST_YEAR <= day.year <= LAST_YEAR:
        return []
    return [Problem("bad_day", at, {"found": shown(day.isoformat())})]


def _days_by_number(series: Series, number: int) -> tuple[date, ...]:
    days: list[date] = []
    n_evenings = 0
    while n_evenings < number:
        if len(days) == MOST_EVENINGS:
            raise _too_many(len(days) + 1, "number")
        day = _day(series, len(days))
        refused = _day_problems(day, ("number",))
        if refused:
            raise Refused(*refused)
        days.append(day)
        n_evenings += series.break_on(day) is None
    return tuple(days)


def _too_many(count: int, at: str) -> Refused:
    return Refused(Problem("too_many_evenings", (at,), {"found": count, "expected": MOST_EVENINGS}))


def _count_until(series: Series, last: date) -> int:
    if series.interval != MONTH:
        return (last - series.first).days // INTERVALS[series.interval] + 1
    months = (last.year - series.first.year) * _MONTHS + last.month - series.first.month
    return months + (_day(series, months) <= last)


def _day(series: Series, n: int) -> date:
    """Return the date of a series that comes `n` intervals after its first one."""
    if series.interval != MONTH:
        return series.first + timedelta(days=INTERVALS[series.interval] * n)
    weeks = (series.first.day - 1) // _WEEK
    months = series.first.month - 1 + n
    begins = date(series.first.year + months // _MONTHS, months % _MONTHS + 1, 1)
    days_before = (series.first.weekday() - begins.weekday()) % _WEEK
    day = begins + timedelta(days=days_before + _WEEK * weeks)
    if weeks == _FIFTH and day.month != begins.month:
        return day - timedelta(days=_WEEK)
    return day
