"""What a correction makes of the rounds of a knock-out: would the same go on to the next round?

A round that was drawn stays as it is; the stage keeps the question until a director answers.
"""

from collections.abc import Mapping
from itertools import pairwise

from scoring.errors import Problem, listed
from scoring.playoffs.boundaries import table_needs
from tournaments.domain.knockout_advance import goes_on_from
from tournaments.models.events import EntrantMember, Event, Stage, StageKind
from tournaments.models.meetings import Round, RoundState
from tournaments.models.playoffs import WalkOver
from tournaments.models.seating_plans import SeatingPlan
from tournaments.publishing.standings.stages_reached import tables_in
from tournaments.selectors.events.cuts import ordinary_stages, posted_rounds
from tournaments.services.events.table_ties import places_at_tables, plays_tables


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
