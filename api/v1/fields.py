"""Fields that several shapes share: exact scores, moments in UTC, days as they are sent."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any, TypeAlias

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from scoring.errors import Problem, Refused, shown

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


class MomentField(serializers.DateTimeField):
    """A moment in UTC with `Z`, whatever zone the request is in, to the second."""

    def __init__(self, **more: Any) -> None:
        super().__init__(format="%Y-%m-%dT%H:%M:%SZ", default_timezone=UTC, **more)

    def to_representation(self, value: Any) -> Any:
        """Return the moment as text."""
        if not isinstance(value, datetime):
            return super().to_representation(value)
        in_utc = value.astimezone(UTC).replace(tzinfo=None)
        return f"{in_utc.isoformat(timespec='seconds')}Z"


def sent_day(found: Any, name: str) -> date | None:
    """Return a local day as it was sent; None where it was not.

    Raises:
        Refused: bad_day.
    """
    if found is None:
        return None
    if isinstance(found, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", found, re.ASCII):
        with suppress(ValueError):
            return date.fromisoformat(found)
    raise Refused(Problem("bad_day", (name,), {"found": shown(found)}))
