"""Values of rows in an archive: from a column to JSON, and from JSON to a column.

What an archive holds came from elsewhere: each value is checked against its column.
"""

import base64
import binascii
import datetime
import json
import math
import uuid
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import connection, models
from django.utils.dateparse import parse_date, parse_datetime, parse_time

from tournaments.domain.archives.tables import Field

Value: TypeAlias = Any
Converter: TypeAlias = Callable[[Value], Value]

SMALLEST, LARGEST = -(2**63), 2**63 - 1
_YEARS: Final = range(1000, 9000)
"""Years with days before and after them, in any zone and on any database."""


class BadValue(ValueError):
    """A value that its column cannot have."""


def as_json(value: object) -> object:
    """Return as text what `json.dumps` cannot write: moments, days, ids, short bytes.

    >>> as_json(datetime.date(2026, 1, 31)), as_json(b"ab")
    ('2026-01-31', 'YWI=')
    """
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode()
    return str(value)


def line_of(values: list[Value]) -> str:
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"), default=as_json)
    return text + "\n"


def converter_of(field: Field) -> Converter:
    """Return the conversion of a column's JSON values into values for the bulk writer.

    It raises `BadValue` if the column cannot have the value. Foreign keys are converted elsewhere.
    """
    convert = _CONVERTERS[next(kind for kind in _CONVERTERS if isinstance(field, kind))](field)

    def converted(value: Value) -> Value:
        if value is None:
            if not field.null:
                raise BadValue
            return None
        return convert(value)

    return converted


def _texts(field: Field) -> Converter:
    most, choices = field.max_length, {key for key, _label in field.flatchoices}

    def convert(value: Value) -> Value:
        if not isinstance(value, str) or "\0" in value or (most and len(value) > most):
            raise BadValue
        if choices and value not in choices and not (value == "" and field.blank):
            raise BadValue
        return _encodable(value)

    return convert


def _slugs(field: Field) -> Converter:
    texts = _texts(field)

    def convert(value: Value) -> Value:
        text = texts(value)
        try:
            validate_slug(text)  # an address is made of it
        except ValidationError as bad:
            raise BadValue from bad
        return text

    return convert


def _encodable(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as alone:
        raise BadValue from alone
    return value


def _numbers(field: Field) -> Converter:
    internal = field.get_internal_type()
    least = 0 if internal.startswith("Positive") else SMALLEST
    smallest, largest = connection.ops.integer_field_range(internal)
    low = max(least, smallest if smallest is not None else SMALLEST)
    high = largest if largest is not None else LARGEST

    return _checked(lambda value: type(value) is int and low <= value <= high)


def _checked(is_valid: Callable[[Value], bool]) -> Converter:
    def convert(value: Value) -> Value:
        if not is_valid(value):
            raise BadValue
        return value

    return convert


def _floats(_field: Field) -> Converter:
    def convert(value: Value) -> Value:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadValue
        try:
            number = float(value)
        except OverflowError as large:
            raise BadValue from large
        if not math.isfinite(number):
            raise BadValue
        return number

    return convert


def _parsed(parse: Callable[[str], Value]) -> Callable[[Field], Converter]:
    """Return the converter of columns whose values are parsed from text."""

    def of(field: Field) -> Converter:
        def convert(value: Value) -> Value:
            if not isinstance(value, str):
                raise BadValue
            try:
                parsed = parse(value)
            except (OverflowError, ValueError) as bad:
                raise BadValue from bad
            if parsed is None:
                raise BadValue
            return field.get_db_prep_save(parsed, connection)

        return convert

    return of


def _moment(text: str) -> datetime.datetime | None:
    parsed = parse_datetime(text)
    if parsed is None or parsed.tzinfo is None:
        return None
    moment = parsed.astimezone(datetime.UTC)
    return moment if moment.year in _YEARS else None


def _day(text: str) -> datetime.date | None:
    day = parse_date(text)
    return day if day is not None and day.year in _YEARS else None


def _json(_field: Field) -> Converter:
    def convert(value: Value) -> Value:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        if "\\u0000" in text:
            raise BadValue
        return _encodable(text)

    return convert


def _bytes(_field: Field) -> Converter:
    def convert(value: Value) -> Value:
        if isinstance(value, bytes):  # of a file of its own
            return value
        if not isinstance(value, str):
            raise BadValue
        try:
            return base64.b64decode(value, validate=True)
        except binascii.Error as bad:
            raise BadValue from bad

    return convert


_CONVERTERS: Final[dict[type[Field], Callable[[Field], Converter]]] = {
    models.DateTimeField: _parsed(_moment),
    models.DateField: _parsed(_day),
    models.TimeField: _parsed(parse_time),
    models.UUIDField: _parsed(uuid.UUID),
    models.JSONField: _json,
    models.BinaryField: _bytes,
    models.BooleanField: lambda _field: _checked(lambda value: isinstance(value, bool)),
    models.FloatField: _floats,
    models.IntegerField: _numbers,
    models.SlugField: _slugs,
    models.CharField: _texts,
    models.TextField: _texts,
}
"""Kind of column, the narrower ones first → what makes its converter."""
