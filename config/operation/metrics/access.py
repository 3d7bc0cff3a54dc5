"""Who may read `/metrics`: addresses and networks of `METRICS_ALLOW`.

The peer's address is judged: that of the connection itself. A request with a header of a proxy came
from somewhere else. Without trusted proxies nobody knows from where, so it is refused. With
`TRUSTED_PROXIES` the address that they wrote must be allowed as well.
"""

from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address
from typing import Final

from django.conf import settings
from django.http import HttpRequest

from config.env import Network
from tournaments.views.http.client_address import address_in

FORWARDED_FOR: Final = "HTTP_X_FORWARDED_FOR"
OF_PROXIES: Final = ("HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA", "HTTP_X_FORWARDED")
"""Headers that a proxy adds; the last one is the beginning of several."""


def may_read_metrics(request: HttpRequest) -> bool:
    """Return whether the metrics are shown to who asks."""
    allowed: Sequence[Network] = settings.METRICS_ALLOW
    if not _is_in(str(request.META.get("REMOTE_ADDR", "")), allowed):
        return False
    if not any(name.startswith(OF_PROXIES) for name in request.META):
        return True
    proxies: int = settings.TRUSTED_PROXIES
    hops = [hop for hop in str(request.META.get(FORWARDED_FOR, "")).split(",") if hop.strip()]
    if not proxies or len(hops) < proxies:
        return False
    return _is_in(address_in(hops[-proxies]), allowed)


def _is_in(address: str, networks: Sequence[Network]) -> bool:
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return any(found in network for network in networks)
