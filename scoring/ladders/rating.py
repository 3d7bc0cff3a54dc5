"""The rating ladder as the replay of its games, and what a table would do to a rating.

Pure. What is kept of a game is each member's rating before and after it, unrounded, so that a
correction sets everybody back to the first game it touches and goes on from there.
See docs/algorithms/rating-ladder.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain
from operator import itemgetter
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from scoring.ladders.rating_methods import (
    MU,
    SIGMA,
    MemberRating,
    RatedGame,
    Values,
    elo_after_game,
    plackett_luce_after_game,
    plackett_luce_shown,
)
from scoring.ladders.rules import LadderRules


class Method(NamedTuple):
    """The functions of a rating method.

    Attributes:
        first_values: what a member begins with.
        after_game: the values of everybody after a game, from the sides and their places.
        shown: the number that the ladder shows and orders by.
    """

    first_values: Callable[[LadderRules], Values]
    after_game: Callable[
        [Sequence[Sequence[MemberRating]], Sequence[int], LadderRules],
        tuple[tuple[Values, ...], ...],
    ]
    shown: Callable[[Values], float]


METHODS: Final[Mapping[str, Method]] = {
    "elo": Method(lambda rules: (float(rules.start),), elo_after_game, itemgetter(0)),
    "plackett_luce": Method(
        lambda _rules: (MU, SIGMA), plackett_luce_after_game, plackett_luce_shown
    ),
}

"""`LadderRules.rating` → the functions of the method."""


Change: TypeAlias = tuple[RatedGame, str, MemberRating, MemberRating]
"""The effect of one game on one member: the ratings before, whose `games` is the number of the
game, from 0, and after."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """Everybody's rating at one moment; who is not in it has not played yet."""

    members: Mapping[str, MemberRating] = field(default_factory=lambda: MappingProxyType({}))


def in_order(games: Iterable[RatedGame]) -> tuple[RatedGame, ...]:
    """The games in the order in which they count: date, round, table, id."""
    return tuple(sorted(games, key=lambda game: game.at.key))


def replay(
    games: Iterable[RatedGame], rules: LadderRules, *, after: Ratings | None = None
) -> tuple[Ratings, tuple[Change, ...]]:
    """The ratings that these games make, and what each game did, in the order of the games.

    The games count by `in_order`; `after` has everybody's ratings before the first of them, where
    that is not the first of all. The same bits, from whichever game one begins.
    """
    method = METHODS[rules.rating]
    new = MemberRating(method.first_values(rules))
    rate = method.after_game
    now: dict[str, MemberRating] = dict(after.members) if after else {}
    changes: list[Change] = []
    for game in in_order(games):
        before = [[now.get(member, new) for member in side] for side in game.sides]
        after_game = rate(before, game.places, rules)
        for member, rating, values in zip(
            game.members, chain(*before), chain(*after_game), strict=True
        ):
            now[member] = MemberRating(values, rating.games + 1, game.at.played_on)
            changes.append((game, member, rating, now[member]))
    return Ratings(MappingProxyType(now)), tuple(changes)


def rating_rows(
    ratings: Ratings, on: date, rules: LadderRules
) -> list[tuple[int | None, str, float]]:
    """The list as pages show it on a local day: rank, member, rating.

    Ranked members come from the highest rating, equal ones sharing the rank (1, 2, 2, 4), then
    the provisional ones likewise without a rank; within equals by code. Who has not played for more
    than `hidden_days` is left out.
    """
    shown_rating = METHODS[rules.rating].shown
    rows = [
        (rating.games < rules.provisional_games, -shown_rating(rating.values), member)
        for member, rating in ratings.members.items()
        if rating.last_played is not None and (on - rating.last_played).days <= rules.hidden_days
    ]
    rows.sort()
    ranked = [value for is_provisional, value, _ in rows if not is_provisional]
    return [
        (None if is_provisional else ranked.index(value) + 1, member, -value)
        for is_provisional, value, member in rows
    ]


def outlook(
    sides: Sequence[Sequence[str]], ratings: Ratings, rules: LadderRules
) -> tuple[tuple[float, ...], ...]:
    """The change of each side's shown rating for each finishing place.

    One tuple a side, of one or two members; one change for each place from the first to the last,
    for a side of two that of its first member. With Elo the change hangs on the own place alone;
    with Plackett-Luce the others finish as their ratings have it.

    >>> [[round(change, 3) for change in side] for side in
    ...  outlook([["A"], ["B"], ["C"], ["D"]], Ratings(), LadderRules(k_new=32))][0]
    [16.0, 5.333, -5.333, -16.0]
    """
    method = METHODS[rules.rating]
    new = MemberRating(method.first_values(rules))
    rated = [[ratings.members.get(member, new) for member in side] for side in sides]
    strength = [sum(method.shown(rating.values) for rating in side) / len(side) for side in rated]
    usual = sorted(range(len(sides)), key=lambda index: (-strength[index], index))
    outlooks = []
    for index_of_side, side in enumerate(rated):
        rest = [index for index in usual if index != index_of_side]
        changes = []
        for place in range(len(sides)):
            order = [*rest[:place], index_of_side, *rest[place:]]
            places = [order.index(index) + 1 for index in range(len(sides))]
            after = method.after_game(rated, places, rules)[index_of_side][0]
            changes.append(method.shown(after) - method.shown(side[0].values))
        outlooks.append(tuple(changes))
    return tuple(outlooks)
