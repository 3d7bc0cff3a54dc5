"""What pages of other origins may do (CORS): read, and write only where the site names them."""

import json

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from pytest_django import Settings

from config import env
from tests.api.conftest import Evening
from tests.support.answers import Answer
from tests.support.builders import counts
from tests.support.cast import Cast
from tests.support.rest.requests import token

ELSEWHERE = "https://club.example"
HAND = {"number": 3, "entry": counts([4, 1, 2, 6], 3)}


def preflight(path: str, method: str, origin: str = ELSEWHERE) -> Answer:
    """What a browser asks before a page of `origin` may send a request."""
    headers = {
        "origin": origin,
        "access-control-request-method": method,
        "access-control-request-headers": "authorization",
    }
    return Client().options(path, headers=headers)


def cors(answer: Answer) -> dict[str, str]:
    return {
        name.lower().removeprefix("access-control-"): value
        for name, value in answer.headers.items()
        if name.lower().startswith("access-control-")
    }


def listed(text: str) -> set[str]:
    return set(text.split(", "))


def test_page_of_any_origin_may_read_with_a_token(evening: Evening) -> None:
    may = cors(preflight(evening.at, "GET"))
    assert may["allow-origin"] == "*"
    assert listed(may["allow-methods"]) == {"GET", "HEAD"}
    assert listed(may["allow-headers"]) >= {"Accept", "Authorization", "If-None-Match"}
    headers = {"origin": ELSEWHERE, "authorization": f"Bearer {token('olga', 'read')}"}
    answer = Client().get(f"{evening.at}/changes", headers=headers)
    assert (answer.status_code, cors(answer)["allow-origin"]) == (200, "*")
    exposed = listed(cors(answer)["expose-headers"])
    assert exposed >= {"ETag", "Retry-After", "RateLimit-Limit", "RateLimit-Remaining"}
    assert answer.headers["Cache-Control"] == "private, no-cache"


def test_site_names_the_origins_that_read_with_tokens(evening: Evening, settings: Settings) -> None:
    settings.CORS_READ_ORIGINS = (ELSEWHERE,)
    settings.CORS_WRITE_ORIGINS = ("https://other.example",)
    bearer = f"Bearer {token('olga', 'read')}"
    for origin, allowed in (
        (ELSEWHERE, ELSEWHERE),
        ("https://other.example", "https://other.example"),
        ("https://stranger.example", None),
    ):
        headers = {"origin": origin, "authorization": bearer}
        answer = Client().get(f"{evening.at}/changes", headers=headers)
        assert (answer.status_code, cors(answer).get("allow-origin")) == (200, allowed)
        assert cors(preflight(evening.at, "GET", origin)).get("allow-origin") == allowed
        assert cors(Client().get(evening.at, headers={"origin": origin}))["allow-origin"] == "*"
    assert cors(preflight(evening.at, "POST")) == {}, "to read is not to write"


def test_refusals_are_readable_too(evening: Evening) -> None:
    headers = {"origin": ELSEWHERE, "authorization": "Bearer bl_unknown"}
    answer = Client().get(evening.at, headers=headers)
    assert (answer.status_code, cors(answer)["allow-origin"]) == (401, "*")


def test_nothing_is_ever_allowed_with_cookies(evening: Evening, settings: Settings) -> None:
    settings.CORS_WRITE_ORIGINS = (ELSEWHERE,)
    signed_in = evening.cast.client("olga")
    for answer in (
        signed_in.get(evening.at, headers={"origin": ELSEWHERE}),
        signed_in.post(f"{evening.at}/tables/r1t1/hands", headers={"origin": ELSEWHERE}),
    ):
        assert cors(answer) == {}
    for method in ("GET", "POST"):
        assert "allow-credentials" not in cors(preflight(evening.at, method))


def test_page_of_another_origin_may_not_write(evening: Evening, settings: Settings) -> None:
    settings.CORS_WRITE_ORIGINS = ("https://other.example",)
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        refused = preflight(f"{evening.at}/tables/r1t1/hands", method)
        assert (refused.status_code, cors(refused)) == (405, {})
    assert cors(write(evening, ELSEWHERE)) == {}


def test_page_of_an_origin_the_site_names_may_write(evening: Evening, settings: Settings) -> None:
    settings.CORS_WRITE_ORIGINS = (ELSEWHERE,)
    may = preflight(f"{evening.at}/tables/r1t1/hands", "POST")
    assert (may.status_code, cors(may)["allow-origin"]) == (204, ELSEWHERE)
    assert listed(cors(may)["allow-methods"]) == {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}
    assert listed(cors(may)["allow-headers"]) >= {"Authorization", "Content-Type", "If-Match"}
    assert "Origin" in may.headers["Vary"]
    made = write(evening, ELSEWHERE)
    assert (made.status_code, cors(made)["allow-origin"]) == (201, ELSEWHERE)
    assert "Origin" in made.headers["Vary"]
    for stranger in ("https://club.example.evil.example", "http://club.example", "null"):
        assert cors(preflight(evening.at, "POST", stranger)) == {}


def write(evening: Evening, origin: str) -> Answer:
    return Client().post(
        f"{evening.at}/tables/r1t1/hands",
        json.dumps(HAND),
        content_type="application/json",
        headers={"origin": origin, "authorization": f"Bearer {token('hanna', 'enter')}"},
    )


def test_pages_of_the_site_have_no_such_headers(cast: Cast) -> None:
    assert cors(Client().get("/", headers={"origin": ELSEWHERE})) == {}


@pytest.mark.parametrize("feed", ["evenings.atom", "results.atom"])
def test_page_of_any_origin_reads_the_feeds_and_none_with_a_cookie(
    evening: Evening, feed: str
) -> None:
    path = f"{evening.at.removeprefix('/api/v1')}/{feed}"
    answer = Client().get(path, headers={"origin": ELSEWHERE})
    assert (answer.status_code, cors(answer)["allow-origin"]) == (200, "*")
    assert "ETag" in listed(cors(answer)["expose-headers"])
    asked = preflight(path, "GET")
    assert (asked.status_code, cors(asked)["allow-origin"]) == (204, "*")
    assert cors(preflight(path, "POST")) == {}
    assert cors(evening.cast.client("olga").get(path, headers={"origin": ELSEWHERE})) == {}


@pytest.mark.parametrize("bad", ["*", "club.example", "https://*.example", "https://a.example/x"])
def test_setting_takes_origins_only(bad: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORS_WRITE_ORIGINS", f"{ELSEWHERE},{bad}")
    with pytest.raises(ImproperlyConfigured, match="CORS_WRITE_ORIGINS"):
        env.origins("CORS_WRITE_ORIGINS")
    monkeypatch.setenv("CORS_WRITE_ORIGINS", f" {ELSEWHERE}, http://127.0.0.1:5173")
    assert env.origins("CORS_WRITE_ORIGINS") == (ELSEWHERE, "http://127.0.0.1:5173")


def test_every_origin_reads_with_a_token_unless_the_site_names_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CORS_READ_ORIGINS", raising=False)
    assert env.origins("CORS_READ_ORIGINS", default=("*",)) == ("*",)
    monkeypatch.setenv("CORS_READ_ORIGINS", "")
    assert env.origins("CORS_READ_ORIGINS", default=("*",)) == ()
