"""Which tables of a round can be redrawn, and how many hands each of the others has."""

from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Q

from tournaments.models.hands import Game, GameState
from tournaments.models.meetings import Round
from tournaments.selectors.rounds.round_seating import RoundSeating, SeatedTable

IN_PLAY: Final = (GameState.SEATED, GameState.PLAYING)


@dataclass(frozen=True, slots=True)
class PlayedTable:
    """A table with hands: the row of its game, and how many of them are not deleted."""

    game: int
    table: SeatedTable
    hands: int


@dataclass(frozen=True, slots=True)
class TablesToRedraw:
    """The tables of a round by what a redraw can do with them.

    Args:
        unplayed: tables without hands.
        played: tables in play, with hands; a redraw of all tables abandons them.
        complete: tables that took all their hands; a redraw of all tables is refused.
    """

    unplayed: tuple[SeatedTable, ...]
    played: tuple[PlayedTable, ...]
    complete: tuple[PlayedTable, ...]

    @property
    def hands(self) -> int:
        """How many hands a redraw of all tables discards."""
        return sum(one.hands for one in self.played)

    @property
    def needs_reason(self) -> bool:
        """Whether a hand was entered in the round."""
        return bool(self.played or self.complete)


def tables_to_redraw(round_: Round, seating: RoundSeating) -> TablesToRedraw:
    """Return the tables of a round; those that were abandoned are left out. One query."""
    games = Game.objects.filter(table__round=round_).exclude(state=GameState.ABANDONED)
    rows = games.annotate(n=Count("hands", filter=~Q(hands__state="void"))).values_list(
        "table__number", "pk", "state", "n"
    )
    found = {number: (game, state, hands) for number, game, state, hands in rows}
    fixed = [table for table in seating.tables if table.is_fixed and table.number in found]
    played: list[PlayedTable] = []
    complete: list[PlayedTable] = []
    for table in fixed:
        game, state, hands = found[table.number]
        (played if state in IN_PLAY else complete).append(PlayedTable(game, table, hands))
    unplayed = tuple(table for table in seating.tables if not table.is_fixed)
    return TablesToRedraw(unplayed, tuple(played), tuple(complete))
