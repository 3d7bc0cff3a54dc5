"""Whether two entries of one hand say the same, however each is written. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.budget import Budget
from scoring.engine.melds import trick_points
from scoring.engine.progress import HandScore
from scoring.entry.entry import read_entry
from scoring.entry.typed_hand import TypedHand
from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.domain.replay_game import HandRefused, replay
from tournaments.domain.score_budgets import of_a_hand, of_a_stored_hand

Entry = Mapping[str, object]


def first_hand_problems(
    rules: Rules,
    seats: int,
    entry: Entry,
    *,
    teams: Sequence[Sequence[int]] | None = None,
    chips: int = 0,
) -> Sequence[Problem]:
    """Return what the scorer would refuse in a hand, were it the first of its game."""
    try:
        _alone(rules, seats, entry, teams, chips, of_a_hand())
    except HandRefused as refused:
        return refused.problems
    return ()


def is_same_hand(
    rules: Rules,
    seats: int,
    one: Entry,
    other: Entry,
    *,
    teams: Sequence[Sequence[int]] | None = None,
    chips: int = 0,
) -> bool:
    """Whether two entries mean one hand.

    Who took what is compared, and how a moon was settled; where one of them has points or clean
    seats only, what the hand is worth.
    """
    if one == other:
        return True
    try:
        budget = of_a_stored_hand()  # each was judged before
        found = [_alone(rules, seats, entry, teams, chips, budget) for entry in (one, other)]
    except HandRefused:
        return False
    if _worth(found[0]) != _worth(found[1]):
        return False
    left, right = (read_entry(entry, rules, seats, teams) for entry in (one, other))
    if _beside(left) != _beside(right):
        return False
    if (
        left.tricks
        and right.tricks
        and _per_unit(left.tricks, left) != _per_unit(right.tricks, right)
    ):
        return False
    forms = {left.form, right.form}
    if forms == {"melds"}:
        return _shown(left) == _shown(right)
    if forms <= {"cards", "counts"}:
        by_count = "counts" in forms
        return _moon(found[0]) == _moon(found[1]) and _piles(left, by_count) == _piles(
            right, by_count
        )
    return len(forms) > 1 or (left.points, left.clean) == (right.points, right.clean)


def _alone(
    rules: Rules,
    seats: int,
    entry: Entry,
    teams: Sequence[Sequence[int]] | None,
    chips: int,
    budget: Budget,
) -> HandScore:
    new = {1: budget}
    found = replay(rules, seats, [(1, entry)], teams=teams, chips=chips, open_ended=True, new=new)
    return found.hands[0].score


def _worth(found: HandScore) -> object:
    return found.scores


def _moon(found: HandScore) -> object:
    moon = found.moon
    return None if moon is None else (moon.id, frozenset(moon.by), moon.choice)


def _beside(typed: TypedHand) -> object:
    pledges = typed.pledges if any(typed.pledges) else ()
    return typed.declared, typed.unclaimed, pledges, typed.passer, typed.first_trick_by


def _shown(typed: TypedHand) -> object:
    """What each seat showed and made in tricks, under rules with melds."""
    melds = [sorted(shown) for shown in typed.melds] or [[] for _ in range(typed.seats)]
    return melds, trick_points(typed), typed.declared_out


def _piles(typed: TypedHand, by_count: bool) -> object:
    """What each unit took: its cards, and how many hearts where one of the two counts them."""
    hearts = typed.hearts or (0,) * typed.seats
    heart_cards = typed.ready.hearts if by_count else 0
    found: list[Any] = []
    for side in typed.sides:
        cards = 0
        for seat in side:
            cards |= typed.cards[seat]
        n_hearts = sum(hearts[seat] for seat in side) + (cards & heart_cards).bit_count()
        found.append((cards & ~heart_cards, n_hearts))
    return found


def _per_unit(counts: Sequence[int], typed: TypedHand) -> Sequence[int]:
    return [sum(counts[seat] for seat in side) for side in typed.sides]
