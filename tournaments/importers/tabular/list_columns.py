"""Columns of lists: heads and their synonyms, as data; a cell is found by its key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tournaments.domain.imports.import_report import Finding, Spot, finding
from tournaments.domain.replay_game import LAST_HAND
from tournaments.importers.tabular import cells
from tournaments.importers.tabular.cells import ParsedCell
from tournaments.importers.tabular.columns import fold, index_heads, refuse_missing

Heads = Mapping[str, tuple[str, ...]]
"""Key of a column → the heads it may have."""


@dataclass(frozen=True, slots=True)
class ListColumns:
    """Where each column of a list stands."""

    at: Mapping[str, int]
    unknown: tuple[str, ...]

    def cell(self, row: Sequence[str], key: str) -> ParsedCell[str]:
        """Return the text of a row's cell; empty where the file has no such column."""
        index = self.at.get(key)
        return cells.plain(row[index] if index is not None and index < len(row) else "")


def list_columns(heads: Sequence[str], known: Heads) -> ListColumns:
    """Return the columns of a list.

    Raises:
        Unreadable: two heads mean the same.
    """
    meaning = {fold(head): key for key, names in known.items() for head in names}
    return ListColumns(*index_heads(heads, lambda head: meaning.get(fold(head))))


def require_columns(columns: ListColumns, heads: Sequence[str], needed: Sequence[str]) -> None:
    """Refuse a list that lacks one of the columns `needed`.

    Raises:
        Unreadable: says which, and what the heads are instead.
    """
    missing = [key for key in needed if not any(one in columns.at for one in key.split(" or "))]
    refuse_missing(missing, heads)


def number_from_one(cell: ParsedCell[str]) -> int | None:
    """Return the whole number from 1 up in a cell, None where there is none.

    >>> number_from_one(Cell("7,0", "7,0")), number_from_one(Cell("0", "0"))
    (7, None)
    """
    value = cells.whole(cell.text).value
    return value if value is not None and value >= 1 else None


def length_of(cell: ParsedCell[str]) -> int | None:
    """Return how many hands a cell says that totals stand for; None where no game has so many."""
    value = number_from_one(cell)
    return value if value is not None and value <= LAST_HAND else None


def head_notes(columns: ListColumns, line: int) -> list[Finding]:
    """Return a note on each column that is not understood."""
    return [finding("unknown_column", Spot((line,)), found=name) for name in columns.unknown]
