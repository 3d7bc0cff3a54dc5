"""Whether mails and messages of webhooks leave this installation, or wait as in a copy of it."""

import threading
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import Error

from tournaments.models.jobs import OUTGOING_HELD, OUTGOING_OFF, Dirty

LOOK_S: Final = 5.0
"""How long pages rely on the last answer of the database."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Whether messages leave.

    `switched_off_at` is when the database's own switch was set to off, None where it is on; the
    setting OUTGOING overrules the switch. Where `is_held`, messages may have waited since
    `held_since`, and those that became too old are not dropped yet.
    """

    is_on: bool
    by_setting: bool
    switched_off_at: datetime | None
    is_held: bool
    held_since: datetime | None

    @property
    def off_since(self) -> datetime | None:
        """When the messages began to wait; None where they leave, or nothing noted it yet."""
        if self.is_on:
            return None
        return self.held_since if self.by_setting else self.switched_off_at


def get_outgoing() -> Outgoing:
    """Read the switch and what overrules it; one query."""
    rows = Dirty.objects.filter(scope__in=(OUTGOING_OFF, OUTGOING_HELD))
    marked = dict(rows.values_list("scope", "marked_at"))
    setting: bool | None = settings.OUTGOING
    return Outgoing(
        is_on=OUTGOING_OFF not in marked if setting is None else setting,
        by_setting=setting is not None,
        switched_off_at=marked.get(OUTGOING_OFF),
        is_held=OUTGOING_HELD in marked,
        held_since=marked.get(OUTGOING_HELD),
    )


class KnownOutgoing:
    """What this process knows of the switch, for pages that only mention it: at most LOOK_S old."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.is_off = False
        self.known_until = 0.0

    def is_outgoing_off(self) -> bool:
        """Whether nothing is sent; the last answer where the database gives none."""
        with self._lock:
            if time.monotonic() >= self.known_until:
                self.known_until = time.monotonic() + LOOK_S
                try:
                    self.is_off = not get_outgoing().is_on
                except Error:
                    return self.is_off
            return self.is_off


KNOWN: Final = KnownOutgoing()
