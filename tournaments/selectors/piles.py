"""The pile of a round: which of its sheets are in, and which are missing.

Takes an event that `selectors.events.event_at` has let the actor read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tournaments.models.events import Event
from tournaments.models.meetings import Round
from tournaments.selectors.rounds import round_cards

IN: Final = frozenset({"complete", "checked", "abandoned", "final"})


@dataclass(frozen=True, slots=True)
class PileSheet:
    """One sheet of the pile; `of` is how many hands it will have, where that is known."""

    code: str
    number: int
    names: tuple[str, ...]
    hands: int
    of: int | None
    is_in: bool


def pile_of(
    event: Event, round_: Round, *, hands: int | None, is_open_ended: bool
) -> tuple[PileSheet, ...]:
    """Return the sheets of a round by table, in four queries.

    Args:
        hands: how many hands a game of the event has, where its length says so.
        is_open_ended: a game lasts as long as its sheet; so one hand is enough to be in.
    """
    return tuple(
        PileSheet(
            code=card.code,
            number=card.number,
            names=tuple(line.name for line in card.lines),
            hands=card.hands,
            of=hands,
            is_in=card.state in IN or (is_open_ended and card.hands > 0),
        )
        for card in round_cards(event, round_)
    )


def next_missing(pile: Sequence[PileSheet], after: int) -> PileSheet | None:
    """Return the next sheet that is missing after a table, round the pile; that table excepted."""
    missing = [one for one in pile if not one.is_in and one.number != after]
    behind = [one for one in missing if one.number > after]
    return next(iter(behind or missing), None)
