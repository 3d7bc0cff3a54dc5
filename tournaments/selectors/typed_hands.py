"""What was typed for a hand, seat by seat, as a sheet shows it. Pure: reads an entry's JSON only.

The entry's shape is that of variants.md section 1. Nothing is scored or checked here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

SUITS: Final[Mapping[str, str]] = {"S": "spade", "H": "heart", "D": "diamond", "C": "club"}
"""Last letter of a card code → name of the suit's sign."""

_PER_SEAT: Final = ("hearts", "taken", "points", "tricks", "pledges", "clean")
_COUNTED: Final = frozenset({"hearts", "taken"})
"""What says which cards a seat took."""


@dataclass(frozen=True, slots=True)
class Pile:
    """Cards of one suit in a seat's pile: how many, or which ranks.

    `suit` is the name of a sign, or empty where the card has none; then `text` is the card's code.
    """

    text: str
    suit: str
    is_count: bool = False


@dataclass(frozen=True, slots=True)
class Typed:
    """What stands for one seat: its piles, points as written, and anything else by its key.

    `is_total` says that no cards of the hand were counted, for any seat.
    """

    piles: tuple[Pile, ...] = ()
    points: Any = None
    others: tuple[tuple[str, str], ...] = ()
    is_total: bool = False


@dataclass(frozen=True, slots=True)
class TypedHand:
    """An entry laid out: one `Typed` a seat, and what concerns the whole table by its key."""

    seats: tuple[Typed, ...]
    table: tuple[tuple[str, str], ...]


def laid_out(entry: Mapping[str, Any], seats: int) -> TypedHand:
    """Return `entry` as typed, cut by seat.

    Args:
        entry: the entry's JSON; lists in seat order where they have one element a seat.
        seats: number of seats at the table.

    >>> hand = laid_out({"hearts": [4, 9], "taken": [[], ["QS"]], "slam_choice": "self"}, 2)
    >>> [[(pile.text, pile.suit) for pile in seat.piles] for seat in hand.seats]
    [[('4', 'heart')], [('9', 'heart'), ('Q', 'spade')]]
    >>> hand.table
    (('slam_choice', 'self'),)
    """
    own = {
        key: value
        for key, value in entry.items()
        if key in _PER_SEAT and isinstance(value, list) and len(value) == seats
    }
    rest = tuple((key, _words(value)) for key, value in entry.items() if key not in own)
    return TypedHand(tuple(_seat(own, index) for index in range(seats)), rest)


def _seat(own: Mapping[str, Sequence[Any]], index: int) -> Typed:
    piles: list[Pile] = []
    if "hearts" in own and own["hearts"][index]:
        count = own["hearts"][index]  # what a host sees beside another entry may be no number
        piles.append(Pile(str(count), "heart", is_count=isinstance(count, int)))
    if "taken" in own:
        piles += _piles(own["taken"][index])
    others = tuple(
        (key, _words(own[key][index]))
        for key in ("tricks", "pledges", "clean")
        if key in own and own[key][index] is not None
    )
    is_total = "points" in own and not own.keys() & _COUNTED
    return Typed(tuple(piles), own["points"][index] if "points" in own else None, others, is_total)


def _piles(cards: Any) -> list[Pile]:
    if not isinstance(cards, list):
        return []
    by_suit: dict[str, list[str]] = {}
    signless: list[Pile] = []
    for code in map(str, cards):
        rank, letter = code[:-1], code[-1:]
        if letter in SUITS and rank:
            by_suit.setdefault(SUITS[letter], []).append("10" if rank == "T" else rank)
        else:
            signless.append(Pile(code, ""))
    order = ("heart", "spade", "diamond", "club")
    return [Pile(" ".join(by_suit[suit]), suit) for suit in order if suit in by_suit] + signless


def _words(value: Any) -> str:
    if value is True or value is False:
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_words(one) for one in value) or "–"
    return "–" if value is None else str(value)
