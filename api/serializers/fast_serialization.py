"""Writes objects as their serializers do, without asking the serializers again for each row.

A serializer is the definition: it is part of the OpenAPI document, and this module writes what it
would write (tests/api/http/test_typed_documents.py). A serializer looks up the path of every
field for each object, which takes several times as long as reading it; this module does that once
a process.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeAlias

from django.db.models import Manager, Model
from rest_framework import serializers
from rest_framework.fields import empty

from scoring.json_types import JsonDict

Write: TypeAlias = Callable[[Any], Any]
Member: TypeAlias = tuple[str, Write, Write]
"""Name of a member, what reads it from an object, what writes its value."""

AS_THEY_ARE: Final = frozenset({serializers.CharField, serializers.IntegerField})
"""Fields of which a value of the right type is written as it is."""


class OutputSerializer(serializers.Serializer[Any]):
    """The members of an answer, or of an object in one."""


_WRITERS: Final[dict[type, tuple[list[Member], Write]]] = {}


def plain(
    shape: type[serializers.BaseSerializer[Model]], names: Collection[str] | None = None
) -> Callable[[Any], JsonDict]:
    """Return the function that writes an object, or a mapping, as `shape` does.

    With `names` it writes these members only, and reads no others.
    """
    if shape not in _WRITERS:
        members = _members(shape())
        _WRITERS[shape] = (members, _object(members))
    members, whole = _WRITERS[shape]
    if names is None:
        return whole
    return _object([member for member in members if member[0] in names])


def _members(shape: Any) -> list[Member]:
    return [
        (field.field_name, _reader(field), _writer(field))
        for field in shape.fields.values()
        if not field.write_only
    ]


def _object(fields: list[Member]) -> Write:
    def write(row: object) -> dict[str, object]:
        members = {}
        for name, read, write_value in fields:
            value = read(row)
            members[name] = None if value is None else write_value(value)
        return members

    return write


def _reader(field: Any) -> Write:
    if field.source == "*":
        return lambda row: row
    names = tuple(field.source_attrs)
    first, is_plain = names[0], len(names) == 1
    default = field.default

    def read(value: Any) -> Any:
        try:
            if is_plain and type(value) is dict:  # as rows come
                return value[first]
            for name in names:
                if isinstance(value, Mapping):
                    value = value[name]
                else:
                    value = getattr(value, name)
        except (KeyError, AttributeError):
            if default is not empty:
                return default
            if value is None and field.allow_null:
                return None
            raise
        else:
            return value

    return read


def _writer(field: Any) -> Write:
    if isinstance(field, serializers.ListSerializer):
        write = _object(_members(field.child))
        return lambda rows: list(map(write, rows.all() if isinstance(rows, Manager) else rows))
    if isinstance(field, serializers.BaseSerializer):
        return _object(_members(field))
    to_representation: Write = field.to_representation
    if type(field) in AS_THEY_ARE:
        kind = str if isinstance(field, serializers.CharField) else int
        return lambda value: value if type(value) is kind else to_representation(value)
    return to_representation
