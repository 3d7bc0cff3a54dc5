"""How many requests a token may send in a minute, and what its answers say of it."""

from collections.abc import Iterator

import pytest
import time_machine
from django.core.cache import cache
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from api.rate_limit import HEADERS, TokenCounter
from tests.api.conftest import Evening
from tests.support.answers import Answer
from tests.support.rest.requests import codes, token
from tournaments.models.hands import Hand

pytestmark = pytest.mark.both_databases

NOW = 1_767_225_600.0 + 18
"""42 seconds before the next minute."""


@pytest.fixture(autouse=True)
def standing_time() -> Iterator[None]:
    """Time stands, so that no minute ends while a busy machine works at a test."""
    with time_machine.travel(timezone.now(), tick=False):
        yield


def ask(path: str, plain: str, method: str = "get") -> Answer:
    return getattr(Client(), method)(path, headers={"authorization": f"Bearer {plain}"})  # type: ignore[no-any-return]


def said(answer: Answer) -> tuple[str, ...]:
    """The limit and what is left; the seconds depend on the clock."""
    assert 1 <= int(answer.headers["RateLimit-Reset"]) <= 60
    return tuple(answer.headers[name] for name in HEADERS[:2])


def test_every_answer_to_a_token_says_what_is_left(evening: Evening, settings: Settings) -> None:
    settings.TOKEN_REQUESTS_PER_MINUTE = 500
    plain = token("hanna", "enter")
    assert said(ask(evening.at, plain)) == ("500", "499")
    for path, status in (
        (f"{evening.at}/rounds", 200),
        (f"{evening.at}/rounds/9", 404),
        (f"{evening.at}?a=b", 400),
    ):
        answer = ask(path, plain)
        assert (answer.status_code, said(answer)[0]) == (status, "500")
    refused = ask(f"{evening.at}/tables/r1t1/hands", plain, "post")
    assert (refused.status_code, said(refused)[0]) == (415, "500")
    assert said(ask(evening.at, token("olga", "read"))) == ("500", "499")


def test_request_beyond_the_limit_is_refused_undone(evening: Evening, settings: Settings) -> None:
    settings.TOKEN_REQUESTS_PER_MINUTE = 2
    plain, hands = token("hanna", "enter"), Hand.objects.count()
    assert [said(ask(evening.at, plain))[1] for _ in range(2)] == ["1", "0"]
    refused = ask(f"{evening.at}/tables/r1t1/hands", plain, "post")
    assert (refused.status_code, codes(refused)) == (429, ["too_many_requests"])
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert said(refused) == ("2", "0")
    assert refused.headers["Retry-After"] == refused.headers["RateLimit-Reset"]
    assert Hand.objects.count() == hands


def test_stranger_and_unlimited_site_see_no_headers(evening: Evening, settings: Settings) -> None:
    settings.TOKEN_REQUESTS_PER_MINUTE = 1
    for answer in (Client().get(evening.at), Client().get(evening.at)):
        assert (answer.status_code, answer.has_header("RateLimit-Limit")) == (200, False)
    assert not ask(evening.at, "bl_unknown").has_header("RateLimit-Limit")
    settings.TOKEN_REQUESTS_PER_MINUTE = 0
    assert not ask(evening.at, token("olga", "read")).has_header("RateLimit-Limit")


@pytest.mark.django_db
def test_processes_share_the_count() -> None:
    cache.clear()
    one, another = TokenCounter(), TokenCounter()
    answers = [
        counter.count("shared", limit=60, now=NOW) for _ in range(40) for counter in (one, another)
    ]
    assert sum(remaining is not None for remaining, _ in answers) == 60
    assert {reset for _, reset in answers} == {42}
    assert answers[-1][0] is None
    assert one.count("shared", limit=60, now=NOW + 42) == (59, 60)


@pytest.mark.django_db
def test_process_asks_the_cache_for_a_twentieth_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    asked: list[str] = []
    add, incr = cache.add, cache.incr

    def adding(key: str, value: int, timeout: float) -> bool:
        asked.append("add")
        return add(key, value, timeout)

    def counting(key: str, delta: int) -> int:
        asked.append("incr")
        return incr(key, delta)

    monkeypatch.setattr(cache, "add", adding)
    monkeypatch.setattr(cache, "incr", counting)
    counter = TokenCounter()
    left = [counter.count("blocks", limit=200, now=NOW)[0] for _ in range(11)]
    assert left == list(range(199, 188, -1))
    assert asked == ["add", "add", "incr"]  # the first ten, then the next ten


def test_cache_away_refuses_nobody(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    def away(*at: object) -> int:
        raise DatabaseError("the cache is away")

    monkeypatch.setattr(cache, "add", away)
    counter = TokenCounter()
    answers = [counter.count("away", limit=3, now=NOW) for _ in range(9)]
    assert None not in [remaining for remaining, _ in answers]


def test_redis_that_is_away_refuses_nobody(settings: Settings) -> None:
    settings.CACHES = {
        "default": {
            "BACKEND": "config.cache.FailOpenRedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }
    answers = [TokenCounter().count("gone", limit=3, now=NOW) for _ in range(3)]
    assert None not in [remaining for remaining, _ in answers]
