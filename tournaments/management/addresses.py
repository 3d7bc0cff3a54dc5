"""The addresses at which people open a site that `serve` listens for."""

import ipaddress
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http.request import validate_host

from tournaments.management.service import address

OWN: Final = "127.0.0.1"
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address for documentation. Nothing is sent there: the system only says how it would go."""


@dataclass(frozen=True, slots=True)
class SiteAddresses:
    """`usable` addresses open pages; hosts that are `not_allowed` reach us and are refused."""

    usable: Sequence[str]
    not_allowed: Sequence[str]

    @property
    def first(self) -> str:
        """The address for whoever sits at this machine."""
        return self.usable[0]


def site_addresses(host: str, port: int) -> SiteAddresses:
    """Return where a site that listens on a host (0.0.0.0 is all) and port is found."""
    if not ipaddress.ip_address(host).is_unspecified:
        allowed = validate_host(host, settings.ALLOWED_HOSTS)
        return SiteAddresses((address(host, port),), () if allowed else (host,))
    hosts = [OWN, *_network_address(), *_named_hosts()]
    usable = [one for one in dict.fromkeys(hosts) if validate_host(one, settings.ALLOWED_HOSTS)]
    refused = [one for one in hosts if one not in usable and one != OWN]
    return SiteAddresses([address(one, port) for one in usable or [OWN]], refused)


def _network_address() -> list[str]:
    """The address of this machine in its network, if it is in one."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(_ELSEWHERE)
        found = str(probe.getsockname()[0])
        return [] if ipaddress.ip_address(found).is_loopback else [found]
    return []


def _named_hosts() -> list[str]:
    """The host names that the site's settings list, except patterns and this machine's own."""
    return [
        one for one in settings.ALLOWED_HOSTS if one[:1] not in (".", "*") and one != "localhost"
    ]
