"""The rows of one result, and the sides of a game that have one score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.documents.read.people import Pair, Pairs
from tournaments.models.events import Event
from tournaments.selectors.clubs.find_players import NamedPlayers, named_players
from tournaments.selectors.rounds.resolve_players import Groups, side_players

Shape = Sequence[Sequence[int]]
"""The seats (from 0) of each side that has one score; empty where each seat has its own."""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A row of a result: its line, its cells by key, its players, their points."""

    line: int
    texts: Mapping[str, str]
    players: tuple[int, ...]
    points: int


class ResultSides:
    """The sides of an event's games; none if each player has a score."""

    def __init__(self, event: Event, rules: Rules, pairs: Sequence[Pair]) -> None:
        teams = rules.keys.teams
        self._event = event
        self._pairs = Pairs(pairs)
        self._players: dict[str, tuple[int, ...] | Problem] = {}
        self.shape: Shape = teams.shape if teams.mode == "pooled" else ()

    @property
    def sizes(self) -> tuple[int, int] | None:
        n_players = sum(map(len, self.shape))
        return (n_players, n_players) if self.shape else None

    @cached_property
    def _groups_and_people(self) -> tuple[Groups, NamedPlayers]:
        return Groups(self._event), named_players(self._event.club)

    @property
    def n_unknown(self) -> int:
        return self._groups_and_people[1].n_unknown if self._players else 0

    def players(self, text: str) -> tuple[int, ...] | Problem:
        """Return the players of the side that a cell names, or the problem with it."""
        if text not in self._players:
            groups, people = self._groups_and_people
            side = side_players(text, len(self.shape[0]), groups, people, ("side",), 1)
            self._players[text] = side if isinstance(side, Problem) else tuple(p.pk for p in side)
        return self._players[text]

    def by_seat(self, rows: Sequence[ResultRow]) -> list[ResultRow] | str:
        """Return a row for each seat clockwise; the points of partners who differ, as text."""
        if len(rows) == len(self.shape):
            sides = [_singles([row]) for row in rows]
        else:
            sides = self._partners(_singles(rows))
        for side in sides:
            if len({row.points for row in side}) > 1:
                return " and ".join(str(row.points) for row in side)
        seated: dict[int, ResultRow] = {}
        for seats, side in zip(self.shape, sides, strict=True):
            seated.update(zip(seats, side, strict=True))
        return [seated[seat] for seat in sorted(seated)]

    def _partners(self, rows: Sequence[ResultRow]) -> list[list[ResultRow]]:
        """Return the rows of each side: those of the event's pairs, or those who sit opposite."""
        by_pair: dict[str, list[ResultRow]] = {}
        for row in rows:
            by_pair.setdefault(self._pairs.of(row.players[0]), []).append(row)
        sizes = [len(side) for side in self.shape]
        if "" not in by_pair and [len(side) for side in by_pair.values()] == sizes:
            return list(by_pair.values())
        return [[rows[seat] for seat in side] for side in self.shape]


def _singles(rows: Sequence[ResultRow]) -> list[ResultRow]:
    return [replace(row, players=(player,)) for row in rows for player in row.players]
