"""Hands from a sheet that has running totals: each line is the sum of all hands so far.

Pure. A club writes its Hearts so where nobody wants to add up at the end.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, product
from math import prod
from typing import Final, NamedTuple

from scoring.budget import Budget, OutOfBudget
from scoring.engine.progress import running_total
from scoring.errors import Refused
from scoring.game.game import new_game, play, totals_problems
from scoring.rules.rules import Rules

Line = tuple[int, ...]
"""A number for each seat, or for each side that pools its points."""

STEPS: Final = 20_000
"""Work to find out whether points are those of a hand; a hand of four players takes some 50."""
STEPS_TO_DECIDE: Final = 400_000
"""The same where a reading depends on it."""
MOST_READINGS: Final = 10_000
"""Ways to read one line that are looked at; of more than these a person is asked."""
MOST_LINES: Final = 60
"""Lines of a sheet that are looked at to tell how it is written."""


class Slip(NamedTuple):
    """A running total that makes two hands impossible: its line and place from 0, a likely one."""

    line: int
    place: int
    likely: int


class Unclear(NamedTuple):
    """A line from 0 whose totals follow from more than one hand, and the points of these hands."""

    line: int
    readings: tuple[Line, ...]


_BY_TOTALS: Final = (
    "others_unless_shooter_loses",
    "others_unless_other_wins",
    "others_then_continue",
)


def points_choices(rules: Rules, before: int, after: int) -> tuple[int, ...]:
    """Return the points of one seat that take a running total to the next, by the rules.

    Without a reset first; that one alone where no points do, as on a sheet without the resets.

    >>> from scoring.rules.catalogue import catalogue
    >>> fifty = catalogue().rules("omnibus-hearts", {"resets": "50-to-0,100-to-50"})
    >>> points_choices(fifty, 10, 0), points_choices(fifty, 13, 18), points_choices(fifty, 44, 50)
    ((-10, 40), (5,), (6, 56))
    """
    running = rules.keys.running
    sums = [after, *(reset.at for reset in running.resets)]
    choices = dict.fromkeys(
        total - before
        for total in sums
        if isinstance(total, int) and running_total(before, total, running) == after
    )
    plain = after - before
    if plain in choices:
        return tuple(choices)
    return (plain, *choices)


def readings_between(rules: Rules, before: Line, after: Line) -> tuple[Line, ...]:
    """Return the points of the hands that may have taken one line to the next.

    Those are possible hands; where none is, points of at least 0 are preferred. With
    `MOST_READINGS` or more ways to read the line, the difference and the way with all resets stand
    for them.
    """
    seats = [points_choices(rules, *pair) for pair in zip(before, after, strict=True)]
    plain = tuple(choices[0] for choices in seats)
    likely = tuple(next((each for each in choices if each >= 0), choices[0]) for choices in seats)
    if all(len(choices) == 1 for choices in seats):
        return (plain,)
    if prod(map(len, seats)) >= MOST_READINGS:
        return plain, tuple(choices[-1] for choices in seats)
    readings = [reading for reading in product(*seats) if _can_be_a_hand(rules, reading, before)]
    by_rules = [reading for reading in readings if _are_booked(rules, before, reading, after=after)]
    if by_rules:
        return tuple(by_rules)
    if readings:
        return tuple(readings)
    return (likely,)


def _can_be_a_hand(rules: Rules, points: Line, before: Line) -> bool:
    """Like `is_hand`, with more work: its answer decides what is read.

    Without sides the order of the seats does not matter, so that many readings are one question.
    What a slam pays may depend on the totals before it.
    """
    if any(slam.pay.mode in _BY_TOTALS for slam in rules.keys.slams):
        return _is_possible(rules, points, ()) or _is_possible(rules, points, before)
    if rules.keys.teams.mode == "none":
        points = tuple(sorted(points))
    return _is_possible(rules, points, ())


@lru_cache(maxsize=2048)
def _is_possible(rules: Rules, points: Line, before: Line) -> bool:
    return is_hand(rules, points, before, steps=STEPS_TO_DECIDE)


def _are_booked(rules: Rules, before: Line, points: Line, *, after: Line) -> bool:
    """Whether a game that stood at `before` stands at `after` with these points."""
    running = rules.keys.running
    return all(
        running_total(total, total + won, running) == then
        for total, won, then in zip(before, points, after, strict=True)
    )


def points_between(rules: Rules, before: Line, after: Line) -> Line:
    """Return the points of the hand between two lines, the first reading of an unclear one."""
    return readings_between(rules, before, after)[0]


def hands_in(rules: Rules, lines: Sequence[Line], before: Line = ()) -> list[Line]:
    """Return the points of each hand of a sheet with running totals, `before` the first line.

    >>> from scoring.rules.catalogue import catalogue
    >>> hands_in(catalogue().rules("hearts"), [(13, 5, 8, 0), (13, 18, 21, 0)])
    [(13, 5, 8, 0), (0, 13, 13, 0)]
    >>> hands_in(catalogue().rules("hearts"), [(13, 18, 21, 0)], before=(13, 5, 8, 0))
    [(0, 13, 13, 0)]
    """
    return [points_between(rules, *pair) for pair in _pairs(lines, before)]


def unclear_lines(rules: Rules, lines: Sequence[Line], before: Line = ()) -> tuple[Unclear, ...]:
    """Return the lines whose points a person must tell: with a reset or without one.

    >>> from scoring.rules.catalogue import catalogue
    >>> rules = catalogue().rules("hearts", {"resets": "50-to-0,100-to-50"})
    >>> unclear_lines(rules, [(0, 50, 0, 0)], before=(26, 26, 0, 0))
    ()
    """
    if not rules.keys.running.resets:
        return ()
    readings = enumerate(readings_between(rules, *pair) for pair in _pairs(lines, before))
    return tuple(Unclear(line, several) for line, several in readings if len(several) > 1)


def booked(rules: Rules, hands: Sequence[Line]) -> list[Line]:
    """Return the running totals after each hand, with the resets of the rules.

    >>> from scoring.rules.catalogue import catalogue
    >>> booked(catalogue().rules("hearts", {"resets": "50-to-0,100-to-50"}), [(49, 3), (1, 25)])
    [(49, 3), (0, 28)]
    """
    lines: list[Line] = []
    totals: Line = (0,) * len(hands[0]) if hands else ()
    for points in hands:
        sums = (
            running_total(total, total + won, rules.keys.running)
            for total, won in zip(totals, points, strict=True)
        )
        totals = tuple(total if isinstance(total, int) else 0 for total in sums)
        lines.append(totals)
    return lines


def _pairs(lines: Sequence[Line], before: Line) -> list[tuple[Line, Line]]:
    sums = (before or (0,) * len(lines[0]), *lines) if lines else ()
    return list(pairwise(sums))


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


def is_hand(rules: Rules, points: Line, before: Line = (), *, steps: int = STEPS) -> bool:
    """Whether these can be the points of a hand under the rules, or nobody knows in time.

    It is the first hand, or the first after the totals `before`.
    """
    teams = rules.keys.teams
    if teams.mode == "pooled":
        seats = sum(map(len, teams.shape))
    else:
        seats = len(points)
    try:
        state = new_game(rules, seats)
        if len(points) != len(state.totals) or totals_problems(rules, state, points, 1, 1):
            return False
        if before:
            state = state._replace(totals=before)
        play(rules, state, {"points": list(points)}, open_ended=True, budget=Budget(steps, hints=0))
    except OutOfBudget:
        return True
    except Refused:
        return False
    return True
