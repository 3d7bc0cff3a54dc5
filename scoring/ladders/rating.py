"""The rating ladder as the replay of its games, and what a table would do to a rating.

Pure. What is kept of a game is each member's rating before and after it, unrounded, so that a
correction sets everybody back to the first game it touches and goes on from there.
See docs/algorithms/rating-ladder.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType, ModuleType
from typing import Final, NamedTuple

from scoring.ladders import rating_methods
from scoring.ladders.rating_methods import MemberRating, RatedGame
from scoring.ladders.rules import LadderRules

METHODS: Final[Mapping[str, ModuleType]] = {"elo": rating_methods, "plackett_luce": rating_methods}

"""`LadderRules.rating` → the module with `first_values`, `after_game` and `shown`."""


class Change(NamedTuple):
    """What one game did to one member; `before.games` is which game of theirs it was, from 0."""

    game: RatedGame
    member: str
    before: MemberRating
    after: MemberRating


@dataclass(frozen=True, slots=True)
class Ratings:
    """Everybody's rating at one moment; who is not in it has not played yet."""

    members: Mapping[str, MemberRating] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class RatingsReplay:
    """The ratings at the end, and what each game did, in the order of the games."""

    ratings: Ratings
    changes: tuple[Change, ...]


def in_order(games: Iterable[RatedGame]) -> tuple[RatedGame, ...]:
    """Return games in the order in which they count: date, round, table, id."""
    return tuple(sorted(games, key=lambda game: game.at.key))


def replay(
    games: Iterable[RatedGame], rules: LadderRules, *, after: Ratings | None = None
) -> RatingsReplay:
    """Return the ratings that these games make.

    Args:
        games: in any order; they count by `in_order`.
        rules: with `rating`, the method.
        after: everybody's ratings before the first of these games, where that is not the first.

    Returns:
        The ratings and the changes; the same bits, from whichever game one begins.

    See docs/algorithms/rating-ladder.md.
    """
    method = METHODS[rules.rating]
    new = MemberRating(method.first_values(rules))
    rate = method.after_game
    now: dict[str, MemberRating] = dict(after.members) if after else {}
    changes: list[Change] = []
    for game in in_order(games):
        before = [[now.get(member, new) for member in side] for side in game.sides]
        day = game.at.played_on
        rated_sides = rate(before, game.places, rules)
        for side, old, values in zip(game.sides, before, rated_sides, strict=True):
            for member, was, value in zip(side, old, values, strict=True):
                now[member] = rated = MemberRating(value, was.games + 1, day)
                changes.append(Change(game, member, was, rated))
    return RatingsReplay(Ratings(MappingProxyType(now)), tuple(changes))


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One member on the list: `rank` is None while provisional, and such a row is shown with ?."""

    rank: int | None
    member: str
    rating: float
    games: int
    is_provisional: bool


def rating_rows(ratings: Ratings, on: date, rules: LadderRules) -> tuple[RatingRow, ...]:
    """Return the list as it is shown on a day.

    Args:
        ratings: of everybody.
        on: the local day; who has not played for more than `hidden_days` is left out.
        rules: with `provisional_games`.

    Returns:
        Ranked members from the highest rating, equal ones sharing the rank (1, 2, 2, 4), then
        the provisional ones likewise without a rank; within equals by code.
    """
    shown = METHODS[rules.rating].shown
    rows = [
        (one.games < rules.provisional_games, -shown(one.values), member, one.games)
        for member, one in ratings.members.items()
        if one.last_played is not None and (on - one.last_played).days <= rules.hidden_days
    ]
    rows.sort()
    ranked = [value for provisional, value, _, _ in rows if not provisional]
    return tuple(
        RatingRow(None if unsure else ranked.index(value) + 1, member, -value, games, unsure)
        for unsure, value, member, games in rows
    )


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
