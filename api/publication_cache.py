"""Bytes of publications that this process has served, so that the next reader costs no copy.

The database is asked on every read which publication is the newest and whether the reader may see
it; only the bytes themselves are kept here, within a bound.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final, TypeAlias

from tournaments.selectors.standings.publication_bytes import NOTHING, CachedBytes, Form, Table

Place: TypeAlias = tuple[str, str, Table, Form]
"""Club and event as in the address, which of its tables, and the form."""

MOST_BYTES: Final = 32 * 1024 * 1024


class PublicationCache:
    """The newest bytes of each place, the ones used longest ago dropped first."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._held: OrderedDict[Place, CachedBytes] = OrderedDict()
        self._lock = Lock()

    def get(self, place: Place) -> CachedBytes:
        with self._lock:
            if place not in self._held:
                return NOTHING
            self._held.move_to_end(place)
            return self._held[place]

    def keep(self, place: Place, cached: CachedBytes) -> None:
        """Replace the bytes of a place; too large a table is not kept at all."""
        with self._lock:
            self._size += len(cached.content) - len(self._held.pop(place, NOTHING).content)
            self._held[place] = cached
            while self._size > self._most:
                self._size -= len(self._held.popitem(last=False)[1].content)

    def forget(self) -> None:
        with self._lock:
            self._held.clear()
            self._size = 0


KEPT: Final = PublicationCache()
