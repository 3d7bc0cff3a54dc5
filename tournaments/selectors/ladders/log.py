"""The log of a ladder in stored order: events, games, absences, the replayed list, its tables."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from django.db.models import F, QuerySet

from scoring.errors import Problem
from scoring.json_types import JsonDict
from scoring.ladders.challenges import WINS, winner
from scoring.ladders.positions import (
    ChallengeWon,
    Joined,
    Ladder,
    LadderEvent,
    Opened,
    Removed,
    TablePlayed,
    WeekSwept,
    replay,
    table_problems,
    tiers_of,
)
from scoring.ladders.rating import MemberRating, Ratings
from scoring.ladders.rules import AbsencePeriod
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.domain.messages import sentence
from tournaments.models.events import Entrant, EntrantKind, Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty, event_scope, ladder_scope
from tournaments.models.ladders import Challenge, LadderAbsence, LadderState, LadderStep, StepKind
from tournaments.models.rounds import Sitting
from tournaments.models.standings import Contribution

BARRED: Final = "passed_over"
"""Fact of a table's step that moves nobody: the code of the rule against it."""
UNFINISHED: Final = ("seated", "playing")
Places = Mapping[str, int]
"""Place of each entrant at a table, by code, from 1."""

Table = tuple[str, dict[str, int]]
"""The code of a game's table, and the places in the game."""

REASONS: Final = frozenset({"ladder_span", "ladder_table_size"})
"""Why a table moves nobody."""


def is_behind(event: Event) -> bool:
    """Whether anything has changed since the last replay of an event's ladder."""
    scopes = (event_scope(event.pk), ladder_scope(event.pk))
    return Dirty.objects.filter(scope__in=scopes, version__gt=F("done")).exists()


def current_ladder(event: Event) -> Ladder:
    """Return the current list with all steps, for writes; pages and REST read `listed_ladder`.

    While the ladder is behind, or its job is parked, the stored list may depend on a table that was
    corrected since: then everything is replayed.
    """
    state = LadderState.objects.filter(event=event).first()
    if state is None or is_behind(event):
        before = Ladder()
    else:
        before = stored_ladder(state)
    return replayed_on(event, before)


def replayed_on(event: Event, before: Ladder) -> Ladder:
    """Return the list after the steps that follow `before`, if no earlier step has changed."""
    log = events_of(event, after=before.number)
    return replay(log, ladder_rules_of(event), after=before).ladder


def listed_ladder(event: Event) -> Ladder:
    """Return the list as a worker last stored it; one query, no replay.

    Empty before the first computation.
    """
    state = LadderState.objects.filter(event=event).only("order", "number").first()
    if state is not None:
        return Ladder(tuple(state.order), state.number)
    return Ladder()


def stored_ladder(state: LadderState) -> Ladder:
    """Return the list at the end of the last replay; empty where the next one starts again."""
    if not state.number:
        return Ladder()
    dropped = frozenset((code, week) for code, week in state.dropped)
    return Ladder(tuple(state.order), state.number, dropped)


def stored_ratings(state: LadderState) -> Ratings:
    return {
        code: MemberRating(tuple(values), games, date.fromisoformat(played))
        for code, (values, games, played) in state.ratings.items()
    }


def events_of(
    event: Event, *, after: int = 0, pending: Sequence[LadderStep] | None = None
) -> list[LadderEvent]:
    """Return the events after step `after` that move anybody, in order; three queries.

    Args:
        pending: steps that are not stored yet, to be read instead of the stored ones.
    """
    steps = LadderStep.objects.filter(event=event, number__gt=after).order_by("number")
    joined = steps.select_related("entrant", "challenge__challenger", "challenge__challenged")
    if pending is None:
        rows = list(joined)
    else:
        rows = sorted(pending, key=lambda row: row.number)
    games = [row.game_id for row in rows if row.game_id]
    games += [row.challenge.game_id for row in rows if row.challenge and row.challenge.game_id]
    tables = {}
    if games:
        tables = _get_tables(event, games if after else None)
    challenges = Challenge.objects.filter(event=event, game__isnull=False)
    if after or pending is not None:
        challenges = challenges.filter(game__in=games)
    linked = set(challenges.values_list("game_id", flat=True))
    events = (_ladder_event(row, tables, linked) for row in rows)
    return [ladder_event for ladder_event in events if ladder_event is not None]


def _get_tables(event: Event, games: Sequence[int] | None) -> dict[int, Table]:
    rows = Contribution.objects.filter(event=event, games__gt=0).exclude(game__state__in=UNFINISHED)
    if games is not None:
        rows = rows.filter(game__in=games)
    tables: dict[int, Table] = {}
    for game, code, entrant, place in rows.values_list(
        "game_id", "game__table__code", "entrant__code", "place"
    ).order_by("game_id", "entrant__code"):
        _, places = tables.setdefault(game, (code, {}))
        places[entrant] = place
    return tables


def _ladder_event(
    row: LadderStep, tables: Mapping[int, Table], linked: set[int]
) -> LadderEvent | None:
    number, on = row.number, row.on
    if row.kind == StepKind.OPENED:
        return Opened(number, on, tuple(row.facts["members"]))
    if row.kind == StepKind.SWEPT:
        return WeekSwept(number, on, row.week, tuple(row.facts["idle"]))
    if row.kind == StepKind.CHALLENGE and row.challenge is not None:
        return _challenge_event(row, row.challenge, tables)
    if row.kind == StepKind.TABLE:
        table = tables.get(row.game_id or 0)
        if table is None or row.game_id in linked or BARRED in row.facts:
            return None
        code, places = table
        return TablePlayed(number, on, tiers_of(places), code)
    if row.entrant is None:
        return None
    if row.kind == StepKind.JOINED:
        return Joined(number, on, row.entrant.code)
    return Removed(number, on, row.entrant.code, str(row.facts.get("why", "left")))


def _challenge_event(
    row: LadderStep, challenge: Challenge, tables: Mapping[int, Table]
) -> LadderEvent | None:
    low = challenge.challenger.code
    high = challenge.challenged.code
    if challenge.state in WINS:
        return ChallengeWon(row.number, row.on, low, high, challenge.state, str(challenge.number))
    table = tables.get(challenge.game_id or 0)
    if challenge.state != "confirmed" or table is None:
        return None
    code, places = table
    won = winner_at(challenge, places)
    if won is None:
        return None
    return ChallengeWon(row.number, row.on, won, low if won == high else high, "played", code)


def winner_at(challenge: Challenge, places: Places) -> str | None:
    """Return the code of the winner of a challenge at the table; None if one of the two was not
    there. A tie is a win of the challenged.

    Args:
        places: those of the game, by code.
    """
    low = challenge.challenger.code
    high = challenge.challenged.code
    if {low, high} <= set(places):
        return winner(low, high, places)
    return None


def side_ahead(challenge: Challenge, places: Places) -> str:
    """Return which side won a challenge, `challenger` or `challenged`; "" without a winner."""
    won = winner_at(challenge, places)
    sides = {challenge.challenger.code: "challenger", challenge.challenged.code: "challenged"}
    return sides[won] if won is not None else ""


def places_in(games: Collection[int]) -> Mapping[int, Places]:
    """Return the places in several games, by the game's row; one query."""
    places: dict[int, dict[str, int]] = defaultdict(dict)
    rows = Contribution.objects.filter(game__in=games, games__gt=0)
    for game, code, place in rows.values_list("game_id", "entrant__code", "place"):
        places[game][code] = place
    return places


def places_at(game: Game) -> dict[str, int]:
    """Return each entrant's place in a game, from 1; none where it does not count."""
    rows = Contribution.objects.filter(game=game, games__gt=0).order_by("entrant__code")
    return dict(rows.values_list("entrant__code", "place"))


def erased_members(event: Event) -> QuerySet[Entrant]:
    """Return the entrants of single players who were erased: nobody can answer for them."""
    rows = Entrant.objects.filter(event=event, kind=EntrantKind.PLAYER)
    return rows.filter(members__player__erased_at__isnull=False)


def away_of(rows: Iterable[LadderAbsence]) -> tuple[AbsencePeriod, ...]:
    return tuple(AbsencePeriod(row.since, row.until) for row in rows)


def join_days(event: Event) -> dict[str, date]:
    days: dict[str, date] = {}
    steps = LadderStep.objects.filter(event=event, kind__in=("opened", "joined"))
    for step in steps.select_related("entrant").order_by("number"):
        codes: Iterable[str] = ()
        if step.entrant is not None:
            codes = [step.entrant.code]
        elif step.kind == "opened":
            codes = step.facts["members"]
        days.update((code, step.on) for code in codes)
    return days


def absences_in(event: Event) -> Mapping[str, Sequence[AbsencePeriod]]:
    absences: dict[str, list[AbsencePeriod]] = defaultdict(list)
    rows = LadderAbsence.objects.filter(event=event).order_by("since", "pk")
    for code, since, until in rows.values_list("entrant__code", "since", "until"):
        absences[code].append(AbsencePeriod(since, until))
    return absences


def _reason(problem: Problem) -> str:
    """Return the sentence of a problem; empty for a step of 0.3.0, which has no numbers."""
    if not problem.facts:
        return ""
    return sentence(problem)


def tables_on_ladder(event: Event, **where: object) -> dict[str, JsonDict]:
    """Return what the ladder makes of some tables by code, but those of play-offs; four queries.

    Each has its `number`, the numbers of the `challenges` whose game it is, and the `problem` for
    which it moves nobody, None if it moves its members, with its `reason` in words.
    """
    if not event.is_ladder:
        return {}
    rows = Game.objects.filter(event=event, counts=True, **where).order_by("table__number")
    rows = rows.select_related("table", "ladder_step").prefetch_related("challenges")
    steps = {row.pk: step.facts for row in rows if (step := getattr(row, "ladder_step", None))}
    problems = _problems_of_seats(event, {row.pk for row in rows} - steps.keys())
    problems |= {game: _stored_problem(facts) for game, facts in steps.items() if BARRED in facts}
    tables = {}
    for row in rows:
        numbers = tuple(sorted(challenge.number for challenge in row.challenges.all()))
        problem = None if numbers else problems.get(row.pk)
        tables[row.table.code] = {
            "number": row.table.number,
            "challenges": numbers,
            "problem": problem,
            "reason": _reason(problem) if problem is not None else "",
        }
    return tables


def _stored_problem(facts: Mapping[str, Any]) -> Problem:
    """Return why the table of a step moves nobody, as it was decided when the game was over."""
    return Problem(facts[BARRED], facts={key: facts[key] for key in facts if key != BARRED})


def _problems_of_seats(event: Event, games: Iterable[int]) -> dict[int, Problem | None]:
    entrants: dict[int, set[str]] = defaultdict(set)
    sittings = Sitting.objects.filter(
        seat__table__game__in=games, to_hand=None, player__entries_in_events__event=event
    )
    for game, code in sittings.values_list(
        "seat__table__game__pk", "player__entries_in_events__entrant__code"
    ):
        entrants[game].add(code)
    ladder = listed_ladder(event)
    rules = ladder_rules_of(event)
    problems: dict[int, Problem | None] = {}
    for game, codes in entrants.items():
        of_table = table_problems(ladder, (tuple(sorted(codes)),), rules)
        problems[game] = next((problem for problem in of_table if problem.code in REASONS), None)
    return problems


MOST_WITHOUT_MOVES: Final = 50
"""Tables without moves on one page."""


def tables_without_moves(
    event: Event, *, before: int | None, since: int | None
) -> list[dict[str, object]]:
    """Return the newest tables that moved nobody, of the steps `since` one and `before` another:
    `code`, `on` and `reason`."""
    steps = LadderStep.objects.filter(event=event, kind=StepKind.TABLE, facts__has_key=BARRED)
    steps = steps.filter(game__challenges=None, number__gte=since or 0)
    steps = steps.filter(number__lt=before) if before is not None else steps
    rows = steps.order_by("-number").values_list("game__table__code", "on", "facts")
    return [
        {"code": code, "on": on, "reason": _reason(_stored_problem(facts))}
        for code, on, facts in rows[:MOST_WITHOUT_MOVES]
    ]
