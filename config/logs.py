"""Structured logs: one JSON object a line (plain text at a terminal), each with the id of the
request that caused it, and with the ids of the club and of the background job that it is about, and
with its actor.

Routes are logged, not paths: a path may hold a player's id or a link's token. Tokens are
removed from paths in Django's own messages before they are written.
"""

import logging
import logging.config
import re
import sys
import time
import uuid
from collections.abc import Callable
from typing import Final

import structlog
from django.http import HttpRequest, HttpResponse

REQUEST_ID: Final = "X-Request-ID"
"""Header of the id."""

_OPENS = re.compile(r"/(t|invitations|setup|calendar|my|fill-in|unsubscribe)/[^\s\"\\]+")
_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_log = structlog.get_logger("blacklady.request")


def without_unknown(
    logger: object, name: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    for member in ("club", "actor"):
        if event.get(member, 0) is None:
            del event[member]
    return event


_SHARED: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    without_unknown,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
]


def configure(*, level: str) -> None:
    """Send structlog's and the standard library's records to stderr.

    They are JSON lines for programs, and plain lines for a person at a terminal.
    """
    as_text = structlog.dev.ConsoleRenderer(
        colors=False, exception_formatter=structlog.dev.plain_traceback
    )
    as_json = structlog.processors.JSONRenderer(ensure_ascii=False)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "lines": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": _SHARED,
                    "processors": [
                        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                        as_text if sys.stderr.isatty() else as_json,
                        without_tokens,
                    ],
                }
            },
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
            "root": {"handlers": ["stderr"], "level": level.upper()},
            "loggers": {
                # Our own request line says the same without the path.
                "django.request": {"level": "ERROR"},
                "django.server": {"level": "ERROR"},
                # Warns of every request that waits for a thread.
                "waitress.queue": {"level": "ERROR"},
                # Warns that memory:// names no host.
                "kombu.connection": {"level": "ERROR"},
            },
        }
    )


def without_tokens(logger: object, name: str, line: str) -> str:
    """Return a log line with the tokens of links removed from paths.

    >>> without_tokens(None, "", '{"event": "Forbidden: /t/abc-123"}')
    '{"event": "Forbidden: /t/…"}'
    """
    return _OPENS.sub(r"/\1/…", line)


def request_log(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: adopt or create the request's id, echo it, and log one line for each request."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request_id = request_id_of(request.headers.get(REQUEST_ID, ""))
        # Selectors add the club and the actor once they have found them.
        bound = {"request_id": request_id, "club": None, "actor": None}
        with structlog.contextvars.bound_contextvars(**bound):
            started = time.perf_counter()
            response = get_response(request)
            response[REQUEST_ID] = request_id
            route = request.resolver_match.route if request.resolver_match else None
            seconds = time.perf_counter() - started
            log_request(request.method, route, response.status_code, seconds=seconds)
        return response

    return middleware


def log_request(
    method: str | None, route: str | None, status: int, *, seconds: float, **more: str
) -> None:
    """Write the line of a request.

    Args:
        more: what no context of the request has bound already.
    """
    ms = round(seconds * 1000, 1)
    _log.info("request", method=method, route=route, status=status, ms=ms, **more)


def request_id_of(offered: str) -> str:
    """Return the caller's request id if it is well-formed, else a new one."""
    if _ID.fullmatch(offered):
        return offered
    return uuid.uuid4().hex
