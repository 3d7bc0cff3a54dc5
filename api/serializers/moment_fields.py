"""Fields of bodies for a local time and for a moment."""

import re
from contextlib import suppress
from datetime import datetime, time
from typing import Any, Final

from rest_framework import serializers

from api.serializers.strict_fields import StrictField
from scoring.errors import Problem, Refused, shown

_CLOCK: Final = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2})?", re.ASCII)


class ClockField(StrictField, serializers.TimeField):
    """A local time, as in 19:30."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the time.

        Raises:
            Refused: bad_time.
        """
        if isinstance(data, str) and _CLOCK.fullmatch(data):
            with suppress(ValueError):
                return time.fromisoformat(data)
        raise Refused(Problem("bad_time", (), {"found": shown(data)}))


class DeviceTimeField(StrictField, serializers.DateTimeField):
    """A moment with its zone, as in 2025-11-06T19:12:40Z."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the moment.

        Raises:
            Refused: bad_moment.
        """
        if isinstance(data, str) and len(data) <= 40:
            with suppress(ValueError, OverflowError):
                moment = datetime.fromisoformat(data)
                if moment.utcoffset() is not None and moment.year > 1900:
                    return moment
        raise Refused(Problem("bad_moment", (), {"found": shown(data)}))
