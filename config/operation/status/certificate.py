"""The certificate of the site's public address: when it ends, or why it cannot be read."""

import socket
import ssl
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from django.conf import settings

TIMEOUT_S: Final = 3.0
"""Of each step of asking for it."""
KEPT_S: Final = 3600.0
"""So long an answer is used again by a web process."""
HTTPS_PORT: Final = 443


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was found: `ends_at` where it is `valid`, else the reason in `about`.

    `none`: the site has no address with https, so there is none to read.
    """

    state: Literal["valid", "refused", "unreadable", "none"]
    ends_at: datetime | None = None
    about: str = ""


def read_certificate() -> Certificate:
    """Connect to the site's address as a browser does, and return what its certificate says."""
    address = urlsplit(settings.SITE_URL)
    host = address.hostname or ""
    if address.scheme != "https" or not host:
        return Certificate("none")
    try:
        with (
            socket.create_connection((host, address.port or HTTPS_PORT), TIMEOUT_S) as plain,
            _context().wrap_socket(plain, server_hostname=host) as line,
        ):
            found: Any = line.getpeercert()
    except ssl.SSLCertVerificationError as fault:
        return Certificate("refused", about=fault.verify_message)
    except (OSError, ValueError) as fault:
        return Certificate("unreadable", about=getattr(fault, "strerror", None) or str(fault))
    ends_s = ssl.cert_time_to_seconds(found["notAfter"])
    return Certificate("valid", ends_at=datetime.fromtimestamp(ends_s, UTC))


def _context() -> ssl.SSLContext:
    return ssl.create_default_context()


class KnownCertificate:
    """The last answer, for processes that are asked often; one thread renews it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Know nothing, as after a start."""
        self._found: Certificate | None = None
        self._asked_at = 0.0

    def read(self) -> Certificate:
        """Return the certificate of at most an hour ago; ask for it where none is known."""
        if self._found is None or self._is_old():
            self._renew()
        return self._found or Certificate("none")

    def last(self) -> Certificate:
        """Return the last answer without waiting; an old one is renewed meanwhile."""
        if self._found is None or self._is_old():
            threading.Thread(target=self._renew, name="certificate", daemon=True).start()
        return self._found or Certificate("none")

    def _is_old(self) -> bool:
        return time.monotonic() - self._asked_at > KEPT_S

    def _renew(self) -> None:
        if not self._lock.acquire(timeout=2 * TIMEOUT_S):
            return
        try:
            if self._found is None or self._is_old():
                self._asked_at = time.monotonic()
                self._found = read_certificate()
        finally:
            self._lock.release()


CERTIFICATE: Final = KnownCertificate()
