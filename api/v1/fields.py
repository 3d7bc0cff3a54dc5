"""Fields that several answers share: exact scores, moments in UTC, an entrant's name."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.openapi_document import OptionsField
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import StrictField, TextField, bad_setting
from api.serializers.strict_serializers import StrictSerializer
from api.serializers.typed_documents import SCORE
from scoring.errors import shown
from scoring.numbers import ScoreJson

MISSING_HANDS: Final = (
    "Numbers below that of the last hand that no hand has; empty if none is missing."
)


@extend_schema_field(SCORE)
class ScoreField(serializers.Field[ScoreJson, Any, ScoreJson, ScoreJson]):
    """A score that a selector has already written for JSON."""

    def to_representation(self, value: ScoreJson) -> ScoreJson:
        return value


class StringListField(serializers.ListField):
    """Texts."""

    child = serializers.CharField()


class IntegerListField(serializers.ListField):
    """Whole numbers."""

    child = serializers.IntegerField()


class EntrantReferenceSerializer(OutputSerializer):
    """The code and the name of an entrant; the first members of others."""

    player_id = serializers.CharField(source="entrant_id", help_text="Code of the entrant.")
    player = serializers.CharField(source="name")


class ReasonSerializer(StrictSerializer):
    """The reason of a change."""

    reason = TextField()


class MomentField(serializers.DateTimeField):
    """A moment in UTC with `Z`, whatever zone the request is in, to the second."""

    def __init__(self, **more: Any) -> None:
        super().__init__(format="%Y-%m-%dT%H:%M:%SZ", default_timezone=UTC, **more)

    def to_representation(self, value: Any) -> Any:
        if not isinstance(value, datetime):
            return super().to_representation(value)
        in_utc = value.astimezone(UTC).replace(tzinfo=None)
        return f"{in_utc.isoformat(timespec='seconds')}Z"


class RuleOptionsField(StrictField, OptionsField):
    """Options of rules: name → value."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, Mapping):
            raise bad_setting(self, shown(data), "an object of options")
        return data
