"""Who is warned on a ladder: idle members, who drop with a sweep to come unless they play.

Worked out from what is published, so that a page counts no game; the sweep itself looks at the
games (`services/ladders/weekly_sweep.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from scoring.ladders.absence_and_deadlines import WEEK, idleness, is_away, local_day
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.events import Event, EventState
from tournaments.services.ladders.weekly_sweep import absences_in, join_days


@dataclass(frozen=True, slots=True)
class InactivityWarning:
    """An idle member: `days` without a game, `drops_on` the Monday that takes them down."""

    days: int
    drops_on: date


def inactivity_warnings(
    event: Event, last_played: Mapping[str, date | None], *, now: datetime
) -> dict[str, InactivityWarning]:
    """Return who is idle on an open ladder and has somebody below to fall behind, by code.

    Who is away is not idle. Idle members do not pass each other, so that those at the end of the
    list lose nothing.

    Args:
        last_played: of everybody on the list from the top, the day of the last game, None without.

    See docs/algorithms/position-ladder.md (inactivity: the warning comes first).
    """
    if event.state != EventState.OPEN:
        return {}
    today = local_day(now, ZoneInfo(event.club.time_zone))
    came, away, rules = join_days(event), absences_in(event), ladder_rules_of(event)
    found = {}
    below = date.min  # the latest day until which somebody further down stays where they are
    for code, played in reversed(list(last_played.items())):
        since = max(came.get(code, date.min), played or date.min)
        absences = away.get(code, ())
        idle = idleness(code, since, absences, today, rules) if since > date.min else None
        if idle is None or idle.state == "active" or is_away(absences, today):
            below = date.max
            continue
        drops_on = _monday(max(idle.drops_from, today + timedelta(1)))
        if below > drops_on:
            found[code] = InactivityWarning(idle.days, drops_on)
        below = max(below, drops_on)
    return found


def _monday(day: date) -> date:
    """Return the first Monday from a day on: sweeps look at Mondays."""
    return day + timedelta(days=-day.weekday() % WEEK)
