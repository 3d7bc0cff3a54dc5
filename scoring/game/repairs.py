"""Repairs: one mistake in an entry undone, at every place where it may have been made.

Pure. Each function yields whole entries for one kind of refusal, likeliest first; whether an entry
can be saved is for `scoring.game.corrections` to try. See docs/algorithms/likely-causes.md.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from scoring.cards import read_card
from scoring.game import card_repairs, point_repairs
from scoring.game.hand_to_repair import NOBODY, Entry, HandToRepair, Refusal, without
from scoring.game.meld_repairs import meld_repairs


def repairs(hand: HandToRepair, refused: Refusal) -> Iterator[Entry]:
    """The entries one repair away from a refused one, likeliest first.

    The first problem is repaired, with what may have been one mistake together with it.
    """
    repair = _REPAIRS.get(refused[0].code, _none)
    if hand.typed.ready.keys.melds:
        repair = meld_repairs
    for entry in repair(hand, refused):
        if entry is not None and entry != hand.entry:
            yield entry


def _none(hand: HandToRepair, refused: Refusal) -> Iterator[Entry | None]:
    yield from ()


def _claimed(hand: HandToRepair, refused: Refusal) -> Iterator[Entry | None]:
    cards = [read_card(code) or "" for code in hand.unclaimed]
    for seat in hand.takers:
        yield hand.with_cards([(card, NOBODY) for card in cards], [(card, seat) for card in cards])
    yield without(hand.entry, "unclaimed")


def _unread(hand: HandToRepair, refused: Refusal) -> Iterator[Entry | None]:
    """A count that cannot be read: the number that was meant, or the rest."""
    problem = refused[0]
    name = str(problem.at[0])
    values = hand.entry.get(name)
    if len(problem.at) < 2 or not isinstance(values, list | tuple):
        return
    place = int(problem.at[1])
    for hint in problem.suggestions:
        yield point_repairs.named_repair(hand.entry, problem, hint)
    others = [value for at, value in enumerate(values) if at != place]
    ready = hand.typed.ready
    wanted: list[Any] = []
    if all(type(value) is int for value in others):
        left = {"hearts": ready.heart_count, "tricks": ready.hand_size, "points": ready.deal_total}
        total = left.get(name)
        if isinstance(total, int):
            unclaimed = hand.typed.unclaimed & ready.hearts if name == "hearts" else 0
            wanted.append(total - unclaimed.bit_count() - sum(others))
    if type(values[place]) is int:
        wanted += [-values[place]] if values[place] < 0 else []
    for value in [*wanted, 0]:
        if value >= 0 or name == "points":
            yield {**hand.entry, name: [*values[:place], value, *values[place + 1 :]]}


def _dropped(hand: HandToRepair, refused: Refusal) -> Iterator[Entry | None]:
    """What the rules do not know is left out."""
    yield from card_repairs.instead(hand, refused)
    at = refused[0].at
    if not at:
        return
    name, value = str(at[0]), hand.entry.get(str(at[0]))
    if len(at) < 2 or not isinstance(value, list | tuple):
        yield without(hand.entry, name)
        return
    place = int(at[1])
    if name == "taken" and len(at) > 2:
        piles = hand.piles
        del piles[place][int(at[2])]
        yield {**hand.entry, "taken": piles}
    elif name == "pledges":
        yield {**hand.entry, name: [*value[:place], None, *value[place + 1 :]]}
    else:
        left = [*value[:place], *value[place + 1 :]]
        yield {**hand.entry, name: left} if left else without(hand.entry, name)


def _one_form(hand: HandToRepair, refused: Refusal) -> Iterator[Entry | None]:
    """Hearts as a number and as cards: one of the two."""
    if refused[0].facts.get("why") != "mixed":
        return
    hidden = set(hand.typed.ready.deck.names(hand.typed.ready.hearts))
    piles = [[code for code in pile if read_card(code) not in hidden] for pile in hand.piles]
    yield {**hand.entry, "taken": piles}
    yield without(hand.entry, "hearts")


_REPAIRS: Final[Mapping[str, Callable[[HandToRepair, Refusal], Iterator[Entry | None]]]] = {
    "missing_cards": card_repairs.missing_cards,
    "too_many_copies": card_repairs.too_many_copies,
    "tricks_sum": card_repairs.tricks_sum,
    "cards_without_trick": card_repairs.cards_without_trick,
    "tricks_needed": card_repairs.tricks_needed,
    "choice_required": point_repairs.answers,
    "choice_forbidden": point_repairs.marks,
    "wrong_shooter": point_repairs.marks,
    "wrong_total": point_repairs.points,
    "impossible_points": point_repairs.points,
    "points_disagree": point_repairs.points_and_cards,
    "unclaimed_not_allowed": _claimed,
    "bad_count": _unread,
    "not_chargeable": _dropped,
    "unknown_pledge": _dropped,
    "unknown_seat": _dropped,
    "unknown_field": _dropped,
    "unknown_card": _dropped,
    "short_form_not_allowed": _one_form,
}
"""Code of the first problem → how it is repaired."""
