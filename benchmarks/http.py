"""Calling the application in process, through the whole of WSGI, and opening a table's link."""

import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from django.core.wsgi import get_wsgi_application

Environ = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    cookies: Iterable[str] = ()
    """Values of the Set-Cookie headers."""


class Application:
    """The application of this process."""

    def __init__(self) -> None:
        self._application = get_wsgi_application()

    def send(self, environ: Environ) -> Answer:
        begun: list[tuple[str, list[tuple[str, str]]]] = []

        def start(status: str, headers: list[tuple[str, str]], *more: object) -> Callable[..., Any]:
            begun.append((status, headers))
            return io.BytesIO().write

        parts = self._application(environ, start)
        try:
            body = b"".join(parts)
        finally:
            parts.close()
        status, headers = begun[-1]
        cookies = [value for name, value in headers if name == "Set-Cookie"]
        return Answer(int(status[:3]), dict(headers), body, cookies)

    def get(self, path: str, **headers: str) -> Answer:
        return self.send(environ("GET", path, headers))

    def must(self, wanted: int, request: Environ) -> Answer:
        """Make a request that is known to be answered with the status `wanted`."""
        answer = self.send(request)
        if answer.status != wanted:
            place = f"{request['REQUEST_METHOD']} {request['PATH_INFO']}"
            raise AssertionError(f"{place}: {answer.status}, expected {wanted}\n{answer.body!r}")
        return answer


def environ(
    method: str, path: str, headers: Mapping[str, str] | None = None, body: object = None
) -> Environ:
    """Return a request as WSGI has it; a body is sent as JSON. Hyphens may be underscores."""
    parts = urlsplit(path)
    content = b"" if body is None else json.dumps(body).encode()
    made: Environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": parts.path,
        "QUERY_STRING": parts.query,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "127.0.0.1:8000",
        "CONTENT_TYPE": "application/json" if content else "",
        "CONTENT_LENGTH": str(len(content)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(content),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    said = {name.upper().replace("-", "_"): value for name, value in (headers or {}).items()}
    made.update({f"HTTP_{name}": value for name, value in said.items()})
    return made


Get = Callable[[str, Mapping[str, str]], Iterable[str]]
"""Makes a GET of a path with these headers; returns what the answer's Set-Cookie headers say."""


def opened(get: Get, token: str) -> Mapping[str, str]:
    """Open a link; returns the headers of all that its holder sends from then on."""
    cookies = SimpleCookie()
    for path in (f"/t/{token}", "/t"):
        for header in get(path, _shown(cookies)):
            cookies.load(header)
    return {**_shown(cookies), "X-CSRFToken": cookies["csrftoken"].value}


def _shown(kept: SimpleCookie) -> dict[str, str]:
    return {"Cookie": "; ".join(f"{name}={one.coded_value}" for name, one in kept.items())}
