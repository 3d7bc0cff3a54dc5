"""Redrawing a round: what becomes of each table, and which choices there are."""

from dataclasses import dataclass

from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from tournaments.models.meetings import Round
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.selectors.rounds.tables_to_redraw import tables_to_redraw


@dataclass(frozen=True, slots=True)
class RedrawnTable:
    """A table with hands: how many there are; a complete one stays as it is."""

    number: int
    hands: int
    is_complete: bool


@dataclass(frozen=True, slots=True)
class RedrawPage:
    """What is asked before a round is redrawn; `unplayed` lists the tables without hands."""

    number: int
    tag: str
    unplayed: str
    n_unplayed: int
    tables: tuple[RedrawnTable, ...]
    hands: int
    may_redraw_all: bool

    @property
    def is_possible(self) -> bool:
        """Whether there is a choice at all."""
        return bool(self.unplayed) or self.may_redraw_all


def redraw_page(round_: Round) -> RedrawPage:
    """Return what a redraw of a round means now; five queries."""
    seating = round_seating(round_)
    found = tables_to_redraw(round_, seating)
    played = {one.table.number: one.hands for one in (*found.played, *found.complete)}
    complete = {one.table.number for one in found.complete}
    return RedrawPage(
        number=round_.number,
        tag=seating.tag,
        unplayed=get_text_list([str(table.number) for table in found.unplayed], _("and")),
        n_unplayed=len(found.unplayed),
        tables=tuple(
            RedrawnTable(number, hands, number in complete)
            for number, hands in sorted(played.items())
        ),
        hands=found.hands,
        may_redraw_all=bool(found.played) and not complete,
    )
