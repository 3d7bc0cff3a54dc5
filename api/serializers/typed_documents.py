"""Typed documents in the documented schema: the members of a `TypedDict` or a dataclass, by name.

Publications and previews are written from types (tournaments/domain/standings,
tournaments/services/previewing/documents.py). The same types describe them for programs;
tests/api/http/test_typed_documents.py compares both with what is served.
"""

import inspect
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry, ResolvedComponent
from drf_spectacular.utils import Direction
from rest_framework import serializers

from api.deprecation import DOUBLE_ENTRY
from api.serializers.strict_fields import ObjectField
from scoring.json_types import JsonDict
from scoring.numbers import ScoreJson
from tournaments.domain.event_settings import EVENT_SETTINGS, Settings
from tournaments.domain.setting_kinds import Setting
from tournaments.domain.standings.standings_documents import (
    MemberDocument,
    MemberHelp,
    StandingsDocumentRow,
)
from tournaments.services.previewing.documents import BoundaryDocument
from tournaments.services.publishing.standings_columns import FIXED, further_titles

_EXACT: Final = r"^-?\d+/\d+$"
_PLAIN_SCORE: Final = {"oneOf": [{"type": "integer"}, {"type": "string", "pattern": _EXACT}]}
SCORE: Final = {
    "oneOf": [*_PLAIN_SCORE["oneOf"], {"type": "array", "items": _PLAIN_SCORE}],
    "description": 'A whole number, a fraction as "26/3", or [real, imaginary].',
    "examples": [26, "26/3", [13, -13]],
}
"""The schema of a score."""

_PLAIN: Final = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    date: {"type": "string", "format": "date"},
    types.NoneType: {"type": "null"},
    Any: {},
    object: {},
}
_NAMES: Final = {
    StandingsDocumentRow: "StandingsRow",
    Settings: "EventSettings",
    MemberDocument: "SideMember",
    BoundaryDocument: "BoundaryChange",
}
"""Type → the name of its component, where the name of the type says less."""

DEPRECATED: Final = {Settings: {"double_entry": DOUBLE_ENTRY}}
"""Type → its members that are to go."""

_FIGURE: Final = ("integer", "string", "null")
"""A figure of a further column: a whole number, an exact or rounded one as text, or none."""


class DocumentField(serializers.Field[Any, Any, Any, Any]):
    """A part of an answer that is typed by a `TypedDict` or a dataclass, written as it is.

    Args:
        document: the type.
    """

    is_partial: ClassVar[bool] = False
    """Whether any member may be left out, as in a change."""

    def __init__(self, document: type, **more: Any) -> None:
        super().__init__(**more)
        self.document = document

    def to_representation(self, value: object) -> object:
        return value


class DocumentChangeField(ObjectField, DocumentField):
    """An object in a body with some of the members of a document."""

    is_partial = True


class DocumentListField(serializers.ListField):
    """A list of such parts."""

    def __init__(self, document: type, **more: Any) -> None:
        super().__init__(child=DocumentField(document), **more)


class DocumentExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Writes the type of a document into the documented schema, once under its name."""

    target_class = DocumentField
    match_subclasses = True

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> JsonDict:
        document = self.target.document
        registry = auto_schema.registry
        if self.target.is_partial:
            return _component(document, registry, is_partial=True)
        return schema_of(document, registry)


def schema_of(kind: Any, registry: ComponentRegistry) -> JsonDict:
    """Return the schema of a type; `TypedDict`s and dataclasses become components."""
    if kind == ScoreJson:
        return SCORE
    if is_typeddict(kind) or is_dataclass(kind):
        return _component(kind, registry)
    if kind in _PLAIN:
        return _PLAIN[kind]
    return _composed(kind, registry)


def _composed(kind: Any, registry: ComponentRegistry) -> JsonDict:
    origin = get_origin(kind)
    parts = get_args(kind)
    if origin in (NotRequired, Required):
        return schema_of(parts[0], registry)
    if origin is Annotated:
        of, *forms = parts
        schema = schema_of(of, registry)
        for form in forms:
            if isinstance(form, MemberHelp):
                schema = {**schema, "description": form.text}
            elif isinstance(form, str):
                schema = {**schema, "format": form}
            else:
                schema = schema_of(form, registry)
        return schema
    if origin is Literal:
        return {"type": "string", "enum": list(parts)}
    if origin in (Union, types.UnionType):
        return _union(kind, registry)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(parts[1], registry)}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return {"type": "array", "items": schema_of(parts[0], registry)}
    raise TypeError(f"{kind} has no form in JSON")


def _union(kind: Any, registry: ComponentRegistry) -> JsonDict:
    parts = get_args(kind)
    without = [part for part in parts if part is not types.NoneType]
    score = set(get_args(ScoreJson))
    is_score = score <= set(without)
    rest = [part for part in without if not is_score or part not in score]
    schemas = [*([SCORE] if is_score else []), *(schema_of(part, registry) for part in rest)]
    if len(without) < len(parts):
        schemas.append(_PLAIN[types.NoneType])
    if all(set(schema) <= {"type", "format"} for schema in schemas):
        formats = {schema["format"] for schema in schemas if "format" in schema}
        kinds = [schema["type"] for schema in schemas]
        return {"type": kinds} | ({"format": formats.pop()} if formats else {})
    return {"oneOf": schemas}


def _component(kind: Any, registry: ComponentRegistry, *, is_partial: bool = False) -> JsonDict:
    name = _NAMES.get(kind, kind.__name__.removesuffix("Document"))
    component = ResolvedComponent(  # type: ignore[no-untyped-call]
        name=f"Partial{name}" if is_partial else name,
        type=ResolvedComponent.SCHEMA,
        object=(kind, is_partial),
    )
    if component in registry:
        return component.ref
    registry.register(component)
    described = ""
    if kind.__doc__ and not is_dataclass(kind):
        described = (inspect.getdoc(kind) or "").partition("\n")[0]
    members = {
        member: schema_of(part, registry)
        for member, part in get_type_hints(kind, include_extras=True).items()
    }
    if kind is Settings and is_partial:
        members = {key: _value_of(EVENT_SETTINGS[key], members[key]) for key in members}
    for member, ending in DEPRECATED.get(kind, {}).items():
        members[member] = {**members[member], "description": ending.text, "deprecated": True}
    # Of rules only the members that differ from the usual ones are there.
    if is_dataclass(kind):
        required = {field.name for field in fields(kind) if kind is Settings and not is_partial}
    else:
        required = set(kind.__required_keys__)
    component.schema = {
        "type": "object",
        **({"description": described} if described else {}),
        "properties": {**members, **_further(kind, members)},
        **({"required": sorted(required, key=list(members).index)} if required else {}),
    }
    return component.ref


def _value_of(setting: Setting, schema: JsonDict) -> JsonDict:
    """Return the schema of the values that a setting takes."""
    if setting.kind == "choice":
        return {"type": "string", "enum": list(setting.labels)}
    if setting.kind == "number":
        least = min(setting.least, setting.default)
        return {"type": "integer", "minimum": least, "maximum": setting.most}
    return schema


def _further(kind: type, members: Mapping[str, JsonDict]) -> JsonDict:
    """Return the members of a row of standings that are columns: fixed ones get their titles,
    further ones are there where the event's scheme asks for them."""
    if kind is not StandingsDocumentRow:
        return {}
    fixed = {
        key: {**members[key], "description": f"{title}."}
        for key, (_short, title) in FIXED.items()
        if key in members
    }
    further = {
        key: {"type": list(_FIGURE), "description": f"{title}. A further column of some events."}
        for key, title in further_titles().items()
        if key not in members
    }
    return fixed | further
