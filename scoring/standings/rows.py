"""What standings are made of: the points of a finished game, an entrant's sums, and the games.

Pure. Codes are public ids of entrants. See docs/algorithms/standings.md.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final, Protocol, TypeAlias, TypeVar, runtime_checkable

from scoring.numbers import Complex, Real
from scoring.rules.compiled_rules import prepare
from scoring.rules.rules import Rules

T = TypeVar("T")
Numbers: TypeAlias = tuple[int, ...]
NumbersAndDay: TypeAlias = tuple[Numbers, str | None]
"""The numbers of a thing, and the ISO date of its evening, None where nobody knows it."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The place of one chair: `place` from 1, `shared` by how many chairs (1 = alone).

    `win_share` is 1 split among those first, `beaten` the share of the others beaten, ties half.
    """

    place: int
    shared: int
    win_share: Fraction
    beaten: Fraction


Key: TypeAlias = tuple[int, int]
"""Round and table of a game; keys sort in the order of play."""

PLACES: Final = 13
"""Tables go up to thirteen seats, so that there are as many places."""


@dataclass(frozen=True, slots=True)
class EveningWorth:
    """The points of one evening for one entrant, by the `place` in it.

    `place` is 0 of an excused evening, and of a value from before; `evenings` is how many evenings
    it is of somebody who was there: 0 of an excused one.
    """

    points: Fraction
    place: int = 0
    evenings: int = 1

    @property
    def is_excused(self) -> bool:
        """Whether the points are for an evening of which the entrant was excused."""
        return self.evenings == 0


@dataclass(frozen=True, slots=True)
class Worth:
    """The values of ONE game for one entrant, or of what an entrant brought from before.

    `place` is from 1, `shared` by how many (1 = alone). `place_points` is None where the event has
    no list for the size of the table, `index` None where it is not defined: complex scores, an
    unknown number of hands. `uncounted` is 1 if the number of hands is unknown.
    Entrants of one game with an equal `side` were partners there; None = everybody for themselves.
    `share` is the part of the place that is the entrant's, less than 1 where it is shared by hands;
    the values have it already.
    A value from before has the place 0, any number of `games`, and `firsts` of them won. Where
    nobody knows that number, `games` is 0 and `without_games` the value.
    `evening` has the points of an evening as such, which is no game either (`evenings.py`).
    """

    place: int
    shared: int
    points: int | Fraction
    hands: int
    place_points: Fraction | None
    beaten: Fraction
    win_share: Fraction
    index: Fraction | None
    moons: int
    moons_against: int
    difference: int | Fraction = 0
    uncounted: int = 0
    side: int | None = None
    share: Fraction = Fraction(1)
    games: int = 1
    firsts: int = 0
    without_games: int | Fraction = 0
    evening: EveningWorth | None = None


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game: its day (`meeting`, an ISO date, or None) and its worth for each entrant.

    `has_points` is False for complex scores: the points of each `Worth` are then meaningless.
    """

    key: Key
    meeting: str | None
    chairs: Mapping[str, Worth]
    has_points: bool = True


@dataclass(frozen=True, slots=True)
class Sums:
    """One entrant's sums over an event, exact. `code` is the public id of the entrant.

    `difference` is the points of the entrant's sides less those of their opponents. `places`
    counts the finishes in place 1, 2, …, shared ones included. `uncounted` counts games of which
    nobody knows how many hands were played. `index` is the sum over the games; None where it is
    not known of one of them. `matchpoints` is the mean percentage over the boards of a duplicate
    event and `datum` the mean difference; None elsewhere. `match_points` is what a team made in its
    `matches`, forfeited ones included; None where it is not asked for. `without_games` is the part
    of the primary value that comes from games of unknown number, which `games` lacks.
    `evening_points` are those for the places of `evenings`, of which `evenings_won` and
    `evenings_second` count the first and second places, shared ones included; they are 0 where an
    event is not ranked by evenings.
    """

    code: str
    games: int
    hands: int
    points: int | Fraction
    places: tuple[int, ...]
    shared_wins: int
    win_share: Fraction
    beaten: Fraction
    moons: int
    moons_against: int
    difference: int | Fraction = 0
    uncounted: int = 0
    place_points: Fraction = Fraction(0)
    byes: int = 0
    index: Fraction | None = None
    matchpoints: Fraction | None = None
    datum: Fraction | None = None
    match_points: Fraction | None = None
    matches: int | Fraction = 0
    without_games: int | Fraction = 0
    evening_points: Fraction = Fraction(0)
    evenings: int | Fraction = 0
    evenings_won: int | Fraction = 0
    evenings_second: int | Fraction = 0


class Evidence(Protocol):
    """The games behind the sums; asked only for entrants that are tied."""

    def games_of(self, codes: Collection[str]) -> Sequence[GameResult]:
        """Return every game in which any of `codes` played, with all its chairs, by key."""


@runtime_checkable
class MeetingEvidence(Protocol):
    """Evidence that knows which entrants never met without fetching their games."""

    def strangers(self, groups: Sequence[Sequence[str]]) -> Collection[int]:
        """Return the positions of groups in which some two were never at one table.

        Others may have such a pair too: it need not look at all of them.
        """


def with_days(
    things: Iterable[T], played: Callable[[T], NumbersAndDay]
) -> Iterator[tuple[str, Numbers, T]]:
    """Yield (date, numbers, thing) by number; what has no date has the latest of those before it.

    The date is empty where nothing before it has one.
    """
    latest = ""
    for number, day, thing in sorted(
        ((*played(thing), thing) for thing in things), key=lambda row: row[0]
    ):
        latest = max(latest, day or "")
        yield day or latest, number, thing


def in_play_order(things: Iterable[T], played: Callable[[T], NumbersAndDay]) -> list[T]:
    """Return things by the date of their evening, then by their numbers.

    What has no date follows everything that is numbered before it.

    >>> rounds = [((3,), "2026-10-16"), ((1,), "2026-11-20"), ((2,), None)]
    >>> [number for (number,), _ in in_play_order(rounds, lambda one: one)]
    [3, 1, 2]
    """
    return [thing for *_, thing in sorted(with_days(things, played), key=lambda row: row[:2])]


def share_of(place: int, shared: int, scheme: Sequence[int]) -> Fraction:
    """The value of finishing at `place` (from 1) with `shared` seats (1 = alone).

    Games that name only a loser have two such tiers: everybody else shares the places above.

    >>> share_of(1, 3, [5, 3, 2, 1]), share_of(4, 1, [5, 3, 2, 1])
    (Fraction(10, 3), Fraction(1, 1))
    """
    return Fraction(sum(scheme[place - 1 : place - 1 + shared]), shared)


def nominal_penalty(rules: Rules, seats: int) -> Real | None:
    """The penalty points of one deal: all card values that count against the seat that takes them.

    Bonus cards, doublers and multipliers are left out. None if scores are complex numbers, or if no
    card counts against anybody: then there is no par. Under rules with melds they are the points of
    all tricks.
    """
    if isinstance(rules.zero, Complex):
        return None
    ready = prepare(rules, seats)
    if ready.trick_total:
        return ready.trick_total
    # Where cards are settled in chips, the largest total wins and penalty points still cost.
    is_high = rules.keys.result.order == "high" and rules.keys.settle is None
    penalty: Real = 0
    for mask, value in ready.worth:
        points = 0 if isinstance(value, Complex) else value
        against = -points if is_high else points
        if against > 0:
            penalty += against * (mask & ready.counting).bit_count()
    return penalty or None


def finishes(totals: Sequence[Any]) -> tuple[Finish, ...]:
    """Return each chair's finish at one table, where the lowest total wins.

    `totals`: final totals, or what else ranks the chairs, clockwise from seat 1.

    One finish a chair, in seat order; `win_share` sums to 1, `beaten` to half the chairs.

    Standard competition ranking; win share and beaten share: docs/algorithms/standings.md.

    >>> [(f.place, f.shared, str(f.beaten)) for f in finishes([20, 33, 33, 44])]
    [(1, 1, '1'), (2, 2, '1/2'), (2, 2, '1/2'), (4, 1, '0')]
    """
    count = len(totals)
    ends = []
    for total in totals:
        better = sum(1 for other in totals if other < total)
        level = sum(1 for other in totals if other == total)
        ends.append(finish(better + 1, level, count))
    return tuple(ends)


@cache
def finish(place: int, shared: int, chairs: int) -> Finish:
    """The value of finishing at `place` (from 1) with `shared` chairs, of so many.

    >>> finish(2, 2, 4).beaten
    Fraction(1, 2)
    """
    worse = chairs - (place - 1) - shared
    beaten = Fraction(2 * worse + shared - 1, 2 * (chairs - 1)) if chairs > 1 else Fraction(0)
    return Finish(place, shared, Fraction(1, shared) if place == 1 else Fraction(0), beaten)


SIDES: Final = (2, 0)
"""The place points of the two sides of a table, where the event has no list for two."""


def team_place_points(
    finishes: Sequence[tuple[int, int]], scheme: Sequence[int] = SIDES
) -> Fraction:
    """The place points of a team over the tables of a match, both members of each side together.

    `finishes`: place of its side, and how many share it, one a table.

    >>> str(team_place_points([(1, 1), (1, 2)]))
    '6'
    """
    return sum((2 * share_of(place, shared, scheme) for place, shared in finishes), Fraction(0))


def match_points(first: Fraction, second: Fraction) -> tuple[int, int]:
    """The match points of two teams: more place points win 2-0, as many make 1-1.

    >>> match_points(Fraction(6), Fraction(2)), match_points(Fraction(4), Fraction(4))
    ((2, 0), (1, 1))
    """
    if first == second:
        return 1, 1
    return (2, 0) if first > second else (0, 2)


@dataclass(frozen=True, slots=True)
class PeriodValue:
    """What an entrant has in a period; `counts` is false where it is none of the best periods."""

    number: int
    value: Fraction
    counts: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant as standings take it.

    Args:
        sums: over all games, as published.
        counted: over the games that count for the primary value; None = all of them.
        carried: the same with the weights of `counting.py`; None = each counts once.
        played: over all games played here, without values from before; None = `sums`.
        ledger: penalties less bonuses, in units of the primary value: positive makes it worse,
            whichever way it is ordered.
        left_out: keys of the games and values from before that do not count.
        left_out_evenings: the days of evenings that do not count, where the row is made of places
            of evenings and of sums over games.
        from_before: the sum of the values from before that count; None without any.
        withdrawn: still in the table; pages mark the row.
        is_substitute: played only beside members of pairs or teams, which get the places.
        periods: the value of each period, where evenings are counted in periods.
        is_guest: comes last and has no rank.
    """

    sums: Sums
    counted: Sums | None = None
    carried: Sums | None = None
    played: Sums | None = None
    ledger: Fraction = Fraction(0)
    left_out: frozenset[Key] = frozenset()
    left_out_evenings: frozenset[str] = frozenset()
    from_before: Fraction | None = None
    withdrawn: bool = False
    is_substitute: bool = False
    periods: tuple[PeriodValue, ...] = ()
    is_guest: bool = False

    @property
    def competes(self) -> bool:
        """Whether it may have a rank, once it has games enough."""
        return not (self.is_substitute or self.is_guest)

    @property
    def code(self) -> str:
        """The entrant's public id."""
        return self.sums.code

    @property
    def counting(self) -> Sums:
        """The sums that the primary value is made of."""
        return self.carried or self.shown

    @property
    def shown(self) -> Sums:
        """The sums over the games that count, each once: whole numbers."""
        return self.counted or self.sums


class InMemory:
    """Games that are all in memory."""

    def __init__(self, games: Iterable[GameResult]) -> None:
        self._games = tuple(sorted(games, key=lambda game: game.key))

    def games_of(self, codes: Collection[str]) -> Sequence[GameResult]:
        """Return every game in which any of `codes` played, by key.

        >>> games = [GameResult((2, 1), None, {}), GameResult((1, 1), None, {})]
        >>> InMemory(games).games_of(["a"])
        ()
        """
        wanted_codes = frozenset(codes)
        return tuple(game for game in self._games if not wanted_codes.isdisjoint(game.chairs))
