"""Which addresses a webhook may go to: judged when it is saved, and again at each message.

A name is resolved here and the connection is made to the very address that was checked
(tournaments/delivery/webhooks/sender.py), so that a name that changes between the two leads
nowhere else.
"""

import ipaddress
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from django.conf import settings

from scoring.errors import Problem, Refused, shown

IP: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver: TypeAlias = Callable[[str, int], Sequence[str]]
"""Host and port → its addresses; OSError where there are none."""

LONGEST_URL: Final = 2000
RESOLVE_S: Final = 3.0
"""A page waits so long for the name server when a webhook is saved."""
NEVER: Final = frozenset(
    map(
        ipaddress.ip_address,
        ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16"),
    )
)
"""Addresses at which machines of hosting companies hand out their own keys."""
_PROTOCOLS: Final = ipaddress.ip_network("192.0.0.0/24")
"""Not global (IANA); `is_global` of Python before 3.11.10 says so of a part of it only."""
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")


class AddressNotAllowed(Exception):
    """The address is private, of this machine, or of no machine at all."""


@dataclass(frozen=True, slots=True)
class WebAddress:
    """A web address taken apart; `path` has the query with it."""

    host: str
    port: int
    is_tls: bool
    path: str

    @property
    def host_header(self) -> str:
        """What `Host` says: the name, and the port where it is not the usual one."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == (443 if self.is_tls else 80) else f"{name}:{self.port}"


def target_of(url: str) -> WebAddress:
    try:
        parts = urlsplit(url)
        port = parts.port
        # No resolver knows `127.0.0.1.`, so that it would be saved for later.
        host = (parts.hostname or "").rstrip(".")
    except ValueError as odd:
        raise _bad(url) from odd
    schemes = ("https", "http") if settings.WEBHOOK_ALLOW_PRIVATE else ("https",)
    is_clean = url.isascii() and url.isprintable() and not set(url) & set(' "<>\\^`{|}#')
    if not (is_clean and host and parts.scheme in schemes) or len(url) > LONGEST_URL or port == 0:
        raise _bad(url)
    if parts.username is not None or parts.password is not None or len(host) > 253 or "%" in host:
        raise _bad(url)
    is_tls = parts.scheme == "https"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebAddress(host, port or (443 if is_tls else 80), is_tls, path)


def _bad(url: str) -> Refused:
    return Refused(Problem("bad_webhook_url", ("url",), {"found": shown(url)}))


def resolve(host: str, port: int) -> Sequence[str]:
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


def checked_addresses(target: WebAddress, resolver: Resolver = resolve) -> Sequence[str]:
    """Return the addresses of a target, each of which a message may go to."""
    try:
        addresses = resolver(target.host, target.port)
    except UnicodeError as odd:
        raise OSError("not a host name") from odd
    if not addresses:
        raise OSError("no address")
    for address in addresses:
        if not is_allowed(address):
            raise AddressNotAllowed(address)
    return addresses


def require_allowed(url: str, resolver: Resolver = resolve) -> WebAddress:
    """Judge an address that is to be saved; a name that has no address now may get one later.

    It asks the name server, so it is called outside of any transaction.
    """
    target = target_of(url)
    pool = ThreadPoolExecutor(max_workers=1)
    try:
        pool.submit(checked_addresses, target, resolver).result(timeout=RESOLVE_S)
    except AddressNotAllowed as private:
        facts = {"host": shown(target.host)}
        raise Refused(Problem("address_not_allowed", ("url",), facts)) from private
    except (OSError, Late):
        pass  # each message is checked again
    finally:
        pool.shutdown(wait=False)
    return target


def is_allowed(address: str) -> bool:
    """Whether a message may go to an address: a public one, or any other that the site allows.

    >>> is_allowed("203.0.114.7"), is_allowed("10.0.0.7"), is_allowed("::ffff:127.0.0.1")
    (True, False, False)
    """
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return all(map(_may, _within(ip)))


def _within(ip: IP) -> list[IP]:
    if isinstance(ip, ipaddress.IPv4Address):
        return [ip]
    if ip.ipv4_mapped is not None:
        return [ip.ipv4_mapped]
    if ip in _NAT64:  # how a machine without IPv4 reaches a host that has nothing else
        return [ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)]
    inner: list[IP] = [ip]
    if ip.sixtofour is not None:
        inner.append(ip.sixtofour)
    if ip.teredo is not None:
        inner += ip.teredo
    return inner


def _may(ip: IP) -> bool:
    if ip in NEVER or ip in _PROTOCOLS or ip.is_multicast or ip.is_link_local or ip.is_unspecified:
        return False
    is_site_local = isinstance(ip, ipaddress.IPv6Address) and ip.is_site_local
    if settings.WEBHOOK_ALLOW_PRIVATE and (ip.is_private or ip.is_loopback or is_site_local):
        return True
    return ip.is_global and not ip.is_reserved and not is_site_local
