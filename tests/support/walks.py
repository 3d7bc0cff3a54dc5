"""The walks of a test in a browser, what happens elsewhere meanwhile; a pytest plugin."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TypeVar

import pytest
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import Screen, Walk, launched, session_cookie, walk_in

T = TypeVar("T")


class Walks:
    """Opens walks in one browser, which the first of them starts.

    From then on this thread asks no database, until the browser is put away: rows are made and
    people signed in before.
    """

    def __init__(self, chromium: str, url: str) -> None:
        self.url = url
        self._chromium = chromium
        self._stack = ExitStack()
        self._browser: Browser | None = None

    @property
    def browser(self) -> Browser:
        if self._browser is None:
            self._browser = self._stack.enter_context(launched(self._chromium))
        return self._browser

    def __call__(self, *screens: Screen, by: Client | None = None, at: str = "") -> Walk:
        """Open a walk: `by` whom, if somebody is signed in, and `at` which page it begins."""
        walk = walk_in(self.browser, self.url, *screens)
        if by is not None:
            walk.page.context.add_cookies([session_cookie(by, self.url)])
        if at:
            walk.page.goto(at)
        return walk

    def without_script(self, by: Client | None = None) -> Page:
        context = self.browser.new_context(base_url=self.url, java_script_enabled=False)
        if by is not None:
            context.add_cookies([session_cookie(by, self.url)])
        return context.new_page()

    def put_away(self) -> None:
        """Close all pages; this thread may ask the database again."""
        self._stack.close()
        self._browser = None


@pytest.fixture
def walks(live_server: LiveServer, chromium: str) -> Iterator[Walks]:
    opened = Walks(chromium, live_server.url)
    yield opened
    opened.put_away()


def elsewhere(operation: Callable[[], T]) -> T:
    """Do something in a thread of its own: while a browser runs in this one, it has a loop."""

    def acted() -> T:
        try:
            return operation()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(acted).result()
