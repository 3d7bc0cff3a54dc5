"""What a file brings into an event before it is imported: evenings, tables, and rounds.

Pure. It is kept with the file as JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any


@dataclass(frozen=True, slots=True)
class ImportOutline:
    """What the hands that can be imported make.

    Attributes:
        evenings: the dates, ascending; empty where no date is known.
        tables: how many tables get hands.
        new_rounds: numbers of the rounds that the event does not have yet, ascending.
        rounds: numbers of the event's own rounds that get hands, ascending.
        has_totals: whether of some table only the totals are known.
        has_unknown_hands: whether of some of these nobody knows how many hands they stand for.
    """

    evenings: tuple[date, ...]
    tables: int
    new_rounds: tuple[int, ...]
    rounds: tuple[int, ...]
    has_totals: bool = False
    has_unknown_hands: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the outline as it is kept."""
        return {
            "evenings": [day.isoformat() for day in self.evenings],
            "tables": self.tables,
            "new_rounds": list(self.new_rounds),
            "rounds": list(self.rounds),
            "has_totals": self.has_totals,
            "has_unknown_hands": self.has_unknown_hands,
        }


def outline_from(kept: Mapping[str, Any]) -> ImportOutline:
    """Return the outline that was kept."""
    return ImportOutline(
        tuple(date.fromisoformat(day) for day in kept["evenings"]),
        kept["tables"],
        tuple(kept["new_rounds"]),
        tuple(kept["rounds"]),
        kept["has_totals"],
        kept["has_unknown_hands"],
    )


@dataclass(slots=True)
class OutlineNotes:
    """The tables of a file so far, each with its date and whether its round is new."""

    tables: dict[tuple[int, int], tuple[date | None, bool]] = field(default_factory=dict)
    has_totals: bool = False
    has_unknown_hands: bool = False

    def add_totals(self, hands: int | None) -> None:
        """Note that a table has totals, and how many hands they stand for."""
        self.has_totals = True
        self.has_unknown_hands = self.has_unknown_hands or hands is None

    def add(self, round_: int, table: int, day: date | None, *, is_new: bool) -> None:
        """Note that a table gets hands."""
        self.tables[round_, table] = (day, is_new)

    def outline(self) -> ImportOutline:
        """Return what all tables make together."""
        days = {day for day, _ in self.tables.values() if day is not None}
        new = {round_ for (round_, _), (_, is_new) in self.tables.items() if is_new}
        there = {round_ for round_, _ in self.tables} - new
        return ImportOutline(
            tuple(sorted(days)), len(self.tables), tuple(sorted(new)), tuple(sorted(there)),
            self.has_totals, self.has_unknown_hands,
        )  # fmt: skip
