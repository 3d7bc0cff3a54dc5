"""What standings are made of: one game's worth, an entrant's sums, and the games behind them.

Pure. Codes are public ids of entrants. See docs/algorithms/standings.md.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Protocol, TypeAlias, runtime_checkable

Key: TypeAlias = tuple[int, int]
"""Which game: its round and its table, so that keys sort in the order of play."""

PLACES: Final = 13
"""Tables go up to thirteen seats, so that there are as many places."""


@dataclass(frozen=True, slots=True)
class Worth:
    """The values of ONE game for one entrant.

    `place` is from 1, `shared` by how many (1 = alone). `place_points` is None where the event has
    no list for the size of the table, `index` None where it is not defined: complex scores, an
    unknown number of hands. `uncounted` is 1 where nobody knows how many hands were played.
    Entrants of one game with an equal `side` were partners there; None = everybody for themselves.
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


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game: when it was (`meeting` an ISO date, or None) and what it is worth to whom.

    `has_points` is False where scores are complex numbers: the points of each `Worth` say nothing.
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
    matches; None where it is not asked for.
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


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant as standings take it.

    Args:
        sums: over all games, as published.
        counted: over the games that count for the primary value; None = all of them.
        carried: the same with the weights of `counting.py`; None = each counts once.
        ledger: penalties less bonuses, in units of the primary value: positive makes it worse,
            whichever way it is ordered.
        withdrawn: still in the table, marked by who shows it.
    """

    sums: Sums
    counted: Sums | None = None
    carried: Sums | None = None
    ledger: Fraction = Fraction(0)
    withdrawn: bool = False

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


class Evidence(Protocol):
    """The games behind the sums; asked only for entrants that are tied."""

    def games_of(self, codes: Collection[str]) -> Sequence[GameResult]:
        """Return every game in which any of `codes` played, with all its chairs, by key."""


@runtime_checkable
class MeetingEvidence(Protocol):
    """Evidence that can tell who never met without fetching their games."""

    def strangers(self, groups: Sequence[Sequence[str]]) -> Collection[int]:
        """Return the positions of groups in which some two were never at one table.

        Others may have such a pair too: it need not look at all of them.
        """


class NoEvidence:
    """No games: criteria that look at them separate nobody."""

    def games_of(self, codes: Collection[str]) -> Sequence[GameResult]:
        """Return nothing, whoever is asked for.

        >>> NoEvidence().games_of(["a"])
        ()
        """
        return ()


class InMemory:
    """Games that are all there already."""

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
