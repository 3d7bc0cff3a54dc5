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
"""The least and the most points."""
_FRACTION = re.compile(r'"-?[0-9]+/[0-9]+"')

MOST_DEALS = 100_000
"""Maximum number of hands that were played before a game."""


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
    of_hand, sums = _bounds(ready, state, sides)
    n_hands = (1, most_hands)
    if hands is not None:
        n_hands = (hands, hands)
    settle = rules.keys.settle
    has_whole_totals = not _FRACTION.search(rules.text)
    if settle is not None and settle.remainder == "exact":
        has_whole_totals = False

    problems: list[Problem] = []
    gained: Real = 0
    for unit, total in enumerate(map(real, totals)):
        start = real(state.totals[unit])
        gained += total - start
        least, most = _limits(ready, start, of_hand, n_hands)
        why = "seat"
        if has_whole_totals and total.denominator > 1:
            why = "fraction"
        if why == "fraction" or not least <= total <= most:
            seat = seat_names(state.seats)[sides[unit][0]]
            numbers = {"found": total, "least": least, "most": most}
            problems.append(_problem(("points", unit), numbers, why=why, hands=hands, seat=seat))
    if problems or not sums or _is_sum(gained, sums, n_hands):
        return problems

    numbers = {"found": gained, "of_one": real(ready.deal_total)}
    facts: dict[str, object] = {"moons": len(sums) > len(ready.idle_piles)}
    if ready.idle:
        facts["jokers"] = True
    return [_problem(("points",), numbers, why="sum", hands=hands, **facts)]


def _problem(at: Path, numbers: Mapping[str, Real], **facts: object) -> Problem:
    scores = {key: score_json(number) for key, number in numbers.items()}
    return Problem("impossible_totals", at, {**scores, **facts})


def _bounds(ready: Prepared, state: GameState, sides: Sides) -> tuple[Interval, set[Real]]:
    """The points that a unit may get in one hand, and what all units together may get.

    Without any sum the units together may get whatever each may get.
    """
    keys = ready.keys
    if keys.melds:
        melds = sum(meld.points * meld.most for meld in keys.melds)
        rounded_up = keys.rounding.to if keys.rounding else 0
        return (0, melds + ready.trick_total + rounded_up), set()

    least, most = _pile(ready, ~0)
    intervals = [(least, most + keys.trick_value * ready.hand_size)]
    sums = {real(ready.deal_total - ready.worth_of(idle)) for idle in ready.idle_piles}
    for slam in ready.slams:
        beside = 0
        if slam.pay.outside:
            beside = ready.counting & ~slam.needs
        least, most = _pile(ready, beside)
        for paid in _payments(ready, state, sides, slam):
            intervals.append((min(paid) + least, max(paid) + most))
            sums |= {sum(paid) + real(ready.worth_of(beside & ~idle)) for idle in ready.idle_piles}

    modified = [_perhaps(ready.sum_modifiers, interval) for interval in intervals]
    least = min(low for low, _ in modified)
    most = max(high for _, high in modified)
    for _, bonus, _ in ready.bonuses:
        times = 1
        if bonus.pledge:
            # Partners pledge for themselves, so that a side may have the bonus several times.
            times = max(map(len, sides))
        amounts = [0, real(bonus.add), real(bonus.kept), real(bonus.broken)]
        least += times * min(amounts)
        most += times * max(amounts)

    if _may_have_other_sums(ready):
        sums = set()
    if keys.settle:
        return _paid(keys.settle, (least, most), len(sides)), sums
    return (least, most), sums


def _may_have_other_sums(ready: Prepared) -> bool:
    """Whether the points of a hand may add up to more or less than its cards, tricks and slams."""
    if ready.card_modifiers or ready.sum_modifiers or ready.bonuses or ready.spans:
        return True
    if ready.may_be_unclaimed & ~ready.idle or ready.looks_beyond:
        return True
    if ready.keys.running != Running() or ready.keys.settle:
        return True
    return any(slam.pay.mode == "reset_self" for slam in ready.slams)


def _perhaps(modifiers: Sequence[ReadyModifier], interval: Interval) -> Interval:
    """The bounds of points that each of some modifiers may change or leave."""
    least, most = interval
    for modifier in modifiers:
        ends = [real(apply(modifier.op, end, modifier.by)) for end in (least, most)]
        least, most = min(*ends, least), max(*ends, most)
    return least, most


def _pile(ready: Prepared, cards: int) -> Interval:
    """The bounds of the points that any of some cards, as a mask, may be worth together."""
    least: Real = 0
    most: Real = 0
    for mask, value in ready.classes:
        modifiers = [item for item in ready.card_modifiers if (item.on or 0) & mask & cards]
        low, high = _perhaps(modifiers, (real(value), real(value)))
        n_cards = (mask & cards).bit_count()
        least += n_cards * min(low, 0)
        most += n_cards * max(high, 0)
    return least, most


def _payments(
    ready: Prepared, state: GameState, sides: Sides, slam: ReadySlam
) -> Iterator[list[Real]]:
    """Yield what a slam may pay to each unit: in each way, for each shooter and passer."""
    if slam.pay.mode == "face":
        return
    units = range(len(sides))
    for way in ways_of(slam.pay.mode):
        for shooter in units:
            partners = partners_of(state, shooter)
            for passer in (None, *units):
                hand = CapturedHand((0,) * len(sides), sides, passer=passer)
                paid = payment(ready, Shot(slam, shooter), way, hand, partners)
                yield list(map(real, paid))


def _paid(rule: Settle, points: Interval, units: int) -> Interval:
    """The payment of a settlement to a unit for one hand, on average over a game.

    A pool that is carried over holds no more than all stakes of the game, and under a floor some
    pay nothing into it.
    """
    least, most = points
    if rule.pays == "difference":
        n_losers = units - 1
        difference = most - least
        if least < 0:
            # A loser below zero is paid the difference by the lowest score above zero.
            return -difference * n_losers, difference * n_losers
        return -difference, difference * n_losers
    ante = rule.ante if rule.stake == "ante" else 0
    if rule.stake != "deal_points":
        least = most = ante
    return min(least, 0) * units - ante, max(most, 0) * units


def _limits(ready: Prepared, start: Real, of_hand: Interval, n_hands: tuple[int, int]) -> Interval:
    """The bounds of a unit's total after the fewest to the most hands.

    `of_hand` bounds the points of one hand; resets may add to them, or set the total.
    """
    running = ready.keys.running
    added = [0, *(real(reset.add) for reset in running.resets if reset.add is not None)]
    steps = (of_hand[0] + min(added), of_hand[1] + max(added))
    ends = [start + step * number for step in steps for number in n_hands]

    totals_set = [running.floor, *(reset.set for reset in running.resets)]
    for slam in (*ready.slams, *ready.spans):
        pay = slam.slam.pay
        totals_set += [pay.set_self, pay.set_others]
        if pay.mode == "reset_self":
            totals_set.append(0)
    _fewest_hands, most_hands = n_hands
    for total in totals_set:
        if total is not None:
            ends.append(real(total))
            ends.extend(real(total) + step * most_hands for step in steps)

    if running.floor is not None and not running.resets:
        return max(min(ends), real(running.floor)), max(ends)
    return min(ends), max(ends)


def _is_sum(total: Real, sums: set[Real], n_hands: tuple[int, int]) -> bool:
    """Whether the fewest to the most hands, each with one of the sums, can add up to the total.

    The sums differ by multiples of `divisor`, and so do the totals of a number of hands.
    """
    scale = lcm(*(value.denominator for value in sums))
    values = sorted(int(value * scale) for value in sums)
    least, most = values[0], values[-1]
    divisor = gcd(*(value - least for value in values)) or 1
    scaled_total = total * scale
    fewest_hands, most_hands = n_hands
    for number in range(fewest_hands, most_hands + 1):
        is_between = least * number <= scaled_total <= most * number
        if is_between and (scaled_total - least * number) % divisor == 0:
            return True
    return False


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
    n_seats = require_seats(rules, seats)
    problems = []
    uneven_deal = uneven(rules, n_seats)
    if uneven_deal:
        problems.append(uneven_deal)
    sides = _sides(rules, teams, problems)
    n_units = len(sides) if rules.keys.teams.mode == "pooled" else n_seats
    totals = _totals(rules, n_units, start_totals, problems)
    pool = rules.number(start_pool)
    if pool is None:
        problems.append(Problem("bad_case", ("start_pool",), {"why": "The pool is not a number."}))
    if type(start_deals) is not int or not 0 <= start_deals <= MOST_DEALS:
        why = "The number of hands played before is not a whole number."
        problems.append(Problem("bad_case", ("start_deals",), {"why": why}))
    if problems or pool is None or not isinstance(start_deals, int):
        raise Refused(*problems)

    keys = rules.keys
    lives: tuple[int, ...] = ()
    if keys.lives:
        lives = (keys.lives.start,) * n_units
    no_streaks = tuple((-1, 0) for slam in keys.slams if slam.span > 1)
    return GameState(
        seats=n_seats,
        teams=sides,
        totals=totals,
        deals=start_deals,
        pool=pool,
        lives=lives,
        streaks=no_streaks,
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
    over = []
    if not open_ended:
        state = before_next_hand(rules, state)
        if not may_play(rules, state):
            over.append(Problem("match_over"))
    try:
        if isinstance(hand, TypedHand):
            score_of_hand = score(rules, hand, state, budget)
        else:
            score_of_hand = score_entry(rules, hand, state, budget)
    except OutOfBudget:
        raise
    except Refused as refused:
        if over:
            raise Refused(*over, *refused.problems) from None
        entry = hand.entry if isinstance(hand, TypedHand) else hand
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
    passing = pass_of(rules.keys.play, state.seats, number)
    return NextHand(number=number, dealer=state.deals % state.seats, passing=passing)


def seat_totals(rules: Rules, state: GameState) -> tuple[Score, ...]:
    """The running total that each seat sees: its own, or its pooled side's."""
    if rules.keys.teams.mode != "pooled":
        return state.totals
    return by_seat(state.teams, state.totals)


def _sides(rules: Rules, teams: object, problems: list[Problem]) -> tuple[tuple[int, ...], ...]:
    """The seats of each side as they were given; a problem where they have not the rules' shape."""
    rule = rules.keys.teams
    if teams is None:
        if rule.mode == "none":
            return ()
        return rule.shape
    if rule.mode != "none" and is_list(teams):
        sides = tuple(map(_side, teams))
        is_same_sides = set(map(frozenset, sides)) == set(map(frozenset, rule.shape))
        if is_same_sides and len(sides) == len(rule.shape):
            return sides

    expected = "everybody alone"
    if rule.shape:
        shape = [[seat + 1 for seat in side] for side in rule.shape]
        expected = f"seats {' against '.join(map(str, shape))}"
    problems.append(Problem("bad_teams", ("teams",), {"expected": expected}))
    return rule.shape


def _side(side: object) -> tuple[int, ...]:
    """The seats of one side as they were given; none if they are no different whole numbers."""
    if not is_list(side) or not all(is_whole(seat) for seat in side):
        return ()
    if len(set(side)) != len(side):
        return ()
    return tuple(side)


def _totals(
    rules: Rules, n_units: int, start_totals: object, problems: list[Problem]
) -> tuple[Score, ...]:
    """The totals of the units before the first hand; a problem where they are no such totals."""
    if start_totals is None:
        return (rules.zero,) * n_units
    totals = []
    if is_list(start_totals):
        totals = [rules.number(total) for total in start_totals]
    if len(totals) != n_units:
        facts = {"field": "start_totals", "found": len(totals), "expected": n_units}
        problems.append(Problem("seat_count", ("start_totals",), facts))
    elif None in totals:
        why = "A total at the start is not a number of points."
        problems.append(Problem("bad_case", ("start_totals",), {"why": why}))
    return tuple(total for total in totals if total is not None)
