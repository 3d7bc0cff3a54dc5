"""A game: hands one after another, until the rules say that it is over.

Pure. Replaying the hands gives what incremental play gave. See docs/algorithms/scoring.md,
"End of a game".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import gcd, lcm
from typing import NamedTuple, TypeAlias

from scoring.budget import BOUNDLESS, Budget, OutOfBudget
from scoring.diagnosis.shooter_hypotheses import ways_of
from scoring.engine.deal_points import apply, partners_of
from scoring.engine.moon import Shot, payment
from scoring.engine.progress import (
    NOTHING,
    advance,
    before_next_hand,
    by_seat,
    hand_score,
    may_play,
)
from scoring.engine.progress import GameState as GameState
from scoring.engine.progress import MoonMade as MoonMade
from scoring.engine.progress import Outcome as Outcome
from scoring.engine.progress import outcome as outcome
from scoring.engine.progress import side_totals as side_totals
from scoring.entry.hand_reader import require_seats, unit_sides
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import CapturedHand, Sides, TypedHand
from scoring.errors import Path, Problem, Refused
from scoring.game.corrections import corrected
from scoring.game.fast_path import score_entry
from scoring.game.score_hand import HandScore as HandScore
from scoring.game.score_hand import score
from scoring.json_types import is_list
from scoring.numbers import Complex, Real, Score, is_whole, real, score_json
from scoring.rules.compiled_rules import Prepared, ReadyModifier, ReadySlam, prepare
from scoring.rules.dealing import pass_of, uneven
from scoring.rules.rules import Rules
from scoring.rules.types import Running, Settle

Interval: TypeAlias = tuple[Real, Real]
_FRACTION = re.compile(r'"-?[0-9]+/[0-9]+"')


class NextHand(NamedTuple):
    """The next hand: its number from 1, the dealer's seat from 0, which way cards are passed."""

    number: int
    dealer: int
    passing: str | None


def totals_problems(
    rules: Rules, state: GameState, totals: Sequence[Score], hands: int | None, most_hands: int
) -> list[Problem]:
    """The reasons why `totals` (of units) are impossible from `state`; empty if they are not.

    Without a number of `hands` any number up to `most_hands` may have been played.
    """
    if isinstance(rules.zero, Complex):
        return []
    ready = prepare(rules, state.seats)
    sides = unit_sides(rules, state.seats, state.teams or None)
    each, sums = _bounds(ready, state, sides)
    played = (hands, hands) if hands is not None else (1, most_hands)
    settle = rules.keys.settle
    problems: list[Problem] = []
    whole = not _FRACTION.search(rules.text) and (settle is None or settle.remainder != "exact")
    gained: Real = 0
    for unit, total in enumerate(map(real, totals)):
        start = real(state.totals[unit])
        gained += total - start
        least, most = _limits(ready, start, each, played)
        why = "fraction" if whole and total.denominator > 1 else "seat"
        if why == "fraction" or not least <= total <= most:
            seat = seat_names(state.seats)[sides[unit][0]]
            numbers = {"found": total, "least": least, "most": most}
            problems.append(_problem(("points", unit), numbers, why=why, hands=hands, seat=seat))
    if problems or not sums or _is_sum(gained, sums, played):
        return problems
    numbers = {"found": gained, "of_one": real(ready.deal_total)}
    facts = {"moons": len(sums) > len(ready.idle_piles)} | ({"jokers": True} if ready.idle else {})
    return [_problem(("points",), numbers, why="sum", hands=hands, **facts)]


def _problem(at: Path, numbers: Mapping[str, Real], **facts: object) -> Problem:
    scores = {key: score_json(number) for key, number in numbers.items()}
    return Problem("impossible_totals", at, {**scores, **facts})


def _bounds(ready: Prepared, state: GameState, sides: Sides) -> tuple[Interval, set[Real]]:
    keys = ready.keys
    if keys.melds:
        melds = sum(meld.points * meld.most for meld in keys.melds)
        return (0, melds + ready.trick_total + (keys.rounding.to if keys.rounding else 0)), set()
    least, most = _pile(ready, ~0)
    intervals = [(least, most + keys.trick_value * ready.hand_size)]
    sums = {real(ready.deal_total - ready.worth_of(idle)) for idle in ready.idle_piles}
    for slam in ready.slams:
        beside = ready.counting & ~slam.needs if slam.pay.outside else 0
        least, most = _pile(ready, beside)
        for paid in _payments(ready, state, sides, slam):
            intervals.append((min(paid) + least, max(paid) + most))
            sums |= {sum(paid) + real(ready.worth_of(beside & ~idle)) for idle in ready.idle_piles}
    intervals = [_perhaps(ready.sum_modifiers, interval) for interval in intervals]
    least = min(low for low, _ in intervals)
    most = max(high for _, high in intervals)
    for _, bonus, _ in ready.bonuses:
        times = max(map(len, sides)) if bonus.pledge else 1
        added = [0, *map(real, (bonus.add, bonus.kept, bonus.broken))]
        least, most = least + times * min(added), most + times * max(added)
    more = ready.card_modifiers or ready.sum_modifiers or ready.bonuses or ready.spans
    is_open = (
        more
        or ready.may_be_unclaimed & ~ready.idle
        or ready.looks_beyond
        or keys.running != Running()
    )
    if is_open or keys.settle or any(slam.pay.mode == "reset_self" for slam in ready.slams):
        sums = set()
    if keys.settle:
        return _paid(keys.settle, (least, most), len(sides)), sums
    return (least, most), sums


def _perhaps(modifiers: Sequence[ReadyModifier], interval: Interval) -> Interval:
    for modifier in modifiers:
        ends = [real(apply(modifier.op, end, modifier.by)) for end in interval]
        interval = min(*ends, interval[0]), max(*ends, interval[1])
    return interval


def _pile(ready: Prepared, cards: int) -> Interval:
    least: Real = 0
    most: Real = 0
    for mask, value in ready.classes:
        on = [item for item in ready.card_modifiers if (item.on or 0) & mask & cards]
        low, high = _perhaps(on, (real(value), real(value)))
        number = (mask & cards).bit_count()
        least, most = least + number * min(low, 0), most + number * max(high, 0)
    return least, most


def _payments(
    ready: Prepared, state: GameState, sides: Sides, slam: ReadySlam
) -> Iterator[list[Real]]:
    units = range(len(sides))
    for way in ways_of(slam.pay.mode) if slam.pay.mode != "face" else ():
        for shooter in units:
            for passer in (None, *units):
                hand = CapturedHand((0,) * len(sides), sides, passer=passer)
                partners = partners_of(state, shooter)
                yield list(map(real, payment(ready, Shot(slam, shooter), way, hand, partners)))


def _paid(rule: Settle, points: Interval, units: int) -> Interval:
    """The payment of a settlement to a unit for one hand, on average over a game.

    A pool that is carried over holds no more than all stakes of the game, and under a floor some
    pay nothing into it.
    """
    least, most = points
    if rule.pays == "difference":
        losers = units - 1
        # Below zero a loser is paid by the lowest score above zero.
        return (least - most) * (losers if least < 0 else 1), (most - least) * losers
    ante = rule.ante if rule.stake == "ante" else 0
    if rule.stake != "deal_points":
        least = most = ante
    return min(least, 0) * units - ante, max(most, 0) * units


def _limits(ready: Prepared, start: Real, each: Interval, hands: tuple[int, int]) -> Interval:
    running = ready.keys.running
    added = [0, *(real(reset.add) for reset in running.resets if reset.add is not None)]
    steps = each[0] + min(added), each[1] + max(added)
    ends = [start + step * number for step in steps for number in hands]
    pays = [slam.slam.pay for slam in (*ready.slams, *ready.spans)]
    aims = [running.floor, *(reset.set for reset in running.resets)]
    aims += [aim for pay in pays for aim in (pay.set_self, pay.set_others)]
    aims += [0 for pay in pays if pay.mode == "reset_self"]
    for aim in (real(aim) for aim in aims if aim is not None):
        ends += [aim, *(aim + step * hands[1] for step in steps)]
    if running.floor is not None and not running.resets:
        return max(min(ends), real(running.floor)), max(ends)
    return min(ends), max(ends)


def _is_sum(total: Real, sums: set[Real], hands: tuple[int, int]) -> bool:
    """Whether so many hands, each with one of the sums, can add up to the total.

    The sums differ by multiples of `divisor`, and so do the totals of a number of hands.
    """
    scale = lcm(*(value.denominator for value in sums))
    values = sorted(int(value * scale) for value in sums)
    divisor = gcd(*(value - values[0] for value in values)) or 1
    return any(
        values[0] * number <= total * scale <= values[-1] * number
        and (total * scale - values[0] * number) % divisor == 0
        for number in range(hands[0], hands[1] + 1)
    )


MOST_DEALS = 100_000


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
    problems = [odd] if odd else []
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
        count,
        sides,
        totals,
        start_deals,
        pool,
        (keys.lives.start,) * units if keys.lives else (),
        tuple((-1, 0) for slam in keys.slams if slam.span > 1),
    )


def play(
    rules: Rules,
    state: GameState,
    hand: object,
    *,
    open_ended: bool = False,
    budget: Budget = BOUNDLESS,
) -> tuple[HandScore, GameState]:
    """The hand's score, and the game after it; a refusal has all problems.

    The hand is as typed, or already read (`TypedHand`). With `open_ended` the end condition
    is ignored: play continues until the table is closed.
    """
    hinted = budget.hinted
    if not open_ended:
        state = before_next_hand(rules, state)
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

    A hand whose causes were searched pays for its corrections from the same hint.
    """
    hints = budget.for_hints(again=budget.hinted > hinted)
    if hints is None:
        return refused.problems
    problems = corrected(rules, state, entry, refused.problems, hints)
    budget.add_hints(hints)
    return problems


def book_totals(rules: Rules, state: GameState, hand: TypedHand) -> tuple[HandScore, GameState]:
    """Book a whole game of which only the totals are known, as written.

    `totals_problems` checks whether hands can make them.
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
        if len(set(side)) != len(side):
            return ()
        return tuple(side)
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
