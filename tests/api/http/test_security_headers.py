"""What answers tell browsers, also those that no view gives."""

import pytest
from django.test import Client
from pytest_django import Settings

from tests.api.conftest import Evening
from tests.support.answers import Answer

PREFLIGHT = {"origin": "https://club.example", "access-control-request-method": "GET"}
HSTS = "max-age=31536000; includeSubDomains"


def policy_of(answer: Answer) -> dict[str, str]:
    parts = answer.headers.get("Content-Security-Policy", "").split(";")
    return dict(part.strip().partition(" ")[::2] for part in parts)


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/nowhere", "/clubs?page=%00", "/api/v1/clubs"]
)
def test_all_layers_answer_with_headers(evening: Evening, settings: Settings, path: str) -> None:
    settings.SECURE_HSTS_SECONDS, settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = 31_536_000, True
    for answer in (
        Client().get(path, secure=True),
        Client().get(path, secure=True, headers={"host": "evil.example"}),
        Client().options(evening.at, secure=True, headers=PREFLIGHT),
    ):
        wanted = {"object-src": "'none'", "base-uri": "'none'", "frame-ancestors": "'none'"}
        assert wanted.items() <= policy_of(answer).items()
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["Strict-Transport-Security"] == HSTS
    assert "Strict-Transport-Security" not in Client().get("/healthz").headers


def test_trace_is_supported_nowhere(evening: Evening) -> None:
    signed_in, event = evening.cast.client("olga"), evening.at.removeprefix("/api/v1")
    for path in ("/", "/accounts/login/", event, evening.at, "/admin/", "/healthz", "/nowhere"):
        for client in (Client(), signed_in):
            answer = client.trace(path, headers={"x-secret": "nine-lives"})
            assert answer.status_code in (302, 404, 405), path
            assert b"nine-lives" not in answer.getvalue()


def test_files_pages_and_rest_say_what_they_are(evening: Evening, settings: Settings) -> None:
    settings.SECURE_HSTS_SECONDS, settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = 31_536_000, True
    client, event = evening.cast.client("olga"), evening.at.removeprefix("/api/v1")
    for path in (
        event,
        evening.at,
        f"{event}/nowhere",
        f"{evening.at}/nowhere",
        f"{event}/calendar.ics",
        "/static/blacklady/look.css",
        "/static/blacklady/favicon.svg",
    ):
        answer = client.get(path, secure=True)
        answer.getvalue()  # closes a file
        assert answer.headers["X-Content-Type-Options"] == "nosniff", path
        assert answer.headers["Referrer-Policy"] == "same-origin", path
        assert policy_of(answer)["script-src"] == "'self'", path
        assert answer.headers["Strict-Transport-Security"] == HSTS, path
