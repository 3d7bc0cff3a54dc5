"""Repairs of hands with melds: one mistake undone, likeliest first.

Pure. Whether an entry can be saved is for `scoring.game.corrections` to try.
"""

from collections.abc import Iterator
from typing import Any

from scoring.engine.melds import possible_trick_points
from scoring.game import card_repairs
from scoring.game.hand_to_repair import Entry, HandToRepair, Refusal, without

MOST_NEAR = 40
"""Trick points so far from those written are looked through."""


def meld_repairs(hand: HandToRepair, refused: Refusal) -> Iterator[Entry | None]:
    """The entries one repair away from a refused hand of rules with melds."""
    problem = refused[0]
    name = str(problem.at[0]) if problem.at else ""
    if problem.code in ("unknown_meld", "too_many_copies") and name == "melds":
        yield from _other_melds(hand, refused)
    elif problem.code in ("missing_cards", "too_many_copies"):
        repair = getattr(card_repairs, problem.code)
        yield from repair(hand, refused)
    elif problem.code == "last_trick_needed":
        for seat in hand.takers:
            yield {**hand.entry, "last_trick": seat}
    elif problem.code == "impossible_points" and name == "trick_points":
        yield from _near_points(hand)
    elif problem.code == "bad_count" and name == "trick_points":
        yield from _rest(hand, int(problem.at[1]))
    elif problem.code == "points_disagree":
        yield {**hand.entry, name: list(problem.facts["expected"])}
    elif problem.code in ("unknown_field", "unknown_seat", "declaration_forbidden"):
        yield without(hand.entry, name)


def _other_melds(hand: HandToRepair, refused: Refusal) -> Iterator[Entry | None]:
    """A meld that cannot be: what is near to it instead, or without it."""
    problem = refused[0]
    shown = [list(one) if isinstance(one, list | tuple) else [] for one in hand.entry["melds"]]
    if problem.code == "too_many_copies":
        meld = problem.facts["meld"]
        for seat in [seat for seat, names in enumerate(shown) if meld in names]:
            names = [*shown[seat]]
            names.reverse()
            names.remove(meld)
            yield {**hand.entry, "melds": [*shown[:seat], names[::-1], *shown[seat + 1 :]]}
        return
    seat = int(problem.at[1])
    place = int(problem.at[2]) if len(problem.at) > 2 else None
    for other in [[hint.facts["name"]] for hint in problem.suggestions] + [[]]:
        names = [] if place is None else [*shown[seat][:place], *other, *shown[seat][place + 1 :]]
        yield {**hand.entry, "melds": [*shown[:seat], names, *shown[seat + 1 :]]}


def _near_points(hand: HandToRepair) -> Iterator[Entry | None]:
    """The nearest trick points that cards give."""
    counts, possible = hand.counts("trick_points"), possible_trick_points(hand.typed.ready)
    if counts is None or len(counts) != 2:
        return
    for by in [sign * off for off in range(1, MOST_NEAR) for sign in (1, -1)]:
        one, other = counts[0] + by, counts[1] - by
        if one in possible and other in possible:
            yield {**hand.entry, "trick_points": [one, other]}
            return


def _rest(hand: HandToRepair, place: int) -> Iterator[Entry | None]:
    """What is left for the seat whose trick points cannot be read."""
    values: list[Any] = list(hand.entry["trick_points"])
    others = [value for seat, value in enumerate(values) if seat != place]
    if all(type(value) is int for value in others):
        left = hand.typed.ready.trick_total - sum(others)
        yield {**hand.entry, "trick_points": [*values[:place], left, *values[place + 1 :]]}
