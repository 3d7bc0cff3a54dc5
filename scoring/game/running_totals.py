"""Hands from a sheet that has running totals: each line is the sum of all hands so far.

Pure. A club writes its Hearts so where nobody wants to add up at the end.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from scoring.budget import Budget, OutOfBudget
from scoring.errors import Refused
from scoring.game.game import new_game, play, totals_problems
from scoring.numbers import Score
from scoring.rules.rules import Rules

Line = tuple[int, ...]
"""A number for each seat, or for each side that pools its points."""

STEPS: Final = 20_000
"""Work to find out whether points are those of a hand; a hand of four players takes some 50."""
MOST_LINES: Final = 60
"""Lines of a sheet that are looked at to tell how it is written."""


class Slip(NamedTuple):
    """A running total that makes two hands impossible: its line and place from 0, a likely one."""

    line: int
    place: int
    likely: int


def points_between(rules: Rules, before: Line, after: Line) -> Line:
    """Return the points of the hand between two lines; a total that was reset counts as it was."""
    return tuple(points_of(rules, *pair) for pair in zip(before, after, strict=True))


def points_of(rules: Rules, before: int, after: int) -> int:
    """Return the points that took one running total to the next.

    >>> from scoring.rules.catalogue import catalogue
    >>> points_of(catalogue().rules("hearts"), 13, 18)
    5
    """
    if after < before:
        for reset in rules.keys.running.resets:
            at = _whole(reset.at)
            after_reset = _whole(reset.set) if reset.set is not None else at + _whole(reset.add)
            if after_reset == after and at > before:
                return at - before
    return after - before


def _whole(score: Score | None) -> int:
    return score if isinstance(score, int) else 0


def hands_in(rules: Rules, lines: Sequence[Line], before: Line = ()) -> list[Line]:
    """Return the points of each hand of a sheet with running totals, `before` the first line.

    >>> from scoring.rules.catalogue import catalogue
    >>> hands_in(catalogue().rules("hearts"), [(13, 5, 8, 0), (13, 18, 21, 0)])
    [(13, 5, 8, 0), (0, 13, 13, 0)]
    >>> hands_in(catalogue().rules("hearts"), [(13, 18, 21, 0)], before=(13, 5, 8, 0))
    [(0, 13, 13, 0)]
    """
    sums = (before or (0,) * len(lines[0]), *lines) if lines else ()
    return [points_between(rules, *pair) for pair in zip(sums, lines, strict=False)]


def are_running_totals(rules: Rules, lines: Sequence[Line]) -> bool:
    """Whether lines are running totals: their differences are hands, and they are not themselves.

    >>> from scoring.rules.catalogue import catalogue
    >>> hearts = catalogue().rules("hearts")
    >>> are_running_totals(hearts, [(13, 5, 8, 0), (13, 18, 21, 0)])
    True
    >>> are_running_totals(hearts, [(13, 5, 8, 0), (0, 13, 13, 0)])
    False
    """
    some = lines[:MOST_LINES]
    if len(some) < 2 or len(set(map(len, some))) > 1 or all(is_hand(rules, line) for line in some):
        return False
    hands = hands_in(rules, some)
    bad = [at for at, hand in enumerate(hands) if not is_hand(rules, hand)]
    return not bad or (len(hands) > len(bad) and bool(find_slips(rules, some)))


def find_slips(rules: Rules, lines: Sequence[Line]) -> tuple[Slip, ...]:
    """Return the numbers of a sheet with running totals of which one is likely wrong.

    With another number in its place, the hand before it and the one after it are possible.

    >>> from scoring.rules.catalogue import catalogue
    >>> find_slips(catalogue().rules("hearts"), [(13, 5, 8, 0), (13, 18, 12, 0), (14, 18, 34, 12)])
    (Slip(line=1, place=2, likely=21), Slip(line=1, place=3, likely=9))
    """
    lines = lines[:MOST_LINES]
    hands = hands_in(rules, lines)
    right = [is_hand(rules, hand) for hand in hands]
    if all(right):
        return ()
    at = right.index(False)
    if any(not ok for ok in right[at + 2 :]) or not any(right):
        return ()
    sums = {sum(hand) for hand, ok in zip(hands, right, strict=True) if ok}
    slips = {
        Slip(at, place, lines[at][place] + total - sum(hands[at]))
        for total in sums
        for place in range(len(lines[at]))
    }
    return tuple(sorted(slip for slip in slips if slip.likely >= 0 and _fits(rules, lines, slip)))


def _fits(rules: Rules, lines: Sequence[Line], slip: Slip) -> bool:
    line = list(lines[slip.line])
    line[slip.place] = slip.likely
    mended = [*lines[: slip.line], tuple(line), *lines[slip.line + 1 :]]
    return all(is_hand(rules, hand) for hand in hands_in(rules, mended)[slip.line : slip.line + 2])


def is_hand(rules: Rules, points: Line) -> bool:
    """Whether these can be the points of a first hand under the rules, or nobody knows in time."""
    teams = rules.keys.teams
    seats = sum(map(len, teams.shape)) if teams.mode == "pooled" else len(points)
    try:
        state = new_game(rules, seats)
        if len(points) != len(state.totals) or totals_problems(rules, state, points, 1, 1):
            return False
        play(rules, state, {"points": list(points)}, open_ended=True, budget=Budget(STEPS, hints=0))
    except OutOfBudget:
        return True
    except Refused:
        return False
    return True
