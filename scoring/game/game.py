"""A game: hands one after another, until the rules say that it is over.

Pure. Replaying the hands gives what incremental play gave. See docs/algorithms/end-of-game.md.
"""

from collections.abc import Sequence
from typing import NamedTuple

from scoring.budget import BOUNDLESS, Budget, OutOfBudget
from scoring.engine.progress import NOTHING, advance, by_seat, hand_score, may_play
from scoring.engine.progress import GameState as GameState
from scoring.engine.progress import MoonMade as MoonMade
from scoring.engine.progress import Outcome as Outcome
from scoring.engine.progress import outcome as outcome
from scoring.engine.progress import side_totals as side_totals
from scoring.entry.hand_reader import require_seats
from scoring.entry.typed_hand import TypedHand
from scoring.errors import Problem, Refused
from scoring.game.corrections import corrected
from scoring.game.fast_path import score_entry
from scoring.game.score_hand import HandScore as HandScore
from scoring.game.score_hand import score
from scoring.json_types import is_list
from scoring.numbers import Score, is_whole
from scoring.rules.dealing import pass_of, uneven
from scoring.rules.rules import Rules

MOST_DEALS = 100_000


class NextHand(NamedTuple):
    """The next hand: its number from 1, the dealer's seat from 0, which way cards are passed."""

    number: int
    dealer: int
    passing: str | None


def new_game(
    rules: Rules,
    seats: object,
    *,
    teams: object = None,
    start_totals: object = None,
    start_deals: object = 0,
    start_pool: object = 0,
) -> GameState:
    """The game before its first hand.

    `teams` are the sides' seats, only where the rules have sides, and then by default their shape;
    `start_totals` are per unit, by default `rules.zero`; `start_deals` hands were played before.
    """
    count = require_seats(rules, seats)
    odd = uneven(rules, count)
    problems: list[Problem] = [odd] if odd else []
    sides = _sides(rules, count, teams, problems)
    units = len(sides) if rules.keys.teams.mode == "pooled" else count
    totals = _totals(rules, units, start_totals, problems)
    pool = rules.number(start_pool)
    if pool is None:
        problems.append(Problem("bad_case", ("start_pool",), {"why": "The pool is not a number."}))
    if type(start_deals) is not int or not 0 <= start_deals <= MOST_DEALS:
        why = "The number of hands played before is not a whole number."
        problems.append(Problem("bad_case", ("start_deals",), {"why": why}))
    if problems or pool is None or not isinstance(start_deals, int):
        raise Refused(*problems)
    keys = rules.keys
    return GameState(
        count, sides, totals, start_deals, pool,
        (keys.lives.start,) * units if keys.lives else (),
        tuple((-1, 0) for slam in keys.slams if slam.span > 1),
    )  # fmt: skip


def play(
    rules: Rules,
    state: GameState,
    hand: object,
    *,
    open_ended: bool = False,
    budget: Budget = BOUNDLESS,
) -> tuple[HandScore, GameState]:
    """The hand's score, and the game after it; the refusal has all that is wrong, at once.

    The hand is as it was typed, or read already (`TypedHand`). With `open_ended` the end of the
    rules does not hold: play goes on until somebody closes the table.
    """
    hinted = budget.hinted
    over = [] if open_ended or may_play(rules, state) else [Problem("match_over")]
    try:
        if isinstance(hand, TypedHand):
            score_of_hand = score(rules, hand, state, budget)
        else:
            score_of_hand = score_entry(rules, hand, state, budget)
    except OutOfBudget:
        raise
    except Refused as refused:
        entry = hand.entry if isinstance(hand, TypedHand) else hand
        if over:
            raise Refused(*over, *refused.problems) from None
        problems = _with_corrections(rules, state, entry, refused, budget, hinted)
        raise Refused(*problems) from None
    if over:
        raise Refused(*over)
    return score_of_hand, advance(rules, state, score_of_hand.scores, score_of_hand.effects)


def _with_corrections(
    rules: Rules, state: GameState, entry: object, refused: Refused, budget: Budget, hinted: int
) -> Sequence[Problem]:
    """The problems with corrections, as far as the budget of hints reaches.

    A hand whose causes were looked for pays for its corrections as the same one.
    """
    hints = budget.for_hints(again=budget.hinted > hinted)
    if hints is None:
        return refused.problems
    problems = corrected(rules, state, entry, refused.problems, hints)
    budget.add_hints(hints)
    return problems


def book_totals(rules: Rules, state: GameState, hand: TypedHand) -> tuple[HandScore, GameState]:
    """A whole game of which only the totals are known, booked as written.

    Whether hands can make them is for `check_totals.totals_problems` to say.
    """
    if hand.problems:
        raise Refused(*hand.problems)
    if hand.form != "points" or hand.points is None:
        raise Refused(Problem("points_needed", ("points",)))
    score_of_hand = hand_score(hand.sides, hand.points, None, "typed", NOTHING)
    return score_of_hand, state._replace(totals=hand.points)


def next_hand(rules: Rules, state: GameState) -> NextHand:
    """The next hand: the deal goes clockwise from the first seat, the passing in a ring."""
    number = state.deals + 1
    way = pass_of(rules.keys.play, state.seats, number)
    return NextHand(number, state.deals % state.seats, way)


def seat_totals(rules: Rules, state: GameState) -> tuple[Score, ...]:
    """The running total that each seat sees: its own, or its pooled side's."""
    if rules.keys.teams.mode != "pooled":
        return state.totals
    return by_seat(state.teams, state.totals)


def _sides(
    rules: Rules, seats: int, teams: object, problems: list[Problem]
) -> tuple[tuple[int, ...], ...]:
    rule = rules.keys.teams
    if teams is None:
        return () if rule.mode == "none" else rule.shape
    if rule.mode != "none" and is_list(teams):
        sides = tuple(map(_side, teams))
        if len(sides) == len(rule.shape) and {*map(frozenset, sides)} == {
            *map(frozenset, rule.shape)
        }:
            return sides
    shape = [[seat + 1 for seat in side] for side in rule.shape]
    expected = f"seats {' against '.join(map(str, shape))}" if shape else "everybody alone"
    problems.append(Problem("bad_teams", ("teams",), {"expected": expected}))
    return rule.shape


def _side(side: object) -> tuple[int, ...]:
    if is_list(side) and all(is_whole(seat) for seat in side):
        return tuple(side) if len(set(side)) == len(side) else ()
    return ()


def _totals(
    rules: Rules, units: int, start_totals: object, problems: list[Problem]
) -> tuple[Score, ...]:
    if start_totals is None:
        return (rules.zero,) * units
    totals = list(map(rules.number, start_totals if is_list(start_totals) else ()))
    if len(totals) != units:
        facts = {"field": "start_totals", "found": len(totals), "expected": units}
        problems.append(Problem("seat_count", ("start_totals",), facts))
    elif None in totals:
        why = "A total at the start is not a number of points."
        problems.append(Problem("bad_case", ("start_totals",), {"why": why}))
    return tuple(total for total in totals if total is not None)
