"""What the rows of a hand stand for: seats, or sides; and their lists laid out by seat."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scoring.entry.sheet import seat_names
from scoring.rules.rules import Rules
from tournaments.domain.imports.imported_sheet import NOBODY
from tournaments.importers.sheets.entries import ReadEntry
from tournaments.importers.sheets.pairs import SIDES
from tournaments.importers.sheets.rows import RowReader, SheetRow

EMPTY: Final[Mapping[str, Any]] = {"hearts": 0, "tricks": 0, "pledges": None}
"""What the other seat of a side has in a list: the side's pile lies under its first seat."""


class SheetPlaces:
    """The places of one sheet.

    Args:
        count: as many places as most of its hands have rows.

    Attributes:
        rows: rows of a whole hand; `noun` and `names` are what a row is called.
        seats: seats at the table.
    """

    def __init__(self, reader: RowReader, rules: Rules, count: int) -> None:
        self.pairs = reader.pairs
        self.by_side = reader.by_side
        teams = rules.keys.teams
        self.sides: Sequence[Sequence[int]] = teams.shape if teams.mode == "pooled" else ()
        self.rows = SIDES if self.by_side else count
        self.seats = sum(len(side) for side in self.sides) if self.by_side else count
        self.noun = "side" if self.by_side else "player"
        self.names = ("NS", "EW") if self.by_side else seat_names(count)
        self.side_of = {seat: side for side, seats in enumerate(self.sides) for seat in seats}

    def players(self, block: Sequence[SheetRow]) -> tuple[int, ...]:
        """Return the players' keys clockwise; a pair's first player has its side's first seat."""
        players = [NOBODY] * self.seats
        for row in block:
            if row.seat is None or row.seat >= self.rows or row.person.member is None:
                continue
            if not self.by_side:
                players[row.seat] = row.person.member.key
                continue
            own = self.pairs.players(row.person.member)
            for seat, player in zip(self.sides[row.seat], own, strict=False):
                players[seat] = player
        return tuple(players)

    def lines(self, rows: Sequence[SheetRow]) -> tuple[int, ...]:
        """Return the line of each seat."""
        if not self.by_side:
            return tuple(row.line for row in rows)
        return tuple(rows[self.side_of[seat]].line for seat in range(self.seats))

    def by_seat(self, read: ReadEntry) -> ReadEntry:
        """Lay the lists of an entry out by seat; points of rules that pool stay those of a side."""
        if not self.sides:
            return read
        if not self.by_side:
            return self._one_score(read)
        for key in ("hearts", "taken", "tricks", "pledges"):
            if key in read.entry:
                read.entry[key] = self._spread(read.entry[key], key)
        for key in ("first_trick_by", "passer", "last_trick", "declared_out"):
            side = read.entry.get(key)
            if isinstance(side, int):
                read.entry[key] = self.sides[side][0]
        if read.mark is not None:
            seat = self.sides[read.mark.seat][0]
            read.mark = replace(read.mark, seat=seat)
            read.entry["shooter"] = seat
        return read

    def _spread(self, values: Any, key: str) -> list[object]:
        laid: list[Any] = [EMPTY.get(key, []) for _ in range(self.seats)]
        for side, value in zip(self.sides, values, strict=True):
            laid[side[0]] = value
        return laid

    def _one_score(self, read: ReadEntry) -> ReadEntry:
        """Partners in rows of their own write the same points, which are their side's."""
        for key in ("points", "clean"):
            values = read.entry.get(key)
            if not isinstance(values, list) or len(values) != len(self.side_of):
                continue
            scores = [[values[seat] for seat in side] for side in self.sides]
            for side in scores:
                if any(value != side[0] for value in side):
                    read.bad_points = " and ".join(map(str, side))
            read.entry[key] = [side[0] for side in scores]
        return read
