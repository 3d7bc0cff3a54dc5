"""The rating ladder as the replay of its games, and what a table would do to a rating.

Pure. Each member's rating before and after a game is stored unrounded, so that a
correction resumes the replay at the first game that it changes.
See docs/algorithms/rating-ladder.md.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, groupby, permutations, product
from math import factorial, fsum, lcm, pow, prod, sqrt
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from openskill.models import PlackettLuce

from scoring.errors import Problem
from scoring.ladders.rules import LadderRules

LEAST_SIDES: Final = 2
MOST_SIDES: Final = 11

Values: TypeAlias = tuple[float, ...]
"""Stored values of a member: (rating,) for Elo, (mu, sigma) for Plackett-Luce."""


GamePosition: TypeAlias = tuple[date, int, int, str]
"""The position of a game in the one total order: date, round, table, id."""


@dataclass(frozen=True, slots=True)
class RatedGame:
    """One game: its position in the order, its sides of one or two members, their places.

    `places` has one place a side, from 1; equal places are ties and only their order counts.
    """

    at: GamePosition
    sides: tuple[tuple[str, ...], ...]
    places: tuple[int, ...]

    @property
    def played_on(self) -> date:
        """The day of the game."""
        return self.at[0]

    @property
    def members(self) -> tuple[str, ...]:
        """Everybody at the table, side by side."""
        return tuple(member for side in self.sides for member in side)


class MemberRating(NamedTuple):
    """A member's rating: its values, unrounded; the number of rated games; the last one's day."""

    values: Values
    games: int = 0
    last_played: date | None = None


MU: Final = 25.0
SIGMA: Final = MU / 3
MOST_ORDERS: Final = 120
_MODEL: Final = PlackettLuce(mu=MU, sigma=SIGMA, beta=MU / 6, kappa=1e-4, tau=MU / 300)


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


Ratings: TypeAlias = Mapping[str, MemberRating]
"""All ratings at one time by member; who is not in it has not played yet."""


def game_problems(sides: Sequence[Sequence[str]], places: Sequence[int]) -> tuple[Problem, ...]:
    """The problems of rating a game.

    `rated_sides` where there are not 2 to 11, of equal size, each with its place;
    `ladder_member_twice` for each who is there twice.
    """
    problems = []
    sizes = {len(side) for side in sides}
    if not LEAST_SIDES <= len(sides) <= MOST_SIDES or len(sizes) != 1 or 0 in sizes:
        facts = {"found": len(sides), "least": LEAST_SIDES, "most": MOST_SIDES}
        problems.append(Problem("rated_sides", ("sides",), facts))
    if len(places) != len(sides):
        facts = {"found": len(places), "expected": len(sides)}
        problems.append(Problem("rated_places", ("places",), facts))
    members = list(chain(*sides))
    problems += (
        Problem("ladder_member_twice", ("sides",), {"member": member})
        for at, member in enumerate(members)
        if member in members[:at]
    )
    return tuple(problems)


SCALE = 400.0


def expected(rating: float, other: float) -> float:
    """The share of the points that a rating expects against `other`.

    >>> expected(1500, 1500), round(expected(1600, 1400), 4)
    (0.5, 0.7597)
    """
    return 1.0 / (1.0 + pow(10.0, (other - rating) / SCALE))


def elo_after_game(
    sides: Sequence[Sequence[MemberRating]], places: Sequence[int], rules: LadderRules
) -> tuple[tuple[Values, ...], ...]:
    """The values of all members after a game.

    Args:
        sides: who played, one or two a side; a side's rating is the mean of its members'.
        places: one a side, from 1; equal places are ties.

    One tuple a side, one value a member. The members of a side get the same change, by the mean of
    their K. Where all K are equal the changes sum to 0.

    See docs/algorithms/rating-ladder.md. Sums are exact before they are rounded (`fsum`), so that
    the order of the seats changes no bit.

    >>> new = MemberRating((1500.0,), games=10)
    >>> values = elo_after_game([[new]] * 4, [1, 2, 3, 4], LadderRules())
    >>> [round(side[0][0], 3) for side in values]
    [1516.0, 1505.333, 1494.667, 1484.0]
    """
    ratings = [fsum(member.values[0] for member in side) / len(side) for side in sides]
    others = len(sides) - 1
    after = []
    for index, side in enumerate(sides):
        rating = ratings[index]
        place = places[index]
        surplus = fsum(
            _elo_score(place, places[j]) - expected(rating, ratings[j])
            for j in range(len(sides))
            if j != index
        )
        k = fsum(rules.k_new if member.games < rules.new_games else rules.k for member in side)
        change = k / len(side) / others * surplus
        after.append(tuple((member.values[0] + change,) for member in side))
    return tuple(after)


def _elo_score(place: int, other: int) -> float:
    """Return 1 for a win against a side in place `other`, 0.5 for a tie and 0 for a loss."""
    if place < other:
        return 1.0
    if place == other:
        return 0.5
    return 0.0


def plackett_luce_shown(values: Values) -> float:
    """The number that the ladder shows and orders by: mu - 3 sigma.

    >>> plackett_luce_shown((25.0, 25 / 3))
    0.0
    """
    return values[0] - 3 * values[1]


def plackett_luce_after_game(
    sides: Sequence[Sequence[MemberRating]], places: Sequence[int], rules: LadderRules
) -> tuple[tuple[Values, ...], ...]:
    """The values of all members after a game.

    The package ranks ties wrongly, so it is never given any: mu and sigma squared are averaged
    over the orders of each tied block.

    `places`: one a side, from 1; equal places are ties.

    One tuple a side, (mu, sigma) a member.

    See docs/algorithms/rating-ladder.md; Weng and Lin 2011.

    >>> new = MemberRating((MU, SIGMA))
    >>> values = plackett_luce_after_game([[new]] * 4, [1, 2, 3, 4], LadderRules())
    >>> [round(side[0][0], 3) for side in values]
    [27.795, 26.553, 24.689, 20.962]
    """
    values = [tuple(member.values for member in side) for side in sides]
    # By place, and those of one place by their values, so that seats make no difference.
    by_place = sorted(range(len(sides)), key=lambda side: (places[side], values[side]))
    blocks = [tuple(tied) for _, tied in groupby(by_place, places.__getitem__)]
    runs = [
        dict(zip(order, _rated([values[index] for index in order]), strict=True))
        for order in _orders(blocks)
    ]
    if len(runs) == 1:
        return tuple(runs[0][index] for index in range(len(sides)))
    return tuple(
        tuple(_mean([run[index][seat] for run in runs]) for seat in range(len(side)))
        for index, side in enumerate(sides)
    )


def _orders(blocks: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Every order of the tied blocks, or their simultaneous rotations where those are too many."""
    if prod(factorial(len(block)) for block in blocks) <= MOST_ORDERS:
        for chosen in product(*(permutations(block) for block in blocks)):
            yield tuple(index for block in chosen for index in block)
        return
    for turn in range(lcm(*(len(block) for block in blocks))):
        turned = (block[turn % len(block) :] + block[: turn % len(block)] for block in blocks)
        yield tuple(index for block in turned for index in block)


def _rated(sides: Sequence[tuple[Values, ...]]) -> list[tuple[Values, ...]]:
    teams = [[_MODEL.rating(mu=mu, sigma=sigma) for mu, sigma in side] for side in sides]
    after = _MODEL.rate(teams, ranks=[float(place) for place in range(1, len(sides) + 1)])
    return [tuple((rating.mu, rating.sigma) for rating in team) for team in after]


def _mean(values: Sequence[Values]) -> Values:
    count = len(values)
    mu = fsum(value[0] for value in values) / count
    return (mu, sqrt(fsum(value[1] * value[1] for value in values) / count))


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


def in_order(games: Iterable[RatedGame]) -> tuple[RatedGame, ...]:
    """The games in the order in which they count: date, round, table, id."""
    return tuple(sorted(games, key=attrgetter("at")))


def replay(
    games: Iterable[RatedGame], rules: LadderRules, *, after: Ratings | None = None
) -> tuple[Ratings, tuple[Change, ...]]:
    """The ratings that these games make, and what each game did, in the order of the games.

    The games count by `in_order`; `after` has everybody's ratings before the first of them, where
    that is not the first of all. The result is bit-identical for every starting game.
    """
    method = METHODS[rules.rating]
    new = MemberRating(method.first_values(rules))
    rate = method.after_game
    now = dict(after or {})
    changes: list[Change] = []
    for game in in_order(games):
        before = [[now.get(member, new) for member in side] for side in game.sides]
        after_game = rate(before, game.places, rules)
        for member, rating, values in zip(
            game.members, chain(*before), chain(*after_game), strict=True
        ):
            now[member] = MemberRating(values, rating.games + 1, game.played_on)
            changes.append((game, member, rating, now[member]))
    return MappingProxyType(now), tuple(changes)


def rating_rows(
    ratings: Ratings, on: date, rules: LadderRules
) -> list[tuple[int | None, str, float]]:
    """The list as pages show it on a local day: rank, member, rating.

    Ranked members are ordered by rating, highest first, equal ones sharing the rank (1, 2, 2, 4).
    Provisional ones follow in the same order without a rank. Equal ratings are ordered by code.
    Members who have not played for more than `hidden_days` are left out.
    """
    shown_rating = METHODS[rules.rating].shown
    rows = [
        (rating.games < rules.provisional_games, -shown_rating(rating.values), member)
        for member, rating in ratings.items()
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
    for a side of two that of its first member. With Elo the change depends on its place alone;
    with Plackett-Luce the others finish as their ratings have it.

    >>> [[round(change, 3) for change in side] for side in
    ...  outlook([["A"], ["B"], ["C"], ["D"]], {}, LadderRules(k_new=32))][0]
    [16.0, 5.333, -5.333, -16.0]
    """
    method = METHODS[rules.rating]
    new = MemberRating(method.first_values(rules))
    rated = [[ratings.get(member, new) for member in side] for side in sides]
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
