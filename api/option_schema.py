"""The options of rules in the documented schema, each with its label, choices and sentences."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import Direction
from rest_framework import serializers

from scoring.option_labels import option_labels
from scoring.rules.options import Option, every_option
from scoring.rules.schema import LONGEST_CYCLE, WAYS

_VALUES: Mapping[str, Mapping[str, Any]] = {
    "whole": {"type": "integer", "minimum": 1},
    "flag": {"type": "boolean"},
    "selector": {"type": "string"},
    "values": {"type": "array", "items": {"type": "array", "items": {}}},
    "card_map": {"type": "object", "additionalProperties": {"type": "array", "items": {}}},
    "self_from": {"type": "object", "additionalProperties": {}},
    "cycles": {
        "type": "object",
        "additionalProperties": {
            "type": "array",
            "items": {"type": "string", "enum": list(WAYS)},
            "minItems": 1,
            "maxItems": LONGEST_CYCLE,
        },
    },
}
"""The values of an option without choices; points may be a number, a text or a pair."""


class OptionsField(serializers.DictField):
    """Chosen options: name → value."""


class OptionsExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Writes `Options` into the documented schema, once."""

    target_class = OptionsField
    match_subclasses = True

    def map_serializer_field(
        self, auto_schema: AutoSchema, direction: Direction
    ) -> dict[str, object]:
        """Return a reference to the schema of the options."""
        component = ResolvedComponent(  # type: ignore[no-untyped-call]
            name="Options",
            type=ResolvedComponent.SCHEMA,
            object="Options",
            schema={
                "type": "object",
                "description": "Options that differ from the variant.",
                "properties": {option.name: _property(option) for option in every_option()},
                "additionalProperties": {},
            },
        )
        auto_schema.registry.register_on_missing(component)
        return component.ref


def _property(option: Option) -> dict[str, object]:
    """One option: its name on pages, what it does, and each choice with its sentence."""
    words = option_labels()[option.name]
    lines = [f"{words.label}. {option.says}"]
    choices = option.choices or (("true", "false") if option.takes == "flag" else ())
    lines += [f"- `{one}`: {words.choices[one].sentence}" for one in choices]
    return {**_VALUES.get(option.takes, {}), "description": "\n".join(lines)}
