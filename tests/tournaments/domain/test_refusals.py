"""A service that refuses us is told apart from one that does not answer, by its own words."""

from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from celery import Celery
from redis.exceptions import BusyLoadingError, OutOfMemoryError, ReadOnlyError, ResponseError

from config.cache import FailOpenRedisCache
from tests.support.live.project import free_port
from tests.support.services import address
from tournaments.domain.circuit_breaker import BROKER, CACHE
from tournaments.domain.refusals import is_refusal
from tournaments.services.jobs.enqueue import PUBLISH_TASK, send_hint


@pytest.fixture(autouse=True)
def nothing_is_known() -> Iterator[None]:
    yield
    for breaker in (BROKER, CACHE):
        breaker.succeeded()


def as_stranger(service: str) -> str:
    """The address of a service with a user and a password that it does not know."""
    url = urlsplit(address(service))
    return urlunsplit(url._replace(netloc=f"stranger:canary@{url.hostname}:{url.port}"))


def at_a_free_port(scheme: str) -> str:
    return f"{scheme}://stranger:canary@127.0.0.1:{free_port()}/0"


@pytest.mark.parametrize(
    ("url", "code", "words"),
    [
        pytest.param("redis", "broker_refused", "username-password", marks=pytest.mark.redis),
        pytest.param("rabbitmq", "broker_refused", "ACCESS_REFUSED", marks=pytest.mark.rabbitmq),
        ("redis://", "broker_away", "Connection refused"),
        ("amqp://", "broker_away", "Connection refused"),
    ],
)  # fmt: skip
def test_broker_that_refuses_us_is_told_from_one_that_is_away(
    url: str, code: str, words: str
) -> None:
    broker = at_a_free_port(url.removesuffix("://")) if url.endswith("://") else as_stranger(url)
    app = Celery(broker=broker, set_as_current=False)
    app.conf.broker_transport_options = {"max_retries": 0, "interval_start": 0}
    assert not send_hint(app, PUBLISH_TASK, 1)
    found, about = BROKER.outage
    assert found == code
    assert words in about
    assert "canary" not in about
    app.close()


@pytest.mark.redis
def test_cache_that_refuses_us_is_told_with_its_words() -> None:
    assert FailOpenRedisCache(as_stranger("redis"), {}).get("one", "none") == "none"
    code, about = CACHE.outage
    assert code == "cache_refused"
    assert "invalid username-password pair or user is disabled" in about


@pytest.mark.pg
def test_database_that_refuses_us_is_told_from_one_that_is_away() -> None:
    with pytest.raises(psycopg.OperationalError, match="stranger") as refused:
        psycopg.connect(as_stranger("pg"))
    assert is_refusal(refused.value)
    with pytest.raises(psycopg.OperationalError, match="Connection refused") as away:
        psycopg.connect(at_a_free_port("postgres"))
    assert not is_refusal(away.value)


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (psycopg.OperationalError("FATAL:  password authentication failed for user"), True),
        (psycopg.OperationalError("FATAL:  sorry, too many clients already"), True),
        (psycopg.OperationalError("FATAL:  the database system is starting up"), False),
        (psycopg.OperationalError("FATAL:  the database system is shutting down"), False),
        (psycopg.OperationalError("FATAL:  pgbouncer cannot connect to server"), False),
        (psycopg.OperationalError("server closed the connection unexpectedly"), False),
        (ResponseError("NOAUTH Authentication required."), True),
        (ResponseError("max number of clients reached"), True),
        (ResponseError("unknown command"), False),
        (ReadOnlyError("You can't write against a read only replica."), False),
        (OutOfMemoryError("command not allowed when used memory > 'maxmemory'."), False),
        (BusyLoadingError("Redis is loading the dataset in memory"), False),
    ],
    ids=str,
)
def test_service_refuses_us_where_waiting_does_not_help(fault: Exception, expected: bool) -> None:
    outer = OSError("wrapped by a library")
    outer.__cause__ = fault
    assert is_refusal(outer) is expected
