"""What changed since a draft round was drawn: the inputs of its plan, compared with those of now.

Inputs that a plan of an earlier version did not store are not compared. See
docs/algorithms/seating.md, "Drafts that are out of date".
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import gcd
from typing import Any, TypeAlias

from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.domain.stage_plan import goes_on_from
from tournaments.models.clubs import Player
from tournaments.models.events import Event, StageKind
from tournaments.models.meetings import Round, RoundState, SitOutReason
from tournaments.models.seating_plans import KNOCKOUT, LADDER, PARTNERSHIPS, SeatingPlan
from tournaments.models.standings import Publication
from tournaments.selectors.rounds.round_seating import attendance_in, players_in, round_seating
from tournaments.selectors.rules.rule_sets import offered_in
from tournaments.selectors.seating_plans.current_stage import is_behind, stage_to_plan, standing_of
from tournaments.selectors.seating_plans.people_here import PersonHere, earlier_rounds, members_now
from tournaments.selectors.seating_plans.plans import listed_names, regrouped_players
from tournaments.services.publishing.standings import draft_standings, render_draft
from tournaments.services.seating_plans.compute_plan import digest_of, evening_constraints
from tournaments.services.seating_plans.movement_inputs import (
    conditions_now,
    knockout_results,
    list_seeds,
    swiss_results,
)

Differences: TypeAlias = Iterator[tuple[str, Collection[int]]]
"""What differs, a key of `code_words.DRAWN_FROM`, and the players that it concerns, as rows."""
Scores: TypeAlias = Iterable[Sequence[Any]]


def is_drawn(round_: Round) -> bool:
    """Whether a draft was drawn by results or places as they may still change.

    Later rounds of a ladder night are planned from its beginning.
    """
    plan = round_.plan
    if plan is None or round_.state != RoundState.DRAFT:
        return False
    is_of_ladder = plan.movement == LADDER and round_.plan_round == 1
    return plan.is_swiss or plan.movement == KNOCKOUT or is_of_ladder


def standings_to_come(event: Event) -> Publication | None:
    """Return the standings with the changes that wait to be published; None where none wait."""
    if not is_behind(event):
        return None
    fresh = Event.objects.select_related("club", "season").get(pk=event.pk)
    return Publication(body=render_draft(draft_standings(fresh)).body)


def outdated_draft(round_: Round, draft: Publication | None = None) -> Problem | None:
    """Return what changed since a round was drawn; None for one that is no such draft.

    Args:
        draft: standings to compare in the place of those to come.
    """
    plan = round_.plan
    if plan is None or not is_drawn(round_):
        return None
    plan.event, draft = round_.event, draft or standings_to_come(round_.event)
    kinds: dict[str, set[int]] = {}
    for kind, players in _differences(round_, plan, draft):
        kinds.setdefault(kind, set()).update(players)
    if not kinds:
        return None
    rows = {player for players in kinds.values() for player in players}
    people = Player.objects.filter(club=round_.club_id, pk__in=rows).order_by("name", "pk")
    names = listed_names(list(people.values_list("name", flat=True)))
    facts: dict[str, int | str] = {"round": round_.number, "drawn_from": ", ".join(kinds)}
    return Problem("draft_out_of_date", ("state",), facts | {"names": names})


def outdated_drafts(event: Event, draft: Publication | None = None) -> dict[int, Problem]:
    """Return the problems of the drafts of an event by their numbers; one query without any."""
    rows = Round.objects.filter(event=event, state=RoundState.DRAFT, plan__isnull=False)
    rows = rows.select_related("plan", "stage", "meeting", "club").order_by("number")
    rounds = [row for row in rows if is_drawn(row)]
    for round_ in rounds:
        round_.event = event
    problems = {round_.number: outdated_draft(round_, draft) for round_ in rounds}
    return {number: problem for number, problem in problems.items() if problem is not None}


def _differences(round_: Round, plan: SeatingPlan, draft: Publication | None) -> Differences:
    event, inputs = round_.event, plan.inputs
    yield from _differences_of_results(round_, plan, draft)
    yield from _differences_of_people(round_, plan)
    rules = offered_in(event).rules(event.variant, event.options)
    present = [PersonHere(player, "", "") for player in inputs["present"]]
    constraints = evening_constraints(event, rules, present)
    kinds = ["apart", "fixed_tables"]
    if plan.movement not in PARTNERSHIPS:
        kinds.append("together")
    pairs = {kind: sorted(map(list, getattr(constraints, kind))) for kind in kinds}
    if not _agree({kind: sorted(inputs.get(kind, pairs[kind])) for kind in kinds}, pairs):
        yield "constraints", ()
    stage = stage_to_plan(event, inputs.get("stage"))
    conditions = conditions_now(event, stage)
    conditions["sides"] = [list(side) for side in constraints.sides]
    if plan.movement == KNOCKOUT and stage is not None and "stage" in inputs:
        rule = goes_on_from(stage)
        conditions |= {"advance": rule.each_table, "wild_cards": rule.wild_cards}
    if not _agree(inputs, {"asked": conditions.pop("asked")}):
        yield "cut", ()
    if not _agree(inputs, conditions):
        yield "settings", ()


def _agree(stored: Mapping[str, Any], current: Mapping[str, Any]) -> bool:
    return all(stored[key] == value for key, value in current.items() if key in stored)


def _differences_of_results(
    round_: Round, plan: SeatingPlan, draft: Publication | None
) -> Differences:
    event, inputs, is_cup = round_.event, plan.inputs, plan.movement == KNOCKOUT
    current = _results_now(round_, plan, draft)
    if "scores" in inputs:
        stored, scores = inputs["scores"], current.get("scores", ())
        if is_cup and inputs.get("advance") and not inputs.get("wild_cards"):
            stored, scores = (_through(rows, inputs["advance"]) for rows in (stored, scores))
        if players := _rescored(stored, scores):
            yield "results" if is_cup else "scores", players
    if not _agree(inputs, {key: current[key] for key in ("forfeits",) if key in current}):
        yield "results", set(inputs["forfeits"]) ^ set(current["forfeits"])
    for name, kind in (("wild_ranks", "wild_cards"), ("standing", "places")):
        is_known = name in current and name in inputs
        if is_known and (players := _moved(inputs[name], current[name])):
            yield kind, players
    if not is_cup and "history" in inputs:
        rounds = earlier_rounds(event)
        before = {key: row for key, row in rounds.items() if key < round_.number}
        if digest_of(before) != inputs["history"]:
            yield "meetings", ()


def _results_now(round_: Round, plan: SeatingPlan, draft: Publication | None) -> JsonDict:
    event, inputs = round_.event, plan.inputs
    present, number = inputs["present"], inputs.get("stage")
    if plan.is_swiss:
        return swiss_results(event, present, number, draft)
    if plan.movement == LADDER:
        places = standing_of(event, draft)
        return {"standing": [[player, places[player]] for player in present if player in places]}
    stage = stage_to_plan(event, number) if "stage" in inputs else None
    seeds = {"standing": list_seeds(event, stage, present, draft)} if stage is not None else {}
    rounds = Round.objects.filter(event=event, number__lt=round_.number)
    rounds = rounds.exclude(state=RoundState.DRAFT).exclude(stage__kind=StageKind.PLAYOFF)
    if inputs.get("after"):
        rounds = rounds.filter(number=inputs["after"])
    last = rounds.order_by("number").last() if inputs["scores"] or inputs.get("after") else None
    return seeds | (knockout_results(event, last, draft) if last is not None else {})


def _through(rows: Scores, advance: int) -> list[Sequence[Any]]:
    """Return the rows of those who go on: the value is minus how many at the table are before."""
    return [row for row in rows if -row[1] < advance]


def _rescored(stored: Scores, current: Scores) -> set[int]:
    """Return the players whose scores differ; their unit, which depends on all scores, may.

    A score that somebody has first is none that a round was drawn by, unless nobody had one.

    >>> _rescored([[1, 12, "6"], [2, 8, "4"]], [[1, 6, "6"], [2, 4, "4"], [3, 0, "0"]])
    set()
    >>> _rescored([[1, 12, "6"], [2, 8, "4"]], [[1, 12, "6"], [2, 4, "2"]])
    {2}
    """
    before = {player: (value, text) for player, value, text in stored}
    after = {player: (value, text) for player, value, text in current}
    if not before:
        return {player for player, (value, _text) in after.items() if value}
    nobody = (0, "")
    if texts := {player for player in before if after.get(player, nobody)[1] != before[player][1]}:
        return texts
    units = [gcd(*(rows[player][0] for player in before)) or 1 for rows in (before, after)]
    return {
        player for player in before if before[player][0] // units[0] != after[player][0] // units[1]
    }


def _moved(stored: Iterable[Sequence[int]], current: Iterable[Sequence[int]]) -> set[int]:
    """Return who has another place among these players.

    >>> _moved([[1, 1], [2, 5], [3, 5]], [[1, 2], [2, 9], [3, 9]])
    set()
    >>> _moved([[1, 1], [2, 5], [3, 5]], [[1, 2], [2, 9], [3, 8]])
    {2}
    """
    before, after = ({player: place for player, place in rows} for rows in (stored, current))
    both = before.keys() & after.keys()
    old, new = (_dense({player: rows[player] for player in both}) for rows in (before, after))
    return {player for player in both if old[player] != new[player]} | before.keys() - both


def _dense(places: Mapping[int, int]) -> dict[int, int]:
    order = {place: at for at, place in enumerate(sorted(set(places.values())))}
    return {player: order[place] for player, place in places.items()}


def _differences_of_people(round_: Round, plan: SeatingPlan) -> Differences:
    """Compare who is in the round with who is here; a seat given by hand is no difference."""
    seating, planned = round_seating(round_), set(plan.inputs["present"])
    unplaced, _left, away = attendance_in(round_, seating, plan)
    byes = {player for player, why in seating.sit_outs.items() if why == SitOutReason.BYE}
    gone = (seating.seated | byes) & planned & away
    inside = players_in(round_.stage_id)
    outside = set(seating.seated) - inside if inside is not None else set()
    if players := {*unplaced, *gone, *outside}:
        yield "players", players
    if regrouped := regrouped_players(plan, members_now(plan.event)):
        yield "pairs", regrouped
