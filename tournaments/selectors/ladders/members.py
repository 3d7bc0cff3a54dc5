"""Members of a ladder: the opponents that each may challenge, and warnings of inactivity."""

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
class ChallengeChoices:
    """The place of a member (None off the list), and the opponents that it may challenge.

    Each of `rivals` has `place`, `player_id` and `name`, the nearest first. Without any, `against`
    are the problems with the next one up.
    """

    place: int | None
    rivals: tuple[Mapping[str, object], ...]
    against: tuple[Problem, ...]


def choices_of(
    event: Event, entrant: Entrant, *, now: datetime, anew: bool = False
) -> ChallengeChoices:
    """Return the opponents that `entrant` may challenge on an open ladder; a fixed number of
    queries.

    Args:
        anew: go by the current list, for writes; else by the list as last computed.
    """
    ladder = current_ladder(event) if anew else listed_ladder(event)
    rules = ladder_rules_of(event)
    place = ladder.place(entrant.code)
    if place is None:
        return ChallengeChoices(None, (), ())
    reach = place - 1 if rules.free_challenge else max(rules.reach, rules.reach_top or 0)
    above = ladder.order[max(place - 1 - reach, 0) : place - 1]
    rows = Entrant.objects.filter(event=event, code__in=[*above, entrant.code])
    entrants = {row.code: row for row in rows}
    absences = defaultdict(list)
    away = LadderAbsence.objects.filter(entrant__in=entrants.values()).order_by("since")
    for absence in away.select_related("entrant"):
        absences[absence.entrant.code].append(absence)
    members = {
        code: Member(code, away_of(absences[code]), row.state == "active")
        for code, row in entrants.items()
    }
    either = Q(challenger__in=entrants.values()) | Q(challenged__in=entrants.values())
    challenges = Challenge.objects.filter(either, event=event).order_by("number")
    challenges = challenges.select_related("challenger", "challenged")
    before = [scoring_challenge(challenge) for challenge in challenges]
    names, zone = member_names(event, entrants.values()), ZoneInfo(event.club.time_zone)
    rivals: list[Mapping[str, object]] = []
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
            name = names[entrants[code].pk]
            rivals.append({"place": ladder.place(code), "player_id": code, "name": name})
        against = against or problems
    return ChallengeChoices(place, tuple(rivals), () if rivals else against)


def tables_for(
    event: Event, row: Challenge, *, at_most: int = 10
) -> list[tuple[str, int, int, date | None]]:
    """Return the tables that may have been a challenge's game, the newest first; one query.

    Each is its code, its number, that of its round, and the day.
    """
    first_day = local_day(row.issued_at, ZoneInfo(event.club.time_zone))
    games = Game.objects.filter(event=event, counts=True, challenge=None)
    for entrant in (row.challenger, row.challenged):
        sat = Contribution.objects.filter(game=OuterRef("pk"), entrant=entrant, games__gt=0)
        games = games.filter(Exists(sat))
    meeting = "table__round__meeting"
    games = games.filter(Q(**{f"{meeting}__date__gte": first_day}) | Q(**{meeting: None}))
    newest = games.exclude(state__in=UNFINISHED).order_by("-table__round__number", "table__number")
    columns = ("table__code", "table__number", "table__round__number", f"{meeting}__date")
    return list(newest.values_list(*columns)[:at_most])


def seats_of(event: Event) -> tuple[int, int]:
    """Return the least and the most players at a table of a ladder: 11 in any game."""
    least, most = rules_of(default_snapshot(event)).keys.players
    return min(least, MOST_AT_TABLE), min(most, MOST_AT_TABLE)


def members_in_order(event: Event, *, anew: bool = False) -> tuple[str, ...]:
    """Return the codes of the members of a ladder, from the top.

    Args:
        anew: by the current list, for writes; else as last computed.
    """
    return (current_ladder(event) if anew else listed_ladder(event)).order


def inactivity_warnings(
    event: Event, last_played: Mapping[str, date | None], *, now: datetime
) -> dict[str, dict[str, object]]:
    """Return the idle members of an open ladder that would lose places, by code: `days` without a
    game, and `drops_on`, the Monday of the loss.

    Absent members are not idle. Idle members do not pass each other, so that those at the end of
    the list lose nothing.

    Args:
        last_played: day of the last game, None without one, of all members from the top.

    See docs/algorithms/position-ladder.md (inactivity: the warning comes first).
    """
    if event.state != EventState.OPEN:
        return {}
    today = local_day(now, ZoneInfo(event.club.time_zone))
    joined, away, rules = join_days(event), absences_in(event), ladder_rules_of(event)
    warnings: dict[str, dict[str, object]] = {}
    below = date.min  # the latest day until which a member further down keeps the place
    for code, played in reversed(list(last_played.items())):
        since = max(joined.get(code, date.min), played or date.min)
        absences = away.get(code, ())
        idle = idleness(since, absences, today, rules) if since > date.min else None
        if idle is None or idle[0] == "active" or is_away(absences, today):
            below = date.max
            continue
        _state, days, drops_from = idle
        first = max(drops_from, today + timedelta(1))
        drops_on = first + timedelta(days=-first.weekday() % WEEK)  # sweeps run on Mondays
        if below > drops_on:
            warnings[code] = {"days": days, "drops_on": drops_on}
        below = max(below, drops_on)
    return warnings
