"""The client address of a request, by which every rate limit counts."""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from django.conf import settings
from django.http import HttpRequest

_WITH_PORT: Final = re.compile(r"([0-9.]+):[0-9]+|\[([\w:.%]+)\](?::[0-9]+)?", re.ASCII)


def client_address(request: HttpRequest) -> str:
    """Return the caller's address as text; "" where the connection has none (a socket file)."""
    proxies = settings.TRUSTED_PROXIES
    header = str(request.META.get("HTTP_X_FORWARDED_FOR", ""))
    notice = header.split(",")
    forwarded = address_in(notice[-min(proxies, len(notice))]) if proxies else ""
    return forwarded or str(request.META.get("REMOTE_ADDR", ""))


def address_in(text: str) -> str:
    """Return the address in a proxy's header, without a port; "" if there is none.

    >>> [address_in(one) for one in ("192.0.2.7:5678", "[2001:DB8::1]:80", "[::1]", " ::1 ")]
    ['192.0.2.7', '2001:db8::1', '::1', '::1']
    >>> [address_in(one) for one in ("", "unknown", "192.0.2.7:port", "[192.0.2.7]", "1.2.3.4.5")]
    ['', '', '', '', '']
    """
    match = _WITH_PORT.fullmatch(text.strip())
    try:
        if match is None:
            return str(ip_address(text.strip()))
        v4, v6 = match.groups()
        return str(IPv6Address(v6) if v6 else IPv4Address(v4))
    except ValueError:
        return ""


def client_network(request: HttpRequest) -> str:
    """Return the caller's address, or the /64 network of an IPv6 one, which one household has."""
    return network_of(client_address(request))


def network_of(text: str) -> str:
    """Return an address, or the network of an IPv6 address; other text unchanged."""
    try:
        address = ip_address(text)
    except ValueError:
        return text
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return f"{int(address) >> 64:x}"
    return text
