"""A cache on Redis that fails open: without Redis it counts in the process.

Sign-in, table links and `/score` count in the cache, and none of them may stop with it.
docs/decisions/0002-the-database-is-the-queue.md has what was considered.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as NotConnected
from redis.exceptions import RedisError
from redis.retry import Retry

from tournaments.domain.circuit_breaker import CACHE

TIMEOUT_S: Final = 0.3
"""A Redis that does not answer within this counts as away."""
MAX_ENTRIES: Final = 10_000
"""Maximum number of counts in this process; above it, some are dropped."""

_OPTIONS: Final = {
    "socket_timeout": TIMEOUT_S,
    "socket_connect_timeout": TIMEOUT_S,
    # A connection that a restarted Redis has cut is opened again; a time-out is not repeated.
    "retry": Retry(NoBackoff(), 1, supported_errors=(NotConnected,)),
}


def _called(method: str) -> Callable[..., Any]:
    def call(self: "FailOpenRedisCache", *args: object, **options: object) -> Any:
        return self._call(method, args, options)

    return call


class FailOpenRedisCache(BaseCache):
    """Django's cache on Redis; falls back to a cache in this process's memory without Redis.

    Counts made in memory are lost when Redis is back: a limit may then restart,
    which costs less than refusing everybody during the outage.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        redis = {**params, "OPTIONS": {**_OPTIONS, **params.get("OPTIONS", {})}}
        local = {**params, "OPTIONS": {"MAX_ENTRIES": MAX_ENTRIES}}
        self._redis = RedisCache(server, redis)
        self._local = LocMemCache(f"while {server} is away", local)

    def _call(self, method: str, args: Iterable[object], options: Mapping[str, object]) -> Any:
        """Call a method of Redis, or of the process's own cache where Redis does not answer."""
        if CACHE.allows():
            try:
                answer = getattr(self._redis, method)(*args, **options)
            except (RedisError, OSError) as fault:
                CACHE.failed(fault)
            else:
                if CACHE.away_for() is not None:
                    self._local.clear()
                CACHE.succeeded()
                return answer
        return getattr(self._local, method)(*args, **options)

    add, get, set, touch, delete, incr, delete_many = map(
        _called, ("add", "get", "set", "touch", "delete", "incr", "delete_many")
    )

    def clear(self) -> None:
        self._call("clear", (), {})
