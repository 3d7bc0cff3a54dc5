"""How often links that open nothing may be shown from one address, against guessing.

A link or a short code that works is opened however many others came from the same hall: who plays
there is not kept out by a neighbour. A token cannot be guessed, a code at some trillion tries
(docs/operations.md has the figures); the answers to wrong ones tell nothing.
"""

import math
from typing import Any, Final

from django.http import HttpRequest
from rest_framework.throttling import SimpleRateThrottle

from tournaments.views.http.client_address import client_network

A_MINUTE: Final = 60


class WrongLinkThrottle(SimpleRateThrottle):
    """Counts links that opened nothing, by the caller's address; the rate stands in the settings.

    Of an IPv6 address the network counts.
    """

    scope = "link"
    num_requests: int  # set by its base, whose stubs do not say so

    def get_cache_key(self, request: object, view: object) -> str:
        """Return under which key the cache counts."""
        return str(self.cache_format) % {"scope": self.scope, "ident": self.get_ident(request)}

    def get_ident(self, request: Any) -> str:
        """Return the caller's address, or its network."""
        return client_network(request)

    def throttle_success(self) -> bool:
        """Let the caller in; only what opens nothing is counted, by `count`."""
        return True

    def seconds_to_wait(self, request: HttpRequest) -> int:
        """Return 0 where another wrong link is answered as one, else when to come back."""
        if self.allow_request(request, None):  # type: ignore[arg-type]  # reads META only
            return 0
        return max(1, math.ceil(self.wait() or A_MINUTE))

    def count(self) -> None:
        """Count the link that the caller has just shown; no more than it takes to know enough."""
        self.history = self.history[: self.num_requests - 1]
        super().throttle_success()


def count_wrong_link(request: HttpRequest) -> int:
    """Count a link that opened nothing; how many seconds the next wrong one has to wait, or 0."""
    pace = WrongLinkThrottle()
    seconds = pace.seconds_to_wait(request)
    pace.count()
    return seconds
