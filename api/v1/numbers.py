"""Scores as JSON writes them: exact, never a float."""

from typing import Any, TypeAlias

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

Number: TypeAlias = int | str | list[int | str]

_PLAIN = {"oneOf": [{"type": "integer"}, {"type": "string", "pattern": r"^-?\d+/\d+$"}]}


@extend_schema_field(
    {
        "oneOf": [*_PLAIN["oneOf"], {"type": "array", "items": _PLAIN}],
        "description": 'A whole number, a fraction as "26/3", or [real, imaginary].',
        "examples": [26, "26/3", [13, -13]],
    }
)
class ScoreField(serializers.Field[Number, Any, Number, Number]):
    """A score that a selector has written for JSON already."""

    def to_representation(self, value: Number) -> Number:
        """Return the score as it is."""
        return value
