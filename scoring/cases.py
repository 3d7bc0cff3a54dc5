"""Cases: worked hands as JSON, answered as JSON. What the command line and the API's scorer say.

Pure. Input and output are those of docs/contracts.md, "Case files"; a refused case carries its
errors in its place and does not stop the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.budget import BOUNDLESS, CASE, HAND, OPTIONS, Budget, OutOfBudget
from scoring.engine.tricks import Captures, read_tricks
from scoring.entry.hand_reader import MOST_PROBLEMS, require_seats
from scoring.errors import Problem, Refused, shown
from scoring.game.game import GameState, new_game, outcome, play, side_totals
from scoring.game.score_hand import HandScore
from scoring.json_types import JsonDict, JsonObject
from scoring.numbers import is_whole, score_json
from scoring.rules.catalogue import Catalogue
from scoring.rules.compiled_rules import prepare
from scoring.rules.rules import Rules

KINDS = ("match", "invalid", "tricks")
MOST_HANDS = 100_000
_STARTS = ("teams", "start_totals", "start_deals", "start_pool")


def answer(catalogue: Catalogue, case: object, budget: Budget = BOUNDLESS) -> JsonDict:
    """The answer to one case: its scores, or `errors`, first error first.

    Nothing in the case is trusted or coerced. Without a budget every refused hand has all hints.
    """
    case_id = case.get("id") if isinstance(case, Mapping) else None
    case_id = case_id if isinstance(case_id, str) or is_whole(case_id) else None
    try:
        return {"id": case_id, **_answered(catalogue, case, budget)}
    except OutOfBudget:
        raise
    except Refused as refused:
        errors = [problem.as_json() for problem in refused.problems]
        return {"id": case_id, "errors": errors}


def _answered(catalogue: Catalogue, case: object, budget: Budget) -> JsonDict:
    budget.spend(CASE)
    if not isinstance(case, Mapping):
        raise Refused(Problem("bad_case", (), {"why": f"This is {shown(case)}."}))
    if case.get("options"):
        budget.spend(OPTIONS)
    rules = _rules(catalogue, case)
    kind = case.get("kind", "match")
    if kind not in KINDS:
        why = f"Its kind is {shown(kind)}; known are {', '.join(KINDS)}."
        raise Refused(Problem("bad_case", ("kind",), {"why": why}))
    return _tricks(rules, case) if kind == "tricks" else _match(rules, case, budget)


def _rules(catalogue: Catalogue, case: JsonObject) -> Rules:
    options = case.get("options")
    if options is not None and not isinstance(options, Mapping):
        facts = {"option": "options", "found": shown(options), "why": "Options are an object."}
        raise Refused(Problem("bad_option", ("options",), facts))
    return catalogue.rules(case.get("variant", ""), options)


def _tricks(rules: Rules, case: JsonObject) -> JsonDict:
    ready = prepare(rules, require_seats(rules, case.get("seats")))
    captures = Captures(ready, *read_tricks(ready, case.get("tricks"), case.get("kitty")))
    return {
        "taken": captures.taken,
        "unclaimed": captures.unclaimed,
        "trick_counts": captures.counts,
    }


def _match(rules: Rules, case: JsonObject, budget: Budget) -> JsonDict:
    hands, problems = _hands(case)
    starts = {key: case[key] for key in _STARTS if case.get(key) is not None}
    try:
        state = new_game(rules, case.get("seats"), **starts)
    except Refused as refused:
        raise Refused(*refused.problems, *problems) from None
    if problems:
        raise Refused(*problems)
    scored = []
    for place, entry in enumerate(hands):
        budget.spend(HAND)
        try:
            score, state = play(rules, state, entry, budget=budget)
        except OutOfBudget:
            raise
        except Refused as refused:
            problems = [
                replace(problem, at=("hands", place, "entry", *problem.at))
                for problem in refused.problems
            ]
            raise Refused(*problems) from None
        scored.append(_hand(score))
    return {"hands": scored, **_end(rules, state)}


def _hands(case: JsonObject) -> tuple[list[object], list[Problem]]:
    hands = case.get("hands")
    if not isinstance(hands, list) or len(hands) > MOST_HANDS:
        return [], [Problem("bad_case", ("hands",), {"why": "There is no list of hands."})]
    problems = [
        Problem(
            "bad_entry",
            ("hands", place),
            {"why": f"The hand must be under entry; {shown(hand)} has none."},
        )
        for place, hand in enumerate(hands)
        if not isinstance(hand, Mapping) or "entry" not in hand
    ][:MOST_PROBLEMS]
    return [hand.get("entry") for hand in hands if isinstance(hand, Mapping)], problems


def _hand(score: HandScore) -> JsonDict:
    document: dict[str, Any] = {
        "hand_scores": list(map(score_json, score.scores)),
        "verified": score.verified,
    }
    if score.moon is not None:
        document["moon"] = {**score.moon._asdict(), "by": list(score.moon.by)}
    return document


def _end(rules: Rules, state: GameState) -> JsonDict:
    document: JsonDict = {"totals": list(map(score_json, state.totals))}
    if rules.keys.settle is not None:
        document["pool"] = score_json(state.pool)
    if rules.keys.lives is not None:
        document["lives"] = list(state.lives)
    if rules.keys.teams.mode != "none":
        document["team_totals"] = list(map(score_json, side_totals(rules, state)))
    document["outcome"] = outcome(rules, state).as_json()
    return document


def lines(document: JsonObject) -> list[str]:
    """The errors of an answer as lines for a terminal."""
    errors: Sequence[Mapping[str, Any]] = document.get("errors", [])
    name = shown(document["id"]) if document.get("id") is not None else "case"
    return [f"{name}: {error['code']}{_at(error['at'])}: {error['message']}" for error in errors]


def _at(path: Sequence[str | int]) -> str:
    return " at /" + "/".join(map(str, path)) if path else ""
