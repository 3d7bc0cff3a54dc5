"""Hands that are equal to the one before them: most likely one hand that was entered twice.

Pure.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from scoring.entry.codec import is_repeated
from tournaments.domain.replay_game import TOTALS
from tournaments.domain.seating_runs import SeatRun


@dataclass(frozen=True, slots=True)
class HandLine:
    """A hand that is not deleted: its number and entry, and who sat there.

    `moon` is what the engine found in a stored entry. `board` is that of a duplicate event: hands
    of two boards are two hands, whatever was taken.
    """

    number: int
    entry: Mapping[str, object]
    people: Hashable
    moon: Mapping[str, object] | None = None
    board: int | None = None


def repeated_hands(lines: Iterable[HandLine]) -> dict[int, int]:
    """Return each hand that equals the one before it, for the same people: number → that number."""
    in_order = sorted(lines, key=attrgetter("number"))
    hands = [line for line in in_order if line.number != TOTALS]
    return {
        hand.number: before.number
        for before, hand in pairwise(hands)
        if before.people == hand.people and before.board == hand.board and _is_same(before, hand)
    }


def _is_same(before: HandLine, hand: HandLine) -> bool:
    # A moon may be marked in either of them.
    return is_repeated(before.entry, hand.entry, before.moon) or is_repeated(
        hand.entry, before.entry, hand.moon
    )


def repeat_of(number: int, lines: Iterable[HandLine]) -> int | None:
    """Return the number of the hand beside hand `number` that equals it; the earlier one first."""
    in_order = sorted((line for line in lines if line.number != TOTALS), key=attrgetter("number"))
    at = next(place for place, line in enumerate(in_order) if line.number == number)
    repeated = repeated_hands(in_order[max(at - 1, 0) : at + 2])
    if number in repeated:
        return repeated[number]
    return next((later for later, before in repeated.items() if before == number), None)


def people_at(sat: Sequence[SeatRun], number: int) -> Hashable:
    """Return who had which seat at a hand."""
    return frozenset((run.seat, run.player) for run in sat if run.has(number))
