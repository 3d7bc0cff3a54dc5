"""Whether mails and messages of webhooks leave this installation, wait, or never leave.

Every page, text and answer that offers, promises or needs a mail asks `get_site_mail`.
"""

import threading
import time
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from django.conf import settings
from django.db import Error
from django.utils.translation import gettext as _

from tournaments.models.jobs import OUTGOING_HELD, OUTGOING_OFF, Dirty

FILES_BACKEND: Final = "tournaments.delivery.mail.files.EmailBackend"
"""The backend that writes mails to files, which pages can show."""
READ_BY_NOBODY: Final = ("console.", "dummy.", "filebased.")
"""Django's backends that hand a mail to nobody."""
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


class SiteMail(StrEnum):
    """What becomes of the mails of this site."""

    ON = "on"
    """They are sent."""
    OFF = "off"
    """They wait until an administrator switches sending on."""
    NONE = "none"
    """The site has no mail server, so nobody gets them."""


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


def are_mails_files() -> bool:
    """Whether mails are written to files, which pages can show."""
    return str(settings.EMAIL_BACKEND) == FILES_BACKEND


def has_mail_server() -> bool:
    backend = str(settings.EMAIL_BACKEND).rpartition(".backends.")[2]
    return not are_mails_files() and not backend.startswith(READ_BY_NOBODY)


def get_site_mail() -> SiteMail:
    if not has_mail_server():
        return SiteMail.NONE
    return SiteMail.OFF if KNOWN.is_outgoing_off() else SiteMail.ON


def unsent_note() -> str:
    """Return the note that the site sends no mail, never or at present; empty where it does."""
    notes = {
        SiteMail.ON: "",
        SiteMail.OFF: _("This site sends no mail at present."),
        SiteMail.NONE: _("This site sends no mail."),
    }
    return notes[get_site_mail()]
