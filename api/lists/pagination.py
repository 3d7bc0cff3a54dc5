"""Lists: JSON a page at a time with a cursor, the whole list as NDJSON, and as CSV."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from django.db.models import Model, QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.urls import URLPattern, path
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from api.authentication import caller
from api.http.csv_stream import csv_lines
from api.lists.batch_reads import batch_response, is_batch_read
from api.lists.cursors import MOST, PAGE_SIZE, SignedCursorPagination
from api.lists.list_filters import Filter
from api.lists.sparse_fields import FIELDS, asked_fields, fields_parameter, members_of
from api.openapi import View, reading, together
from api.query_parameters import allow_only, number_parameter, whole_number
from api.serializers.fast_serialization import plain
from tournaments.selectors.db.raw_pagination import PagedRows, RenderedRows

Rows: TypeAlias = QuerySet[Any, Any] | PagedRows | RenderedRows | Sequence[Any]
Flat: TypeAlias = Mapping[str, Any]

_CURSOR: Final = OpenApiParameter(
    "cursor", {"type": "string", "pattern": "^[A-Za-z0-9_-]+:[A-Za-z0-9_-]+$"},
    description="Where to go on; taken from `next` or `previous`, for it is signed.",
)  # fmt: skip
_LIMIT: Final = number_parameter(
    "limit", f"Rows a page, from 1 to {MOST}; {PAGE_SIZE} by default.", least=1, most=MOST
)
_LAST_VERSION: Final = 10**9 - 1
_SINCE: Final = number_parameter(
    "since", "Only what came after this version of the event.", least=0, most=_LAST_VERSION
)


def _as_it_is(row: Flat) -> Iterable[Flat]:
    return (row,)


@dataclass(frozen=True, slots=True)
class Listing:
    """One list of the API, in both forms.

    `rows` selects the rows that a caller may read, `order` the columns that a cursor follows (empty
    where the list does not grow and is always one page), `columns` those of the CSV, and `lines`
    how one JSON object becomes lines of it. With `has_since` a caller may ask for the rows after a
    number.
    """

    name: str
    shape: type[BaseSerializer[Any]]
    rows: Callable[..., Rows]
    columns: tuple[str, ...]
    order: tuple[str, ...] = ()
    lines: Callable[[Flat], Iterable[Flat]] = _as_it_is
    has_since: bool = False
    filters: Mapping[str, Filter] = field(default_factory=dict)
    """Query parameters that limit the rows; given to `rows` as texts, empty for all."""

    def paths(self, route: str, writes: View | None = None) -> list[URLPattern]:
        """Return the addresses `route` and `route.csv`; `writes` takes what is posted to it."""
        reads = self._json_view()
        return [
            path(route, together(reads, writes) if writes else reads, name=f"list_{self.name}"),
            path(f"{route}.csv", self._csv_view(), name=f"list_{self.name}_csv"),
        ]

    def _json_view(self) -> Callable[..., HttpResponseBase]:
        def view(request: Request, **at: str) -> HttpResponseBase:
            if not self.order:
                allow_only(request, FIELDS, *self._further)
                names, asked = asked_fields(request, members), self._asked(request)
                found = self._shaped(self.rows(caller(request), **at, **asked), names)
                return Response({"next": None, "previous": None, "results": found})
            paging = () if is_batch_read(request) else ("cursor", "limit")
            allow_only(request, *paging, FIELDS, *self._further)
            names = asked_fields(request, members)
            rows = self.rows(caller(request), **at, **self._asked(request))
            if not paging:
                return batch_response(request, rows, self.order, plain(self.shape, names))
            pages = SignedCursorPagination(self.order)
            assert isinstance(rows, QuerySet | PagedRows | RenderedRows)  # noqa: S101 - a listing with an order
            page = pages.paginate_queryset(rows, request)
            return pages.get_paginated_response(self._shaped(page, names))

        members = members_of(self.shape)
        cursor = (_CURSOR, _LIMIT) if self.order else ()
        sparse = fields_parameter(members, of="members of each row")
        parameters = (*cursor, *self._parameters, sparse)
        return reading(
            f"list_{self.name}",
            self.shape,
            of=self.rows,
            parameters=parameters,
            is_list=True,
            has_batches=bool(self.order),
        )(view)

    def _csv_view(self) -> Callable[..., HttpResponseBase]:
        def view(request: Request, **at: str) -> HttpResponseBase:
            allow_only(request, FIELDS, *self._further)
            columns = asked_fields(request, self.columns) or self.columns
            rows = self.rows(caller(request), **at, **self._asked(request))
            flat = (line for row in self._shaped(rows) for line in self.lines(row))
            return csv_response("".join(csv_lines(columns, flat)), self.name)

        return reading(
            f"list_{self.name}_csv",
            None,
            of=self.rows,
            parameters=(*self._parameters, fields_parameter(self.columns, of="columns")),
            media_type="text/csv",
        )(view)

    @property
    def _parameters(self) -> tuple[OpenApiParameter, ...]:
        named = (each.parameter(name) for name, each in self.filters.items())
        return (*((_SINCE,) if self.has_since else ()), *named)

    @property
    def _further(self) -> tuple[str, ...]:
        return (*(("since",) if self.has_since else ()), *self.filters)

    def _asked(self, request: Request) -> dict[str, Any]:
        """Return the filters of the request, apart from the cursor.

        Raises:
            BadRequest: bad_parameter.
        """
        asked: dict[str, Any] = {
            name: each.read(request, name) for name, each in self.filters.items()
        }
        if self.has_since:
            asked["since"] = whole_number(request, "since", least=0, most=_LAST_VERSION, default=0)
        return asked

    def _shaped(self, rows: Rows | list[Model], names: tuple[str, ...] | None = None) -> list[Flat]:
        return list(map(plain(self.shape, names), rows))


def csv_response(table: str | bytes, name: str) -> HttpResponse:
    """Return a table in CSV that a browser would save as `name`.csv."""
    return HttpResponse(
        table,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'inline; filename="{name}.csv"'},
    )
