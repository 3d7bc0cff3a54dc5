"""The sheets to enter of a round: which of its sheets are in, and which are missing.

Takes an event that `selectors.events.events.event_at` has let the actor read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tournaments.models.events import Event
from tournaments.models.meetings import Round
from tournaments.selectors.hands.double_entry import SheetDoubleEntry
from tournaments.selectors.rounds.rounds import TableCard, round_cards

IN: Final = frozenset({"complete", "checked", "abandoned", "final"})


@dataclass(frozen=True, slots=True)
class StackedSheet:
    """One sheet to enter; `of` is how many hands it will have, where that is known.
    `names` are in the order of the seats.

    `both` is what two people typed of it, where the event asks for that.
    """

    code: str
    number: int
    names: tuple[str, ...]
    hands: int
    of: int | None
    is_in: bool
    both: SheetDoubleEntry | None = None
    has_totals: bool = False

    @property
    def may_be_typed_again(self) -> bool:
        """Whether its first typing is in."""
        return self.is_in or (self.of is not None and self.hands >= self.of)


@dataclass(frozen=True, slots=True)
class DoubleEntryCounts:
    """How many sheets of a round have a second entry, how many of them differ or changed since."""

    n_twice: int
    n_differ: int
    n_changed: int


def sheet_stack(
    event: Event,
    round_: Round,
    *,
    is_open_ended: bool,
    twice: Mapping[str, SheetDoubleEntry] | None = None,
) -> tuple[StackedSheet, ...]:
    """Return the sheets of a round by table, in as many queries as `round_cards`.

    Args:
        is_open_ended: a game without a number of hands lasts as long as its sheet; so one hand is
            enough to be in. One of a play-off lasts until that is decided.
        twice: code → what two people typed, where the event asks for that.
    """
    return tuple(
        StackedSheet(
            code=card.code,
            number=card.number,
            names=card.people,
            hands=card.hands,
            of=card.of,
            is_in=_is_in(card, is_open_ended=is_open_ended),
            both=None if twice is None else twice.get(card.code, SheetDoubleEntry()),
            has_totals=card.has_totals,
        )
        for card in round_cards(event, round_)
    )


def _is_in(card: TableCard, *, is_open_ended: bool) -> bool:
    """Whether every hand of the sheet is stored, or somebody has said that it is complete."""
    if card.state in IN and not (card.state == "complete" and card.has_gap):
        return True
    if card.has_gap or not (card.of is not None or is_open_ended):
        return False
    return card.hands >= card.of if card.of is not None else card.counts and card.hands > 0


def double_entry_counts(pile: Sequence[StackedSheet]) -> DoubleEntryCounts:
    """Return how far the second typing of a pile is."""
    both = [one.both for one in pile if one.both is not None]
    return DoubleEntryCounts(
        n_twice=sum(one.is_typed_twice for one in both),
        n_differ=sum(bool(one.differing) for one in both),
        n_changed=sum(bool(one.changed) for one in both),
    )


def next_missing(pile: Sequence[StackedSheet], after: int) -> StackedSheet | None:
    """Return the next missing sheet after a table; after the last table, the first missing one."""
    missing = [one for one in pile if not one.is_in and one.number != after]
    behind = [one for one in missing if one.number > after]
    return next(iter(behind or missing), None)
