"""Hands made up for the example of a rules card: the same rules always give the same hand.

Pure. The cards are shared out so that a reader sees something: one unit stays clean, cards that
change points lie beside some that have any.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from scoring.entry.entry import unit_sides
from scoring.entry.typed_hand import Sides
from scoring.numbers import Complex, Real
from scoring.rules.compiled_rules import Prepared, ReadySlam

_SHARES = (5, 2, 6)
"""Of thirteen cards, what the units that take any get."""


class Deal(NamedTuple):
    """Piles per unit, and the entry that a host would type for them."""

    sides: Sides
    piles: tuple[int, ...]
    entry: dict[str, Any]


def ordinary(ready: Prepared) -> Deal:
    """A hand in which nobody shoots."""
    sides = unit_sides(ready.rules, ready.seats, None)
    takers = _takers(len(sides))
    piles = [0] * len(sides)
    suit = _bulk(ready)
    many = [1 << bit for bit in range(ready.deck.full.bit_length()) if suit >> bit & 1]
    start = 0
    for place, taker in enumerate(takers):
        share = _SHARES[place % len(_SHARES)]
        end = len(many) if place == len(takers) - 1 else start + -(-len(many) * share // 13)
        piles[taker] |= sum(many[start:end])
        start = min(end, len(many))
    for place, bit in enumerate(_single(ready, ready.counting & ~suit)):
        doubler = ready.worth_of(bit) == ready.zero
        piles[takers[0] if doubler else takers[(place + 1) % len(takers)]] |= bit
    return Deal(sides, tuple(piles), _entry(ready, sides, piles))


def shot(ready: Prepared, slam: ReadySlam) -> Deal:
    """A hand in which the first unit takes all that the slam needs."""
    sides = unit_sides(ready.rules, ready.seats, None)
    piles = [0] * len(sides)
    piles[0] = slam.needs
    piles[1] = ready.counting & ~slam.needs
    if slam.slam.all_tricks != "no":
        piles[0], piles[1] = ready.counting, 0
    entry = _entry(ready, sides, piles)
    if slam.slam.all_tricks != "no":
        entry["tricks"] = [ready.hand_size] + [0] * (ready.seats - 1)
    elif ready.wants_tricks:
        entry["tricks"] = _tricks(ready, (sides[0][0], sides[1][0]))
    if slam.pay.mode == "punish":
        entry["passer"] = sides[1][0]
    return Deal(sides, tuple(piles), entry)


def with_melds(ready: Prepared) -> dict[str, Any]:
    """The entry of a hand in which melds are shown in turn and the tricks are nearly even."""
    names = [meld.id for meld in ready.keys.melds]
    total, seats = ready.trick_total, ready.seats
    share = total // seats
    shares = [share + 12, *[share] * (seats - 2), total - share * (seats - 1) - 12]
    return {
        "melds": [names[seat::seats][:2] for seat in range(seats)],
        "trick_points": shares,
    }


def _takers(units: int) -> tuple[int, ...]:
    """The units that take cards; the second one stays clean where there are enough."""
    return (0, 1) if units == 2 else tuple(unit for unit in range(min(units, 4)) if unit != 1)


def _bulk(ready: Prepared) -> int:
    """The counting cards of the suit that has most of them, as a mask."""
    suits = dict.fromkeys(card[-1] for card in ready.deck.cards)
    masks = [ready.deck.mask(f"*{suit}") & ready.counting for suit in suits]
    return max(masks, key=lambda mask: mask.bit_count())


def _single(ready: Prepared, mask: int) -> list[int]:
    """The cards of a mask one by one, the dearest first."""

    def dear(bit: int) -> Real:
        value = ready.worth_of(bit)
        return -(value.norm if isinstance(value, Complex) else value * value)

    bits = [1 << bit for bit in range(mask.bit_length()) if mask >> bit & 1]
    return sorted(bits, key=dear)


def _entry(ready: Prepared, sides: Sides, piles: Sequence[int]) -> dict[str, object]:
    by_seat = [0] * ready.seats
    for side, pile in zip(sides, piles, strict=True):
        by_seat[side[0]] = pile
    entry: dict[str, Any] = {"taken": [ready.deck.names(pile) for pile in by_seat]}
    if ready.wants_tricks:
        takers = [seat for seat, pile in enumerate(by_seat) if pile]
        entry["tricks"] = _tricks(ready, takers)
    if ready.keys.chargeable:
        entry["declared"] = [ready.keys.chargeable[0]]
    pledge = next((bonus.pledge for bonus in ready.keys.hand_bonus if bonus.pledge), None)
    if pledge:
        entry["pledges"] = [pledge if seat < 2 else None for seat in range(ready.seats)]
    return entry


def _tricks(ready: Prepared, takers: Sequence[int]) -> list[int]:
    """Tricks that go with the piles: some for each of these seats, none for the others."""
    counts = [0] * ready.seats
    for trick in range(ready.hand_size):
        counts[takers[trick % len(takers)]] += 1
    return counts
