"""The schemas of the OpenAPI document with room for nothing else, to compare what is served."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import jsonschema_rs
from drf_spectacular.plumbing import ComponentRegistry

from api.schema_views import document
from api.serializers.typed_documents import schema_of
from scoring.json_types import JsonDict


def closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), Mapping) and schema.get("type") == "object":
        made.setdefault("additionalProperties", False)
    return made


@cache
def validator_of(component: str) -> jsonschema_rs.Validator:
    return _validator(component, document()["components"]["schemas"])


def validator_of_schema(schema: JsonDict) -> jsonschema_rs.Validator:
    schemas = {**document()["components"]["schemas"], "Wanted": schema}
    return _validator("Wanted", schemas)


@cache
def validator_of_type(kind: type) -> jsonschema_rs.Validator:
    """Return what validates a document against its `TypedDict`, without the OpenAPI document."""
    registry = ComponentRegistry()
    found = schema_of(kind, registry)
    built: JsonDict = registry.build({})
    return _validator(found["$ref"].rpartition("/")[2], built["schemas"])


def _validator(name: str, schemas: Mapping[str, Any]) -> jsonschema_rs.Validator:
    whole = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": closed(schemas)}}
    return jsonschema_rs.Draft202012Validator(whole)


def faults(validator: jsonschema_rs.Validator, document: object) -> list[str]:
    return [
        f"/{'/'.join(map(str, fault.instance_path))}: {fault.message[:300]}"
        for fault in validator.iter_errors(document)
    ]
