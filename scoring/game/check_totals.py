"""Totals of a whole game: whether any hands of these rules make them.

Pure. The bounds hold for all legal hands, so possible totals are never refused. Complex scores have
no bounds: all their totals are accepted. See docs/algorithms/totals.md.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import gcd, lcm
from typing import TypeAlias

from scoring.diagnosis.shooter_hypotheses import ways_of
from scoring.engine.deal_points import apply, partners_of
from scoring.engine.moon import Shot, payment
from scoring.engine.progress import GameState
from scoring.entry.hand_reader import unit_sides
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import CapturedHand, Sides
from scoring.errors import Path, Problem
from scoring.numbers import Complex, Real, Score, real, score_json
from scoring.rules.compiled_rules import Prepared, ReadyModifier, ReadySlam, prepare
from scoring.rules.rules import Rules
from scoring.rules.types import Running, Settle

Interval: TypeAlias = tuple[Real, Real]
_FRACTION = re.compile(r'"-?[0-9]+/[0-9]+"')


def totals_problems(
    rules: Rules, state: GameState, totals: Sequence[Score], hands: int | None, most_hands: int
) -> list[Problem]:
    """The reasons why `totals` (of units) are impossible from `state`; empty if they are not.

    Without a number of `hands` any number up to `most_hands` may have been played.
    """
    if isinstance(rules.zero, Complex):
        return []
    ready, sides = prepare(rules, state.seats), unit_sides(rules, state.seats, state.teams or None)
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
    return [_problem(("points",), numbers, why="sum", hands=hands, moons=len(sums) > 1)]


def _problem(at: Path, numbers: Mapping[str, Real], **facts: object) -> Problem:
    scores = {key: score_json(number) for key, number in numbers.items()}
    return Problem("impossible_totals", at, {**scores, **facts})


def _bounds(ready: Prepared, state: GameState, sides: Sides) -> tuple[Interval, set[Real]]:
    """The range of one hand for a total, and its possible sums over all totals, if known."""
    keys = ready.keys
    if keys.melds:
        melds = sum(meld.points * meld.most for meld in keys.melds)
        return (0, melds + ready.trick_total + (keys.rounding.to if keys.rounding else 0)), set()
    least, most = _pile(ready, ~0)
    intervals = [(least, most + keys.trick_value * ready.hand_size)]
    sums = {real(ready.deal_total)}
    for slam in ready.slams:
        beside = ~slam.needs if slam.pay.outside else 0
        least, most = _pile(ready, beside)
        for paid in _payments(ready, state, sides, slam):
            intervals.append((min(paid) + least, max(paid) + most))
            sums.add(sum(paid) + real(ready.worth_of(ready.counting & beside)))
    intervals = [_perhaps(ready.sum_modifiers, interval) for interval in intervals]
    least, most = min(low for low, _ in intervals), max(high for _, high in intervals)
    for _, bonus, _ in ready.bonuses:
        times = max(map(len, sides)) if bonus.pledge else 1
        added = [0, *map(real, (bonus.add, bonus.kept, bonus.broken))]
        least, most = least + times * min(added), most + times * max(added)
    more = ready.card_modifiers or ready.sum_modifiers or ready.bonuses or ready.spans
    is_open = more or ready.unclaimed_allowed or ready.looks_beyond or keys.running != Running()
    if is_open or keys.settle or any(slam.pay.mode == "reset_self" for slam in ready.slams):
        sums = set()
    if keys.settle:
        return _paid(keys.settle, (least, most), len(sides)), sums
    return (least, most), sums


def _perhaps(modifiers: Sequence[ReadyModifier], interval: Interval) -> Interval:
    """The interval widened by modifiers of which each may apply or not."""
    for modifier in modifiers:
        ends = [real(apply(modifier.op, end, modifier.by)) for end in interval]
        interval = min(*ends, interval[0]), max(*ends, interval[1])
    return interval


def _pile(ready: Prepared, cards: int) -> Interval:
    """The least and the most that a pile of some of these cards is worth under any modifiers."""
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
    """The payment of each settlement of a slam to each unit, for every shooter and passer."""
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
    """The least and the most total after so many hands, with resets and floors."""
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
