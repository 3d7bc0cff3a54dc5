"""What a file of rows is to those who read it, whatever wrote it; and lines corrected in it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

Formulas: TypeAlias = Mapping[int, Sequence[tuple[int, str]]]
"""Cells of a spreadsheet with a formula but no value: (column from 0, address) by line."""


class SheetTable(Protocol):
    """Rows below column heads, with the lines of the file; notes on how it is written."""

    @property
    def heads(self) -> tuple[str, ...]:
        """Column heads as written."""

    @property
    def head_line(self) -> int:
        """Line of the heads."""

    @property
    def notes(self) -> Sequence[tuple[str, int, str, str]]:
        """Notes on how the file is written: code, line, found, expected."""

    @property
    def formulas(self) -> Formulas:
        """Cells with a formula and no value."""

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each row below the heads with its line."""


@dataclass(frozen=True, slots=True)
class SourceCorrections:
    """What was corrected in a file: the cells of lines, and the heads of columns that it lacked."""

    added: tuple[str, ...] = ()
    lines: Mapping[int, Sequence[str]] = field(default_factory=dict)


NO_CORRECTIONS = SourceCorrections()


@dataclass(slots=True)
class Widths:
    """How many cells the rows of a file have: as many as there are heads, fewer, or more."""

    full: int = 0
    other: dict[int, int] = field(default_factory=dict)

    def see(self, line: int, cells: Sequence[str], width: int) -> None:
        """Count a row of a file whose heads end with column `width`."""
        if len(cells) == width:
            self.full += 1
        elif any(cells) and len(self.other) <= self.full + LEAST_FULL:
            self.other[line] = len(cells)

    def odd(self) -> dict[int, int]:
        """Return how many cells each row has that is not as wide as most, by line.

        A program that leaves empty cells out at the end, or writes more of them, does it in most.
        """
        return dict(self.other) if len(self.other) < self.full else {}

    def not_full(self) -> dict[int, int]:
        """Return the same, of a file in which every row is one whole: as few as one row tells."""
        return dict(self.other) if len(self.other) <= max(self.full, 1) else {}


LEAST_FULL: Final = 100
"""So many rows of another width are kept before the first full one."""


@dataclass(frozen=True, slots=True)
class CorrectedTable:
    """A file as it reads with what was corrected in it; the file itself stays as it came.

    `widths` are those of the last reading, corrected lines left out.
    """

    table: SheetTable
    corrections: SourceCorrections
    widths: Widths = field(default_factory=Widths)

    @property
    def heads(self) -> tuple[str, ...]:
        """Return the heads, those that mending added last."""
        return (*self.table.heads, *self.corrections.added)

    @property
    def head_line(self) -> int:
        """Return the line of the heads."""
        return self.table.head_line

    @property
    def notes(self) -> Sequence[tuple[str, int, str, str]]:
        """Return what is to be said of how the file is written."""
        return self.table.notes

    @property
    def formulas(self) -> Formulas:
        """Return the formulas without a value, but for lines that were corrected."""
        there = self.table.formulas
        return {line: cells for line, cells in there.items() if line not in self.corrections.lines}

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows as `SheetTable.rows` does."""
        self.widths.full, self.widths.other = 0, {}
        named = [at for at, head in enumerate(self.table.heads, start=1) if head.strip()]
        wide = named[-1] if named else 0
        width, more = len(self.table.heads), [""] * len(self.corrections.added)
        for line, cells in self.table.rows():
            if line not in self.corrections.lines:
                self.widths.see(line, cells, wide)
            if (corrected := self.corrections.lines.get(line)) is not None:
                yield line, list(corrected)
            elif more and any(cells):
                fitted = [*cells[:width], *[""] * (width - len(cells))]
                yield line, [*fitted, *more, *cells[width:]]
            else:
                yield line, cells
