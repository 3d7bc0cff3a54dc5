"""Sessions in the database that end if they are not used, and in any case after some time.

Both times are in the session, so no request writes for them: `config.accounts.sessions` stores the
last use once an hour.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.utils import timezone

USED: Final = "session_used_at"
SIGNED_IN: Final = "signed_in_at"


class SessionStore(DatabaseStore):
    def load(self) -> dict[str, Any]:
        values: dict[str, Any] = super().load()
        if not has_ended(values, timezone.now().timestamp()):
            return values
        self._session_key = None
        return {}


def has_ended(values: Mapping[str, Any], now: float) -> bool:
    """Whether the session was not used for too long, or began too long ago."""
    used, signed_in = values.get(USED, now), values.get(SIGNED_IN, now)
    idle, age = settings.SESSION_IDLE_SECONDS, settings.SESSION_COOKIE_AGE
    return bool(now - used >= idle or now - signed_in >= age)
