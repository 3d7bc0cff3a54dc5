"""A cache on Redis that fails open: without Redis it counts in the process.

Sign-in, table links and `/score` count in the cache, and none of them may stop with it.
docs/decisions/0032-parts-that-are-away.md has what was considered.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as NotConnected
from redis.exceptions import RedisError
from redis.retry import Retry

from tournaments.domain.circuit_breaker import CACHE

_T = TypeVar("_T")

TIMEOUT_S: Final = 0.3
"""A Redis that does not answer within this counts as away."""
MAX_ENTRIES: Final = 10_000
"""Of the process's own counts; beyond it some are thrown away."""

_OPTIONS: Final[Mapping[str, object]] = {
    "socket_timeout": TIMEOUT_S,
    "socket_connect_timeout": TIMEOUT_S,
    # A connection that a restarted Redis has cut is opened again; a time-out is not repeated.
    "retry": Retry(NoBackoff(), 1, supported_errors=(NotConnected,)),
}


class FailOpenRedisCache(BaseCache):
    """Django's cache on Redis; while that is away, a cache in the memory of this process.

    What was counted in the process is forgotten when Redis is back: a limit may then begin anew,
    which costs less than refusing everybody meanwhile.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        redis = {**params, "OPTIONS": {**_OPTIONS, **params.get("OPTIONS", {})}}
        local = {**params, "OPTIONS": {"MAX_ENTRIES": MAX_ENTRIES}}
        self._redis = RedisCache(server, redis)
        self._local = LocMemCache(f"while {server} is away", local)

    def _call(self, act: Callable[[BaseCache], _T]) -> _T:
        """Do `act` with Redis, or with the process's own cache where Redis does not answer."""
        if CACHE.allows():
            try:
                answer = act(self._redis)
            except (RedisError, OSError) as fault:
                CACHE.failed(fault)
            else:
                if CACHE.away_for() is not None:
                    self._local.clear()
                CACHE.succeeded()
                return answer
        return act(self._local)

    def add(
        self,
        key: object,
        value: object,
        timeout: float | None = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> bool:
        return bool(self._call(lambda cache: cache.add(key, value, timeout, version)))

    def get(self, key: object, default: object = None, version: int | None = None) -> object:
        return self._call(lambda cache: cache.get(key, default, version))

    def set(
        self,
        key: object,
        value: object,
        timeout: float | None = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> None:
        self._call(lambda cache: cache.set(key, value, timeout, version))

    def touch(
        self, key: object, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        return bool(self._call(lambda cache: cache.touch(key, timeout, version)))

    def delete(self, key: object, version: int | None = None) -> bool:
        return bool(self._call(lambda cache: cache.delete(key, version)))

    def get_many(self, keys: Iterable[object], version: int | None = None) -> dict[object, object]:
        return self._call(lambda cache: cache.get_many(keys, version))

    def has_key(self, key: object, version: int | None = None) -> bool:
        return bool(self._call(lambda cache: cache.has_key(key, version)))

    def incr(self, key: object, delta: int = 1, version: int | None = None) -> int:
        return int(self._call(lambda cache: cache.incr(key, delta, version)))

    def set_many(
        self,
        data: Mapping[object, object],
        timeout: float | None = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> list[object]:
        return list(self._call(lambda cache: cache.set_many(dict(data), timeout, version)))

    def delete_many(self, keys: Iterable[object], version: int | None = None) -> None:
        self._call(lambda cache: cache.delete_many(keys, version))

    def clear(self) -> None:
        self._call(lambda cache: cache.clear())
