"""Filters of lists: query parameters that limit the rows, and their description."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, TypeVar, overload

from django.db.models import Model, QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from api.query_parameters import bad_parameter, number_parameter, text_parameter, whole_number
from scoring.errors import shown
from tournaments.selectors.db.statements import SlicedRows

_M = TypeVar("_M", bound=Model)
_MOMENT: Final = {
    "anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]
}
_LARGEST: Final = 999_999_999
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Filter:
    """One query parameter: any text, one of `choices`, a day, a datetime, or a number from 1 up.

    The list parses datetimes; it accepts a day too.
    """

    description: str
    choices: Sequence[str] = ()
    is_day: bool = False
    is_moment: bool = False
    is_number: bool = False

    def parameter(self, name: str) -> OpenApiParameter:
        if self.is_moment:
            return OpenApiParameter(name, _MOMENT, description=self.description)
        if self.is_number:
            return number_parameter(name, self.description, least=1, most=_LARGEST)
        kind = OpenApiTypes.DATE if self.is_day else OpenApiTypes.STR
        choices = list(self.choices) or None
        return OpenApiParameter(name, kind, description=self.description, enum=choices)

    def read(self, request: Request, name: str) -> str:
        if self.is_number:
            return str(whole_number(request, name, least=1, most=_LARGEST, default=0) or "")
        text = text_parameter(request, name)
        if name not in request.query_params:
            return text
        expected = ""
        if self.choices and text not in self.choices:
            expected = "one of " + ", ".join(self.choices)
        elif self.is_day and not _is_day(text):
            expected = "a day as in 2025-11-06"
        if expected:
            raise bad_parameter(name, shown(text), expected)
        return text


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
