"""Dealing: which way cards are passed, whether they come out even, whether a sheet has them all.

Pure. The latter two are the checks of variant files, and of options on a variant, beyond
their grammar.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from scoring.errors import Path, Problem
from scoring.rules.compiled_rules import Prepared, prepare, value_for
from scoring.rules.rules import Rules
from scoring.rules.types import Play

Fault: TypeAlias = tuple[Path, str]
"""Path in the rules, and the fault there."""

_LEAST = {"second left": 5, "second right": 5, "scatter": 3, "split": 3, "2 left, 2 right": 3}
"""The fewest players among whom a way differs from the others."""


def pass_of(play: Play, seats: int, number: int) -> str | None:
    """The passing of hand `number`, from 1: the ring of the rules, begun again after its end.

    >>> play = Play(("left", "right", "across", "hold"))
    >>> [pass_of(play, 4, hand) for hand in (3, 4, 5)], [pass_of(play, 3, hand) for hand in (3, 4)]
    (['across', 'hold', 'left'], ['hold', 'left'])
    """
    ring = passing_ring(play, seats)
    return ring[(number - 1) % len(ring)] if ring else None


def passing_ring(play: Play, seats: int) -> tuple[str, ...]:
    """The ways of passing from hand to hand, until they begin again; empty where none are passed.

    Directions that a table of this size lacks are left out: with an odd number of players there is
    no seat across.

    >>> passing_ring(Play(("left", "right", "across", "hold"), {"5": ("second left",)}), 3)
    ('left', 'right', 'hold')
    """
    return tuple(
        way
        for way in value_for(play.passing_with, seats, play.passing)
        if (seats % 2 == 0 if way == "across" else seats >= _LEAST.get(way, 2))
    )


def kitty_size(ready: Prepared) -> int:
    """Cards that are left over from the deal."""
    kitty = ready.keys.deck.kitty
    if kitty == "rest":
        return len(ready.deck.cards) - ready.hand_size * ready.seats
    return int(kitty)


def mixes_nothing(ready: Prepared, ways: Sequence[str]) -> bool:
    """Whether cards are to be mixed with a kitty that this table does not have."""
    return "mix with the kitty" in ways and not kitty_size(ready)


def has_count(way: str) -> bool:
    """Whether the number of cards passed is that of the rules, and not given by the way itself."""
    return way not in ("hold", "scatter") and not way[0].isdigit()


def pass_receiver(way: str | None, seats: int, seat: int) -> int | None:
    """The seat that gets the cards that a seat passes; None where there is no such single seat.

    That is so where cards are held, dealt out to several seats, or passed as the dealer calls.
    Seats count from 1, clockwise.

    >>> [pass_receiver(way, 4, 4) for way in ("left", "right", "across", "hold")]
    [1, 3, 2, None]
    >>> [pass_receiver(way, 5, 4) for way in ("second left", "second right", "scatter")]
    [1, 2, None]
    """
    steps = {
        "left": 1,
        "right": -1,
        "across": seats // 2,
        "second left": 2,
        "second right": -2,
    }
    if way not in steps:
        return None
    return (seat - 1 + steps[way]) % seats + 1


def uneven(rules: Rules, seats: int) -> Problem | None:
    """The refusal of a table whose cards cannot be dealt evenly; None where they can.

    An option may take cards out for some numbers of players only; the others then cannot play.
    """
    cards = _uneven_cards(prepare(rules, seats))
    if not cards:
        return None
    return Problem("seat_count", ("seats",), {"found": seats, "cards": cards})


def _uneven_cards(ready: Prepared) -> int:
    """The number of cards to deal where they do not come out even; 0 where they do."""
    kitty = ready.keys.deck.kitty
    if ready.keys.tricks != "equal" or isinstance(kitty, str):
        return 0
    cards = len(ready.deck.cards) - kitty
    return cards if cards % ready.seats else 0


def _tables(rules: Rules) -> list[Prepared]:
    return [prepare(rules, seats) for seats in rules.table_sizes]


def faults_of_dealing(rules: Rules) -> Iterator[Fault]:
    """The faults of a variant file at every number of players."""
    for ready in _tables(rules):
        if cards := _uneven_cards(ready):
            yield ("deck",), _uneven(cards, ready.seats)
        yield from _without_cards(ready)
        for mask, _ in ready.worth:
            if beside := mask & ~ready.counting:
                yield ("values",), f"{_some(ready, beside)} has a value but is not in counting."
        for place, slam in enumerate(ready.keys.slams):
            if beside := ready.deck.mask(slam.needs) & ~ready.counting:
                why = f"no sheet tells who took {_some(ready, beside)}, which is not in counting."
                yield ("slams", place, "needs"), why


def faults_of_options(rules: Rules) -> Iterator[Fault]:
    """The faults of options on a variant.

    Some numbers of players may become impossible, but not all of them, and none for which an
    option itself names the removed cards.
    """
    tables = _tables(rules)
    named = rules.options.get("removed_cards", {})
    for ready in tables:
        yield from _without_cards(ready)
        if str(ready.seats) in named and (cards := _uneven_cards(ready)):
            yield ("deck",), _uneven(cards, ready.seats)
    if all(map(_uneven_cards, tables)):
        yield ("deck",), "The cards cannot be dealt evenly to any number of players."


def _without_cards(ready: Prepared) -> Iterator[Fault]:
    if not ready.counting:
        yield ("counting",), f"no card in play counts with {ready.seats} players."
    if mixes_nothing(ready, passing_ring(ready.keys.play, ready.seats)):
        yield ("play", "passing"), f"With {ready.seats} players there is no kitty to mix with."
    for place, slam in enumerate(ready.keys.slams):
        if not ready.deck.mask(slam.needs) & ready.counting:
            yield ("slams", place, "needs"), f"{slam.needs} selects no card that counts."


def _uneven(cards: int, seats: int) -> str:
    return f"{cards} cards cannot be dealt evenly to {seats} players."


def _some(ready: Prepared, mask: int) -> str:
    return ", ".join(dict.fromkeys(ready.deck.names(mask)))
