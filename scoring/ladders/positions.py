"""The order of a position ladder: what one result does to it, and the events that it replays.

Pure. Places are counted from 1 at the top. The `number` of an event is the stored order: it never
comes from a clock, and a corrected event keeps it. See docs/algorithms/position-ladder.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import takewhile
from typing import Final, TypeAlias

Order: TypeAlias = tuple[str, ...]
Tiers: TypeAlias = tuple[tuple[str, ...], ...]

LANDING: Final[Mapping[str, Callable[[int, int], int]]] = {
    "take_place": min,  # the place of who was beaten, and the others move down
    "halfway": lambda place, above: (place + above) // 2,  # the better half
    "one_up": lambda place, above: place - 1,
}
"""Rule → where a winner from `place` lands who beat the one at `above`, both from 1.

`swap` is the only rule that moves the loser elsewhere.
"""


def after_win(order: Order, winner: str, loser: str, rule: str) -> Order:
    """The order after `winner` beat `loser`; unchanged where the winner was above.

    A permutation of `order`; nobody rises but the winner.

    >>> "".join(after_win(tuple("ABCDEFGHIJ"), "H", "E", "take_place"))
    'ABCDHEFGIJ'
    >>> "".join(after_win(tuple("ABCDEFGHIJ"), "H", "E", "swap"))
    'ABCDHFGEIJ'
    """
    low, high = order.index(winner), order.index(loser)
    if low < high:
        return order
    if rule == "swap":
        return (*order[:high], winner, *order[high + 1 : low], loser, *order[low + 1 :])
    landing = LANDING[rule](low + 1, high + 1) - 1
    return (*order[:landing], winner, *order[landing:low], *order[low + 1 :])


def after_table(order: Order, tiers: Tiers) -> Order:
    """The order after a table: its members' places dealt out again as they finished.

    `tiers`: members who finished level, best first; ties keep their old order. Members who are
    not on the ladder are ignored.

    A permutation of `order`; members who were not at the table do not move.

    >>> "".join(after_table(tuple("ABCDEFGHIJ"), (("F",), ("C", "E"), ("D",))))
    'ABFCEDGHIJ'
    """
    # A ladder is longer than a table: what few members ask of it is looked up for them alone.
    place = {member: order.index(member) for tier in tiers for member in tier if member in order}
    dealt = [
        member for tier in tiers for member in sorted(place.keys() & {*tier}, key=place.__getitem__)
    ]
    changed = list(order)
    for index, member in zip(sorted(map(place.__getitem__, dealt)), dealt, strict=True):
        changed[index] = member
    return tuple(changed)


def after_drops(order: Order, idle: Sequence[str], places: int) -> Order:
    """The order after each of `idle` dropped `places`, from the bottom up.

    An idle member drops past those who are not idle, so that two of them never change places
    with each other: neither in the middle nor at the bottom, where the lower one cannot drop.

    >>> "".join(after_drops(tuple("ABCDE"), ["B", "C"], 1))
    'ADBCE'
    >>> "".join(after_drops(tuple("ABCDE"), ["D", "E"], 1))
    'ABCDE'
    """
    dropping = frozenset(idle)
    changed = list(order)
    for member in reversed(order):
        if member in dropping:
            place = changed.index(member)
            below = changed[place + 1 : place + 1 + places]
            passed = len(list(takewhile(lambda other: other not in dropping, below)))
            changed.insert(place + passed, changed.pop(place))
    return tuple(changed)


def tiers_of(places: Mapping[str, int]) -> Tiers:
    """The members who finished level, best first, from each one's place.

    >>> tiers_of({"C": 2, "F": 1, "E": 2, "D": 4})
    (('F',), ('C', 'E'), ('D',))
    """
    return tuple(
        tuple(sorted(member for member in places if places[member] == rank))
        for rank in sorted(set(places.values()))
    )


@dataclass(frozen=True, slots=True)
class Opened:
    """The list begins with these members, from the top: imported opening positions."""

    number: int
    on: date
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """A member joins at the bottom."""

    number: int
    on: date
    member: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A member leaves the list; `why` is `left`, `away` (too long) or `merged`."""

    number: int
    on: date
    member: str
    why: str = "left"


@dataclass(frozen=True, slots=True)
class ChallengeWon:
    """A challenge counts as a win; `how` is `played`, `declined`, `expired` or `forfeited_d`.

    `ref` identifies the game or the challenge. Only a win of the lower member moves anybody.
    """

    number: int
    on: date
    winner: str
    loser: str
    how: str = "played"
    ref: str = ""


@dataclass(frozen=True, slots=True)
class TablePlayed:
    """Several members played one game; `tiers` has who finished level, best first."""

    number: int
    on: date
    tiers: Tiers
    ref: str = ""


@dataclass(frozen=True, slots=True)
class WeekSwept:
    """These members were idle in the ISO week `week` (`2025-W36`) and drop once for it."""

    number: int
    on: date
    week: str
    idle: tuple[str, ...]


LadderEvent: TypeAlias = Opened | Joined | Removed | ChallengeWon | TablePlayed | WeekSwept
