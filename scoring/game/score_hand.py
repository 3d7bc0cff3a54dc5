"""The order in which one hand is scored, and nothing but the order.

Pure. Each step is a module; this one calls them (docs/rules-engine.md). Most hands need
not walk them: `fast_path.score_entry` looks up what they give.

1. `check_sheet.capture`: every penalty card once; the captures of each unit
2. `moon.find`, `moon.ways`: who shot, and how it is settled
3. `deal_points.deal_points`: values, modifiers, `moon.payment`, bonuses
4. `deal_points.settle_deal`: the payments
5. `progress`: totals, lives and the end of the game, by the caller in `game.py`
"""

from collections.abc import Sequence

from scoring.budget import BOUNDLESS, Budget, OutOfBudget
from scoring.diagnosis.shooter_hypotheses import Trial
from scoring.engine.check_sheet import capture
from scoring.engine.deal_points import deal_points, partners_of, settle_deal, unit_points
from scoring.engine.melds import score_melds
from scoring.engine.moon import (
    OpenSettlements,
    Shot,
    Verdict,
    amount,
    cannot_be,
    find,
    holders,
    payment,
    ways,
)
from scoring.engine.progress import Effects, GameState, advance, hand_score, outcome
from scoring.engine.progress import HandScore as HandScore
from scoring.engine.progress import MoonMade as MoonMade
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import CapturedHand, TypedHand
from scoring.errors import Problem, Refused, Suggestion
from scoring.game import check_written_points
from scoring.numbers import Score, score_json
from scoring.rules.compiled_rules import Prepared
from scoring.rules.rules import Rules

MOST_PROVEN = 20_000
"""Points of ordinary hands that are remembered for each rule set and table size."""


def score(
    rules: Rules, typed: TypedHand, state: GameState, budget: Budget = BOUNDLESS
) -> HandScore:
    """The points of the hand for each unit.

    Args:
        rules: the rules of the game.
        typed: the hand, read under the same rules for the same seats.
        state: the game before the hand; settlements may look at its totals and pool.
        budget: what pays for the searches.

    Raises:
        Refused: every problem of the hand, in the order of `errors.SENTENCES`.
    """
    if typed.seats != state.seats or typed.ready.rules != rules:
        raise Refused(*_other_table(typed, rules, state))
    if rules.keys.melds:
        return score_melds(typed, state)
    captured, problems = capture(typed)
    if typed.form == "points":
        return _from_points(typed, captured, state, problems, budget)
    problems += _tricks_needed(typed)
    if problems or (typed.form == "clean" and typed.clean is None):
        raise Refused(*problems, *_named(typed, cannot_be(typed.ready, captured)))
    result, problems = judge(typed.ready, captured, state)
    if result is None and typed.points is not None:
        result = _as_points_say(typed, captured, state, problems)
    if result is None:
        raise Refused(*_named(typed, problems))
    if typed.points is not None and typed.points != result.scores:
        raise Refused(_disagree(typed, result))
    return result if typed.form != "clean" else result._replace(verified="sum")


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
    held = holders(ready, captured) if ready.spans else ()
    effects = Effects(pool, holders=held)
    moon = None
    if shot is not None:
        mode = shot.ready.pay.mode
        open_after = (
            verdict
            and mode == "others_then_continue"
            and _verdict(ready, captured, state, shot).shooter_loses
        )
        effects = Effects(
            pool,
            shot.unit if mode == "reset_self" else None,
            shot.unit if mode == "win_match" else None,
            held,
            mode != "face",
            open_after,
        )
        choice = way if way in ("self", "others") else None
        moon = MoonMade(shot.ready.slam.id, captured.sides[shot.unit], choice)
    return hand_score(captured.sides, tuple(points), moon, "cards", effects)


def _verdict(ready: Prepared, captured: CapturedHand, state: GameState, shot: Shot) -> Verdict:
    """The result of the game after the old-style payment, by the rules."""
    trial = book_hand(ready, captured, state, shot, "others", verdict=False)
    rules = ready.rules
    after = advance(rules, state, trial.scores, trial.effects._replace(slam=False))
    stands = outcome(rules, after)
    mine = shot.unit
    if stands.by_side and len(state.totals) == state.seats:
        mine = next(n for n, side in enumerate(state.teams) if shot.unit in side)
    return Verdict(
        shooter_loses=stands.finished and mine not in stands.winners,
        other_wins=stands.finished and any(winner != mine for winner in stands.winners),
    )


def _way(
    ready: Prepared, captured: CapturedHand, state: GameState, shot: Shot | None
) -> tuple[str | None, list[Problem]]:
    """The settlement that is taken, or the problems of the one that is written."""
    problems = _marks(captured, shot)
    if shot is None:
        return None, problems
    open_ways = ways(
        shot.ready.pay, shot.unit, state.totals, lambda: _verdict(ready, captured, state, shot)
    )
    if captured.choice is None and open_ways.default is None:
        problems.append(_choose(ready, captured, state, shot, open_ways))
    elif captured.choice is not None and captured.choice not in open_ways.open:
        facts = {"found": captured.choice, "why": "not_open"}
        problems.append(Problem("choice_forbidden", ("slam_choice",), facts))
    return captured.choice or open_ways.default, problems


def _marks(captured: CapturedHand, shot: Shot | None) -> list[Problem]:
    """Marks of who shot and how, against who did."""
    problems = []
    if captured.choice is not None and shot is None:
        facts = {"found": captured.choice, "why": "nobody"}
        problems.append(Problem("choice_forbidden", ("slam_choice",), facts))
    if captured.shooter is not None and (shot is None or captured.shooter != shot.unit):
        units = {"found": captured.shooter} | ({"seat": shot.unit} if shot else {})
        problems.append(Problem("wrong_shooter", ("shooter",), units))
    return problems


def _choose(
    ready: Prepared,
    captured: CapturedHand,
    state: GameState,
    shot: Shot,
    open_ways: OpenSettlements,
) -> Problem:
    """Somebody shot and must say how it is settled; each way lists the points it would give."""
    pay = shot.ready.pay
    seat = seat_names(ready.seats)[captured.sides[shot.unit][0]]
    facts = {
        "seat": seat,
        "by": list(captured.sides[shot.unit]),
        "slam": shot.ready.slam.id,
        "choices": list(open_ways.open),
        "self": score_json(amount(pay.self_amount, shot.ready)),
        "others": score_json(amount(pay.others_amount, shot.ready)),
    }
    texts = {"self": f"take {facts['self']} off", "others": f"give {facts['others']} to each other"}
    hints = []
    for way in open_ways.open:
        hand = book_hand(ready, captured, state, shot, way)
        after = advance(ready.rules, state, hand.scores, hand.effects)
        settle = {
            "choice": way,
            "by": list(captured.sides[shot.unit]),
            "scores": [score_json(item) for item in hand.scores],
            "totals": [score_json(item) for item in after.totals],
            "text": texts[way],
        }
        hints.append(Suggestion("settle", ("slam_choice",), settle))
    return Problem("choice_required", ("slam_choice",), facts, tuple(hints))


def _named(typed: TypedHand, problems: Sequence[Problem]) -> list[Problem]:
    """The problems with seats in place of units."""
    names = seat_names(typed.seats)

    def named(unit: object) -> object:
        return names[typed.sides[unit][0]] if isinstance(unit, int) else unit

    renamed = []
    for problem in problems:
        if problem.code == "wrong_shooter":
            facts = {key: named(unit) for key, unit in problem.facts.items()}
            if typed.shooter is not None:
                facts["found"] = names[typed.shooter]
            renamed.append(Problem(problem.code, problem.at, facts, problem.suggestions))
        else:
            renamed.append(problem)
    return renamed


def _tricks_needed(typed: TypedHand) -> list[Problem]:
    """Rules that look at the tricks of every hand need them counted."""
    if not typed.ready.looks_at_tricks or "tricks" in typed.as_json():
        return []
    tricks = [when.tricks for when in typed.ready.conditions if when.tricks is not None]
    why = {"why": "score", "tricks": tricks[0]} if tricks else {}
    return [Problem("tricks_needed", ("tricks",), {"first": False} | why)]


def _other_table(typed: TypedHand, rules: Rules, state: GameState) -> list[Problem]:
    if typed.ready.rules != rules:
        raise ValueError("the hand was read under other rules than it is scored under")
    least, most = rules.keys.players
    facts = {"found": typed.seats, "expected": state.seats, "field": "the hand"}
    return [Problem("seat_count", ("seats",), facts | {"players": [least, most]})]


def _as_points_say(
    typed: TypedHand, captured: CapturedHand, state: GameState, problems: Sequence[Problem]
) -> HandScore | None:
    """The hand whose settlement follows from the written points, not from a mark."""
    if [problem.code for problem in problems] != ["choice_required"]:
        return None
    for way in problems[0].facts["choices"]:
        score = judge(typed.ready, captured._replace(choice=way), state)[0]
        if score is not None and score.scores == typed.points and score.moon is not None:
            return score._replace(moon=score.moon._replace(inferred=True))
    return None


def _disagree(typed: TypedHand, score: HandScore) -> Problem:
    """Cards and points stand on one sheet and say different things."""
    facts = {
        "found": [score_json(point) for point in typed.points or ()],
        "expected": [score_json(point) for point in score.scores],
    }
    names = seat_names(typed.seats)
    pairs = zip(facts["found"], facts["expected"], strict=True)
    hints = [
        Suggestion(
            "seat_should_be",
            ("points", unit),
            {"seat": names[typed.sides[unit][0]], "points": right, "found": written},
        )
        for unit, (written, right) in enumerate(pairs)
        if written != right
    ]
    return Problem("points_disagree", ("points",), facts, tuple(hints))


def _from_points(
    typed: TypedHand,
    captured: CapturedHand,
    state: GameState,
    problems: list[Problem],
    budget: Budget,
) -> HandScore:
    """A hand of which only the points are known: as written, when some hand makes them."""
    if problems or typed.points is None:
        raise Refused(*problems)
    try:
        result = check_written_points.score_written_points(_trial(typed, captured, state, budget))
    except OutOfBudget:
        raise
    except Refused:
        by_passer = _by_some_passer(typed, captured, state, budget)
        if by_passer is None:
            raise
        result = by_passer
    if typed.ordinary and result.moon is None and len(typed.ready.proven) < MOST_PROVEN:
        typed.ready.proven.add(typed.points)
    return result


def _by_some_passer(
    typed: TypedHand, captured: CapturedHand, state: GameState, budget: Budget
) -> HandScore | None:
    """The hand, where the points alone tell who passed to the shooter: that seat pays more."""
    if captured.passer is not None or all(slam.pay.mode != "punish" for slam in typed.ready.slams):
        return None
    for unit, _ in enumerate(captured.piles):
        try:
            passed = captured._replace(passer=unit)
            return check_written_points.score_written_points(_trial(typed, passed, state, budget))
        except OutOfBudget:
            raise
        except Refused:
            continue
    return None


def trial_of(typed: TypedHand, state: GameState, budget: Budget) -> Trial:
    """The points of a hand as a trial."""
    return _trial(typed, capture(typed)[0], state, budget)


def _trial(typed: TypedHand, captured: CapturedHand, state: GameState, budget: Budget) -> Trial:
    """The points as a trial for the search of hypotheses."""
    return Trial(
        typed.ready,
        captured,
        typed.points or (),
        lambda hand, pledges, slam, paid: unit_points(typed.ready, hand, pledges, slam, paid),
        lambda shot, way: payment(typed.ready, shot, way, captured, partners_of(state, shot.unit)),
        lambda deal: judge(typed.ready, deal, state),
        lambda hand: advance(typed.ready.rules, state, hand.scores, hand.effects).totals,
        state.pool,
        budget=budget,
    )
