"""What a file of rows is to those who read it, whatever wrote it; and lines mended in it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


class SheetTable(Protocol):
    """Rows below column heads, with the lines of the file; notes on how it is written."""

    @property
    def heads(self) -> tuple[str, ...]: ...
    @property
    def head_line(self) -> int: ...
    @property
    def notes(self) -> Sequence[tuple[str, int, str, str]]: ...
    def rows(self) -> Iterator[tuple[int, list[str]]]: ...


@dataclass(frozen=True, slots=True)
class Mends:
    """What was mended in a file: the cells of lines, and the heads of columns that it lacked."""

    added: tuple[str, ...] = ()
    lines: Mapping[int, Sequence[str]] = field(default_factory=dict)


NOTHING_MENDED = Mends()


@dataclass(frozen=True, slots=True)
class MendedTable:
    """A file as it reads with what was mended in it; the file itself stays as it came."""

    table: SheetTable
    mends: Mends

    @property
    def heads(self) -> tuple[str, ...]:
        """Return the heads, those that mending added last."""
        return (*self.table.heads, *self.mends.added)

    @property
    def head_line(self) -> int:
        """Return the line of the heads."""
        return self.table.head_line

    @property
    def notes(self) -> Sequence[tuple[str, int, str, str]]:
        """Return what is to be said of how the file is written."""
        return self.table.notes

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows as `SheetTable.rows` does."""
        return self._mended() if self.mends.lines or self.mends.added else self.table.rows()

    def _mended(self) -> Iterator[tuple[int, list[str]]]:
        width, more = len(self.table.heads), [""] * len(self.mends.added)
        for line, cells in self.table.rows():
            if (mended := self.mends.lines.get(line)) is not None:
                yield line, list(mended)
            elif more and any(cells):
                fitted = [*cells[:width], *[""] * (width - len(cells))]
                yield line, [*fitted, *more, *cells[width:]]
            else:
                yield line, cells
