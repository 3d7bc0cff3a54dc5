"""Lists: filters, JSON a page at a time with a cursor, the whole list as NDJSON or CSV."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar, overload

from django.core.signing import BadSignature, Signer
from django.db.models import Model, QuerySet
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import URLPattern, path
from django.utils.translation import get_language, override
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.utils.encoders import JSONEncoder
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from api.authentication import caller
from api.media_types import NDJSON
from api.openapi import reading
from api.problems import BadRequest
from api.query_parameters import (
    FIELDS,
    allow_only,
    asked_fields,
    bad_parameter,
    fields_parameter,
    members_of,
    number_parameter,
    text_parameter,
    whole_number,
)
from api.serializers.fast_serialization import plain
from scoring.errors import Problem, shown
from scoring.json_types import JsonDict
from tournaments.domain.csv_safety import escape_formula
from tournaments.selectors.db.statements import PagedRows, RenderedRows, SlicedRows

PAGE_SIZE: Final = 50
MOST_ROWS: Final = 200
_M = TypeVar("_M", bound=Model)
_MOMENT: Final = {
    "anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]
}
_LARGEST: Final = 999_999_999
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Filter:
    """One query parameter: any text, one of `choices`, a day, a datetime, or a number from `least`.

    The list parses datetimes; it accepts a day too.
    """

    name: str
    description: str
    choices: Sequence[str] = ()
    is_day: bool = False
    is_moment: bool = False
    least: int | None = None

    @property
    def parameter(self) -> OpenApiParameter:
        if self.least is not None:
            return number_parameter(self.name, self.description, least=self.least, most=_LARGEST)
        kind: Any = OpenApiTypes.STR
        if self.is_moment:
            kind = _MOMENT
        elif self.is_day:
            kind = OpenApiTypes.DATE
        choices = list(self.choices) or None
        return OpenApiParameter(self.name, kind, description=self.description, enum=choices)

    def read(self, request: Request) -> str:
        if self.least is not None:
            number = whole_number(request, self.name, least=self.least, most=_LARGEST, default=0)
            return str(number or "")
        text = text_parameter(request, self.name)
        if self.name not in request.query_params:
            return text
        expected = ""
        if self.choices and text not in self.choices:
            expected = "one of " + ", ".join(self.choices)
        elif self.is_day and not _is_day(text):
            expected = "a day as in 2025-11-06"
        if expected:
            raise bad_parameter(self.name, shown(text), expected)
        return text


SINCE: Final = Filter("since", "Only rows that are newer than this version of the event.", least=0)


@overload
def limited(rows: QuerySet[_M], **values: str) -> QuerySet[_M]: ...


@overload
def limited(rows: SlicedRows, **values: str) -> SlicedRows: ...


def limited(rows: Any, **values: str) -> Any:
    """Return the rows with these values; an empty text is no filter."""
    return rows.filter(**{name: value for name, value in values.items() if value})


def limited_rows(rows: Sequence[Any], **values: str) -> list[Any]:
    """Filter objects in memory by their attributes."""
    return [
        row
        for row in rows
        if all(getattr(row, name) == value for name, value in values.items() if value)
    ]


def _is_day(text: str) -> bool:
    if not _DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


class SignedCursorPagination(CursorPagination):
    """Cursor pagination by the columns of a listing, the last of which is unique."""

    def __init__(self, order: Sequence[str]) -> None:
        self.order = tuple(order)
        self.path = ""

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any]:
        self.path = request.path
        return super().paginate_queryset(queryset, request, view) or []

    def get_ordering(self, request: Request, queryset: object, view: object) -> tuple[str, ...]:
        return self.order

    def get_page_size(self, request: Request) -> int:
        return whole_number(request, "limit", least=1, most=MOST_ROWS, default=PAGE_SIZE)

    def encode_cursor(self, cursor: Cursor) -> str:
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


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield the head and then one line a row, for a response that streams."""
    yield csv_line(columns)
    for row in rows:
        yield csv_line([row.get(column) for column in columns])


def csv_line(cells: Sequence[object]) -> str:
    r"""Return one line.

    >>> csv_line(["RL01", "=1+1", -7, None, True, ["r1", "r2"]])
    "RL01,'=1+1,-7,,true,r1 r2\r\n"
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow([_cell(cell) for cell in cells])
    return text.getvalue()


def _cell(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, list | tuple):
        return _cell(" ".join(str(part) for part in cell))
    text = str(cell)
    if not isinstance(cell, str):
        return text
    return escape_formula(text)


BATCH: Final = 500
"""Rows that are in memory at a time."""


class _Batches(SignedCursorPagination):
    """The pages of a list in sequence; each starts where the previous one ended."""

    def __init__(self, order: Sequence[str], request: Request) -> None:
        super().__init__(order)
        self._request = request
        self._at: Cursor | None = None

    def get_page_size(self, request: Request) -> int:
        return BATCH

    def decode_cursor(self, request: Request) -> Cursor | None:
        return self._at

    def encode_cursor(self, cursor: Cursor) -> str:
        self._at = cursor
        return ""

    def read(self, rows: Any) -> Iterator[list[Any]]:
        yield self.paginate_queryset(rows, self._request)
        while self.has_next:
            self.get_next_link()
            yield self.paginate_queryset(rows, self._request)


def batch_response(
    request: Request, rows: Any, order: Sequence[str], write: Callable[[Any], JsonDict]
) -> StreamingHttpResponse:
    """Return the whole list, one row a line.

    The first batch is read before the response starts, so a refusal is still problem details.
    A later error closes the connection before the end of the body.
    """
    batches = _Batches(order, request).read(rows)
    first = _lines(next(batches), write)
    language = get_language()

    def lines() -> Iterator[bytes]:
        yield first
        while True:
            with override(language):  # the answer outlives the middleware
                batch = next(batches, None)
                if batch is None:
                    return
                text = _lines(batch, write)
            yield text

    content = iter(()) if request.method == "HEAD" else lines()
    return StreamingHttpResponse(content, content_type=NDJSON)


def _lines(rows: Sequence[Any], write: Callable[[Any], JsonDict]) -> bytes:
    text = "".join(
        json.dumps(write(row), ensure_ascii=False, separators=(",", ":"), cls=JSONEncoder) + "\n"
        for row in rows
    )
    return text.encode()


Rows: TypeAlias = QuerySet[Any, Any] | PagedRows | RenderedRows | Sequence[Any]
Flat: TypeAlias = Mapping[str, Any]


_CURSOR: Final = OpenApiParameter(
    "cursor",
    {"type": "string", "pattern": "^[A-Za-z0-9_-]+:[A-Za-z0-9_-]+$"},
    description="Cursor of another page: copy it from `next` or `previous`. It is signed.",
)
_LIMIT: Final = number_parameter(
    "limit",
    f"Number of rows on a page, from 1 to {MOST_ROWS}; {PAGE_SIZE} by default.",
    least=1,
    most=MOST_ROWS,
)


@dataclass(frozen=True, slots=True)
class Listing:
    """One list of the API, in both forms.

    `rows` selects the rows that a caller may read, `order` the columns that a cursor follows (empty
    where the list does not grow and is always one page), `columns` those of the CSV (empty for all
    members of a row), and `lines` how one JSON object becomes lines of it.
    """

    name: str
    shape: type[BaseSerializer[Any]]
    rows: Callable[..., Rows]
    columns: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    lines: Callable[[Flat], Iterable[Flat]] = lambda row: (row,)
    filters: Sequence[Filter] = ()
    """Query parameters that limit the rows; given to `rows` as texts, empty for all."""
    right: str = "read_public"
    hidden_as: str = ""
    """See `reading`."""

    def paths(self, route: str) -> list[URLPattern]:
        """Return the addresses `route` and `route.csv`."""
        csv = f"list_{self.name}_csv"
        return [
            path(route, self._json_view(), name=f"list_{self.name}"),
            path(f"{route}.csv", self._csv_view(), name=csv),
        ]

    def _json_view(self) -> Callable[..., HttpResponseBase]:
        def view(request: Request, **at: str) -> HttpResponseBase:
            return self.answer(request, partial(self.rows, caller(request), **at))

        return reading(
            f"list_{self.name}",
            self.shape,
            of=self.rows,
            parameters=self.parameters,
            is_list=True,
            has_batches=bool(self.order),
            right=self.right,
            hidden_as=self.hidden_as,
        )(view)

    def _csv_view(self) -> Callable[..., HttpResponseBase]:
        def view(request: Request, **at: str) -> HttpResponseBase:
            return self.answer_csv(request, partial(self.rows, caller(request), **at))

        return reading(
            f"list_{self.name}_csv",
            None,
            of=self.rows,
            parameters=self.csv_parameters,
            media_type="text/csv",
            right=self.right,
            hidden_as=self.hidden_as,
        )(view)

    def answer(self, request: Request, select: Callable[..., Rows]) -> HttpResponseBase:
        """Return a page of the rows that `select` finds, or all of them as NDJSON."""
        is_whole = getattr(request.accepted_renderer, "media_type", "") == NDJSON
        paging = ("cursor", "limit") if self.order and not is_whole else ()
        allow_only(request, *paging, FIELDS, *(each.name for each in self.filters))
        names = asked_fields(request, members_of(self.shape))
        rows = select(**self._asked(request))
        if not self.order:
            results = self._shaped(rows, names)
            return Response({"next": None, "previous": None, "results": results})
        if not paging:
            return batch_response(request, rows, self.order, plain(self.shape, names))
        pages = SignedCursorPagination(self.order)
        page = pages.paginate_queryset(rows, request)
        return pages.get_paginated_response(self._shaped(page, names))

    def answer_csv(self, request: Request, select: Callable[..., Rows]) -> HttpResponseBase:
        allow_only(request, FIELDS, *(each.name for each in self.filters))
        columns = asked_fields(request, self._all_columns) or self._all_columns
        flat = (
            line for row in self._shaped(select(**self._asked(request))) for line in self.lines(row)
        )
        return csv_response("".join(csv_lines(columns, flat)), self.name)

    @property
    def parameters(self) -> tuple[OpenApiParameter, ...]:
        cursor = (_CURSOR, _LIMIT) if self.order else ()
        sparse = fields_parameter(members_of(self.shape), of="members of each row")
        return (*cursor, *self._parameters, sparse)

    @property
    def csv_parameters(self) -> tuple[OpenApiParameter, ...]:
        return (*self._parameters, fields_parameter(self._all_columns, of="columns"))

    @property
    def _all_columns(self) -> tuple[str, ...]:
        return self.columns or members_of(self.shape)

    @property
    def _parameters(self) -> tuple[OpenApiParameter, ...]:
        return tuple(each.parameter for each in self.filters)

    def _asked(self, request: Request) -> dict[str, Any]:
        return {each.name: each.read(request) for each in self.filters}

    def _shaped(self, rows: Rows | list[Model], names: tuple[str, ...] | None = None) -> list[Flat]:
        return list(map(plain(self.shape, names), rows))


def listing(name: str, shape: type[BaseSerializer[Any]], **more: Any) -> Callable[..., Listing]:
    """Declare the function below as the rows of a list, which its docstring describes."""
    return lambda rows: Listing(name, shape, rows, **more)


def csv_response(table: str | bytes, name: str) -> HttpResponse:
    return HttpResponse(
        table,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'inline; filename="{name}.csv"'},
    )
