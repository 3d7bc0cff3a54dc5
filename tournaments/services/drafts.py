"""Drafts that were drawn by results or places: what changed since, posting, and drawing again.

The inputs of their plans are compared with those of now; inputs that a plan of an earlier version
did not store are not. See docs/algorithms/seating.md, "Drafts that are out of date".
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import gcd
from typing import Any, TypeAlias

from scoring.errors import Problem
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.stage_plan import goes_on_from
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Event, StageKind
from tournaments.models.rounds import Round, RoundState, SitOutReason
from tournaments.models.seating_plans import KNOCKOUT, LADDER, PARTNERSHIPS, SeatingPlan
from tournaments.models.standings import Publication
from tournaments.selectors.rounds.round_seating import attendance_in, players_in, round_seating
from tournaments.selectors.rules.rule_sets import rules_of_event
from tournaments.selectors.seating_plans.current_stage import is_behind, stage_to_plan, standing_of
from tournaments.selectors.seating_plans.people_here import (
    PersonHere,
    earlier_rounds,
    listed_names,
    members_now,
)
from tournaments.selectors.seating_plans.plans import regrouped_players
from tournaments.services.db.locks import lock_round
from tournaments.services.operations import Operation, operation
from tournaments.services.publishing.rank_and_render import draft_body, standings_as_stored
from tournaments.services.rounds.plan_rounds import NOT_REDRAWN, redraw_round
from tournaments.services.rounds.rounds import NOT_MOVED, move_round
from tournaments.services.seating_plans.compute_plan import (
    NOT_CHOSEN,
    choose_plan,
    digest_of_history,
    evening_constraints,
)
from tournaments.services.seating_plans.make_plans import NOT_PLANNED, make_plans
from tournaments.services.seating_plans.movement_inputs import (
    conditions_now,
    knockout_results,
    list_seeds,
    swiss_results,
)

Differences: TypeAlias = Iterator[tuple[str, Collection[int]]]
"""Keys of `code_words.DRAWN_FROM` that differ, with the rows of their players."""
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
    return Publication(body=draft_body(standings_as_stored(event.pk)))


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
    # The scores of some move the places of others.
    named = kinds | {"places": set()} if kinds.keys() & {"scores", "results"} else kinds
    rows = {player for players in named.values() for player in players}
    people = Player.objects.filter(club=round_.club_id, pk__in=rows).order_by("sort_key", "pk")
    names = listed_names(list(people.values_list("name", flat=True)), most=3)
    facts = {"round": round_.number, "drawn_from": ", ".join(kinds)}
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
    """Yield what a drawn round was planned from and what is different now."""
    event = round_.event
    inputs = plan.inputs
    yield from _differences_of_results(round_, plan, draft)
    yield from _differences_of_people(round_, plan)
    rules = rules_of_event(event)
    present = [PersonHere(player, "", "") for player in inputs["present"]]
    constraints = evening_constraints(event, rules, present)
    kinds = ["apart", "fixed_tables"]
    if plan.movement not in PARTNERSHIPS:
        kinds.append("together")  # with partners it only says who play as a pair
    planned_pairs = {kind: sorted(inputs[kind]) for kind in kinds if kind in inputs}
    pairs = {kind: sorted(map(list, getattr(constraints, kind))) for kind in kinds}
    if not _agree(planned_pairs, pairs):
        yield "constraints", ()
    stage = stage_to_plan(event, inputs.get("stage"))
    conditions = conditions_now(event, stage)
    asked = {"asked": conditions.pop("asked")}
    conditions["sides"] = [list(side) for side in constraints.sides]
    if plan.movement == KNOCKOUT and stage is not None and "stage" in inputs:
        rule = goes_on_from(stage)
        conditions |= {"advance": rule.each_table, "wild_cards": rule.wild_cards}
    if not _agree(inputs, asked):
        yield "cut", ()
    if not _agree(inputs, conditions):
        yield "settings", ()


def _agree(stored: JsonObject, current: JsonObject) -> bool:
    """Whether values are as a plan stored them; a plan of an earlier release lacks some."""
    return all(stored[key] == value for key, value in current.items() if key in stored)


def _differences_of_results(
    round_: Round, plan: SeatingPlan, draft: Publication | None
) -> Differences:
    event = round_.event
    inputs = plan.inputs
    is_cup = plan.movement == KNOCKOUT
    current = _results_now(round_, plan, draft)
    if "scores" in inputs:
        stored = inputs["scores"]
        scores = current.get("scores", ())
        if is_cup and inputs.get("advance") and not inputs.get("wild_cards"):
            stored, scores = (
                [row for row in rows if -row[1] < inputs["advance"]] for rows in (stored, scores)
            )
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
        if digest_of_history(before) != inputs["history"]:
            yield "meetings", ()


def _results_now(round_: Round, plan: SeatingPlan, draft: Publication | None) -> JsonDict:
    event = round_.event
    inputs = plan.inputs
    present = inputs["present"]
    number = inputs.get("stage")
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
    seating = round_seating(round_)
    planned = set(plan.inputs["present"])
    unplaced, _left, away = attendance_in(round_, seating, plan)
    byes = {player for player, why in seating.sit_outs.items() if why == SitOutReason.BYE}
    gone = (seating.seated | byes) & planned & away
    inside = players_in(round_.stage_id)
    outside = set(seating.seated) - inside if inside is not None else set()
    if players := {*unplaced, *gone, *outside}:
        yield "players", players
    if regrouped := regrouped_players(plan, members_now(plan.event)):
        yield "pairs", regrouped


@operation("manage_event", refuses=("draft_out_of_date", *NOT_MOVED), right_in_body=True)
def move_drawn_round(
    op: Operation, round_: Round, /, *, to: str, reason: str = "", anyway: bool = False
) -> Round:
    """Post a round, make it a draft again, close it, or open it again with a reason.

    A round can be posted once every player who is checked in is seated once or sits out. If what a
    draft was drawn from has changed since, the answer is 409 `draft_out_of_date` and says what;
    with `anyway` the draft is posted as it is.
    """
    problem = outdated_draft(lock_round(round_)) if to == "posted" and not anyway else None
    moved = move_round(op, round_, to=to, reason=reason)
    if problem is not None:  # rolls the move back; what it refuses itself comes first
        raise Conflict(problem)
    return moved


@operation(
    "manage_event",
    locks=lock_round,
    refuses=("draft_not_drawn", *NOT_PLANNED, *NOT_CHOSEN, *NOT_REDRAWN),
)
def draw_round_again(op: Operation, round_: Round, /) -> Round:
    """Draw a draft round again from what is known now; it keeps its number and its evening.

    A new plan with the kind, the sizes and the seed of the one that it was drawn from is made and
    chosen.
    """
    if not is_drawn(round_):
        raise Conflict(Problem("draft_not_drawn", facts={"round": round_.number}))
    plan, meeting = round_.plan, round_.meeting
    assert plan is not None and meeting is not None  # noqa: S101, PT018 - `is_drawn`
    meeting.event = round_.event
    plans = make_plans(
        op,
        meeting,
        rounds=plan.round_count,
        sizes=plan.inputs.get("chosen_sizes", ()),
        movement=plan.movement,
        variation=plan.inputs.get("variation", ""),
        seed=plan.seed,
        stage=plan.inputs.get("stage"),
    )
    policy = plan.inputs.get("policy")
    again = next((row for row in plans if row.inputs["policy"] == policy), plans[0])
    choose_plan(op, again, anyway=True)
    return redraw_round(op, round_, plan=again)
