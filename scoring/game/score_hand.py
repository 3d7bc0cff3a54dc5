"""The order in which one hand is scored, and nothing but the order.

Pure. Each step is a module; this one calls them (docs/rules-engine.md). Most hands need
not walk them: `fast_path.score_entry` looks up what they give.

1. `check_sheet.capture`: every penalty card once; the captures of each unit
2. `moon.find`, `moon.ways`: who shot, and how it is settled
3. `deal_points.deal_points`: values, modifiers, `moon.payment`, bonuses
4. `deal_points.settle_deal`: the payments
5. `progress`: totals, lives and the end of the game, by the caller in `game.py`
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scoring.budget import BOUNDLESS, Budget, OutOfBudget
from scoring.diagnosis.shooter_hypotheses import Trial
from scoring.engine.check_sheet import capture
from scoring.engine.deal_points import deal_points, settle_deal
from scoring.engine.melds import points_disagree, score_melds
from scoring.engine.moon import Shot, Verdict, cannot_be, find, holders, question_facts, ways
from scoring.engine.progress import (
    Effects,
    GameState,
    advance,
    hand_score,
    number_of,
    outcome,
    settlement_facts,
)
from scoring.engine.progress import HandScore as HandScore
from scoring.engine.progress import MoonMade as MoonMade
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import CapturedHand, TypedHand
from scoring.errors import Problem, Refused, Suggestion
from scoring.game.check_written_points import score_written_points
from scoring.numbers import Score
from scoring.rules.compiled_rules import Prepared
from scoring.rules.rules import Rules

MOST_PROVEN = 20_000
"""Points of ordinary hands that are remembered for each rule set and table size."""


def score(rules: Rules, hand: TypedHand, state: GameState, budget: Budget = BOUNDLESS) -> HandScore:
    """The points of the hand for each unit; the refusal has every problem of the hand.

    The hand was read under the same rules for the same seats. Settlements may look at the totals
    and the pool of the game before it.
    """
    if hand.ready.rules != rules:
        raise ValueError("the hand was read under other rules than it is scored under")
    if hand.seats != state.seats:
        facts = {"found": hand.seats, "expected": state.seats, "field": "the hand"}
        facts |= {"players": list(rules.keys.players)}
        raise Refused(Problem("seat_count", ("seats",), facts))
    if rules.keys.melds:
        return score_melds(hand, state)
    captured, problems = capture(hand)
    if hand.form == "points":
        return _from_points(hand, captured, state, problems, budget)
    problems += _tricks_needed(hand)
    if problems or (hand.form == "clean" and hand.clean is None):
        raise Refused(*problems, *_named(hand, cannot_be(hand.ready, captured)))
    booked, problems = judge(hand.ready, captured, state)
    if booked is None and hand.points is not None:
        booked = _as_points_say(hand, captured, state, problems)
    if booked is None:
        raise Refused(*_named(hand, problems))
    if hand.points is not None and hand.points != booked.scores:
        raise Refused(points_disagree("points", hand, hand.points, booked.scores))
    if hand.form != "clean":
        return booked
    return booked._replace(verified="sum")


def judge(
    ready: Prepared, captured: CapturedHand, state: GameState
) -> tuple[HandScore | None, list[Problem]]:
    """The score of complete captures, or the problems that prevent it."""
    shot, problems = find(ready, captured)
    if problems:
        return None, problems
    way, problems = _way(ready, captured, state, shot)
    if problems:
        return None, problems
    return book_hand(ready, captured, state, shot, way), []


def book_hand(
    ready: Prepared,
    captured: CapturedHand,
    state: GameState,
    shot: Shot | None,
    way: str | None,
    *,
    verdict: bool = True,
) -> HandScore:
    """Steps 4 to 6 when it is settled who shot and how; `verdict` is False for a trial payment."""
    points: Sequence[Score] = deal_points(ready, captured, state, shot, way)
    pool = state.pool
    if ready.keys.settle is not None:
        clean = captured.clean or [not pile & ready.clean for pile in captured.piles]
        points, pool = settle_deal(ready.keys.settle, points, clean, pool)
    span_holders = holders(ready, captured) if ready.spans else ()
    if shot is None:
        effects = Effects(pool, holders=span_holders)
        return hand_score(captured.sides, tuple(points), None, "cards", effects)
    mode = shot.ready.pay.mode
    continues = verdict and mode == "others_then_continue"
    effects = Effects(
        pool,
        shot.unit if mode == "reset_self" else None,
        shot.unit if mode == "win_match" else None,
        span_holders,
        mode != "face",
        continues and _verdict(ready, captured, state, shot)[0],
    )
    choice = way if way in ("self", "others") else None
    moon = MoonMade(shot.ready.slam.id, captured.sides[shot.unit], choice)
    return hand_score(captured.sides, tuple(points), moon, "cards", effects)


def _verdict(ready: Prepared, captured: CapturedHand, state: GameState, shot: Shot) -> Verdict:
    trial = book_hand(ready, captured, state, shot, "others", verdict=False)
    after = advance(ready.rules, state, trial.scores, trial.effects._replace(slam=False))
    stands = outcome(ready.rules, after)
    mine = number_of(state, shot.unit, by_side=stands.by_side)
    if stands.playoff and ready.keys.result.decide != "crosser_team_loses":
        # The game is over for whoever is not in the play-off.
        return mine not in stands.playoff, mine not in stands.playoff
    if not stands.finished:
        return False, False
    return mine not in stands.winners, bool({*stands.winners} - {mine})


def _way(
    ready: Prepared, captured: CapturedHand, state: GameState, shot: Shot | None
) -> tuple[str | None, list[Problem]]:
    problems = _marks(captured, shot)
    if shot is None:
        return None, problems
    choices, default = ways(
        shot.ready.pay, shot.unit, state.totals, lambda: _verdict(ready, captured, state, shot)
    )
    if captured.choice is None and default is None:
        problems.append(_choose(ready, captured, state, shot, choices))
    elif captured.choice is not None and captured.choice not in choices:
        facts = {"found": captured.choice, "why": "not_open"}
        problems.append(Problem("choice_forbidden", ("slam_choice",), facts))
    return captured.choice or default, problems


def _marks(captured: CapturedHand, shot: Shot | None) -> list[Problem]:
    problems = []
    if captured.choice is not None and shot is None:
        facts = {"found": captured.choice, "why": "nobody"}
        problems.append(Problem("choice_forbidden", ("slam_choice",), facts))
    if captured.shooter is not None and (shot is None or captured.shooter != shot.unit):
        units = {"found": captured.shooter}
        if shot is not None:
            units["seat"] = shot.unit
        problems.append(Problem("wrong_shooter", ("shooter",), units))
    return problems


def _choose(
    ready: Prepared, captured: CapturedHand, state: GameState, shot: Shot, choices: Sequence[str]
) -> Problem:
    facts = question_facts(ready, captured, shot, choices)
    texts = {"self": f"take {facts['self']} off", "others": f"give {facts['others']} to each other"}
    hints = []
    for way in choices:
        booked = book_hand(ready, captured, state, shot, way)
        settle = settlement_facts(ready.rules, state, booked)
        hints.append(Suggestion("settle", ("slam_choice",), {**settle, "text": texts[way]}))
    return Problem("choice_required", ("slam_choice",), facts, tuple(hints))


def _named(hand: TypedHand, problems: Sequence[Problem]) -> Iterator[Problem]:
    names = seat_names(hand.seats)
    for problem in problems:
        if problem.code == "wrong_shooter":
            facts = {key: names[hand.sides[unit][0]] for key, unit in problem.facts.items()}
            if hand.shooter is not None:
                facts["found"] = names[hand.shooter]
            yield replace(problem, facts=facts)
        else:
            yield problem


def _tricks_needed(hand: TypedHand) -> list[Problem]:
    if not hand.ready.looks_at_tricks or "tricks" in hand.as_json():
        return []
    tricks = [when.tricks for when in hand.ready.conditions if when.tricks is not None]
    why = {"why": "score", "tricks": tricks[0]} if tricks else {}
    return [Problem("tricks_needed", ("tricks",), {"first": False} | why)]


def _as_points_say(
    hand: TypedHand, captured: CapturedHand, state: GameState, problems: Sequence[Problem]
) -> HandScore | None:
    """The hand whose settlement follows from the written points, not from a mark."""
    if [problem.code for problem in problems] != ["choice_required"]:
        return None
    for way in problems[0].facts["choices"]:
        score = judge(hand.ready, captured._replace(choice=way), state)[0]
        if score is not None and score.scores == hand.points and score.moon is not None:
            return score._replace(moon=score.moon._replace(inferred=True))
    return None


def _from_points(
    hand: TypedHand,
    captured: CapturedHand,
    state: GameState,
    problems: list[Problem],
    budget: Budget,
) -> HandScore:
    if problems or hand.points is None:
        raise Refused(*problems)
    trial = Trial(hand.ready, captured, hand.points, state, judge, budget=budget)
    try:
        booked = score_written_points(trial)
    except OutOfBudget:
        raise
    except Refused:
        by_passer = _by_some_passer(trial)
        if by_passer is None:
            raise
        booked = by_passer
    if hand.ordinary and booked.moon is None and len(hand.ready.proven) < MOST_PROVEN:
        hand.ready.proven.add(hand.points)
    return booked


def _by_some_passer(trial: Trial) -> HandScore | None:
    """The hand, where the points alone tell who passed to the shooter: that seat pays more."""
    captured = trial.captured
    if captured.passer is not None or all(slam.pay.mode != "punish" for slam in trial.ready.slams):
        return None
    for unit in range(len(captured.piles)):
        try:
            return score_written_points(trial._replace(captured=captured._replace(passer=unit)))
        except OutOfBudget:
            raise
        except Refused:
            continue
    return None


def trial_of(hand: TypedHand, state: GameState, budget: Budget) -> Trial:
    """The points of a hand as a trial."""
    return Trial(hand.ready, capture(hand)[0], hand.points or (), state, judge, budget=budget)
