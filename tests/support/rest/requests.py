"""Requests to REST and what their answers say."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from tests.support.answers import Answer, Json
from tournaments.models.access import Token


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
    return [error["code"] for error in problem(response)["errors"]]


def refusal(response: Answer) -> tuple[int, list[str]]:
    return response.status_code, codes(response)


@contextmanager
def database_raises(
    error: type[Exception], text: str, cause: Exception | None = None
) -> Iterator[None]:
    def fail(*_: object) -> None:
        raise error(text) from cause

    with connection.execute_wrapper(fail):
        yield
