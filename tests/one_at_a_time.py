"""A live server that does one request after the other.

Its threads share the one connection of an SQLite database in memory, and two that work on it at
once may wait for each other for ever. A phone's service worker asks while its page does.
"""

import threading
from typing import Any

from django.core.handlers.wsgi import WSGIHandler


class OneAtATime(WSGIHandler):
    """Django's handler, behind a door for one."""

    door = threading.Lock()

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Answer when everybody before has been answered."""
        with self.door:
            return super().__call__(environ, start_response)
