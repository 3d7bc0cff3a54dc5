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
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from django.conf import settings

from scoring.errors import Problem, Refused, shown
from tournaments.domain.sealing import seal
from tournaments.errors import Conflict
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
from tournaments.policy import Actor
from tournaments.selectors.webhooks import get_delivery, get_webhook, tag_of
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.members import lock_club
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require
from tournaments.services.webhooks.delivery import record_test

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
        """The value of `Host`: the name, and the port unless it is the default."""
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


ACT: Final = "manage_webhooks"
MOST: Final = 20
"""Webhooks of one club."""
OVERLAP: Final = timedelta(hours=24)
"""The secret before the last rotation signs as well for so long."""
CHAT_KINDS: Final = (WebhookKind.PUBLICATION_CREATED, WebhookKind.LADDER_CHANGED)
"""What a chat may be sent: notices are made of publications alone."""
SECRET_PREFIX: Final = "whsec_"  # noqa: S105  # what each secret begins with
SECRET_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class CreatedWebhook:
    """A webhook with its secret, which is shown this once."""

    webhook: Webhook
    secret: str


def create_webhook(
    *,
    actor: Actor,
    club: Club,
    url: str,
    kinds: Sequence[str],
    now: datetime,
    format: str = WebhookFormat.STANDARD,
) -> CreatedWebhook:
    require(actor, club, ACT)
    problems = [*_format_problems(format, url), *_kind_problems(kinds, format)]
    if problems:
        raise Refused(*problems)
    host = require_allowed(url).host
    return _create(actor, club, Webhook(host=host, format=format, kinds=_ordered(kinds)), url, now)


@atomic_act
def _create(actor: Actor, club: Club, row: Webhook, url: str, now: datetime) -> CreatedWebhook:
    lock_club(club)  # two who create a webhook count one after the other
    if Webhook.objects.filter(club=club, removed_at__isnull=True).count() >= MOST:
        raise Conflict(Problem("too_many_webhooks", facts={"expected": MOST}))
    plain = _new_secret()
    row.club, row.created_at, row.created_by_id = club, now, actor.user_id
    row.sealed_url, row.secret = _sealed(url), _sealed(plain)
    row.save()
    _audit(actor, row, "create_webhook", {"kinds": row.kinds, "format": row.format}, now)
    return CreatedWebhook(get_webhook(club, row.public_id), plain)


def change_webhook(
    *,
    actor: Actor,
    club: Club,
    public_id: UUID,
    now: datetime,
    based_on: str | None = None,
    url: str | None = None,
    kinds: Sequence[str] | None = None,
    state: str | None = None,
) -> Webhook:
    """Change the address or the kinds of a webhook, disable or enable it; None stays as it is.

    Messages that wait for a disabled webhook are sent once it is enabled. `based_on` is the mark of
    what the caller had read.
    """
    require(actor, club, ACT)
    webhook = get_webhook(club, public_id)
    problems = _format_problems(webhook.format, url) if url is not None else []
    problems += _kind_problems(kinds, webhook.format) if kinds is not None else []
    if state is not None and state not in WebhookState.values:
        problems.append(Problem("bad_webhook_state", ("state",), {"found": shown(state)}))
    if problems:
        raise Refused(*problems)
    host = require_allowed(url).host if url is not None else ""
    return _change(actor, club, public_id, now, based_on, (url, host), kinds, state)


@atomic_act
def _change(
    actor: Actor,
    club: Club,
    public_id: UUID,
    now: datetime,
    based_on: str | None,
    address: tuple[str | None, str],
    kinds: Sequence[str] | None,
    state: str | None,
) -> Webhook:
    row = _locked(club, public_id)
    if based_on is not None and based_on != tag_of(row):
        raise Conflict(Problem("webhook_outdated"), there={"state": row.state})
    facts: dict[str, object] = {}
    url, host = address
    if url is not None:
        row.sealed_url, row.host, facts["host"] = _sealed(url), host, host
        row.rest_until, row.failures = None, 0
    if kinds is not None:
        row.kinds = facts["kinds"] = _ordered(kinds)
    if state is not None and state != row.state:
        row.state = facts["state"] = state
        row.disabled_by = DisabledBy.OWNER if state == WebhookState.DISABLED else ""
        row.rest_until, row.failures = None, 0
    if facts:
        row.revision += 1
        row.save(
            update_fields=[
                "sealed_url", "host", "kinds", "state", "disabled_by", "rest_until", "failures",
                "revision",
            ]
        )  # fmt: skip
        _audit(actor, row, "change_webhook", facts, now)
    return get_webhook(club, public_id)


@atomic_act
def remove_webhook(*, actor: Actor, club: Club, public_id: UUID, now: datetime) -> None:
    """Remove a webhook; what waits for it is not sent, and its address and secrets are emptied."""
    require(actor, club, ACT)
    row = _locked(club, public_id)
    row.removed_at, row.state, row.disabled_by = now, WebhookState.DISABLED, DisabledBy.OWNER
    row.sealed_url = row.secret = row.previous_secret = ""
    row.save(
        update_fields=[
            "removed_at", "state", "disabled_by", "sealed_url", "secret", "previous_secret",
        ]
    )  # fmt: skip
    _audit(actor, row, "remove_webhook", {"host": row.host}, now)


@atomic_act
def rotate_secret(*, actor: Actor, club: Club, public_id: UUID, now: datetime) -> CreatedWebhook:
    """Give a webhook a new secret; the one before signs as well for another 24 hours."""
    require(actor, club, ACT)
    row = _locked(club, public_id)
    plain = _new_secret()
    row.previous_secret, row.previous_until = row.secret, now + OVERLAP
    row.secret = _sealed(plain)
    row.revision += 1
    row.save(update_fields=["previous_secret", "previous_until", "secret", "revision"])
    _audit(actor, row, "rotate_webhook_secret", {}, now)
    return CreatedWebhook(get_webhook(club, public_id), plain)


@atomic_act
def test_webhook(*, actor: Actor, club: Club, public_id: UUID, now: datetime) -> WebhookDelivery:
    """Queue a test message to a webhook; the delivery records the result."""
    require(actor, club, ACT)
    row = _active(club, public_id)
    Webhook.objects.filter(pk=row.pk).update(rest_until=None)
    webhook_delivery = record_test(row, now=now)
    _audit(actor, row, "test_webhook", {}, now)
    return get_delivery(row, webhook_delivery.public_id)


@atomic_act
def repeat_delivery(
    *, actor: Actor, club: Club, webhook: UUID, public_id: UUID, now: datetime
) -> WebhookDelivery:
    """Have a message sent again, from its first try; a waiting one is tried at once."""
    require(actor, club, ACT)
    row = _active(club, webhook)
    webhook_delivery = get_delivery(row, public_id)
    Webhook.objects.filter(pk=row.pk).update(rest_until=None)
    WebhookDelivery.objects.filter(pk=webhook_delivery.pk).update(
        state=DeliveryState.WAITING,
        attempts=0,
        first_due_at=now,
        due_at=now,
        done_at=None,
        error="",
    )
    _audit(actor, row, "repeat_delivery", {"delivery": str(public_id)}, now)
    return get_delivery(row, public_id)


def _format_problems(format: str, url: str) -> list[Problem]:
    if format not in WebhookFormat.values:
        return [Problem("bad_webhook_format", ("format",), {"found": shown(format)})]
    if format != WebhookFormat.TELEGRAM:
        return []
    try:
        query = parse_qs(urlsplit(url).query)
    except ValueError:
        return []
    return [] if query.get("chat_id") else [Problem("telegram_chat_needed", ("url",))]


def _kind_problems(kinds: Sequence[str], format: str) -> list[Problem]:
    unknown = [kind for kind in kinds if kind not in WebhookKind.values]
    if not kinds or unknown or len(set(kinds)) != len(kinds):
        kinds_text = ", ".join(map(str, unknown or kinds))
        facts = {"found": shown(kinds_text), "expected": ", ".join(WebhookKind.values)}
        return [Problem("bad_webhook_kinds", ("kinds",), facts)]
    if format == WebhookFormat.STANDARD:
        return []
    other = [kind for kind in kinds if kind not in CHAT_KINDS]
    facts = {"found": ", ".join(other), "expected": ", ".join(CHAT_KINDS)}
    return [Problem("kind_not_for_chat", ("kinds",), facts)] if other else []


def _ordered(kinds: Sequence[str]) -> list[str]:
    return [str(value) for value in WebhookKind.values if value in kinds]


def _new_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def _sealed(plain: str) -> str:
    return seal(plain.encode()).decode()


def _locked(club: Club, public_id: UUID) -> Webhook:
    rows = Webhook.objects.select_for_update(no_key=True).filter(removed_at__isnull=True)
    row = rows.filter(pk=get_webhook(club, public_id).pk).first()
    return row if row is not None else get_webhook(club, public_id)


def _active(club: Club, public_id: UUID) -> Webhook:
    row = _locked(club, public_id)
    if row.state != WebhookState.ACTIVE:
        raise Conflict(Problem("webhook_is_disabled"))
    return row


def _audit(actor: Actor, row: Webhook, act: str, facts: dict[str, object], now: datetime) -> None:
    append_audit(
        row.club, actor, act, f"webhook:{row.public_id}",
        facts=facts, now=now,
    )  # fmt: skip
