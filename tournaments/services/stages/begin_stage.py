"""Beginning a planned stage: those who go on are chosen, and new rounds belong to it.

A cut (`cuts.make_cut`) is a stage with the rule "the best k" that begins at once; both end in
`cuts.enter_stage`. See docs/algorithms/stages.md.
"""

from datetime import datetime

from scoring.errors import Problem
from tournaments.errors import Conflict, Missing
from tournaments.models.events import Event, Stage, StageKind, StagePlan, StageTakes
from tournaments.models.meetings import RoundState
from tournaments.models.playoffs import LIVE, Playoff
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.events.cuts import source_of, stage_title
from tournaments.services.db.transactions import atomic_act
from tournaments.services.stages.advancing import (
    Qualified,
    current_publication,
    lock_to_manage,
    qualified_for,
    record_stage_act,
    require_open,
    require_rounds_over,
)
from tournaments.services.stages.cuts import enter_stage


@atomic_act
def begin_stage(*, actor: Actor, event: Event, number: int, now: datetime) -> Stage:
    """Begin the next planned stage: choose who plays in it from the standings as published.

    Those who withdrew, or have too few games for a rank, are passed over. A stage without a rule
    is for everybody who plays in the one before. Where some come back from a second stage, the
    rounds of both must be over.

    Raises:
        Forbidden: manage_event.
        Missing: stage.
        Refused: cut_too_large, nobody_can_qualify.
        Conflict: event_is_over, event_not_open, stage_has_begun, stage_not_next, cut_round_open,
            cut_playoff_open, not_published, standings_behind, cut_tied, table_tied,
            wild_cards_tied, winners_not_chosen, nobody_left.
    """
    event, role = lock_to_manage(actor, event)
    stage, source, publication, qualified = qualified_to_begin(event, number)
    stage.from_stage, stage.plan = source, StagePlan.BEGUN
    enter_stage(stage, source, qualified, now=now)
    facts = {
        "stage": number,
        "cut": qualified.cut,
        "publication": publication.number,
        "went_on": sorted(qualified.codes),
    }
    record_stage_act(actor, role, event, "begin_stage", facts, "", now)
    return stage


def qualified_to_begin(event: Event, number: int) -> tuple[Stage, Stage, Publication, Qualified]:
    """Return a planned stage, the one before it, the standings, and who goes on by them."""
    stages = list(Stage.objects.filter(event=event).order_by("number"))
    stage = _next_stage(stages, number)
    require_open(event)
    source = source_of(stage, stages)
    assert source is not None  # noqa: S101 - a planned stage has one before it
    _require_source_over(event, stage, source)
    if stage.also_from is not None:
        require_rounds_over(event, stage.also_from)
    _require_cut_decided(event, stage)
    publication = current_publication(event)
    return stage, source, publication, qualified_for(event, stage, source, publication)


def _next_stage(stages: list[Stage], number: int) -> Stage:
    stage = next((one for one in stages if one.number == number), None)
    if stage is None or stage.kind == StageKind.PLAYOFF:
        raise Missing("stage", {"stage": number})
    if stage.plan != StagePlan.PLANNED:
        raise Conflict(Problem("stage_has_begun", facts={"stage": stage_title(stage)}))
    first = next(one for one in stages if one.plan == StagePlan.PLANNED)
    if stage != first:
        facts = {"stage": stage_title(stage), "first": stage_title(first)}
        raise Conflict(Problem("stage_not_next", facts=facts))
    return stage


def _require_source_over(event: Event, stage: Stage, source: Stage) -> None:
    """Refuse while a round of the stage before is open.

    A consolation of a knock-out may begin while the later rounds of that are played.
    """
    if stage.takes == StageTakes.LOSERS and source.kind == StageKind.KNOCKOUT:
        lost_in = stage.from_round or 1
        rounds = list(source.rounds.order_by("number")[: lost_in + 1])
        if len(rounds) > lost_in and rounds[lost_in - 1].state == RoundState.CLOSED:
            return
    require_rounds_over(event, source)


def _require_cut_decided(event: Event, stage: Stage) -> None:
    """Refuse while a tie at the cut of the stage is being played off."""
    line = [{"kind": "cut", "above": (stage.advance or {}).get("best")}]
    waiting = Playoff.objects.filter(event=event, state__in=LIVE, is_waived=False)
    first = next((one for one in waiting.order_by("number") if one.boundaries == line), None)
    if first is not None:
        facts = {"playoff": first.number, "stage": stage_title(stage)}
        raise Conflict(Problem("cut_playoff_open", ("advance",), facts))
