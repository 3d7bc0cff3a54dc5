"""Compares cuts and knock-out rounds with the corrected table: would the same entrants go on?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from scoring.errors import Problem, listed
from scoring.playoffs.advance import best_of_tables, with_best_of_another
from scoring.playoffs.boundaries import Tiers, above_line, table_needs
from scoring.playoffs.states import cut_problems
from scoring.standings.rank import AdvancingStage, Standing, ranked_tiers
from scoring.standings.rows import GameResult, InMemory
from tournaments.domain.event_settings import settings_of
from tournaments.domain.stage_plan import goes_on_from
from tournaments.models.events import EntrantMember, Event, Stage, StageKind
from tournaments.models.meetings import Round, RoundState, SitOut, SitOutReason
from tournaments.models.outbox import event_scope
from tournaments.models.playoffs import WalkOver
from tournaments.models.seating_plans import SeatingPlan
from tournaments.models.standings import LedgerLine
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.events.stages import StoredCut, ordinary_stages, posted_rounds
from tournaments.selectors.jobs.queue import get_version
from tournaments.selectors.playoffs.bracket import places_at_tables
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.table_ties import plays_tables
from tournaments.services.publishing.entrant_rows import EntrantInputs, entrant_inputs, rows_from
from tournaments.services.publishing.stages_reached import StagesReached, tables_in
from tournaments.services.publishing.standings import rank_rows
from tournaments.services.publishing.tie_break_evidence import every_game
from tournaments.services.stages.advancing import shared_line, shares_places, without
from tournaments.services.stages.cuts import audit_redone_cut, review_cut


def changed_rounds(event: Event) -> Mapping[Stage, Problem | None]:
    """Return for each knock-out of an event the first round to which others would go on now."""
    changed: dict[Stage, Problem | None] = {}
    for stage in ordinary_stages(event):
        if stage.kind == StageKind.KNOCKOUT:
            problems = (
                _problem(event, stage, before, later)
                for before, later in pairwise(posted_rounds(stage))
                if before.state == RoundState.CLOSED
            )
            changed[stage] = next((problem for problem in problems if problem is not None), None)
    return changed


def _problem(event: Event, stage: Stage, before: Round, later: Round) -> Problem | None:
    rule, number = goes_on_from(stage), before.number
    on = {*tables_in(event, [later])[later.pk]}
    planned_for = _planned_for(event, before)
    gone = {*WalkOver.objects.filter(round=before).values_list("entrant__code", flat=True)}
    tables = {
        table: {
            code: place
            for code, place in places.items()
            if code not in gone and (planned_for is None or code in planned_for | on)
        }
        for table, places in places_at_tables(event, [before]).get(number, {}).items()
    }
    needs = table_needs(tables, rule.each_table, round_number=number)
    tied = {code for need in needs for code in need.members}
    would = {
        code
        for places in tables.values()
        for code, place in places.items()
        if place <= rule.each_table and code not in tied
    }
    come = would - on
    go = {code for places in tables.values() for code in places} & on - would - tied
    go = go if len(go) > rule.wild_cards else set()
    tie = bool(needs) and plays_tables(event)
    if not (come or go or tie):
        return None
    facts: dict[str, int | str | bool] = {
        "above": rule.each_table,
        "tie": tie,
        "come": listed(sorted(come)) or "nobody",
        "go": listed(sorted(go)) or "nobody",
        "round": later.number,
    }
    return Problem("cut_would_change", facts=facts)


def _planned_for(event: Event, before: Round) -> set[str] | None:
    """Return who was here when the round after this one was planned; None without a plan."""
    plans = SeatingPlan.objects.filter(event=event, chosen_at__isnull=False)
    plans = plans.filter(inputs__after=before.number)
    plan = plans.order_by("-chosen_at").first()
    if plan is None:
        return None
    present = EntrantMember.objects.filter(event=event, player__in=plan.inputs["present"])
    return {*present.values_list("entrant__code", flat=True)}


def review_cuts(event_id: int, *, now: datetime) -> None:
    """Ask about each cut of an event from which others would go on now; safe twice.

    A question is withdrawn where the same go on again. The tables are counted before anything
    is locked; where the event has changed meanwhile nothing is done, for the publication of that
    change has the cuts looked at again.
    """
    version = get_version(event_scope(event_id))
    event = Event.objects.filter(pk=event_id).first()
    if event is None:
        return
    cuts, rounds = _before_cuts(event), changed_rounds(event)
    if cuts or rounds:
        _follow(event, version, cuts, rounds, now)


def has_open_question(event: Event) -> bool:
    """Whether others would have gone on from a cut of an event that is over, and nobody has said
    yet what becomes of it. Writes nothing.

    While an event is open its standings go on; who went on is asked about beside them.
    """
    if event.state not in ("closed", "final"):
        return False
    if settings_of(event).playoff_rules.get("finished", "ask") == "keep":
        return False
    problems = [*changed_rounds(event).items()]
    problems += [(cut.stage, before.problem(cut)) for cut, before in _before_cuts(event)]
    return any(
        problem is not None and dict(problem.facts) != stage.kept for stage, problem in problems
    )


@atomic_act
def _follow(
    event: Event,
    version: int,
    cuts: Sequence[tuple[StoredCut, "_BeforeCut"]],
    rounds: Mapping[Stage, Problem | None],
    now: datetime,
) -> None:
    event = lock_event(event)
    if get_version(event_scope(event.pk)) != version:
        return
    redone = []
    followed = set()
    for cut, before in cuts:
        if before.problem(cut) is None and rounds.get(cut.stage) is not None:
            continue
        followed.add(cut.stage)
        cut.stage.refresh_from_db(fields=["asked", "kept"])
        gone = review_cut(event, cut.stage, before.problem(cut), before.tiers, before.above)
        if gone is not None:
            redone.append((cut.stage, gone))
    for stage in rounds.keys() - followed:
        stage.refresh_from_db(fields=["asked", "kept"])
        review_cut(event, stage, rounds[stage])
    for stage, gone in redone:
        audit_redone_cut(event, stage, gone, now=now)


@dataclass(frozen=True, slots=True)
class _BeforeCut:
    """The table before a cut, of those who could go on then, and how many go on by the rule now.

    Where the last place is shared, that is another number once a correction ends the tie.
    """

    tiers: Tiers
    above: int

    def problem(self, cut: StoredCut) -> Problem | None:
        """Return what is against the correction; `shared` in its facts is how many went on."""
        found = next(iter(cut_problems(cut.codes, self.tiers, self.above)), None)
        if found is None or self.above == cut.stage.cut:
            return found
        return replace(found, facts={**found.facts, "shared": cut.stage.cut or 0})


def _before_cuts(event: Event) -> list[tuple[StoredCut, _BeforeCut]]:
    """Return the cuts of an event, each with the table before it."""
    reached = StagesReached(event)
    if not reached.cuts:
        return []
    games = every_game(event, until_round=max(cut.after_round for cut in reached.cuts))
    return [(cut, _before(event, cut, games, reached.before(cut))) for cut in reached.cuts]


def _before(
    event: Event,
    cut: StoredCut,
    every: Sequence[GameResult],
    reached: Sequence[AdvancingStage],
) -> _BeforeCut:
    """Return the table before a cut, best first.

    Where the best of each table went on, they come first (`best_of_tables`).
    """
    settings = settings_of(event)
    games = [game for game in every if game.key[0] <= cut.after_round]
    there = _beside(event, cut)
    is_low = low_wins(rules_of(default_snapshot(event)))
    rows = rows_from(games, settings, there, low_wins=is_low)
    placed = rank_rows(event, rows, InMemory(games), settings=settings, stages=reached)
    everybody = frozenset(row.sums.code for row in placed)
    first, above = _of_source(event, cut, games, _inside(placed, cut, cut.inside or everybody))
    made = cut.stage.cut or 0
    by_rule = shares_places(event) and bool(cut.stage.advance)
    if cut.also is None:
        return _BeforeCut(first, above if by_rule else made)
    through = above_line(first, above) or frozenset()
    second = without(_inside(placed, cut, cut.beside or everybody), through)
    best = cut.stage.also_best or 0
    if shares_places(event):
        best = shared_line(second, best)
    tiers = with_best_of_another(first, above, second, best)
    return _BeforeCut(tiers, above + best if by_rule else made)


def _inside(placed: Sequence[Standing], cut: StoredCut, inside: frozenset[str]) -> Tiers:
    """Return who of `inside` could go on; who withdrew afterwards went on all the same."""
    return ranked_tiers(
        row
        for row in placed
        if row.sums.code in inside and (row.sums.code in cut.codes or not row.row.withdrawn)
    )


def _of_source(
    event: Event, cut: StoredCut, games: Sequence[GameResult], tiers: Tiers
) -> tuple[Tiers, int]:
    """Return the order of the stage before by the rule, and how many go on by it."""
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


def _beside(event: Event, cut: StoredCut) -> EntrantInputs:
    """What stood beside the sums when the cut was made."""
    now = entrant_inputs(event)
    lines = LedgerLine.objects.filter(event=event, at__lte=cut.stage.cut_at)
    given = frozenset(lines.values_list("number", flat=True))
    kept = {
        code: [line for line in own if line.number in given] for code, own in now.ledger.items()
    }
    byes = SitOut.objects.filter(
        event=event, reason=SitOutReason.BYE, round__number__lte=cut.after_round
    )
    return replace(
        now,
        ledger={code: own for code, own in kept.items() if own},
        byes=Counter(byes.values_list("entrant__code", flat=True)),
    )
