"""Who is warned on a ladder: idle members, who drop with a sweep to come unless they play.

Worked out from what is published, so that a page counts no game; the sweep itself looks at the
games (`ladder_sweeps`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from scoring.ladders.deadlines import local_day
from scoring.ladders.idleness import WEEK, idleness, is_away
from tournaments.models.events import Event, EventState
from tournaments.services.event_settings import ladder_rules_of
from tournaments.services.ladder_sweeps import absences_in, came_in


@dataclass(frozen=True, slots=True)
class Warned:
    """An idle member: `days` without a game, `drops_on` the Monday that takes them down."""

    days: int
    drops_on: date


def warned_members(
    event: Event, last_played: Mapping[str, date | None], *, now: datetime
) -> dict[str, Warned]:
    """Return who is idle on an open ladder, by code; who is away is not.

    Args:
        last_played: of everybody on the list, the day of the last game, None without one.

    Source: algorithms.md 4.1 (inactivity: the warning comes first).
    """
    if event.state != EventState.OPEN:
        return {}
    today = local_day(now, ZoneInfo(event.club.time_zone))
    came, away, rules = came_in(event), absences_in(event), ladder_rules_of(event)
    found = {}
    for code, played in last_played.items():
        since = max(came.get(code, date.min), played or date.min)
        absences = away.get(code, ())
        if since == date.min or is_away(absences, today):
            continue
        idle = idleness(code, since, absences, today, rules)
        if idle.state != "active":
            found[code] = Warned(idle.days, _monday(max(idle.drops_from, today + timedelta(1))))
    return found


def _monday(day: date) -> date:
    """Return the first Monday from a day on: sweeps look at Mondays."""
    return day + timedelta(days=-day.weekday() % WEEK)
