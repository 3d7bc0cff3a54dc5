"""A live server that does one request after the other.

Its threads share the one connection of an SQLite database in memory, and two that work on it at
once may wait for each other for ever. A phone's service worker asks while its page does.
"""

import threading
from wsgiref.types import StartResponse, WSGIEnvironment

from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpResponseBase


class OneAtATime(WSGIHandler):
    """Django's handler, for one request at a time."""

    lock = threading.Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> HttpResponseBase:
        """Answer when everybody before has been answered."""
        with self.lock:
            return super().__call__(environ, start_response)
