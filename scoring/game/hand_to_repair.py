"""A refused hand with what its repairs need: the entry, how it was read, its points as a trial."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from scoring.cards import read_card
from scoring.diagnosis.shooter_hypotheses import Trial
from scoring.entry.typed_hand import TypedHand
from scoring.errors import Problem

Entry: TypeAlias = dict[str, Any]
Refusal: TypeAlias = tuple[Problem, ...]
NOBODY: Final = -1
"""The place of cards that are unclaimed."""
MARKS: Final = ("slam_choice", "shooter")
"""The fields that say how a moon was settled."""


class HandToRepair(NamedTuple):
    """A refused hand: the entry, how it was read, and its points as a trial."""

    entry: Entry
    typed: TypedHand
    trial: Callable[[], Trial]

    @property
    def seats(self) -> tuple[int, ...]:
        """One seat for each unit: the one that its counts stand at."""
        counts = self.counts("hearts") or self.counts("tricks")
        if counts is None:
            return tuple(side[0] for side in self.typed.sides)
        return tuple(max(side, key=lambda seat: counts[seat]) for side in self.typed.sides)

    def counts(self, name: str) -> list[int] | None:
        """The counts of each seat, where all can be read."""
        found = self.entry.get(name)
        if not isinstance(found, list | tuple) or len(found) != self.typed.seats:
            return None
        return list(found) if all(type(one) is int for one in found) else None

    @property
    def piles(self) -> list[list[str]]:
        """The cards listed for each seat."""
        found = self.entry.get("taken")
        if not isinstance(found, list | tuple) or len(found) != self.typed.seats:
            return [[] for _ in range(self.typed.seats)]
        return [list(pile) if isinstance(pile, list | tuple) else [] for pile in found]

    @property
    def unclaimed(self) -> list[str]:
        """The cards that stand as nobody's."""
        found = self.entry.get("unclaimed")
        return list(found) if isinstance(found, list | tuple) else []

    def weight(self, seat: int) -> int:
        """How much stands at a seat."""
        counts = self.counts("hearts")
        return len(self.piles[seat]) + (counts[seat] if counts else 0)

    @property
    def takers(self) -> list[int]:
        """The seats, whoever took most first: a stray card is likelier with them."""
        return sorted(self.seats, key=lambda seat: -self.weight(seat))

    def with_counts(self, name: str, seat: int, by: int) -> Entry | None:
        """The entry with one seat's count so much higher; None below nothing."""
        counts = self.counts(name)
        if counts is None or counts[seat] + by < 0:
            return None
        counts[seat] += by
        return {**self.entry, name: counts}

    def with_cards(
        self, gone: Sequence[tuple[str, int]] = (), given: Sequence[tuple[str, int]] = ()
    ) -> Entry:
        """The entry with cards taken off seats and given to seats, `NOBODY` among them.

        A heart that the sheet counts is counted; one seat's pile keeps its order.
        """
        piles, left = self.piles, self.unclaimed
        counts = self.counts("hearts") if self.typed.form == "counts" else None
        hidden = set(self.typed.ready.deck.names(self.typed.ready.hearts)) if counts else set()
        for sign, cards in ((-1, gone), (1, given)):
            for card, seat in cards:
                if seat != NOBODY and counts is not None and card in hidden:
                    counts[seat] = max(counts[seat] + sign, 0)
                    continue
                pile = left if seat == NOBODY else piles[seat]
                if sign > 0:
                    pile.append(card)
                    continue
                places = [place for place, code in enumerate(pile) if same_card(code, card)]
                for place in places[-1:]:
                    del pile[place]
        found = {**self.entry, "taken": piles}
        if counts is not None:
            found["hearts"] = counts
        found.pop("unclaimed", None)
        return {**found, "unclaimed": left} if left else found


def same_card(code: object, card: str) -> bool:
    """Whether a typed code is a card."""
    return code == card or read_card(code) == card


def without(entry: Entry, *names: str) -> Entry:
    """Return an entry without some of its fields."""
    return {name: value for name, value in entry.items() if name not in names}


def off_by(problem: Problem) -> int:
    """By how many a problem's count is off: expected less found."""
    return int(problem.facts["expected"]) - int(problem.facts["found"])
