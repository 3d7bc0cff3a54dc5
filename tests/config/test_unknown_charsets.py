"""A charset in which nothing can be written is refused, and no page or endpoint fails at it."""

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.signals import request_started
from django.db import close_old_connections

from config.wsgi import application

BAD = [
    "text/plain; charset=rot13",
    "text/plain; charset=hex",
    "application/x-www-form-urlencoded; charset=zlib",
    "application/json; charset=undefined",
    "text/plain; charset=idna",
    "text/plain; charset=no-such-charset",
    "text/plain; charset*=no-such-charset''%41",
    "text/plain; other*=undefined''%41",
]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("connection_is_left")]


@pytest.fixture
def connection_is_left() -> Iterator[None]:
    """Between requests the connection of the test stays, as the test client leaves it."""
    request_started.disconnect(close_old_connections)
    yield
    request_started.connect(close_old_connections)


def ask(path: str, content_type: str, *, method: str = "GET", body: bytes = b"") -> tuple[int, str]:
    """What the application itself answers: the test client makes Django's own requests."""
    environ = {
        "REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": "player=Jo%C3%ABlle",
        "CONTENT_TYPE": content_type, "CONTENT_LENGTH": str(len(body)), "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80", "wsgi.input": io.BytesIO(body), "wsgi.url_scheme": "http",
        "wsgi.errors": io.StringIO(), "REMOTE_ADDR": "127.0.0.1",
    }  # fmt: skip
    answer: Any = application(environ, lambda *began: str)
    return answer.status_code, answer.getvalue().decode()


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("content_type", BAD)
def test_unknown_charset_is_refused_over_rest_and_on_pages(content_type: str, method: str) -> None:
    body = b"a=b" if method == "POST" else b""
    status, text = ask("/api/v1/clubs", content_type, method=method, body=body)
    problem = json.loads(text)
    assert (status, [error["code"] for error in problem["errors"]]) == (415, ["unknown_charset"])
    status, text = ask("/", content_type, method=method, body=body)
    assert status == 415
    assert "The charset of Content-Type is not supported. Send UTF-8." in text


@pytest.mark.parametrize("charset", ["utf-8", "UTF8", "iso-8859-1", '"windows-1252"', "us-ascii"])
def test_usual_charset_is_read(charset: str) -> None:
    assert ask("/", f"text/plain; charset={charset}")[0] == 200
