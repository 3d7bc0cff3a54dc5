"""When visitors may read the standby, and what is sent to it; without a database."""

import math

import pytest
from pytest_django import Settings

from config.standby import Standby, is_visitor


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
