"""The settings of a ladder, and the absences, deadlines and idle times that follow from them.

Pure. See docs/algorithms/position-ladder.md and docs/algorithms/rating-ladder.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from operator import attrgetter
from typing import Final

from scoring.errors import Problem, Refused, listed, shown


@dataclass(frozen=True, slots=True)
class LadderRules:
    """The rules of a ladder: one frozen set of values, each with its default.

    Days are local days of the club; `None` in `max_span` and `reach_top` means no such limit.
    """

    rule: str = "take_place"
    max_span: int | None = None
    reach: int = 3
    top_places: int = 10
    reach_top: int | None = None
    free_challenge: bool = False
    respond_days: int = 3
    play_days: int = 14
    postpone_days: int = 7
    rematch_days: int = 7
    confirm_hours: int = 48
    unplayed: str = "forfeited_d"
    forgive_first_refusal: bool = False
    refusal_days: int = 30
    away_days: int = 30
    idle_days: int = 28
    idle_drop: int = 1
    rating: str = "elo"
    start: int = 1500
    k: int = 32
    k_new: int = 64
    new_games: int = 10
    provisional_games: int = 10
    hidden_days: int = 90

    def as_json(self) -> dict[str, object]:
        """The rules as they are stored; `ladder_rules` reads them again."""
        return asdict(self)


LADDER_CHOICES: Final = {
    "rule": ("take_place", "swap", "halfway", "one_up"),
    "unplayed": ("forfeited_d", "forfeited_c", "cancelled"),
    "rating": ("elo", "plackett_luce"),
}
"""Setting → the words it may be; the first is the default."""

LADDER_LIMITS: Final = {
    "max_span": (2, 1000),
    "reach": (1, 1000),
    "top_places": (1, 1000),
    "reach_top": (1, 1000),
    "respond_days": (1, 90),
    "play_days": (1, 365),
    "postpone_days": (0, 90),
    "rematch_days": (0, 365),
    "confirm_hours": (1, 720),
    "refusal_days": (1, 365),
    "away_days": (0, 366),
    "idle_days": (7, 366),
    "idle_drop": (0, 100),
    "start": (0, 10_000),
    "k": (1, 400),
    "k_new": (1, 400),
    "new_games": (0, 1000),
    "provisional_games": (0, 1000),
    "hidden_days": (7, 3660),
}
"""Setting → the least and the most it may be."""

_OPEN: Final = frozenset({"max_span", "reach_top"})
_NAMES: Final = tuple(field.name for field in fields(LadderRules))

WEEK: Final = 7


def ladder_rules(typed: Mapping[str, object]) -> LadderRules:
    """The rules that a club wrote, over the defaults.

    `typed`: setting → value, as JSON has them; what is missing stays at its default.

    >>> ladder_rules({"rule": "halfway", "reach": 5}).reach
    5
    """
    problems = [problem for key, value in typed.items() if (problem := _problem(key, value))]
    if problems:
        raise Refused(*problems)
    return LadderRules(**typed)  # type: ignore[arg-type]  # each value was looked at


def _problem(key: str, value: object) -> Problem | None:
    if key not in _NAMES:
        facts = {"found": shown(key), "known": listed(_NAMES)}
        return Problem("unknown_ladder_rule", (key,), facts)
    expected = _expected(key, value)
    if expected is None:
        return None
    facts = {"rule": key, "found": shown(value), "expected": expected}
    return Problem("bad_ladder_rule", (key,), facts)


def _expected(key: str, value: object) -> str | None:
    if key in LADDER_CHOICES:
        good = value in LADDER_CHOICES[key] if isinstance(value, str) else False
        if good:
            return None
        return "one of " + ", ".join(LADDER_CHOICES[key])
    if key not in LADDER_LIMITS:
        return None if isinstance(value, bool) else "true or false"
    if value is None and key in _OPEN:
        return None
    least, most = LADDER_LIMITS[key]
    good = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
    nothing = " or null" if key in _OPEN else ""
    if good:
        return None
    return f"a whole number from {least} to {most}{nothing}"


def local_day(at: datetime, zone: tzinfo) -> date:
    """The local date of an instant."""
    return at.astimezone(zone).date()


def end_of_day(day: date, zone: tzinfo) -> datetime:
    """The instant, in UTC, at which a local day is over.

    Where the clocks change at midnight, the next day begins at its first moment that there is.
    """
    return datetime.combine(day + timedelta(days=1), time(), tzinfo=zone).astimezone(UTC)


def deadline(since: datetime, days: int, zone: tzinfo) -> datetime:
    """The instant, in UTC, at which the `days`-th local day after `since` is over.

    The day of `since` is day 0; the instant is the first one that is too late.

    >>> from zoneinfo import ZoneInfo
    >>> since = datetime(2025, 3, 28, 19, 0, tzinfo=UTC)
    >>> deadline(since, 3, ZoneInfo("Europe/Amsterdam")).isoformat()
    '2025-03-31T22:00:00+00:00'
    """
    return end_of_day(local_day(since, zone) + timedelta(days=days), zone)


def days_since(day: date, on: date) -> int:
    """The number of days from `day` to `on`; 0 where `day` is later (a clock stepped back)."""
    return max((on - day).days, 0)


def iso_week(day: date) -> str:
    """The ISO week of a day, which is the key of a sweep.

    >>> iso_week(date(2024, 12, 30)), iso_week(date(2025, 9, 4))
    ('2025-W01', '2025-W36')
    """
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"


def weeks_due(last: date | None, on: date) -> Sequence[date]:
    """The Mondays of the ISO weeks to sweep after the one of `last`, that of `on` included.

    A sweep depends on its Monday, not on when it runs, so that a late or repeated one finds the
    same.

    >>> [str(day) for day in weeks_due(date(2025, 9, 3), date(2025, 9, 16))]
    ['2025-09-08', '2025-09-15']
    >>> [str(day) for day in weeks_due(None, date(2025, 9, 16))]
    ['2025-09-15']
    """
    this = on - timedelta(days=on.weekday())
    first = this if last is None else last + timedelta(days=7 - last.weekday())
    return [first + timedelta(days=7 * n) for n in range(max((this - first).days // 7 + 1, 0))]


@dataclass(frozen=True, slots=True)
class AbsencePeriod:
    """A stretch of days on which a member is away, both ends included; `until` None: open."""

    since: date
    until: date | None = None

    def days(self, first: date, last: date) -> int:
        """The number of days from `first` to `last`, both included, that are in it."""
        end = last if self.until is None else min(self.until, last)
        return max((end - max(self.since, first)).days + 1, 0)


def is_away(absences: Iterable[AbsencePeriod], on: date) -> bool:
    """Whether a member is away on a day.

    >>> is_away([AbsencePeriod(date(2025, 7, 1), date(2025, 7, 12))], date(2025, 7, 12))
    True
    """
    return any(absence.days(on, on) for absence in absences)


def days_away(absences: Iterable[AbsencePeriod], first: date, last: date) -> int:
    """The number of days from `first` to `last` on which a member was away, each counted once.

    >>> july = [AbsencePeriod(date(2025, 7, 1), date(2025, 7, 3)), AbsencePeriod(date(2025, 7, 3))]
    >>> days_away(july, date(2025, 6, 1), date(2025, 7, 5))
    5
    """
    count = 0
    reached = first
    for absence in sorted(absences, key=attrgetter("since")):
        count += absence.days(reached, last)
        end = last if absence.until is None else min(absence.until, last)
        reached = max(reached, end + timedelta(days=1))
    return count


def away_problems(
    absence: AbsencePeriod,
    before: Sequence[AbsencePeriod],
    season: tuple[date, date],
    rules: LadderRules,
) -> tuple[Problem, ...]:
    """The problems of a new absence beside those `before` in a season, its first and last day.

    `absence_backwards`, or `absence_too_long` with the days that are left; else nothing.
    """
    if absence.until is not None and absence.until < absence.since:
        return (Problem("absence_backwards", ("until",)),)
    days_before = days_away(before, *season)
    days_after = days_away([*before, absence], *season)
    if absence.until is not None and days_after > rules.away_days:
        days_left = max(rules.away_days - days_before, 0)
        facts = {"found": days_after - days_before, "left": days_left, "most": rules.away_days}
        return (Problem("absence_too_long", ("until",), facts),)
    return ()


def is_away_too_long(
    absences: Sequence[AbsencePeriod], season_begins: date, on: date, rules: LadderRules
) -> bool:
    """Whether a member has used up the season's days away and is still away.

    Such a member is removed, and rejoins at the bottom.
    """
    return is_away(absences, on) and days_away(absences, season_begins, on) > rules.away_days


def idleness(
    last_played: date, absences: Sequence[AbsencePeriod], on: date, rules: LadderRules
) -> tuple[str, int, date]:
    """The idle state of a member on a day: `active`, `warned` or `dropping`, and for how many days.

    The date is the first day on which a sweep takes the member down, unless the member plays or
    reports an absence before. `idle_days` without a game warn, each further 7 days drop once.

    Args:
        last_played: the day of the last ladder game, or of joining.
        absences: of the member; their days do not count.
        on: the day; for a sweep, the Monday of its week.

    >>> idleness(date(2025, 3, 3), [], date(2025, 3, 31), LadderRules())
    ('warned', 28, datetime.date(2025, 4, 7))
    """
    away = days_away(absences, last_played + timedelta(days=1), on)
    days = max(days_since(last_played, on) - away, 0)
    limit = rules.idle_days
    if days < limit:
        state = "active"
    elif days < limit + WEEK:
        state = "warned"
    else:
        state = "dropping"
    return state, days, on + timedelta(days=limit + WEEK - days)


def dropping(
    members: Iterable[tuple[str, date, Sequence[AbsencePeriod]]], monday: date, rules: LadderRules
) -> tuple[str, ...]:
    """The members who drop in the sweep of the week that begins on `monday`.

    `members` are code, day of the last game (or of joining), absences.
    """
    return tuple(
        member
        for member, last_played, absences in members
        if not is_away(absences, monday)
        and idleness(last_played, absences, monday, rules)[0] == "dropping"
    )
