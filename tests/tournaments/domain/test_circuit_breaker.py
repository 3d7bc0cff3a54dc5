"""A Redis that takes connections and never answers is tried once, not by every request."""

import socket
import threading
from collections.abc import Iterator

import pytest
from celery import Celery
from redis.exceptions import AuthenticationError

from config.cache import FailOpenRedisCache
from tournaments.domain import circuit_breaker
from tournaments.domain.circuit_breaker import BROKER, CACHE, CircuitBreaker
from tournaments.services.jobs.enqueue import PUBLISH_TASK, send_hint

TRIES = 20


class Silent:
    """A server that accepts and never says a word, like one that is paused; counts who came."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.came: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        try:
            while True:
                self.came.append(self._socket.accept()[0])
        except OSError:
            pass  # closed at the end of the test

    def end(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        for each in (self._socket, *self.came):
            each.close()


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Silent]:
    """The silent server; whatever is learnt of it is forgotten afterwards."""
    for breaker in (BROKER, CACHE):
        monkeypatch.setattr(breaker, "_pause_s", 1000.0)
        monkeypatch.setattr(breaker, "_since", None)
        monkeypatch.setattr(breaker, "_next_try", 0.0)
    server = Silent()
    yield server
    server.end()


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        record.msg["event"]
        for record in caplog.records
        if record.name == circuit_breaker.__name__ and isinstance(record.msg, dict)
    ]


def test_limits_are_counted_in_the_process_while_the_cache_is_away(
    silent: Silent, caplog: pytest.LogCaptureFixture
) -> None:
    cache = FailOpenRedisCache(silent.url, {})
    assert cache.add("tries", 1, 60)
    for _ in range(TRIES):
        cache.incr("tries")
    assert (cache.get("tries"), cache.get_many(["tries", "others"])) == (21, {"tries": 21})
    assert not cache.add("tries", 1, 60)
    assert cache.has_key("tries")
    assert cache.touch("tries", 60)
    cache.set_many({"one": 1, "two": 2})
    cache.delete_many(["one"])
    assert (cache.get("one"), cache.get("two"), cache.delete("two")) == (None, 2, True)
    cache.set("three", 3)
    cache.clear()
    assert cache.get("three", "gone") == "gone"
    assert len(silent.came) == 1
    assert logged(caplog) == ["cache_away"]


def test_hints_try_a_missing_broker_once(silent: Silent, caplog: pytest.LogCaptureFixture) -> None:
    app = Celery(broker=silent.url, set_as_current=False)
    app.conf.broker_transport_options = {
        "socket_timeout": 0.2,
        "socket_connect_timeout": 0.2,
        "max_retries": 0,
    }
    assert {send_hint(app, PUBLISH_TASK, number) for number in range(TRIES)} == {False}
    assert len(silent.came) == 1
    assert logged(caplog) == ["broker_away"]
    app.close()


def test_missing_service_is_tried_by_one_caller_at_a_time(caplog: pytest.LogCaptureFixture) -> None:
    breaker = CircuitBreaker("part", pause_s=0.0)
    breaker.failed(OSError())
    breaker.failed(OSError())
    assert breaker.allows()
    assert breaker.away_for() is not None
    breaker.succeeded()
    breaker.succeeded()
    assert (breaker.allows(), breaker.away_for()) == (True, None)
    assert logged(caplog) == ["part_away", "part_back"]
    patient = CircuitBreaker("part", pause_s=1000.0)
    patient.failed(OSError())
    assert not patient.allows()


def test_outage_names_its_cause_and_is_logged_again_when_it_becomes_another(
    caplog: pytest.LogCaptureFixture,
) -> None:
    breaker = CircuitBreaker("part", pause_s=0.0)
    breaker.failed(AuthenticationError("invalid password of redis://me:canary@cache/0"))
    assert breaker.outage == (
        "part_refused",
        "AuthenticationError: invalid password of redis://…@cache/0",
    )
    breaker.failed(AuthenticationError("invalid password"))
    breaker.failed(ConnectionRefusedError(111, "Connection refused"))
    assert breaker.outage == (
        "part_away",
        "ConnectionRefusedError: [Errno 111] Connection refused",
    )
    breaker.succeeded()
    assert logged(caplog) == ["part_refused", "part_away", "part_back"]
    assert "canary" not in caplog.text


@pytest.mark.redis
def test_cache_on_redis_counts_there(redis_url: str) -> None:
    one, other = (FailOpenRedisCache(redis_url, {}) for _ in range(2))
    one.set("tries", 1)
    assert (other.incr("tries"), one.get("tries")) == (2, 2)
