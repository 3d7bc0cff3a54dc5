"""Members of a ladder: whom each may challenge now, and who is warned for being idle."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef, Q

from scoring.errors import Problem
from scoring.ladders.absence_and_deadlines import WEEK, idleness, is_away, local_day
from scoring.ladders.challenges import Member, challenge_problems
from scoring.ladders.replay import MOST_AT_TABLE
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.events import Entrant, Event, EventState
from tournaments.models.hands import Game
from tournaments.models.ladders import Challenge, LadderAbsence
from tournaments.models.standings import Contribution
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.ladders.challenges import member_names, scoring_challenge
from tournaments.selectors.ladders.log import (
    UNFINISHED,
    absences_in,
    away_of,
    current_ladder,
    join_days,
    listed_ladder,
)
from tournaments.selectors.rules.rule_sets import rules_of


@dataclass(frozen=True, slots=True)
class EligibleOpponent:
    """A member whom one may challenge now."""

    place: int
    player_id: str
    name: str


@dataclass(frozen=True, slots=True)
class ChallengeChoices:
    """What a member may do: the own place (None off the list), whom to challenge, nearest first.

    `against` is what speaks against the next one up where nobody may be challenged.
    """

    place: int | None
    rivals: tuple[EligibleOpponent, ...]
    against: tuple[Problem, ...]


def choices_of(
    event: Event, entrant: Entrant, *, now: datetime, anew: bool = False
) -> ChallengeChoices:
    """Return whom `own` may challenge on an open ladder; so many queries whatever there is.

    Args:
        anew: go by the list as it is now, for what is sent; else by the list as last worked out.
    """
    ladder = current_ladder(event) if anew else listed_ladder(event)
    rules = ladder_rules_of(event)
    place = ladder.place(entrant.code)
    if place is None:
        return ChallengeChoices(None, (), ())
    reach = place - 1 if rules.free_challenge else max(rules.reach, rules.reach_top or 0)
    above = ladder.order[max(place - 1 - reach, 0) : place - 1]
    found = Entrant.objects.filter(event=event, code__in=[*above, entrant.code])
    entrants = {one.code: one for one in found}
    absences = defaultdict(list)
    away = LadderAbsence.objects.filter(entrant__in=entrants.values()).order_by("since")
    for absence in away.select_related("entrant"):
        absences[absence.entrant.code].append(absence)
    members = {
        code: Member(code, away_of(absences[code]), one.state == "active")
        for code, one in entrants.items()
    }
    either = Q(challenger__in=entrants.values()) | Q(challenged__in=entrants.values())
    rows = Challenge.objects.filter(either, event=event).order_by("number")
    before = [scoring_challenge(row) for row in rows.select_related("challenger", "challenged")]
    names, zone = member_names(event, entrants.values()), ZoneInfo(event.club.time_zone)
    rivals: list[EligibleOpponent] = []
    against: tuple[Problem, ...] = ()
    for code in reversed([code for code in above if code in entrants]):
        problems = challenge_problems(
            members[entrant.code],
            members[code],
            ladder=ladder,
            before=before,
            now=now,
            zone=zone,
            rules=rules,
        )
        if not problems:
            above_place = ladder.place(code) or 0
            rivals.append(EligibleOpponent(above_place, code, names[entrants[code].pk]))
        against = against or problems
    return ChallengeChoices(place, tuple(rivals), () if rivals else against)


@dataclass(frozen=True, slots=True)
class ChallengeTable:
    """A table that may have been the game of a challenge."""

    code: str
    number: int
    round: int
    on: date | None


def tables_for(event: Event, row: Challenge, *, at_most: int = 10) -> tuple[ChallengeTable, ...]:
    """Return the tables that may have been a challenge's game, the newest first; one query."""
    sent = local_day(row.issued_at, ZoneInfo(event.club.time_zone))
    games = Game.objects.filter(event=event, counts=True, challenge=None)
    for entrant in (row.challenger, row.challenged):
        sat = Contribution.objects.filter(game=OuterRef("pk"), entrant=entrant, games__gt=0)
        games = games.filter(Exists(sat))
    meeting = "table__round__meeting"
    games = games.filter(Q(**{f"{meeting}__date__gte": sent}) | Q(**{meeting: None}))
    newest = games.exclude(state__in=UNFINISHED).order_by("-table__round__number", "table__number")
    values = ("table__code", "table__number", "table__round__number", f"{meeting}__date")
    return tuple(ChallengeTable(*found) for found in newest.values_list(*values)[:at_most])


def seats_of(event: Event) -> tuple[int, int]:
    """Return how many may sit at a table of a ladder, least and most: 11 in any game."""
    least, most = rules_of(default_snapshot(event)).keys.players
    return min(least, MOST_AT_TABLE), min(most, MOST_AT_TABLE)


def members_in_order(event: Event, *, anew: bool = False) -> tuple[str, ...]:
    """Return the codes of the members of a ladder, from the top.

    Args:
        anew: as the list is now, for what is sent; else as last worked out.
    """
    return (current_ladder(event) if anew else listed_ladder(event)).order


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
        idle = idleness(since, absences, today, rules) if since > date.min else None
        if idle is None or idle[0] == "active" or is_away(absences, today):
            below = date.max
            continue
        _state, days, drops_from = idle
        drops_on = _monday(max(drops_from, today + timedelta(1)))
        if below > drops_on:
            found[code] = InactivityWarning(days, drops_on)
        below = max(below, drops_on)
    return found


def _monday(day: date) -> date:
    """Return the first Monday from a day on: sweeps look at Mondays."""
    return day + timedelta(days=-day.weekday() % WEEK)
