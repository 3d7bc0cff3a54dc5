"""Phones that enter hands without a network."""

from contextlib import ExitStack

from pytest_django.live_server_helper import LiveServer

from tests.support.browser import launched
from tests.support.phones import Phone, phone, signed_in, with_a_card
from tests.support.scenarios.evenings import Evenings

FIRST = (1, 1, [3, 3, 3, 4])
"""Hand 1, which the table begins with."""

FIVE = {
    2: ((4, 1, 2, 6), 4),
    3: ((0, 5, 8, 0), 2),
    4: ((3, 3, 3, 4), 1),
    5: ((1, 2, 3, 7), 3),
    6: ((6, 0, 0, 7), 4),
}
"""Hand → hearts and who took the queen."""


class Phones:
    """Takes out phones at one club's evening, and puts them away before the server is asked."""

    def __init__(self, evenings: Evenings, live_server: LiveServer, chromium: str) -> None:
        self.url, self.chromium = live_server.url, chromium
        self.cookies = {name: signed_in(evenings, live_server, name) for name in ("hanna", "dirk")}
        self.cookies["Hanne"] = with_a_card(evenings, live_server)
        self._stack = ExitStack()
        self._browser = self._stack.enter_context(launched(chromium))

    def take_out(self, name: str = "Hanne") -> Phone:
        """Somebody's phone: Hanne has the table's card and no account."""
        return phone(self._browser, self.url, self.cookies[name])

    def put_away(self) -> None:
        self._stack.close()
