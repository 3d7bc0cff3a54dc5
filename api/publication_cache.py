"""A cache of publications' bytes in this process, so that further readers cost no copy.

Every read asks the database which publication is the newest and whether the reader may see it; only
the bytes are cached here, within a size limit.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final, TypeAlias

from tournaments.selectors.standings.publication_bytes import NOTHING, CachedBytes, Form, Table

Place: TypeAlias = tuple[str, str, Table, Form]
"""Club and event as in the address, which of its tables, and the form."""

MOST_BYTES: Final = 32 * 1024 * 1024


class PublicationCache:
    """The newest bytes of each key; the least recently used are dropped first."""

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
        """Replace the bytes of a key; bytes above the size limit are not stored."""
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
