"""What each place at a table would do to a rating, before a night.

Pure. See docs/algorithms/rating-ladder.md.
"""

from collections.abc import Sequence

from scoring.ladders.games import MemberRating
from scoring.ladders.rating import METHODS, Ratings
from scoring.ladders.rules import LadderRules


def outlook(
    sides: Sequence[Sequence[str]], ratings: Ratings, rules: LadderRules
) -> tuple[tuple[float, ...], ...]:
    """Return what each finishing place would change of each side's shown rating.

    Args:
        sides: who will play together, one or two members a side.
        ratings: as they are; who is not in it begins.
        rules: of the ladder.

    Returns:
        One tuple a side, one change for each place from the first to the last, for a side of
        two that of its first member. With Elo the change hangs on the own place alone; with
        Plackett-Luce the others finish as their ratings have it.

    >>> [[round(change, 3) for change in side] for side in
    ...  outlook([["A"], ["B"], ["C"], ["D"]], Ratings(), LadderRules(k_new=32))][0]
    [16.0, 5.333, -5.333, -16.0]
    """
    method = METHODS[rules.rating]
    new = MemberRating(method.first_values(rules))
    rated = [[ratings.members.get(member, new) for member in side] for side in sides]
    strength = [sum(method.shown(one.values) for one in side) / len(side) for side in rated]
    usual = sorted(range(len(sides)), key=lambda index: (-strength[index], index))
    found = []
    for own, side in enumerate(rated):
        rest = [index for index in usual if index != own]
        changes = []
        for place in range(len(sides)):
            order = [*rest[:place], own, *rest[place:]]
            places = [order.index(index) + 1 for index in range(len(sides))]
            after = method.after_game(rated, places, rules)[own][0]
            changes.append(method.shown(after) - method.shown(side[0].values))
        found.append(tuple(changes))
    return tuple(found)
