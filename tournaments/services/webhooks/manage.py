"""Manage the webhooks of a club, and validate their addresses.

A name is resolved here and the connection uses the checked address
(tournaments/delivery/webhooks/sender.py), so that a later change of the name has no effect.

An address is validated before the transaction begins, because that queries the name server. The
secret is returned once, by the operation that creates it.
"""

import base64
import ipaddress
import secrets
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from datetime import timedelta
from typing import Final, TypeAlias
from urllib.parse import parse_qs, urlsplit

from django.conf import settings

from scoring.errors import Problem, Refused, shown
from tournaments.domain.sealing import seal
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Club
from tournaments.models.webhooks import (
    DeliveryState,
    DisabledBy,
    Webhook,
    WebhookDelivery,
    WebhookFormat,
    WebhookKind,
    WebhookState,
)
from tournaments.selectors.webhooks import get_delivery, get_webhook, tag_of, webhooks_of
from tournaments.services.db.locks import lock_club
from tournaments.services.operations import Operation, operation
from tournaments.services.webhooks.delivery import record_test

IP: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver: TypeAlias = Callable[[str, int], Sequence[str]]
"""Host and port → its addresses; OSError where there are none."""

LONGEST_URL: Final = 2000
LONGEST_HOST: Final = 253

RESOLVE_S: Final = 3.0
"""Longest wait for the name server when a webhook is saved."""

NEVER: Final = frozenset(
    {
        ipaddress.ip_address("169.254.169.254"),
        ipaddress.ip_address("fd00:ec2::254"),
        ipaddress.ip_address("100.100.100.200"),
        ipaddress.ip_address("168.63.129.16"),
    }
)
"""Addresses at which machines of hosting companies hand out their own keys."""

_PROTOCOLS: Final = ipaddress.ip_network("192.0.0.0/24")
"""Not global (IANA); `is_global` of Python before 3.11.10 says so of a part of it only."""

_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
"""How a machine without IPv4 reaches a host that has nothing else: the last 32 bits are its IP."""

HTTP_PORT: Final = 80
HTTPS_PORT: Final = 443

LAST_SYSTEM_PORT: Final = 1023
"""The last port that RFC 6335 reserves for system services."""

RIGHT: Final = "manage_webhooks"

MOST_WEBHOOKS: Final = 20
"""Webhooks of one club."""

OVERLAP: Final = timedelta(hours=24)
"""How long the previous secret also signs after a rotation."""

CHAT_KINDS: Final = (
    WebhookKind.PUBLICATION_CREATED,
    WebhookKind.ROUND_POSTED,
    WebhookKind.LADDER_CHANGED,
    WebhookKind.EVENING_CLOSED,
    WebhookKind.CHALLENGE_CHANGED,
)
"""Kinds of messages for chats: those with a text of `selectors.chat_text` of their own."""

BAD_ADDRESS: Final = ("bad_webhook_url", "telegram_chat_needed", "address_not_allowed")
BAD_KINDS: Final = ("bad_webhook_kinds", "kind_not_for_chat")
GONE: Final = ("unknown_webhook",)


class AddressNotAllowed(Exception):
    """The address is private, of this machine, or of no machine at all."""


class WebAddress:
    """A web address taken apart; `path` has the query with it. A bad one is refused."""

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
            # No resolver knows `127.0.0.1.`, so that it would be saved for later.
            self.host = (parts.hostname or "").rstrip(".")
        except ValueError as fault:
            raise _bad(url) from fault

        schemes = ["https"]
        system_ports = [HTTPS_PORT]
        if settings.WEBHOOK_ALLOW_PRIVATE:
            schemes.append("http")
            system_ports.append(HTTP_PORT)
        is_clean = url.isascii() and url.isprintable() and not set(url) & set(' "<>\\^`{|}#')
        if not is_clean or len(url) > LONGEST_URL or parts.scheme not in schemes:
            raise _bad(url)
        if not self.host or len(self.host) > LONGEST_HOST or "%" in self.host:
            raise _bad(url)
        if parts.username is not None or parts.password is not None:
            raise _bad(url)
        # Mail servers and remote shells listen at system ports.
        if port is not None and port <= LAST_SYSTEM_PORT and port not in system_ports:
            raise _bad(url)

        self.is_tls = parts.scheme == "https"
        self._default_port = HTTPS_PORT if self.is_tls else HTTP_PORT
        self.port = port or self._default_port
        self.path = parts.path or "/"
        if parts.query:
            self.path = f"{self.path}?{parts.query}"

    @property
    def host_header(self) -> str:
        """The value of `Host`: the name, and the port unless it is the default."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        if self.port == self._default_port:
            return name
        return f"{name}:{self.port}"


def _bad(url: str) -> Refused:
    return Refused(Problem("bad_webhook_url", ("url",), {"found": shown(url)}))


def resolve(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a host, as the name server tells them."""
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = []
    for _family, _type, _protocol, _name, address in answers:
        addresses.append(str(address[0]))
    return list(dict.fromkeys(addresses))


def checked_addresses(target: WebAddress, resolver: Resolver) -> Sequence[str]:
    """Return the addresses of a target, each of which a message may go to."""
    if settings.WEBHOOK_HOSTS and target.host not in settings.WEBHOOK_HOSTS:
        raise AddressNotAllowed(target.host)
    try:
        addresses = resolver(target.host, target.port)
    except UnicodeError as fault:
        raise OSError("not a host name") from fault
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
    target = WebAddress(url)
    pool = ThreadPoolExecutor(max_workers=1)
    try:
        pool.submit(checked_addresses, target, resolver).result(timeout=RESOLVE_S)
    except AddressNotAllowed as fault:
        facts = {"host": shown(target.host)}
        raise Refused(Problem("address_not_allowed", ("url",), facts)) from fault
    except (OSError, Late):
        # No address, or none in time: each message is checked again.
        pass
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
    return all(_is_public_or_allowed(target) for target in _targets_of(ip))


def _targets_of(ip: IP) -> list[IP]:
    """Return the addresses that a message to `ip` may reach: itself, and those written in it."""
    if isinstance(ip, ipaddress.IPv4Address):
        return [ip]
    if ip.ipv4_mapped is not None:
        return [ip.ipv4_mapped]
    if ip in _NAT64:  # how a machine without IPv4 reaches a host that has nothing else
        return [ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)]
    targets: list[IP] = [ip]
    if ip.sixtofour is not None:
        targets.append(ip.sixtofour)
    if ip.teredo is not None:
        targets += ip.teredo
    return targets


def _is_public_or_allowed(ip: IP) -> bool:
    if ip in NEVER or ip in _PROTOCOLS:
        return False
    if ip.is_multicast or ip.is_link_local or ip.is_unspecified:
        return False
    is_site_local = isinstance(ip, ipaddress.IPv6Address) and ip.is_site_local
    if settings.WEBHOOK_ALLOW_PRIVATE and (ip.is_private or ip.is_loopback or is_site_local):
        return True
    return ip.is_global and not ip.is_reserved and not is_site_local


def _lock_webhook(webhook: Webhook) -> Webhook:
    """Lock the row of a webhook, then read it again as it is now."""
    list(Webhook.objects.select_for_update(no_key=True).filter(pk=webhook.pk).values_list("pk"))
    return get_webhook(webhook.club, webhook.public_id)


def _check_new(club: Club, *, url: str, kinds: Sequence[str], format: str = "standard") -> None:
    refuse_any([*_format_problems(format, url), *_kind_problems(kinds, format)])
    require_allowed(url)


def _check_change(
    webhook: Webhook,
    *,
    based_on: str | None = None,
    url: str | None = None,
    kinds: Sequence[str] | None = None,
    state: str | None = None,
) -> None:
    problems: list[Problem] = []
    if url is not None:
        problems += _format_problems(webhook.format, url)
    if kinds is not None:
        problems += _kind_problems(kinds, webhook.format)
    if state is not None and state not in WebhookState.values:
        problems.append(Problem("bad_webhook_state", ("state",), {"found": shown(state)}))
    refuse_any(problems)
    if url is not None:
        require_allowed(url)


def _require_active(webhook: Webhook) -> None:
    if webhook.state != WebhookState.ACTIVE:
        raise Conflict(Problem("webhook_is_disabled"))


@operation(
    RIGHT,
    locks=lock_club,  # two who create a webhook count one after the other
    check=_check_new,
    refuses=(*BAD_ADDRESS, *BAD_KINDS, "bad_webhook_format", "too_many_webhooks"),
)
def create_webhook(
    op: Operation, club: Club, /, *, url: str, kinds: Sequence[str], format: str = "standard"
) -> Webhook:
    """Create a webhook. Only this answer shows the secret that signs its messages.

    A host with a private, loopback, link-local or metadata address is refused, now and at each
    message.
    """
    if webhooks_of(club).count() >= MOST_WEBHOOKS:
        raise Conflict(Problem("too_many_webhooks", facts={"expected": MOST_WEBHOOKS}))
    secret = _new_secret()
    webhook = Webhook(
        club=club,
        host=WebAddress(url).host,
        sealed_url=_sealed(url),
        format=format,
        kinds=_ordered(kinds),
        secret=_sealed(secret),
        created_at=op.now,
        created_by_id=op.actor.user_id,
    )
    webhook.save()
    op.audit(webhook, {"kinds": webhook.kinds, "format": format})
    return _with_secret(webhook, secret)


@operation(
    RIGHT,
    locks=_lock_webhook,
    check=_check_change,
    refuses=(*GONE, *BAD_ADDRESS, *BAD_KINDS, "bad_webhook_state", "webhook_outdated"),
)
def change_webhook(
    op: Operation,
    webhook: Webhook,
    /,
    *,
    based_on: str | None = None,
    url: str | None = None,
    kinds: Sequence[str] | None = None,
    state: str | None = None,
) -> Webhook:
    """Change the address or the kinds of a webhook, or disable or enable it.

    `If-Match` is the ETag of the webhook that you read, or `*`.
    """
    if based_on is not None and based_on != tag_of(webhook):
        raise Conflict(Problem("webhook_outdated"), there={"state": webhook.state})
    facts: dict[str, object] = {}
    if url is not None:
        webhook.sealed_url = _sealed(url)
        webhook.host = WebAddress(url).host
        facts["host"] = webhook.host
    if kinds is not None and _ordered(kinds) != webhook.kinds:
        webhook.kinds = _ordered(kinds)
        facts["kinds"] = webhook.kinds
    if state is not None and state != webhook.state:
        webhook.state = state
        webhook.disabled_by = DisabledBy.OWNER if state == WebhookState.DISABLED else ""
        facts["state"] = state
    if "host" in facts or "state" in facts:
        webhook.rest_until = None
        webhook.failures = 0
    if facts:
        webhook.revision += 1
        webhook.save()
        op.audit(webhook, facts)
    return webhook


@operation(RIGHT, locks=_lock_webhook, refuses=GONE)
def remove_webhook(op: Operation, webhook: Webhook, /) -> None:
    """Remove a webhook; pending messages are not sent."""
    webhook.removed_at = op.now
    webhook.state = WebhookState.DISABLED
    webhook.disabled_by = DisabledBy.OWNER
    webhook.sealed_url = ""
    webhook.secret = ""
    webhook.previous_secret = ""
    webhook.save()
    op.audit(webhook, {"host": webhook.host})


@operation(RIGHT, locks=_lock_webhook, refuses=GONE)
def rotate_webhook_secret(op: Operation, webhook: Webhook, /) -> Webhook:
    """Create a new secret for a webhook. Only this answer shows it.

    For 24 hours messages are signed with the previous secret as well.
    """
    secret = _new_secret()
    webhook.previous_secret = webhook.secret
    webhook.previous_until = op.now + OVERLAP
    webhook.secret = _sealed(secret)
    webhook.revision += 1
    webhook.save()
    op.audit(webhook)
    return _with_secret(webhook, secret)


@operation(
    RIGHT, locks=_lock_webhook, requires=_require_active, refuses=(*GONE, "webhook_is_disabled")
)
def test_webhook(op: Operation, webhook: Webhook, /) -> WebhookDelivery:
    """Send a test message (`webhook.test`); the list of deliveries shows the outcome."""
    Webhook.objects.filter(pk=webhook.pk).update(rest_until=None)
    delivery = record_test(webhook, now=op.now)
    op.audit(webhook)
    return get_delivery(webhook, delivery.public_id)


def _lock_delivery(delivery: WebhookDelivery) -> WebhookDelivery:
    return get_delivery(_lock_webhook(delivery.webhook), delivery.public_id)


@operation(
    RIGHT,
    locks=_lock_delivery,
    requires=lambda delivery: _require_active(delivery.webhook),
    refuses=(*GONE, "unknown_delivery", "webhook_is_disabled"),
)
def repeat_delivery(op: Operation, delivery: WebhookDelivery, /) -> WebhookDelivery:
    """Send a message again, with all its attempts. The answer is 409 if the webhook is disabled."""
    Webhook.objects.filter(pk=delivery.webhook_id).update(rest_until=None)
    WebhookDelivery.objects.filter(pk=delivery.pk).update(
        state=DeliveryState.WAITING,
        attempts=0,
        first_due_at=op.now,
        due_at=op.now,
        done_at=None,
        error="",
    )
    op.audit(delivery.webhook, {"delivery": str(delivery.public_id)})
    return get_delivery(delivery.webhook, delivery.public_id)


def _format_problems(format: str, url: str) -> list[Problem]:
    if format not in WebhookFormat.values:
        return [Problem("bad_webhook_format", ("format",), {"found": shown(format)})]
    if format != WebhookFormat.TELEGRAM:
        return []
    try:
        query = parse_qs(urlsplit(url).query)
    except ValueError:
        return []
    if query.get("chat_id"):
        return []
    return [Problem("telegram_chat_needed", ("url",))]


def _kind_problems(kinds: Sequence[str], format: str) -> list[Problem]:
    unknown = [kind for kind in kinds if kind not in WebhookKind.values]
    if not kinds or unknown or len(set(kinds)) != len(kinds):
        facts = {
            "found": shown(", ".join(map(str, unknown or kinds))),
            "expected": ", ".join(WebhookKind.values),
        }
        return [Problem("bad_webhook_kinds", ("kinds",), facts)]
    if format == WebhookFormat.STANDARD:
        return []
    without_text = [kind for kind in kinds if kind not in CHAT_KINDS]
    if not without_text:
        return []
    facts = {"found": ", ".join(without_text), "expected": ", ".join(CHAT_KINDS)}
    return [Problem("kind_not_for_chat", ("kinds",), facts)]


def _ordered(kinds: Sequence[str]) -> list[str]:
    return [str(kind) for kind in WebhookKind.values if kind in kinds]


def _new_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def _sealed(plain: str) -> str:
    return seal(plain.encode()).decode()


def _with_secret(webhook: Webhook, secret: str) -> Webhook:
    stored_webhook = get_webhook(webhook.club, webhook.public_id)
    stored_webhook.plain_secret = secret
    return stored_webhook
