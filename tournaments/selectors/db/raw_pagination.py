"""The rows of a long list, asked for a page at a time as a queryset is, by a statement of its own.

Making a queryset into a statement and its rows into instances takes several times as long as
reading fifty rows. What a list needs is little: some columns, an order, and where to go on.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, Protocol

from tournaments.selectors.db.prepared_statements import all_rows
from tournaments.selectors.db.row_mapper import RowMapper

_ALL: Final = slice(0, None)
_AT_ONCE: Final = 1000
"""So many rows are dressed at once: a database takes only so many keys in one question."""
_COMPARED: Final = {"lt": "<", "gt": ">"}


def _marks(values: Sequence[object]) -> str:
    return ", ".join("%s" for _ in values) or "NULL"


@dataclass(frozen=True, slots=True)
class PagedRows:
    """Rows as mappings of the names in `columns`, or of `names`, where rows call them otherwise.

    `source` is the statement from its FROM on, a WHERE included; `values` are its parameters.
    Where that finds no row at all, `otherwise` says what else to ask: a list that anybody may read
    is found with one statement, and only who finds nothing there is asked who they are.
    """

    columns: RowMapper[Any]
    source: str
    values: tuple[Any, ...]
    order: tuple[str, ...]
    bounds: tuple[tuple[str, Any], ...] = ()
    otherwise: "Callable[[], PagedRows] | None" = None
    names: tuple[str, ...] = ()

    def order_by(self, *names: str) -> "PagedRows":
        """Return the rows in another order; `-` before a name turns it round."""
        return replace(self, order=names)

    def filter(self, **bounds: Any) -> "PagedRows":
        """Return rows on one side of a value, `number__lt=51`, or of some: `number__in=[]`."""
        return replace(self, bounds=(*self.bounds, *bounds.items()))

    def __getitem__(self, part: slice) -> list[dict[str, Any]]:
        """Return the rows of a part of the list."""
        found = all_rows(*self._statement(part))
        if not found and self.otherwise is not None:
            return replace(self.otherwise(), order=self.order, bounds=self.bounds)[part]
        names = self.names or self.columns.names
        return [dict(zip(names, self.columns.converted(row), strict=True)) for row in found]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield all rows."""
        return iter(self[_ALL])

    def _statement(self, part: slice) -> tuple[str, Sequence[object]]:
        text, values = f"SELECT {self.columns} {self.source}", list(self.values)
        for bound, value in self.bounds:
            name, _, how = bound.rpartition("__")
            text += f" AND {self.columns.column(name)} "
            several = list(value) if how == "in" else [value]
            text += f"IN ({_marks(several)})" if how == "in" else f"{_COMPARED[how]} %s"
            values += several
        text += f" ORDER BY {', '.join(self._order())}"
        if part.stop is not None:
            text += " LIMIT %s OFFSET %s"
            values += [part.stop - part.start, part.start]
        return text, values

    def _order(self) -> Iterator[str]:
        for name in self.order:
            down = " DESC" if name.startswith("-") else ""
            yield self.columns.column(name.removeprefix("-")) + down


class SlicedRows(Protocol):
    """Rows that are asked for a part at a time; a queryset is one."""

    def order_by(self, *names: str) -> Any:
        """Return the rows in another order."""

    def filter(self, **bounds: Any) -> Any:
        """Return some of the rows."""

    def __getitem__(self, part: slice, /) -> Any:
        """Return the rows of a part."""

    def __iter__(self) -> Iterator[Any]:
        """Yield all rows."""


@dataclass(frozen=True, slots=True)
class RenderedRows:
    """Rows of a query, each part of which is made into what is shown when it is read.

    `dress` gets the rows of one part, so that what they need besides is asked once for all.
    """

    rows: SlicedRows
    dress: Callable[[Sequence[Any]], list[Any]]

    def order_by(self, *names: str) -> "RenderedRows":
        """Return the rows in another order."""
        return replace(self, rows=self.rows.order_by(*names))

    def filter(self, **bounds: Any) -> "RenderedRows":
        """Return the rows on one side of a value: `number__lt=51`."""
        return replace(self, rows=self.rows.filter(**bounds))

    def __getitem__(self, part: slice) -> list[Any]:
        """Return the rows of a part of the list, as they are shown."""
        return self.dress(list(self.rows[part]))

    def __iter__(self) -> Iterator[Any]:
        """Yield all rows as they are shown."""
        rows = iter(self.rows)
        while some := list(islice(rows, _AT_ONCE)):
            yield from self.dress(some)
