"""Compare cuts and knock-out rounds with the corrected table: would the same entrants qualify?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from scoring.errors import Problem, listed
from scoring.playoffs.boundaries import (
    Tiers,
    above_line,
    best_of_tables,
    cut_problems,
    table_needs,
    with_best_of_another,
)
from scoring.standings.rank import AdvancingStage, Standing, ranked_tiers
from scoring.standings.rows import GameResult, InMemory
from tournaments.domain.event_settings import settings_of
from tournaments.domain.stage_plan import goes_on_from
from tournaments.models.events import EntrantMember, Event, Stage, StageKind
from tournaments.models.jobs import event_scope
from tournaments.models.playoffs import WalkOver
from tournaments.models.rounds import Round, RoundState, SitOut, SitOutReason
from tournaments.models.seating_plans import SeatingPlan
from tournaments.models.standings import LedgerLine, OpeningValue
from tournaments.policy import CLOCK
from tournaments.selectors.jobs.queue import get_version
from tournaments.selectors.playoffs.bracket import places_at_tables
from tournaments.selectors.stages import StoredCut, posted_rounds, stages_of
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_step
from tournaments.services.events.table_ties import list_byes, plays_tables
from tournaments.services.operations import Operation
from tournaments.services.publishing.entrant_rows import entrant_inputs, lowest_wins
from tournaments.services.publishing.evening_points import rows_of_games
from tournaments.services.publishing.ranking import rank_rows
from tournaments.services.publishing.stages_reached import StagesReached, tables_in
from tournaments.services.publishing.tie_break_evidence import every_game
from tournaments.services.stages.advancing import (
    record_stage_operation,
    shared_line,
    shares_places,
    without,
)
from tournaments.services.stages.cuts import review_cut


def _changed_rounds(event: Event) -> Mapping[Stage, Problem | None]:
    changed: dict[Stage, Problem | None] = {}
    for stage in stages_of(event):
        if stage.kind == StageKind.KNOCKOUT:
            problems = (
                _round_problem(event, stage, before, later)
                for before, later in pairwise(posted_rounds(stage))
                if before.state == RoundState.CLOSED
            )
            changed[stage] = next((problem for problem in problems if problem is not None), None)
    return changed


def _round_problem(event: Event, stage: Stage, before: Round, later: Round) -> Problem | None:
    rule = goes_on_from(stage)
    number = before.number
    qualified = {*tables_in(event, [later])[later.pk]} | list_byes(later)
    present = _get_present(event, before)
    gone = {*WalkOver.objects.filter(round=before).values_list("entrant__code", flat=True)}
    tables = {
        table: {
            code: place
            for code, place in places.items()
            if code not in gone and (present is None or code in present | qualified)
        }
        for table, places in places_at_tables(event, [before]).get(number, {}).items()
    }
    needs = table_needs(tables, rule.each_table, round_number=number)
    tied = {code for need in needs for code in need.members}
    would: set[str] = set()
    for places in tables.values():
        # Who left before the round was planned was replaced by the next of the table.
        for code, place in places.items():
            n_ahead = sum(other < place for other in places.values())
            if n_ahead < rule.each_table and code not in tied:
                would.add(code)
    come = would - qualified
    go = {code for places in tables.values() for code in places} & qualified - would - tied
    go = go if len(go) > rule.wild_cards else set()
    tie = bool(needs) and plays_tables(event)
    if not (come or go or tie):
        return None
    facts = {
        "above": rule.each_table,
        "tie": tie,
        "come": listed(sorted(come)) or "nobody",
        "go": listed(sorted(go)) or "nobody",
        "round": later.number,
    }
    return Problem("cut_would_change", facts=facts)


def _get_present(event: Event, before: Round) -> set[str] | None:
    """Return who was present when the round after this one was planned; None without a plan."""
    plans = SeatingPlan.objects.filter(event=event, chosen_at__isnull=False)
    plans = plans.filter(inputs__after=before.number)
    plan = plans.order_by("-chosen_at").first()
    if plan is None:
        return None
    present = EntrantMember.objects.filter(event=event, player__in=plan.inputs["present"])
    return {*present.values_list("entrant__code", flat=True)}


def review_cuts(event_id: int, *, now: datetime) -> None:
    """Ask about each cut of an event from which others would qualify now; safe twice.

    A question is withdrawn where the same entrants qualify again. The tables are counted before
    anything is locked; where the event has changed meanwhile nothing is done, for the cuts are
    reviewed again after the publication of that change.
    """
    version = get_version(event_scope(event_id))
    event = Event.objects.filter(pk=event_id).first()
    if event is None:
        return
    cuts = _get_tables_before_cuts(event)
    rounds = _changed_rounds(event)
    if cuts or rounds:
        _ask(event, version, cuts, rounds, now)


def has_open_question(event: Event) -> bool:
    """Return whether a correction changed who qualifies, and no director has answered yet.

    Applies to events that are over. Writes nothing.

    An open event publishes its standings in spite of such a question.
    """
    if not event.is_over:
        return False
    if settings_of(event).playoff_rules.get("finished", "ask") == "keep":
        return False
    problems = [*_changed_rounds(event).items()]
    problems += [
        (cut.stage, _cut_problem(cut, tiers, above))
        for cut, tiers, above in _get_tables_before_cuts(event)
    ]
    return any(
        problem is not None and dict(problem.facts) != stage.kept for stage, problem in problems
    )


@atomic_step
def _ask(
    event: Event,
    version: int,
    cuts: Sequence[tuple[StoredCut, Tiers, int]],
    rounds: Mapping[Stage, Problem | None],
    now: datetime,
) -> None:
    event = lock_event(event)
    if get_version(event_scope(event.pk)) != version:
        return
    redone = []
    reviewed = set()
    for cut, tiers, above in cuts:
        problem = _cut_problem(cut, tiers, above)
        if problem is None and rounds.get(cut.stage) is not None:
            continue
        reviewed.add(cut.stage)
        cut.stage.refresh_from_db(fields=["asked", "kept"])
        gone = review_cut(event, cut.stage, problem, tiers, above)
        if gone is not None:
            redone.append((cut.stage, gone))
    for stage in rounds.keys() - reviewed:
        stage.refresh_from_db(fields=["asked", "kept"])
        review_cut(event, stage, rounds[stage])
    for stage, gone in redone:
        record_stage_operation(
            Operation(CLOCK, now), "redo_cut", stage, {"tables": gone}, by="clock"
        )


def _cut_problem(cut: StoredCut, tiers: Tiers, above: int) -> Problem | None:
    """Return the problem of a correction; `shared` in its facts is how many qualified.

    Where the last place was shared, that is another number once a correction ends the tie.
    """
    problem = next(iter(cut_problems(cut.codes, tiers, above)), None)
    if problem is None or above == cut.stage.cut:
        return problem
    return replace(problem, facts={**problem.facts, "shared": cut.stage.cut or 0})


def _get_tables_before_cuts(event: Event) -> list[tuple[StoredCut, Tiers, int]]:
    reached = StagesReached(event)
    if not reached.cuts:
        return []
    games = every_game(event, until_round=max(cut.after_round for cut in reached.cuts))
    return [
        (cut, *_get_table_before(event, cut, games, reached.before(cut))) for cut in reached.cuts
    ]


def _get_table_before(
    event: Event, cut: StoredCut, every: Sequence[GameResult], reached: Sequence[AdvancingStage]
) -> tuple[Tiers, int]:
    settings = settings_of(event)
    games = [game for game in every if game.key[0] <= cut.after_round]
    now = entrant_inputs(event)
    lines = LedgerLine.objects.filter(event=event, at__lte=cut.stage.cut_at)
    numbers = frozenset(lines.values_list("number", flat=True))
    values = OpeningValue.objects.filter(event=event, at__lte=cut.stage.cut_at)
    early = frozenset(values.values_list("number", flat=True))
    byes = SitOut.objects.filter(
        event=event, reason=SitOutReason.BYE, round__number__lte=cut.after_round
    )
    inputs = now.with_lines(numbers.__contains__, lambda line: line.number in early)
    inputs = replace(inputs, byes=Counter(byes.values_list("entrant__code", flat=True)))
    rows = rows_of_games(event, games, settings, inputs, low_wins=lowest_wins(event))
    placed = rank_rows(event, rows, InMemory(games), settings=settings, stages=reached)
    everybody = frozenset(row.sums.code for row in placed)
    first, above = _by_rule(event, cut, games, _tiers_inside(placed, cut, cut.inside or everybody))
    size = cut.stage.cut or 0
    by_rule = shares_places(event) and bool(cut.stage.advance)
    if cut.also is None:
        return first, above if by_rule else size
    through = above_line(first, above) or frozenset()
    second = without(_tiers_inside(placed, cut, cut.beside or everybody), through)
    best = cut.stage.also_best or 0
    if shares_places(event):
        best = shared_line(second, best)
    tiers = with_best_of_another(first, above, second, best)
    return tiers, above + best if by_rule else size


def _tiers_inside(placed: Sequence[Standing], cut: StoredCut, inside: frozenset[str]) -> Tiers:
    """Return those of `inside` who could qualify, including those who withdrew after qualifying."""
    return ranked_tiers(
        row
        for row in placed
        if row.sums.code in inside and (row.sums.code in cut.codes or not row.row.withdrawn)
    )


def _by_rule(
    event: Event, cut: StoredCut, games: Sequence[GameResult], tiers: Tiers
) -> tuple[Tiers, int]:
    tiers = without(tiers, cut.beside)
    rule = cut.stage.advance or {}
    if "each_table" not in rule:
        best = rule.get("best", 0)
        return tiers, shared_line(tiers, best) if shares_places(event) else best
    last = {
        game.key[1]: {code: worth.place for code, worth in game.chairs.items()}
        for game in games
        if game.key[0] == cut.last_round
    }
    order, above, *_tie = best_of_tables(tiers, last, shares=shares_places(event), **rule)
    return order, shared_line(order, above) if shares_places(event) else above
