"""What the test client sends, and what its answer says: JSON, problems, a page's text, queries."""

import html
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any, TypeAlias

from django.core.management import call_command
from django.core.signals import request_finished
from django.db import close_old_connections, connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tournaments.models.access import Token

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse

    Answer: TypeAlias = _MonkeyPatchedWSGIResponse
else:
    Answer = HttpResponse

Json: TypeAlias = dict[str, Any]
"""Parsed JSON that a test looks into: an object of REST, a stored entry, a published body."""


def send_json(client: Client, method: str, address: str, body: object, **headers: str) -> Answer:
    """Send JSON as a program does; headers by name, `If_Match` for `If-Match`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.generic(method, address, json.dumps(body), "application/json", headers=named)


def post_json(client: Client, address: str, body: object, **headers: str) -> Answer:
    """Post JSON as a program does; headers by name, `If_Match` for `If-Match`."""
    return send_json(client, "POST", address, body, **headers)


def close_answer(answer: Answer) -> None:
    request_finished.disconnect(close_old_connections)
    answer.close()
    request_finished.connect(close_old_connections)


def text_of(response: Answer) -> str:
    main = response.content.decode().partition("<main")[2].partition("</main>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", main)).split())


def beside(response: Answer, field: str) -> str:
    """Return the error message of a field, "" without one."""
    match = re.search(rf'id="id_{field}_error">(.*?)</div>', response.content.decode(), re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", match[1])).split()) if match else ""


def summary(response: Answer) -> str:
    """Return what the summary on top says; it takes the focus."""
    page = response.content.decode()
    match = re.search(
        r'<div class="note bad"[^>]*tabindex="-1" autofocus[^>]*>(.*?)</div>', page, re.S
    )
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", match[1])).split()) if match else ""


def text(response: Answer) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


def token(user: str, scope: str, *more: str) -> str:
    """A new token, as the command prints it; used already, so that its use is not written now."""
    out = StringIO()
    call_command("make_token", "--user", user, "--scope", scope, *more, stdout=out, stderr=out)
    Token.objects.filter(used_at=None).update(used_at=timezone.now())
    return out.getvalue().splitlines()[0]


SignIn = Callable[[str], Client]


def errors(response: Answer) -> list[tuple[str, str]]:
    return [(error["code"], error["pointer"]) for error in response.json()["errors"]]


def problem(response: Answer) -> Json:
    body: dict[str, Any] = response.json()
    assert response.headers["Content-Type"] == "application/problem+json"
    assert set(body) == {"type", "title", "status", "code", "detail", "instance", "errors"}
    assert body["status"] == response.status_code
    assert body["code"] == body["errors"][0]["code"]
    assert body["type"] == f"/api/v1/docs/errors.md#{body['code']}"
    for error in body["errors"]:
        assert set(error) == {"code", "pointer", "facts", "message", "suggestions"}
        assert error["message"] in body["detail"]
    return body


def codes(response: Answer) -> list[str]:
    """The codes of an answer's problems."""
    return [error["code"] for error in problem(response)["errors"]]


def refusal(response: Answer) -> tuple[int, list[str]]:
    """The status of an answer and the codes of its problems."""
    return response.status_code, codes(response)


@contextmanager
def database_raises(
    error: type[Exception], text: str, cause: Exception | None = None
) -> Iterator[None]:
    def fail(*_: object) -> None:
        raise error(text) from cause

    with connection.execute_wrapper(fail):
        yield


def count_queries(client: Client, path: str, query: dict[str, Any] | None = None) -> int:
    """Read a page and return the number of its queries."""
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path, query).status_code == 200, path
    return len(queries)
