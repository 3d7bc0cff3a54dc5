"""What an importer hands over: one table's sheet, its hands as entries, and who sat there."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from scoring.entry.sheet import seat_names

NOBODY = 0
"""The key of a player that is not known (yet)."""
AS_WRITTEN = "as written"
"""Value of the column `sides` where partners who are no pair are meant."""


@dataclass(frozen=True, slots=True)
class MoonMark:
    """A moon mark of a sheet: the seat (index from 0), how and by how much it was settled."""

    seat: int
    choice: str | None
    amount: int | None
    text: str


@dataclass(frozen=True, slots=True)
class TypedHand:
    """One hand of a sheet.

    `lines` are those of its rows, `seat_lines` the line of each seat clockwise; `players` the
    players' keys clockwise, `NOBODY` where that is open. A held hand is checked but not taken.
    Number 0 is a sheet with totals only, `hands` then how many were played, if known. `key` is
    kept with the entry, so that what it came from is known again. `columns` are the file's columns
    of the seats clockwise, where a hand is one line. `board` is the number of the board that was
    played, where the file names one.
    """

    number: int
    lines: tuple[int, ...]
    seat_lines: tuple[int, ...]
    entry: dict[str, object]
    players: tuple[int, ...]
    mark: MoonMark | None
    is_held: bool
    hands: int | None = 1
    key: str | None = None
    columns: tuple[str, ...] = ()
    board: int | None = None


@dataclass(frozen=True, slots=True)
class TypedSheet:
    """One table's sheet as typed, ready to be judged.

    `sat` says who had each seat in every hand that is written, held and refused ones included.
    `labels` are what the seats are called, where the file has no seats: by who sat there. With
    `keeps_sides` partners who are no pair are seated all the same.
    """

    round: int
    table: int
    lines: tuple[int, ...]
    day: date | None
    variant: str
    seats: int
    hands: tuple[TypedHand, ...]
    sat: Mapping[int, tuple[int, ...]]
    labels: tuple[str, ...] = ()
    keeps_sides: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Return what the seats are called, clockwise."""
        return self.labels or seat_names(self.seats)
