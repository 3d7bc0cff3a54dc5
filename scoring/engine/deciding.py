"""How the finishers of a game rank, and by which value.

Pure. A finisher is a side where partners finish together, else a seat; the order agrees with
`progress.outcome`. See docs/algorithms/scoring.md, "End of a game".
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from typing import NamedTuple, TypeAlias

from scoring.engine.progress import GameState, rank_value
from scoring.numbers import Real, Score, as_complex
from scoring.rules.rules import Rules

RankKey: TypeAlias = tuple[bool, int, bool, Real]
"""Sort key; the smallest is best.

Not won outright, time in a play-off, out of lives, value.
"""


class WinCriteria(NamedTuple):
    """The criteria by which some rules decide a game.

    Attributes:
        best: `low`, `high` or `near` (to 0): which value is the best one.
        by: `total`, `side_sum` (the totals of a side's seats together) or `side_worst` (its worst
            single total).
        pooled: whether partners share one total.
        lives: whether finishers without lives rank behind all others.
        pool: whether the pool is still to be won.
        crosser_loses: whether the finisher that reaches the end loses.
    """

    best: str
    by: str
    pooled: bool
    lives: bool
    pool: bool
    crosser_loses: bool


def win_criteria(rules: Rules) -> WinCriteria:
    """The criteria by which these rules decide a game."""
    keys = rules.keys
    rule = rules.keys.result
    is_near = keys.number == "complex" or rule.order == "abs_low"
    by = "total"
    if keys.teams.mode == "individual":
        by = "side_worst" if rule.decide == "crosser_team_loses" else "side_sum"
    return WinCriteria(
        best="near" if is_near else rule.order,
        by=by,
        pooled=keys.teams.mode == "pooled",
        lives=keys.lives is not None,
        pool=keys.settle is not None and keys.settle.pays == "pot",
        crosser_loses=rule.decide in ("crosser_loses", "crosser_team_loses"),
    )


def finishers(rules: Rules, state: GameState) -> tuple[tuple[int, ...], ...]:
    """The seats (from 0) of each finisher: of each side where there are sides, else each seat."""
    if rules.keys.teams.mode == "none":
        return tuple((seat,) for seat in range(len(state.totals)))
    return state.teams


def rank_keys(rules: Rules, state: GameState) -> tuple[RankKey, ...]:
    """A key for each finisher, in their order: the smallest has won, equal ones share the place."""
    keys = []
    result = rules.keys.result
    for number, seats in enumerate(finishers(rules, state)):
        units = (number,) if rules.keys.teams.mode != "individual" else seats
        has_won = state.won_by in units
        is_out = bool(state.lives) and all(state.lives[unit] == 0 for unit in units)
        totals = [state.totals[unit] for unit in units]
        numbers = {number} if result.by_side else {*units}
        hands = sum(not numbers.isdisjoint(tied) for tied in state.playoff)
        played_off = hands if result.decide == "crosser_team_loses" else -hands
        lost = not has_won and state.won_by is not None
        keys.append((lost, played_off, is_out, _value(rules, totals)))
    return tuple(keys)


def _value(rules: Rules, totals: Sequence[Score]) -> Real:
    if rules.keys.result.decide == "crosser_team_loses":
        return max(rank_value(rules, total) for total in totals)
    return rank_value(rules, sum(totals, rules.zero))


def distance(total: Score) -> Decimal:
    """The distance of a total from 0, to two places.

    >>> from scoring.numbers import Complex
    >>> str(distance(Complex(3, 4))), str(distance(Complex(3, 13)))
    ('5', '13.34')
    """
    norm = as_complex(total).norm
    with localcontext() as context:
        context.prec = 40
        size = (Decimal(norm.numerator) / Decimal(norm.denominator)).sqrt()
    rounded = size.quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    if rounded != int(rounded):
        return rounded
    return Decimal(int(rounded))
