"""Lists: JSON a page at a time with a cursor, and the whole list as CSV.

A cursor names the row to continue after, signed together with its address: a cursor that was made
up or taken from another list is refused before it reaches the database.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from django.core.signing import BadSignature, Signer
from django.db.models import Model, QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.urls import URLPattern, path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from api.authentication import caller
from api.fast_serialization import plain
from api.http.csv_stream import csv_lines
from api.openapi import View, reading, together
from api.problems import BadRequest
from api.query_parameters import allow_only, text_parameter, whole_number
from scoring.errors import Problem
from tournaments.selectors.db.raw_pagination import PagedRows, RenderedRows

PAGE_SIZE: Final = 50
MOST: Final = 200

Rows: TypeAlias = QuerySet[Any, Any] | PagedRows | RenderedRows | Sequence[Any]
Flat: TypeAlias = Mapping[str, Any]

_CURSOR: Final = OpenApiParameter(
    "cursor", OpenApiTypes.STR, description="Where to go on; taken from `next` or `previous`."
)
_LIMIT: Final = OpenApiParameter(
    "limit", OpenApiTypes.INT, description=f"Rows a page, from 1 to {MOST}; {PAGE_SIZE} by default."
)
_SINCE: Final = OpenApiParameter(
    "since", OpenApiTypes.INT, description="Only what came after this version of the event."
)


class SignedCursorPagination(CursorPagination):
    """Cursor pagination by the columns of a listing, the last of which is unique."""

    def __init__(self, order: Sequence[str]) -> None:
        self.order = tuple(order)
        self.path = ""

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any]:
        """Return the rows of the page that the request asks for."""
        self.path = request.path
        return super().paginate_queryset(queryset, request, view) or []

    def get_ordering(self, request: Request, queryset: object, view: object) -> tuple[str, ...]:
        """Return the listing's own order; a caller cannot choose another."""
        return self.order

    def get_page_size(self, request: Request) -> int:
        """Return how many rows the caller wants, or refuse."""
        return whole_number(request, "limit", least=1, most=MOST, default=PAGE_SIZE)

    def encode_cursor(self, cursor: Cursor) -> str:
        """Return the address of the page at `cursor`."""
        text = Signer(salt=self.path).sign_object(list(cursor))
        return replace_query_param(self.base_url or "", self.cursor_query_param, text)

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Return the cursor of the request; refuse one that belongs to another list."""
        text = request.query_params.get(self.cursor_query_param)
        if text is None:
            return None
        try:
            return Cursor(*Signer(salt=self.path).unsign_object(text))
        except BadSignature as forged:
            raise BadRequest(Problem("bad_cursor")) from forged


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
    filters: Mapping[str, str] = field(default_factory=dict)
    """Query parameter that limits the rows → its description; given to `rows` as text."""

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
                allow_only(request)
                found = self._shaped(self.rows(caller(request), **at))
                return Response({"next": None, "previous": None, "results": found})
            allow_only(request, "cursor", "limit", *self._further)
            pages = SignedCursorPagination(self.order)
            rows = self.rows(caller(request), **at, **self._asked(request))
            assert isinstance(rows, QuerySet | PagedRows | RenderedRows)  # noqa: S101 - a listing with an order
            page = pages.paginate_queryset(rows, request)
            return pages.get_paginated_response(self._shaped(page))

        cursor = (_CURSOR, _LIMIT) if self.order else ()
        parameters = (*cursor, *self._parameters)
        return reading(
            f"list_{self.name}", self.shape, of=self.rows, parameters=parameters, is_list=True
        )(view)

    def _csv_view(self) -> Callable[..., HttpResponseBase]:
        def view(request: Request, **at: str) -> HttpResponseBase:
            allow_only(request, *self._further)
            rows = self.rows(caller(request), **at, **self._asked(request))
            flat = (line for row in self._shaped(rows) for line in self.lines(row))
            return csv_response("".join(csv_lines(self.columns, flat)), self.name)

        return reading(
            f"list_{self.name}_csv",
            None,
            of=self.rows,
            parameters=self._parameters,
            media_type="text/csv",
        )(view)

    @property
    def _parameters(self) -> tuple[OpenApiParameter, ...]:
        named = (
            OpenApiParameter(name, OpenApiTypes.STR, description=text)
            for name, text in self.filters.items()
        )
        return (*((_SINCE,) if self.has_since else ()), *named)

    @property
    def _further(self) -> tuple[str, ...]:
        return (*(("since",) if self.has_since else ()), *self.filters)

    def _asked(self, request: Request) -> dict[str, Any]:
        """Return the filters of the request, apart from the cursor.

        Raises:
            BadRequest: bad_parameter, for a text that no database stores.
        """
        asked: dict[str, Any] = {name: text_parameter(request, name) for name in self.filters}
        if self.has_since:
            asked["since"] = whole_number(request, "since", least=0, most=10**9 - 1, default=0)
        return asked

    def _shaped(self, rows: Rows | list[Model]) -> list[Flat]:
        return list(map(plain(self.shape), rows))


def csv_response(table: str | bytes, name: str) -> HttpResponse:
    """Return a table in CSV that a browser would save as `name`.csv."""
    return HttpResponse(
        table,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'inline; filename="{name}.csv"'},
    )
