"""Encryption of backups in the age format (docs/decisions/0040-backups-are-age-files.md).

A key file has one key a line; blank lines and lines that begin with `#` are ignored. Public keys
(`age1…`) can only encrypt; secret ones (`AGE-SECRET-KEY-1…`) encrypt to themselves and decrypt.
"""

import os
import re
from pathlib import Path
from typing import Final

import pyrage
from django.conf import settings

from config.operation.backup.destination import BackupRefused, create_private

SUFFIX: Final = ".age"
HEADER: Final = b"age-encryption.org/v1\n"


class BackupKeys:
    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
        except (OSError, UnicodeDecodeError) as fault:
            raise BackupRefused(f"BACKUP_KEY_FILE: {file} cannot be read.") from fault
        keys = [line for line in lines if line and not line.startswith("#")]
        try:
            self.identities = [
                pyrage.x25519.Identity.from_str(key) for key in keys if not key.startswith("age1")
            ]
            public = [
                pyrage.x25519.Recipient.from_str(key) for key in keys if key.startswith("age1")
            ]
        except (pyrage.IdentityError, pyrage.RecipientError) as fault:
            # The text of the fault may hold part of the key.
            raise BackupRefused(
                f"BACKUP_KEY_FILE: {file} holds a line that cannot be read as an age key; "
                "age-keygen makes one."
            ) from fault
        if not keys:
            raise BackupRefused(f"BACKUP_KEY_FILE: {file} holds no key; age-keygen makes one.")
        self.recipients = [*public, *(key.to_public() for key in self.identities)]

    def encrypt(self, plain: Path, to: Path) -> None:
        """Write `plain` encrypted to the new file `to`, which only its owner may read."""
        create_private(to)
        try:
            pyrage.encrypt_file(str(plain), str(to), self.recipients)
        except (pyrage.EncryptError, OSError) as fault:
            _raise_numbered(fault, to)
            raise BackupRefused(f"The backup cannot be encrypted: {fault}.") from fault

    def decrypt(self, encrypted: Path, to: Path) -> None:
        """Write `encrypted` in plain to the new file `to`, which only its owner may read."""
        if not self.identities:
            raise BackupRefused(
                f"{self.file} holds only public keys: name the file with the secret key "
                "(AGE-SECRET-KEY-1…) in BACKUP_KEY_FILE."
            )
        create_private(to)
        try:
            pyrage.decrypt_file(str(encrypted), str(to), self.identities)
        except (pyrage.DecryptError, OSError) as fault:
            _raise_numbered(fault, to)
            raise BackupRefused(
                f"{encrypted.name} is damaged, or encrypted for another key than those in "
                f"{self.file}."
            ) from fault


def is_encrypted(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(HEADER)) == HEADER


def configured_keys() -> BackupKeys | None:
    """The keys of `BACKUP_KEY_FILE`; None where backups are not encrypted."""
    path: Path | None = settings.BACKUP_KEY_FILE
    return BackupKeys(path) if path else None


def _raise_numbered(fault: Exception, path: Path) -> None:
    """Raise a fault of the file system with its number, which the library gives as text only."""
    if match := re.search(r"\(os error (\d+)\)", str(fault)):
        raise OSError(int(match[1]), os.strerror(int(match[1])), str(path)) from fault
