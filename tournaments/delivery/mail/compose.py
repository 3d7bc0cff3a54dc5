"""Compose a mail of the outbox when it is sent, in its club's language and time zone."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.headerregistry import Address
from email.utils import formataddr, parseaddr
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from tournaments.delivery.mail.files import are_kept, message_id_of
from tournaments.domain.people.notification_kinds import INVITATION, KIND_OF, SIGN_IN
from tournaments.domain.sealing import unseal
from tournaments.models.access import Invitation
from tournaments.models.clubs import Club
from tournaments.models.outbox import Outbox
from tournaments.selectors.access.invitations import (
    list_pending_invitations,
    mail_mark,
    printable_token,
)
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.selectors.notices.notifications import find_channels_of_members, unsubscribe_token
from tournaments.selectors.people.notice_text import notice_text

_URL: Final = re.compile(r"https?://[^\s<>]+")
_LONGEST_URL: Final = 60


@dataclass(frozen=True, slots=True)
class MailText:
    """The content of a mail: paragraphs, rows of a label and a value, and the page it links to.

    `footer` says why the reader gets it. `unsubscribe_url` stops the kind without signing in.
    """

    subject: str
    paragraphs: tuple[str, ...]
    rows: tuple[tuple[str, str], ...] = ()
    link: str = ""
    url: str = ""
    club: str = ""
    footer: str = ""
    unsubscribe_url: str = ""
    headers: dict[str, str] = field(default_factory=dict)


def message_of(
    text: MailText, *, to: str, message_id: str, language: str
) -> EmailMultiAlternatives:
    """Return a mail that says `text`, ready to be sent.

    Args:
        message_id: the part before the @; that of a mail that is sent twice is the same.
    """
    name, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    headers = {"Message-ID": f"<{message_id}@{_domain(address)}>"}
    headers |= {"Auto-Submitted": "auto-generated"} | text.headers
    if text.unsubscribe_url:
        # RFC 8058: the mail program posts there without asking or signing in.
        headers["List-Unsubscribe"] = f"<{text.unsubscribe_url}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    context = {"text": text, "language": language, "site": settings.SITE_URL}
    html = context | {"paragraphs": [_with_links(paragraph) for paragraph in text.paragraphs]}
    message = EmailMultiAlternatives(
        subject=one_line(text.subject),
        body=render_to_string("mail/message.txt", context),
        from_email=formataddr((one_line(text.club) or name, address)),
        to=[to],
        headers=headers,
    )
    message.attach_alternative(render_to_string("mail/message.html", html), "text/html")
    return message


def one_line(text: str) -> str:
    """Return a text for a header: line ends and other white space are blanks."""
    return " ".join(text.split())


def _domain(address: str) -> str:
    domain: str = Address(addr_spec=address).domain if "@" in address else ""
    return domain or "localhost"


def _with_links(paragraph: str) -> SafeString:
    """Return a paragraph as HTML; an address in it is a link, whatever it is around it stays text.

    >>> _with_links("Open https://a.example/?x=1&y=2 <now>")
    'Open <a href="https://a.example/?x=1&amp;y=2">https://a.example/?x=1&amp;y=2</a> &lt;now&gt;'
    """
    parts: list[str] = []
    end = 0
    for match in _URL.finditer(paragraph):
        url = match.group()
        text = url if len(url) <= _LONGEST_URL else f"{url[:_LONGEST_URL]}…"
        parts.append(escape(paragraph[end : match.start()]))
        parts.append(f'<a href="{escape(url)}">{escape(text)}</a>')
        end = match.end()
    parts.append(escape(paragraph[end:]))
    return mark_safe("".join(parts).replace("\n", "<br>"))  # noqa: S308 - each part is escaped above


def sign_in_text(payload: Mapping[str, str]) -> tuple[str, MailText]:
    """Return the address, which may be empty, and the text of a sealed mail."""
    parts = json.loads(unseal(payload["sealed"].encode()))
    blocks = tuple(block.strip() for block in parts["text"].split("\n\n"))
    return parts["to"], MailText(
        subject=parts["subject"], paragraphs=tuple(block for block in blocks if block)
    )


def notification_text(mail: Outbox, club: Club, reader: User) -> MailText | None:
    """Return the text of a notification; None where the member stopped it, or it is out of date."""
    kind = KIND_OF[mail.kind]
    channels = find_channels_of_members(club, [reader.pk], kind).get(reader.pk)
    text = notice_text(mail.kind, mail.payload["facts"], reader, now=mail.due_at)
    if channels is None or not channels.by_mail or text is None:
        return None
    token = unsubscribe_token(club_id=club.pk, user_id=reader.pk, kind=kind)
    stops = reverse("tournaments:unsubscribe", args=(token,))
    return MailText(
        subject=text.title,
        paragraphs=text.paragraphs,
        rows=text.rows,
        link=text.link,
        url=f"{settings.SITE_URL}{text.mail_path or text.path}",
        club=club.name,
        footer=_("You get this mail as a member of %s.") % club.name,
        unsubscribe_url=f"{settings.SITE_URL}{stops}",
    )


def invitation_text(payload: dict[str, Any]) -> MailText | None:
    """Return an invitation as its mail; None where it was accepted or revoked meanwhile."""
    rows = list_pending_invitations().select_related("club", "player", "created_by")
    invitation = rows.filter(public_id=payload["invitation"]).first()
    token = printable_token(invitation) if invitation is not None else ""
    if invitation is None or not token:
        return None
    club = invitation.club.name
    path = reverse("tournaments:open-invitation", args=(token,))
    # The mark confirms the address: not where others than its owner read the mail (mail/files.py).
    mark = "" if are_kept() else f"?m={mail_mark(invitation.seed)}"
    return MailText(
        subject=_("Invitation to %s") % club,
        paragraphs=(
            _invited_as(invitation, club),
            _("Open the link to create an account, or to join with the account that you have."),
            _("The link works once, until %s. Do not pass it on: it is for you.")
            % date_format(localtime(invitation.expires_at), "l j F Y"),
        ),
        link=_("Join %s") % club,
        url=f"{settings.SITE_URL}{path}{mark}",
        club=club,
        footer=_("%s entered your address for this invitation. Nobody else writes to it.") % club,
    )


def _invited_as(invitation: Invitation, club: str) -> str:
    by = invitation.created_by
    facts = {"club": club, "inviter": actor_of(by).name if by is not None else club}
    player = invitation.player
    if player is not None:
        facts |= {"name": player.name, "id": player.player_id}
        text = _("%(inviter)s invites you to %(club)s. You are on its list as %(name)s (%(id)s).")
        return text % facts
    facts |= {"role": str(invitation.get_role_display()).lower()}
    return _("%(inviter)s invites you to %(club)s. Your role there will be %(role)s.") % facts


def compose(mail: Outbox) -> EmailMultiAlternatives | None:
    """Return a mail as it is sent; None where it is out of date, or has no recipient."""
    club = mail.club
    language = club.language if club is not None else ""
    if language not in dict(settings.LANGUAGES):
        language = settings.LANGUAGE_CODE
    zone = ZoneInfo(club.time_zone if club is not None else settings.TIME_ZONE)
    with translation.override(language), timezone.override(zone):
        to, text = _address_and_text(mail)
        if text is None or not to:
            return None
        return message_of(text, to=to, message_id=message_id_of(mail), language=language)


def _address_and_text(mail: Outbox) -> tuple[str, MailText | None]:
    if mail.kind == SIGN_IN:
        return sign_in_text(mail.payload)
    if mail.kind == INVITATION:
        return str(mail.payload["to"]), invitation_text(mail.payload)
    if mail.user is None or mail.club is None:
        return "", None
    return mail.user.email, notification_text(mail, mail.club, mail.user)
