"""Mail as files in a directory, so that it can be read without a mail server."""

import os
import re
from collections.abc import Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage as ParsedMail
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from tournaments.models.jobs import Outbox
from tournaments.selectors.jobs.outgoing import are_mails_files


class EmailBackend(BaseEmailBackend):
    """Writes each mail to a file of its own below `EMAIL_FILE_PATH`, for the service's account."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        directory = Path(settings.EMAIL_FILE_PATH)
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        for message in email_messages:
            mail = message.message()
            name = re.sub(r"[^A-Za-z0-9@._-]", "", str(mail["Message-ID"])) or "mail"
            file = directory / f"{name}.eml"
            draft = file.with_suffix(f".{os.getpid()}")
            draft.touch(mode=0o600)
            draft.write_bytes(mail.as_bytes())
            draft.replace(file)
        return len(email_messages)


def message_id_of(mail: Outbox) -> str:
    """Return the part of a mail's id before the @; the same however often it is sent."""
    return f"outbox-{mail.pk}-{mail.created_at:%Y%m%d%H%M%S}"


def read_mail(mail: Outbox) -> ParsedMail | None:
    """Return a mail that was written to a file; None if the file is missing."""
    if not are_mails_files():
        return None
    for file in Path(settings.EMAIL_FILE_PATH).glob(f"{message_id_of(mail)}@*.eml"):
        return message_from_bytes(file.read_bytes(), policy=policy.default)
    return None


def remove_old_files(oldest: float) -> None:
    if are_mails_files():
        for file in Path(settings.EMAIL_FILE_PATH).glob("*.eml"):
            if file.stat().st_mtime < oldest:
                file.unlink(missing_ok=True)
