"""Writes a mail of the outbox out, as its club's language and time zone have it, when it is sent.

What is read is what is there now: a name that was mended is written so, and nobody is written to
about what is gone, or after they stopped such mails or left the club.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.utils import timezone, translation

from tournaments.domain.people.notification_kinds import INVITATION, SIGN_IN
from tournaments.mail.files import message_id_of
from tournaments.mail.invitation import invitation_text
from tournaments.mail.message import MailText, message_of
from tournaments.mail.notification import notification_text
from tournaments.mail.sign_in import sign_in_text
from tournaments.models.clubs import Club
from tournaments.models.outbox import Outbox


def compose(mail: Outbox) -> EmailMultiAlternatives | None:
    """Return a mail as it is sent; None where nobody is to get it any more.

    Raises:
        SealBroken: the server has another key than when it was written.
    """
    language = language_of(mail.club)
    with _as_in(mail.club, language):
        to, text = _written(mail)
        if text is None or not to:
            return None
        return message_of(
            text,
            to=to,
            message_id=message_id_of(mail),
            language=language,
        )


def _written(mail: Outbox) -> tuple[str, MailText | None]:
    """Return the address of a mail and what it says."""
    if mail.kind == SIGN_IN:
        return sign_in_text(mail.payload)
    if mail.kind == INVITATION:
        return str(mail.payload["to"]), invitation_text(mail.payload)
    if mail.user is None or mail.club is None:
        return "", None
    return mail.user.email, notification_text(mail, mail.club, mail.user)


def language_of(club: Club | None) -> str:
    """Return the language that a club's mails are written in, one that there is."""
    known = dict(settings.LANGUAGES)
    return club.language if club is not None and club.language in known else settings.LANGUAGE_CODE


@contextmanager
def _as_in(club: Club | None, language: str) -> Iterator[None]:
    zone = ZoneInfo(club.time_zone if club is not None else settings.TIME_ZONE)
    with translation.override(language), timezone.override(zone):
        yield
