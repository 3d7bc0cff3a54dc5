"""A ladder's stored rows in words: moves, ratings, what a game would change, the rules."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import ngettext

from scoring.errors import Problem
from scoring.json_types import JsonDict
from scoring.ladders.challenges import Member, challenge_problems
from scoring.ladders.positions import MOST_AT_TABLE, Move, explain_move
from scoring.ladders.rating import METHODS, Values, game_problems, outlook
from scoring.ladders.rules import (
    LADDER_CHOICES,
    LADDER_LIMITS,
    WEEK,
    LadderRules,
    idleness,
    is_away,
    ladder_rules,
    local_day,
)
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.domain.standings.ladder_documents import (
    MoveDocument,
    OutlookDocument,
    RatingChangeDocument,
)
from tournaments.errors import first_or_missing, refuse_any
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game
from tournaments.models.ladders import (
    Challenge,
    ChallengeState,
    LadderAbsence,
    LadderMove,
    LadderState,
    LadderStep,
    RatingChange,
)
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Contribution
from tournaments.policy import Actor
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.ladders.challenges import (
    absence_rows,
    between,
    challenges_with,
    member_names,
    scoring_challenge,
)
from tournaments.selectors.ladders.log import (
    UNFINISHED,
    absences_in,
    away_of,
    current_ladder,
    erased_members,
    join_days,
    listed_ladder,
    stored_ratings,
)
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.selectors.standings.publication_bytes import require_ladder

DECIMALS: Final = {"elo": 1, "plackett_luce": 2}
"""Decimals of a rating on pages; for programs it has three."""

RULE_CHOICES: Final = LADDER_CHOICES
RULE_LIMITS: Final = LADDER_LIMITS


def choices_of(event: Event, entrant: Entrant, *, now: datetime, anew: bool = False) -> JsonDict:
    """Return the opponents that `entrant` may challenge on an open ladder; a fixed number of
    queries.

    `place` is that of the member (None off the list); each of `rivals` has `place`, `player_id` and
    `name`, the nearest first. Without any, `against` are the problems with the next one up.

    Args:
        anew: whether the list is recomputed, for writes; else as last computed.
    """
    if anew:
        ladder = current_ladder(event)
    else:
        ladder = listed_ladder(event)
    rules = ladder_rules_of(event)
    place = ladder.place(entrant.code)
    if place is None:
        return {"place": None, "rivals": (), "against": ()}
    if rules.free_challenge:
        reach = place - 1
    else:
        reach = max(rules.reach, rules.reach_top or 0)
    above = ladder.order[max(place - 1 - reach, 0) : place - 1]
    rows = Entrant.objects.filter(event=event, code__in=[*above, entrant.code])
    entrants = {row.code: row for row in rows}
    absences = defaultdict(list)
    away = LadderAbsence.objects.filter(entrant__in=entrants.values()).order_by("since")
    for absence in away.select_related("entrant"):
        absences[absence.entrant.code].append(absence)
    erased = {row.pk for row in erased_members(event).filter(pk__in=rows)}
    members = {
        code: Member(code, away_of(absences[code]), row.state == "active" and row.pk not in erased)
        for code, row in entrants.items()
    }
    before = [scoring_challenge(row) for row in challenges_with(event, entrants.values())]
    names = member_names(event, entrants.values())
    zone = event.club.zone
    rivals: list[JsonDict] = []
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
    return {"place": place, "rivals": rivals, "against": () if rivals else against}


def tables_for(event: Event, row: Challenge) -> list[tuple[str, int, int, date | None]]:
    """Return the newest ten tables that may have been a challenge's game; one query.

    A game may decide several challenges, but only one between the same two members. Each is its
    code, its number, that of its round, and the day.
    """
    first_day = local_day(row.issued_at, event.club.zone)
    games = Game.objects.filter(event=event, counts=True)
    games = games.exclude(pk__in=between(row).exclude(game=None).values("game"))
    for entrant in (row.challenger, row.challenged):
        sat = Contribution.objects.filter(game=OuterRef("pk"), entrant=entrant, games__gt=0)
        games = games.filter(Exists(sat))
    meeting = "table__round__meeting"
    games = games.filter(Q(**{f"{meeting}__date__gte": first_day}) | Q(**{meeting: None}))
    day = F(f"{meeting}__date").desc(nulls_first=True)
    newest = games.exclude(state__in=UNFINISHED)
    newest = newest.order_by(day, "-table__round__number", "table__number")
    columns = ("table__code", "table__number", "table__round__number", f"{meeting}__date")
    return list(newest.values_list(*columns)[:10])


def seats_of(event: Event) -> tuple[int, int]:
    """Return the least and the most players at a table of a ladder: 11 in any game."""
    least, most = rules_of(default_snapshot(event)).keys.players
    return min(least, MOST_AT_TABLE), min(most, MOST_AT_TABLE)


def members_in_order(event: Event, *, anew: bool = False) -> tuple[str, ...]:
    """Return the codes of the members of a ladder, from the top.

    Args:
        anew: whether the list is recomputed, for writes; else as last computed.
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
    if not event.is_open:
        return {}
    today = local_day(now, event.club.zone)
    joined = join_days(event)
    away = absences_in(event)
    rules = ladder_rules_of(event)
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


def get_ladder(actor: Actor, club: str, event: str) -> Event:
    ladder = get_event(actor, club, event)
    require_ladder(ladder)
    return ladder


def member_at(event: Event, player_id: str) -> Entrant:
    entrants = Entrant.objects.filter(event=event, code=player_id)
    return first_or_missing(entrants, "player", player=player_id)


def absences_of(event: Event, member: Entrant) -> QuerySet[LadderAbsence]:
    """Return a member's absences, the newest first; none for readers outside the club."""
    return absence_rows(event).filter(entrant=member).order_by("-since")


def figure(values: Values, rules: LadderRules) -> float:
    """Return a rating for programs, to three decimals."""
    return round(float(METHODS[rules.rating].shown(values)), 3)


def change(before: Values, after: Values, rules: LadderRules) -> float:
    """Return the change of a rating by a game, to three decimals."""
    number = METHODS[rules.rating].shown
    return round(float(number(after) - number(before)), 3)


def rating_text(values: Values, rules: LadderRules) -> str:
    """Return a rating for people.

    >>> rating_text((1588.9084,), LadderRules())
    '1588.9'
    """
    return f"{METHODS[rules.rating].shown(values):.{DECIMALS[rules.rating]}f}"


def moves_with_explanation(event: Event, member: Entrant | None = None) -> RenderedRows:
    """Return the moves on a ladder, or those of one member, each with its story, newest first.

    Each is a mapping of `number` (of the step), `on`, `player_id`, `player`, `before`, `after`
    (places, None off the list), `up`, `kind`, `story`, and its cause: `table` (a code) and
    `challenge` (a number), each None without one.
    """

    def documents(rows: Sequence[LadderMove]) -> list[MoveDocument]:
        return move_documents(event, rows, names_in(event) if rows else {})

    moves = LadderMove.objects.filter(event=event).select_related("entrant")
    if member is not None:
        moves = moves.filter(entrant=member)
    return RenderedRows(moves.order_by("-number", "entrant__code"), documents)


def count_unconfirmed(meeting: Meeting) -> int:
    """Return how many results of challenges that were played on an evening wait for an answer.

    A challenge moves nobody until its result is confirmed; its move is of the day it was played.
    """
    played = Challenge.objects.filter(event=meeting.event_id, state=ChallengeState.PLAYED)
    return played.filter(game__table__round__meeting=meeting).count()


def unconfirmed_sentence(n: int) -> str:
    sentence = ngettext(
        "%(n)s result is not confirmed yet, and may still move members.",
        "%(n)s results are not confirmed yet, and may still move members.",
        n,
    )
    return sentence % {"n": n}


def move_documents(
    event: Event, rows: Sequence[LadderMove], names: Mapping[str, str]
) -> list[MoveDocument]:
    """Return moves with their stories and causes, in their order; one query.

    Args:
        names: by code, of all entrants.
    """
    if not rows:
        return []
    steps = LadderStep.objects.filter(event=event, number__in={row.number for row in rows})
    steps = steps.filter(challenge__isnull=False)
    challenges = dict(steps.values_list("number", "challenge__number"))
    return [_move_document(row, names, challenges.get(row.number)) for row in rows]


def _move_document(
    row: LadderMove, names: Mapping[str, str], challenge: int | None
) -> MoveDocument:
    """Return a move as a document; `challenge` is the number of the one that it came from."""
    code = row.entrant.code
    move = Move(row.number, code, row.before, row.after, row.on, row.kind, row.facts)
    ref = str(row.facts.get("ref", ""))
    is_without_game = row.facts.get("how", "played") != "played"
    return {
        "number": row.number,
        "on": row.on,
        "player_id": code,
        "player": names.get(code, code),
        "before": row.before,
        "after": row.after,
        "up": move.up,
        "kind": row.kind,
        "story": explain_move(move, names),
        "table": ref if ref and not is_without_game else None,
        "challenge": challenge,
    }


def rating_history(event: Event, member: Entrant) -> RenderedRows:
    """Return the changes of a member's rating game by game, newest first.

    Each is a mapping of `sequence` (of the game among the ladder's, from 0), `on` (None if the
    evening is not known), `table`, `games` (up to this one), `before`, `after`, `change`, `spread`
    (sigma; None with Elo) and `rating_shown`.
    """
    rules = _rules(LadderState.objects.filter(event=event).first(), event)

    def document(row: RatingChange) -> RatingChangeDocument:
        has_spread = row.before_spread is not None and row.after_spread is not None
        before: Values = (row.before, row.before_spread or 0.0) if has_spread else (row.before,)
        after: Values = (row.after, row.after_spread or 0.0) if has_spread else (row.after,)
        table = row.game.table
        return {
            "sequence": row.sequence,
            "on": table.round.meeting.date if table.round.meeting else None,
            "table": table.code,
            "games": row.games + 1,
            "before": figure(before, rules),
            "after": figure(after, rules),
            "change": change(before, after, rules),
            "spread": None if row.after_spread is None else round(row.after_spread, 3),
            "rating_shown": rating_text(after, rules),
        }

    changes = RatingChange.objects.filter(entrant=member).order_by("-sequence")
    related = changes.select_related("game__table__round__meeting")
    return RenderedRows(related, lambda rows: list(map(document, rows)))


def _rules(state: LadderState | None, event: Event) -> LadderRules:
    """Return the rules of the stored ratings: new ones count from the next computation on."""
    if state and state.rules:
        return ladder_rules(state.rules)
    return ladder_rules_of(event)


def what_if(event: Event, codes: Sequence[str]) -> list[OutlookDocument]:
    """Return the change of each rating at a possible table by finishing place.

    Args:
        codes: none, or 2 to 11 members, each a separate side; without a game they have the first
            rating.

    Returns:
        One mapping a member, in the order of `codes`: `player_id`, `player`, `rating`,
        `rating_shown`, `games`, and `changes`, one for each place from the first to the last.

    See docs/algorithms/rating-ladder.md (before a night).
    """
    if not codes:
        return []
    entrants = Entrant.objects.filter(event=event, code__in=codes)
    members = set(entrants.values_list("code", flat=True))
    problems = [
        Problem("not_on_ladder", ("player",), {"member": code})
        for code in dict.fromkeys(codes)
        if code not in members
    ]
    sides = [(code,) for code in codes]
    problems += game_problems(sides, range(1, len(sides) + 1))
    refuse_any(problems)
    names = names_in(event)
    state = LadderState.objects.filter(event=event).first()
    rules = _rules(state, event)
    ratings = stored_ratings(state) if state is not None else {}
    first = METHODS[rules.rating].first_values(rules)
    documents: list[OutlookDocument] = []
    for code, changes in zip(codes, outlook(sides, ratings, rules), strict=True):
        rating = ratings.get(code)
        values = rating.values if rating else first
        documents.append(
            {
                "player_id": code,
                "player": names.get(code, code),
                "rating": figure(values, rules),
                "rating_shown": rating_text(values, rules),
                "games": rating.games if rating else 0,
                "changes": [round(float(change), 3) for change in changes],
            }
        )
    return documents


USUAL_RULES: Final = LadderRules().as_json()
"""Rule → its default, in the order of pages."""


def what_differs(rules: Mapping[str, object]) -> dict[str, object]:
    return {
        key: value
        for key, value in rules.items()
        if key not in USUAL_RULES or value != USUAL_RULES[key]
    }
