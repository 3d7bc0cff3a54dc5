"""Totals of games that are scored by side: which rows make a side, and who sits where.

A row is a side, named as a pair is named when it is seated, or a player whose partner's row has the
same points. Partners are the event's pairs; of others the first and the third row of a game
play together, as they sit at the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.importers.sheets.pairs import Pair, Pairs
from tournaments.models.events import Event
from tournaments.presenters.rounds.resolve_sides import Groups, side_players
from tournaments.services.clubs.find_players import NamedPlayers, named_players
from tournaments.services.imports.game_results import Shape


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """A row of a result: the players that it is about, their points, its line."""

    players: tuple[int, ...]
    points: int
    line: int


class ResultSides:
    """The sides of an event's games; there are none where each player has a score.

    Args:
        pairs: the event's pairs, as an import reads them.
    """

    def __init__(self, event: Event, rules: Rules, pairs: Sequence[Pair]) -> None:
        teams = rules.keys.teams
        self._event = event
        self._pairs = Pairs(pairs)
        self._meant: dict[str, tuple[int, ...] | Problem] = {}
        self.shape: Shape = teams.shape if teams.mode == "pooled" else ()

    @property
    def sizes(self) -> tuple[int, int] | None:
        """Return how many play, at least and at most; None where there are no sides."""
        n_players = sum(map(len, self.shape))
        return (n_players, n_players) if self.shape else None

    @cached_property
    def _known(self) -> tuple[Groups, NamedPlayers]:
        return Groups(self._event), named_players(self._event.club)

    def players(self, text: str) -> tuple[int, ...] | Problem:
        """Return the players of the side that a cell names, or the problem with it."""
        if text not in self._meant:
            self._meant[text] = self._read(text)
        return self._meant[text]

    def _read(self, text: str) -> tuple[int, ...] | Problem:
        groups, people = self._known
        meant = side_players(text, len(self.shape[0]), groups, people, ("side",), 1)
        return meant if isinstance(meant, Problem) else tuple(player.pk for player in meant)

    def by_seat(self, rows: Sequence[ScoredRow]) -> list[ScoredRow] | str:
        """Return a row for each seat clockwise; the points of partners who differ, as text.

        There are as many players as seats.
        """
        if len(rows) == len(self.shape):
            sides = [_singles([row]) for row in rows]
        else:
            sides = self._partners(_singles(rows))
        for side in sides:
            if len({one.points for one in side}) > 1:
                return " and ".join(str(one.points) for one in side)
        seated: dict[int, ScoredRow] = {}
        for seats, side in zip(self.shape, sides, strict=True):
            seated.update(zip(seats, side, strict=True))
        return [seated[seat] for seat in sorted(seated)]

    def _partners(self, rows: Sequence[ScoredRow]) -> list[list[ScoredRow]]:
        """Return the rows of each side: those of the event's pairs, or those who sit opposite."""
        by_pair: dict[str, list[ScoredRow]] = {}
        for row in rows:
            by_pair.setdefault(self._pairs.of(row.players[0]), []).append(row)
        sizes = [len(side) for side in self.shape]
        if "" not in by_pair and [len(side) for side in by_pair.values()] == sizes:
            return list(by_pair.values())
        return [[rows[seat] for seat in side] for side in self.shape]


def _singles(rows: Sequence[ScoredRow]) -> list[ScoredRow]:
    """Return a row for each player."""
    return [ScoredRow((player,), row.points, row.line) for row in rows for player in row.players]
