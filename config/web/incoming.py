"""Reading one request: waitress' parser with bounds for what its bytes may cost.

A request that exceeds one is refused with problem details (`Refusal`).
"""

import uuid
from http import HTTPStatus
from typing import Any, Final

import structlog
from django.http import HttpRequest
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.task import ErrorTask
from waitress.utilities import BadRequest, Error

from api.problems import status_response

MOST_HEADERS: Final = 100
HEAD_BYTES: Final = 32 * 1024
BODY_BYTES: Final = 65 * 1024 * 1024
"""A form with the largest photo, and what stands around it (config/web/refusals.py)."""
IN_MEMORY: Final = 64 * 1024
"""Bytes of a body or an answer; what is more lies in a file."""
PIECE: Final = 4096
"""Bytes that are parsed at once: what waitress does with the chunks of a piece grows with its
square."""
FRAME_BYTES: Final = 8 * 1024
"""Allowed overhead of a chunked body, plus an eighth of its content: chunks of 48 bytes pass."""

_log = structlog.get_logger("blacklady.server")


class TooSlow(Error):
    """The request did not arrive in time."""

    code = 408


class TooBusy(Error):
    """There is currently no room for another large body, or another request on the connection."""

    code = 503


class Refusal(ErrorTask):
    """Answers problem details with a request id, then ends the connection."""

    def execute(self) -> None:
        status = HTTPStatus(self.request.error.code)
        request_id = uuid.uuid4().hex
        request = HttpRequest()
        request.path = self.request.path
        body = status_response(request, status).content
        self.status = f"{status.value} {status.phrase}"
        self.response_headers.extend(
            [("Content-Type", "application/problem+json"), ("X-Request-ID", request_id)]
        )
        if status in (408, 503):
            self.response_headers.append(("Retry-After", "2"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.channel.lingers = True
        self.write(body)
        _log.info("refused", status=status.value, request_id=request_id)


class Parser(HTTPRequestParser):
    command = "GET"
    path = "/"

    # waitress'.
    body_bytes_received: int
    body_rcv: Any
    error: Any

    def received(self, data: bytes) -> int:
        n_taken: int = super().received(data)
        if self.chunked and self.body_rcv is not None and self.error is None and self._is_frames:
            self.error = BadRequest("more frames of chunks than content")
            self.completed = True
        return n_taken

    @property
    def _is_frames(self) -> bool:
        content = len(self.body_rcv)
        unread = max(len(self.body_rcv.control_line), len(self.body_rcv.trailer))
        beside = self.body_bytes_received - content
        return unread > FRAME_BYTES or beside > FRAME_BYTES + content // 8

    def parse_header(self, header_plus: bytes) -> None:
        if header_plus.count(b"\n") > MOST_HEADERS:
            raise ParsingError(f"more than {MOST_HEADERS} header lines")
        super().parse_header(header_plus)

    @property
    def held(self) -> int:
        """Received bytes of a large body; the announced length does not count."""
        size = 0 if self.error else self.body_bytes_received
        return size if size > IN_MEMORY else 0


class ExcessRequest(Parser):
    """A request beyond the limit of a connection, or after a refusal; it is not read.

    With an `error` it is answered with that; without one it is discarded.
    """

    def received(self, data: bytes) -> int:
        self.completed = True
        self.empty = self.error is None or not data.strip()
        return len(data)
