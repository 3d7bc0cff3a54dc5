"""Encryption of temporary texts, so that a copy of the database does not reveal them.

Authenticated encryption (Fernet, https://cryptography.io/en/latest/fernet/) under a key derived
from the server's SECRET_KEY: anyone with both the key and the database can decrypt it, as they can
forge every session.
"""

import base64
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

_SALT: Final = "tournaments.sealing"


class SealBroken(Exception):
    """The sealed text cannot be opened: the server's key has changed, or the text is damaged."""


def seal(plain: bytes) -> bytes:
    return _fernet().encrypt(plain)


def unseal(sealed: bytes) -> bytes:
    try:
        return _fernet().decrypt(sealed)
    except InvalidToken as broken:
        raise SealBroken from broken


def _fernet() -> MultiFernet:
    """Return what seals under the secret key, and opens under the former ones too."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    keys = [salted_hmac(_SALT, "key", secret, algorithm="sha256").digest() for secret in secrets]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])
