"""When visitors may read the standby, and what is sent to it; without a database."""

import math
from collections.abc import Callable, Mapping

import pytest
from django.db import connections
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from pytest_django import Settings

from config.standby import (
    ALIAS,
    READER,
    Standby,
    StandbyRouter,
    is_visitor,
    visitors_read_standby,
)
from tournaments.models.clubs import Club


@pytest.mark.parametrize(
    ("lag", "is_close"),
    [(0.0, True), (2.0, True), (2.001, False), (math.inf, False), (None, False)],
)
def test_standby_is_close_up_to_the_bound(
    settings: Settings, lag: float | None, *, is_close: bool
) -> None:
    settings.DATABASE_REPLICA_LAG = 2
    standby = Standby()
    standby.lag = lag
    standby._next_look = math.inf
    assert standby.is_close() is is_close


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"REQUEST_METHOD": "GET"}, True),
        ({"REQUEST_METHOD": "HEAD"}, True),
        ({"REQUEST_METHOD": "POST"}, False),
        ({"REQUEST_METHOD": "GET", "HTTP_COOKIE": "a=b"}, False),
        ({"REQUEST_METHOD": "GET", "HTTP_AUTHORIZATION": "Bearer x"}, False),
        ({"REQUEST_METHOD": "GET", "HTTP_IF_NONE_MATCH": "x"}, True),
    ],
)
def test_visitor_reads_and_has_neither_cookie_nor_token(
    environ: dict[str, object], *, expected: bool
) -> None:
    assert is_visitor(environ) is expected


@pytest.fixture
def calls(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """From where each pass of a request reads; the standby is close."""
    settings.DATABASE_REPLICA_LAG = 2
    monkeypatch.setitem(connections.settings, ALIAS, {})
    monkeypatch.setattr(READER, "lag", 0.0)
    monkeypatch.setattr(READER, "_next_look", math.inf)
    return []


def answered(
    get_response: Callable[[HttpRequest], HttpResponse], headers: Mapping[str, str]
) -> None:
    request = RequestFactory().get("/", headers=headers)
    if not request.META["HTTP_COOKIE"]:
        del request.META["HTTP_COOKIE"]  # the factory sends an empty one
    visitors_read_standby(get_response)(request)


@pytest.mark.parametrize(
    ("status", "headers", "read"),
    [
        (200, {}, [ALIAS]),
        (200, {"if-none-match": "x"}, [ALIAS, "default"]),
        (304, {"if-none-match": "x"}, [ALIAS]),
        (404, {}, [ALIAS, "default"]),
        (200, {"cookie": "a=b"}, ["default"]),
    ],
)
def test_answer_of_the_standby_is_given_if_it_cannot_be_older_than_a_copy(
    calls: list[str], status: int, headers: dict[str, str], read: list[str]
) -> None:
    def get_response(request: HttpRequest) -> HttpResponse:
        calls.append(StandbyRouter().db_for_read(Club))
        return HttpResponse(status=status)

    answered(get_response, headers)
    assert calls == read


def test_transaction_and_thread_that_wrote_read_the_primary(
    calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    router = StandbyRouter()

    def get_response(request: HttpRequest) -> HttpResponse:
        with monkeypatch.context() as patch:
            patch.setattr(connections["default"], "in_atomic_block", True)
            calls.append(router.db_for_read(Club))
        calls.extend([router.db_for_read(Club), router.db_for_write(Club)])
        calls.append(router.db_for_read(Club))
        return HttpResponse()

    answered(get_response, {})
    assert calls == ["default", ALIAS, "default", "default"]
