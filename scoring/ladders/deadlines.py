"""Deadlines in local days, and what is left of them.

Pure: instants are UTC, the club's zone comes in, no clock is read. A deadline of k days ends with
the k-th local day, however long its days are. See docs/algorithms/position-ladder.md.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo


def local_day(at: datetime, zone: tzinfo) -> date:
    """Return the local date of an instant."""
    return at.astimezone(zone).date()


def end_of_day(day: date, zone: tzinfo) -> datetime:
    """Return the instant, in UTC, at which a local day is over.

    Where the clocks change at midnight, the next day begins at its first moment that there is.
    """
    return datetime.combine(day + timedelta(days=1), time(), tzinfo=zone).astimezone(UTC)


def deadline(since: datetime, days: int, zone: tzinfo) -> datetime:
    """Return the instant, in UTC, with which the `days`-th local day after `since` is over.

    Args:
        since: an instant; the day it falls on is day 0.
        days: how many whole local days there are.
        zone: of the club.

    Returns:
        The first instant that is too late.

    A deadline of k days ends with the k-th local day (docs/algorithms/position-ladder.md).

    >>> from zoneinfo import ZoneInfo
    >>> since = datetime(2025, 3, 28, 19, 0, tzinfo=UTC)
    >>> deadline(since, 3, ZoneInfo("Europe/Amsterdam")).isoformat()
    '2025-03-31T22:00:00+00:00'
    """
    return end_of_day(local_day(since, zone) + timedelta(days=days), zone)


def is_over(at: datetime, now: datetime) -> bool:
    """Return whether a deadline is past; at the very instant it is."""
    return now >= at


def days_since(day: date, on: date) -> int:
    """Return how many days ago `day` was; a day to come (a clock stepped back) was 0 days ago."""
    return max((on - day).days, 0)


def iso_week(day: date) -> str:
    """Return the ISO week of a day, which is the key of a sweep.

    >>> iso_week(date(2024, 12, 30)), iso_week(date(2025, 9, 4))
    ('2025-W01', '2025-W36')
    """
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"


def weeks_due(last: date | None, on: date) -> Sequence[date]:
    """Return the Mondays of the ISO weeks to sweep after the one of `last`, that of `on` included.

    A sweep looks at its Monday, not at the moment it runs, so that one that comes late, twice or
    after others finds the same.

    >>> [str(day) for day in weeks_due(date(2025, 9, 3), date(2025, 9, 16))]
    ['2025-09-08', '2025-09-15']
    >>> [str(day) for day in weeks_due(None, date(2025, 9, 16))]
    ['2025-09-15']
    """
    this = on - timedelta(days=on.weekday())
    first = this if last is None else last + timedelta(days=7 - last.weekday())
    return [first + timedelta(days=7 * n) for n in range(max((this - first).days // 7 + 1, 0))]
