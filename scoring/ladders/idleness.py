"""Absence and inactivity: who is away, who has been away too long, who is idle, who drops.

Pure. A member who is away keeps the place and does not decay.
See docs/algorithms/position-ladder.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from scoring.errors import Problem
from scoring.ladders.deadlines import days_since
from scoring.ladders.rules import LadderRules

WEEK: Final = 7


@dataclass(frozen=True, slots=True)
class Away:
    """A stretch of days on which a member is away, both ends included; `until` None: open."""

    since: date
    until: date | None = None

    def days(self, first: date, last: date) -> int:
        """How many of the days from `first` to `last`, both included, are in it."""
        end = last if self.until is None else min(self.until, last)
        return max((end - max(self.since, first)).days + 1, 0)


@dataclass(frozen=True, slots=True)
class Idle:
    """How long a member has not played: `state` is `active`, `warned` or `dropping`.

    `drops_from` is the first day on which a sweep takes the member down, if nothing is played
    and no more absence is told until then.
    """

    member: str
    days: int
    state: str
    drops_from: date


def is_away(absences: Iterable[Away], on: date) -> bool:
    """Return whether a member is away on a day.

    >>> is_away([Away(date(2025, 7, 1), date(2025, 7, 12))], date(2025, 7, 12))
    True
    """
    return any(absence.days(on, on) for absence in absences)


def days_away(absences: Iterable[Away], first: date, last: date) -> int:
    """Return on how many days from `first` to `last` a member was away, each counted once.

    >>> days_away([Away(date(2025, 7, 1), date(2025, 7, 3)), Away(date(2025, 7, 3))],
    ...           date(2025, 6, 1), date(2025, 7, 5))
    5
    """
    count = 0
    reached = first
    for absence in sorted(absences, key=lambda one: one.since):
        count += absence.days(reached, last)
        end = last if absence.until is None else min(absence.until, last)
        reached = max(reached, end + timedelta(days=1))
    return count


def away_problems(
    wanted: Away, before: Sequence[Away], season: tuple[date, date], rules: LadderRules
) -> tuple[Problem, ...]:
    """Return what is against a member's being away.

    Args:
        wanted: the new absence.
        before: the member's other absences.
        season: its first and last day; `away_days` are counted within it.
        rules: of the ladder.

    Returns:
        `absence_backwards`, or `absence_too_long` with the days that are left; else nothing.

    See docs/algorithms/position-ladder.md (up to 30 days a season).
    """
    if wanted.until is not None and wanted.until < wanted.since:
        return (Problem("absence_backwards", ("until",)),)
    taken = days_away(before, *season)
    found = days_away([*before, wanted], *season)
    if wanted.until is not None and found > rules.away_days:
        left = max(rules.away_days - taken, 0)
        facts = {"found": found - taken, "left": left, "most": rules.away_days}
        return (Problem("absence_too_long", ("until",), facts),)
    return ()


def is_away_too_long(
    absences: Sequence[Away], season_begins: date, on: date, rules: LadderRules
) -> bool:
    """Return whether a member has used up the season's days away and is still away.

    Such a member is removed, and comes in again at the bottom.
    """
    used = days_away(absences, season_begins, on)
    return is_away(absences, on) and used > rules.away_days


def idleness(
    member: str, last_played: date, absences: Sequence[Away], on: date, rules: LadderRules
) -> Idle:
    """Return how idle a member is on a day.

    Args:
        member: its code.
        last_played: the day of the last ladder game, or of joining.
        absences: of the member; their days do not count.
        on: the day; for a sweep, the Monday of its week.
        rules: `idle_days` without a game warn, each further 7 days drop once.

    See docs/algorithms/position-ladder.md.

    >>> idleness("A", date(2025, 3, 3), [], date(2025, 3, 31), LadderRules())
    Idle(member='A', days=28, state='warned', drops_from=datetime.date(2025, 4, 7))
    """
    away = days_away(absences, last_played + timedelta(days=1), on)
    days = max(days_since(last_played, on) - away, 0)
    limit = rules.idle_days
    state = "active" if days < limit else "warned" if days < limit + WEEK else "dropping"
    return Idle(member, days, state, on + timedelta(days=limit + WEEK - days))


def dropping(
    members: Iterable[tuple[str, date, Sequence[Away]]], monday: date, rules: LadderRules
) -> tuple[str, ...]:
    """Return who drops in the sweep of the week that begins on `monday`.

    Args:
        members: code, day of the last game (or of joining), absences; one each.
        monday: of the ISO week.
        rules: of the ladder.
    """
    return tuple(
        member
        for member, last_played, absences in members
        if not is_away(absences, monday)
        and idleness(member, last_played, absences, monday, rules).state == "dropping"
    )
