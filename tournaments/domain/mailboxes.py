"""Addresses that are one mailbox, and how a mailbox is named where no address may be stored."""

from contextlib import suppress
from typing import Final

from django.utils.crypto import salted_hmac

_SALT: Final = "tournaments.mailboxes"


def mailbox_of(address: str) -> str:
    """Return the mailbox of an address: without case and without a tag after the name.

    A tag (RFC 5233) reaches the same person, as does a domain in its ASCII form.

    >>> mailbox_of(" Ruth+Club@Mail.example"), mailbox_of("ruth@Bücher.example")
    ('ruth@mail.example', 'ruth@xn--bcher-kva.example')
    >>> mailbox_of("+@mail.example"), mailbox_of("nobody")
    ('+@mail.example', 'nobody')
    """
    name, at, domain = address.strip().casefold().rpartition("@")
    name = name.partition("+")[0] or name
    with suppress(UnicodeError):
        domain = domain.encode("idna").decode()
    return f"{name}{at}{domain}"


def mailbox_digest(address: str) -> str:
    """Return a hash of an address's mailbox under the server's key."""
    return salted_hmac(_SALT, mailbox_of(address), algorithm="sha256").hexdigest()
