"""Who held a seat at a hand: one rule for a table's sheet and for the hands of a whole event."""

from collections.abc import Sequence

from tournaments.models.meetings import Sitting


def holder_at(held: Sequence[Sitting], hand: int | None) -> Sitting | None:
    """Return which of the sittings of one seat has it at a hand; no query.

    Args:
        held: the sittings of the seat by their first hand.
        hand: number of the hand; 0, a sheet of totals only, and None, for now, mean the last one.

    Returns:
        None where nobody is named there.
    """
    return next((one for one in reversed(held) if not hand or _has(one, hand)), None)


def _has(sitting: Sitting, hand: int) -> bool:
    ends = sitting.to_hand
    return sitting.from_hand <= hand and (ends is None or hand <= ends)
