"""How often links that open nothing may be shown from one address, against guessing.

Only those count: a hall of phones behind one address opens its tables without waiting.
"""

import math
from ipaddress import IPv6Address, ip_address
from typing import Any, Final

from django.http import HttpRequest
from rest_framework.throttling import SimpleRateThrottle

BITS_OF_A_HOUSEHOLD: Final = 64
A_MINUTE: Final = 60


class WrongLinks(SimpleRateThrottle):
    """Counts links that opened nothing, by the caller's address; the rate stands in the settings.

    Behind TLS the address is what the one proxy says (`NUM_PROXIES`), else the connection's own. Of
    an IPv6 address the network counts, since whoever has one has all of its addresses.
    """

    scope = "link"

    def get_cache_key(self, request: Any, view: Any) -> str:
        """Return under which key the cache counts."""
        return str(self.cache_format) % {"scope": self.scope, "ident": self.get_ident(request)}

    def get_ident(self, request: Any) -> str:
        """Return the caller's address, or its network."""
        shown = str(super().get_ident(request))
        try:
            address = ip_address(shown)
        except ValueError:
            return shown
        if isinstance(address, IPv6Address):
            return f"{int(address) >> BITS_OF_A_HOUSEHOLD:x}"
        return shown

    def throttle_success(self) -> bool:
        """Let the caller in; only what opens nothing is counted, by `count`."""
        return True

    def seconds_to_wait(self, request: HttpRequest) -> int:
        """Return 0 where the caller may show a link, else when to come back."""
        if self.allow_request(request, None):  # type: ignore[arg-type]  # reads META only
            return 0
        return max(1, math.ceil(self.wait() or A_MINUTE))

    def count(self) -> None:
        """Count the link that the caller has just shown."""
        super().throttle_success()
