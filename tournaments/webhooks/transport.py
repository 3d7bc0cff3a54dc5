"""Sending one message: one POST to an address that was checked, with nothing followed.

The connection goes to the very address that was checked, under the name of the host: in `Host`, and
in TLS, where the certificate has to be one for that name. Redirects are not followed, proxies of
the environment are not used, and of an answer no more than a little is read.
"""

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from django.conf import settings

from scoring.errors import Refused
from tournaments.services.webhooks.addresses import (
    AddressNotAllowed,
    Resolver,
    WebAddress,
    checked_addresses,
    resolve,
    target_of,
)
from tournaments.services.webhooks.delivery import Answer

READ: Final = 2000
"""So much of an answer is read; a page shows its first 500 characters."""


def post(url: str, body: bytes, headers: Mapping[str, str], resolver: Resolver = resolve) -> Answer:
    """Send one message and return what came of it; whatever goes wrong is in the answer.

    It takes `WEBHOOK_TIMEOUT` seconds at most, all its steps together, once the name is resolved.
    """
    began = time.monotonic()
    try:
        target = target_of(url)
        addresses = checked_addresses(target, resolver)
    except Refused:
        return Answer(error="The address is not allowed on this site any more")
    except AddressNotAllowed:
        return Answer(error="The host has an address that is not allowed")
    except OSError as fault:
        return Answer(error=f"The host has no address ({fault.strerror or fault})")
    try:
        answer, (start, wrong) = _exchange(target, addresses, body, headers)
    except ssl.SSLCertVerificationError as fault:
        return Answer(error=f"Bad certificate: {fault.verify_message}", took_ms=_since(began))
    except TimeoutError:
        return Answer(error=_LATE, took_ms=_since(began))
    except (OSError, http.client.HTTPException) as fault:
        # Some of these name what the receiver sent, whatever it is.
        error = _printable(f"{type(fault).__name__}: {fault}")
        return Answer(error=error, took_ms=_since(began))
    return Answer(
        answer.status,
        wrong,
        start,
        _since(began),
        retry_after=answer.headers.get("Retry-After") or "",
    )


_LATE: Final = "No answer in time"


def _exchange(
    target: WebAddress, addresses: Sequence[str], body: bytes, headers: Mapping[str, str]
) -> tuple[http.client.HTTPResponse, tuple[str, str]]:
    """Connect, send and read; returns the answer, what is wrong with it, and its beginning."""
    limit = float(settings.WEBHOOK_TIMEOUT)
    deadline = time.monotonic() + limit
    connection = CheckedConnection(target, addresses, limit)
    is_late = threading.Event()

    def end() -> None:
        is_late.set()
        connection.interrupt()

    timer = threading.Timer(limit, end)
    timer.daemon = True
    timer.start()
    try:
        connection.request("POST", target.path, body, dict(headers) | {"Host": target.host_header})
        answer = connection.getresponse()
        if is_late.is_set():  # what was cut off looks like the end of the headers
            raise TimeoutError
        text = _beginning(answer)
    except (OSError, http.client.HTTPException, ValueError):
        if is_late.is_set() or time.monotonic() >= deadline:
            raise TimeoutError from None
        raise
    finally:
        timer.cancel()
        connection.close()
    if 200 <= answer.status < 300:
        return answer, ("", text)
    if 300 <= answer.status < 400:
        return answer, (f"Redirected ({answer.status}); redirects are not followed", text)
    return answer, (f"Status {answer.status}", text)


def _beginning(answer: http.client.HTTPResponse) -> str:
    """Return the beginning of an answer as text; one that breaks off is as good."""
    raw = b""
    with suppress(OSError, http.client.HTTPException, ValueError):
        raw = answer.read(READ)
    return _printable(raw.decode(errors="replace"))


def _printable(text: str) -> str:
    """Return what a receiver sent as text that a page shows and a database stores."""
    return "".join(one if one.isprintable() else " " for one in text).strip()


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


class CheckedConnection(http.client.HTTPConnection):
    """A connection to addresses that were checked, under the name of their host."""

    def __init__(self, target: WebAddress, addresses: Sequence[str], limit: float) -> None:
        super().__init__(target.host, target.port, timeout=limit)
        self._target, self._addresses = target, addresses
        self._raw: socket.socket | None = None
        self._is_interrupted = False

    def connect(self) -> None:
        """Connect to the first address that answers, and agree on TLS."""
        self._use(self._reach())
        if self._target.is_tls:
            context = ssl.create_default_context()
            wrapped = context.wrap_socket(
                self.sock, server_hostname=self._target.host, do_handshake_on_connect=False
            )
            self._use(wrapped)
            wrapped.do_handshake()

    def _use(self, raw: socket.socket) -> None:
        """Go on with a socket, unless time was up before there was one to end."""
        self.sock = self._raw = raw
        if self._is_interrupted:
            raise TimeoutError

    def interrupt(self) -> None:
        """End whatever another thread waits for, and what it would wait for next."""
        self._is_interrupted = True
        raw = self._raw
        if raw is not None:
            with suppress(OSError):
                socket.socket.shutdown(raw, socket.SHUT_RDWR)

    def _reach(self) -> socket.socket:
        last: OSError | None = None
        share = (self.timeout or 1.0) / len(self._addresses)
        for one in self._addresses:
            try:
                made = socket.create_connection((one, self._target.port), share)
            except OSError as fault:
                last = fault
                continue
            made.settimeout(self.timeout)
            return made
        raise last or OSError("no address")
