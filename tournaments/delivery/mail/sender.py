"""The mail sender: a thread of every worker that composes and sends what the outbox holds."""

import json
import re
import smtplib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from email.headerregistry import Address
from email.utils import formataddr, parseaddr
from typing import Any, Final

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import DatabaseError
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.delivery.lasting_thread import LOOK_S, LastingThread, LastingThreadStep
from tournaments.delivery.mail.files import message_id_of, remove_old_files
from tournaments.domain.notices import (
    INVITATION,
    KIND_OF,
    PERSONAL_CONFIRMATION,
    PERSONAL_LINK,
    SIGN_IN,
    personal_kind,
)
from tournaments.domain.sealing import SealBroken, unseal
from tournaments.domain.time_limits import TooLong, bounded
from tournaments.models.access import Invitation
from tournaments.models.clubs import Club, Player
from tournaments.models.jobs import Outbox
from tournaments.selectors.access.invitations import (
    list_pending_invitations,
    mail_mark,
    printable_token,
)
from tournaments.selectors.access.personal_links import (
    confirmation_token,
    confirming_address,
    find_mailed_link,
    find_working_link,
    get_contact,
    personal_path,
    site_address,
)
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.selectors.jobs.outgoing import are_mails_files
from tournaments.selectors.jobs.queue import get_database_time
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.selectors.notices.notifications import (
    find_channels_of_members,
    find_mailable,
    unsubscribe_token,
)
from tournaments.selectors.notices.outbox import in_language_of, send_limit_s
from tournaments.services.notices.mailboxes import take_slot
from tournaments.services.notices.outbox import (
    MAILS_KEPT,
    claim_mail,
    drop_mail,
    finish_mail,
    forget_old_mails,
    hold_mail,
    note_address,
    retry_mail,
)
from tournaments.services.outgoing import may_send

_URL: Final = re.compile(r"https?://[^\s<>]+")
_LONGEST_URL: Final = 60


@dataclass(frozen=True, slots=True)
class MailText:
    """The content of a mail: paragraphs, rows of a label and a value, and the page it links to.

    `answers` are further links before that one, each with its label. `headline` is large.
    `footer` says why the reader gets it. `unsubscribe_url` unsubscribes without signing in.
    """

    subject: str
    paragraphs: tuple[str, ...]
    rows: tuple[tuple[str, str], ...] = ()
    link: str = ""
    url: str = ""
    club: str = ""
    footer: str = ""
    unsubscribe_url: str = ""
    answers: tuple[tuple[str, str], ...] = ()
    headline: str = ""


@dataclass(frozen=True, slots=True)
class MailFault:
    """`is_permanent`: the same mail would be refused again. `is_of_server`: all mail would fail.

    `is_of_address`: the mail server takes no mail for the address.
    """

    text: str
    is_permanent: bool = False
    is_of_server: bool = False
    is_of_address: bool = False


log = structlog.get_logger("blacklady.mail")


def mail_message(
    text: MailText, *, to: str, message_id: str, language: str
) -> EmailMultiAlternatives:
    """Return a mail that says `text`; `message_id` is the part before the @, the same each time."""
    name, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    domain = Address(addr_spec=address).domain if "@" in address else ""
    headers = {"Message-ID": f"<{message_id}@{domain or 'localhost'}>"}
    headers["Auto-Submitted"] = "auto-generated"
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


def _with_links(paragraph: str) -> SafeString:
    """Return a paragraph as HTML; addresses in it become links.

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


def notification_text(
    mail: Outbox, club: Club, reader: User | Player
) -> tuple[str, MailText | None]:
    """Return the address and the text of a notification.

    The text is None where the reader stopped the kind, or it is out of date.
    """
    kind = KIND_OF[mail.kind]
    if isinstance(reader, Player):
        kind = personal_kind(mail.kind)
        to = find_mailable([reader.pk], kind).get(reader.pk, "")
        token = unsubscribe_token(club_id=club.pk, player_id=reader.pk, kind=kind)
        footer = _("You get this mail as a player of %s.")
    else:
        channels = find_channels_of_members(club, [reader.pk], kind).get(reader.pk)
        to = reader.email if channels is not None and channels.by_mail else ""
        token = unsubscribe_token(club_id=club.pk, user_id=reader.pk, kind=kind)
        footer = _("You get this mail as a member of %s.")
    if not to:
        return "", None
    text = notice_text(mail.kind, mail.payload["facts"], reader, now=mail.due_at, email=to)
    if text is None:
        return to, None
    stops = reverse("tournaments:unsubscribe", args=(token,))
    return to, MailText(
        subject=text.title,
        headline=text.headline,
        paragraphs=text.paragraphs,
        rows=text.rows,
        link=text.link,
        url=site_address(text.mail_path or text.path),
        answers=tuple((label, site_address(path)) for label, path in text.answers),
        club=club.name,
        footer=footer % club.name,
        unsubscribe_url=f"{settings.SITE_URL}{stops}",
    )


CONFIRMATIONS: Final = {
    "address": (
        gettext_lazy("Confirm your mail address"),
        gettext_lazy("%(name)s is to get mails of %(club)s at %(email)s."),
        gettext_lazy("Confirm address"),
    ),
    "erasure": (
        gettext_lazy("Do you want to be erased?"),
        gettext_lazy("%(name)s is to be erased from %(club)s. The club decides about it."),
        gettext_lazy("Ask for erasure"),
    ),
    "account": (
        gettext_lazy("Create your account"),
        gettext_lazy("The link makes an account for %(name)s at %(club)s."),
        gettext_lazy("Create account"),
    ),
    "challenge": (
        gettext_lazy("Answer or report a challenge"),
        gettext_lazy("%(name)s wants to answer a challenge at %(club)s, or to report its result."),
        gettext_lazy("Open challenge"),
    ),
}
"""What a mail confirms → its subject, its text and the label of its link."""


def confirmation_text(mail: Outbox, club: Club, player: Player) -> tuple[str, MailText | None]:
    """Return the mail that confirms what the holder of a personal link asked for.

    It goes to the stored address; that for a first address, to the new one.
    """
    contact = get_contact(player)
    link = find_working_link(player)
    asked = mail.payload["facts"]
    action = asked["action"]
    new_email = asked["email"] if action == "address" else ""
    to = confirming_address(contact, link, action) if link is not None else ""
    is_outdated = new_email != contact.new_email and action == "address"
    is_refused = to == contact.email and contact.is_refused
    if link is None or not to or is_outdated or is_refused:
        return "", None
    facts = {"address": {"email": new_email}, "challenge": {"challenge": asked["challenge"]}}
    token = confirmation_token(link, action, facts.get(action, {}), email=to)
    subject, text, label = CONFIRMATIONS[action]
    names = {"name": player.name, "club": club.name, "email": new_email}
    return to, MailText(
        subject=str(subject),
        paragraphs=(
            str(text) % names,
            _("Open the link and press the button. The link works for a day."),
            _("If you did not ask for this, ignore this mail. Nothing changes."),
        ),
        link=str(label),
        url=site_address(reverse("tournaments:my-confirm", args=(token,))),
        club=club.name,
        footer=_("Somebody with the personal link of %s asked for this mail.") % player.name,
    )


def personal_link_text(club: Club, player: Player) -> tuple[str, MailText | None]:
    """Return the mail with the personal link of a player; None where it was revoked meanwhile."""
    contact = get_contact(player)
    link = find_mailed_link(contact)
    if link is None or contact.is_refused:
        return "", None
    return contact.email, MailText(
        subject=_("Your page of %s") % club.name,
        paragraphs=(
            _("%(name)s, this link opens your own page of %(club)s, without an account.")
            % {"name": player.name, "club": club.name},
            _("Say there whether you come, check in, and read your table and your results."),
            _("Keep this mail, and do not pass the link on: it is for you."),
        ),
        link=_("Open my page"),
        url=site_address(personal_path(link)),
        club=club.name,
        footer=_("A director of %s sent this mail to the address that you gave.") % club.name,
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
    mark = "" if are_mails_files() else f"?m={mail_mark(invitation.seed)}"
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
        footer=_("%s entered your address for this invitation only.") % club,
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
    """Return the mail to send; None if it is out of date, or has no recipient."""
    with in_language_of(mail.club) as language:
        to, text = _address_and_text(mail)
        if text is None or not to:
            return None
        return mail_message(text, to=to, message_id=message_id_of(mail), language=language)


def _address_and_text(mail: Outbox) -> tuple[str, MailText | None]:
    if mail.kind == SIGN_IN:
        parts = json.loads(unseal(mail.payload["sealed"].encode()))
        blocks = tuple(block.strip() for block in parts["text"].split("\n\n"))
        return parts["to"], MailText(
            subject=parts["subject"], paragraphs=tuple(block for block in blocks if block)
        )
    if mail.kind == INVITATION:
        return str(mail.payload["to"]), invitation_text(mail.payload)
    if mail.club is not None and mail.player is not None and mail.kind == PERSONAL_CONFIRMATION:
        return confirmation_text(mail, mail.club, mail.player)
    if mail.club is not None and mail.player is not None and mail.kind == PERSONAL_LINK:
        return personal_link_text(mail.club, mail.player)
    reader = mail.user or mail.player
    if reader is None or mail.club is None:
        return "", None
    return notification_text(mail, mail.club, reader)


def fault_of(fault: Exception) -> MailFault:
    """Return the fault for an exception raised while sending.

    >>> fault_of(smtplib.SMTPDataError(554, b"no spam"))
    MailFault(text='554 no spam', is_permanent=True, is_of_server=False, is_of_address=False)
    >>> fault_of(TimeoutError("timed out")).is_of_server
    True
    """
    if isinstance(fault, smtplib.SMTPRecipientsRefused):
        reply = _reply(*next(iter(fault.recipients.values())))
        return replace(reply, is_of_address=reply.is_permanent)
    if isinstance(fault, smtplib.SMTPDataError):
        return _reply(fault.smtp_code, fault.smtp_error)
    if isinstance(fault, smtplib.SMTPResponseException):
        # About our name, our password, our sender: the next mail would get the same reply.
        return MailFault(_line(fault.smtp_code, fault.smtp_error), is_of_server=True)
    if isinstance(fault, SealBroken):
        return MailFault("Written under another SECRET_KEY", is_permanent=True)
    if isinstance(fault, smtplib.SMTPNotSupportedError):
        return MailFault(str(fault), is_permanent=True)
    text = f"{type(fault).__name__}: {fault}"
    return MailFault(text, is_of_server=isinstance(fault, OSError | TooLong))


def _reply(code: int, words: bytes | str) -> MailFault:
    if code == 421:  # the server shuts down
        return MailFault(_line(code, words), is_of_server=True)
    return MailFault(_line(code, words), is_permanent=code >= 500)


def _line(code: int, words: bytes | str) -> str:
    text = words.decode(errors="replace") if isinstance(words, bytes) else words
    return f"{code} {' '.join(text.split())}"


REST_S: Final = 15.0
"""Pause after the mail server was unreachable or refused us."""
MAILS_A_CONNECTION: Final = 50


class MailSender(LastingThread):
    """Sends the mails that are due, one at a time, until `stop`."""

    NAME = "mail-sender"
    CLAIMED = Outbox

    def forget_old(self, now: datetime) -> None:
        forget_old_mails(now=now)
        remove_old_files((now - MAILS_KEPT).timestamp())

    def step(self) -> float:
        return LOOK_S if self.send_due() else REST_S

    def send_due(self) -> bool:
        """Send all mails that are due; False if the mail server is unavailable or refuses mail.

        None is claimed while outgoing messages are switched off.
        """
        n_sent = 0
        with mail_server() as server:
            while not self._ending.is_set():
                now = get_database_time(timezone.now())
                mail = claim_mail(now=now) if may_send(now=now) else None
                if mail is None:
                    return True
                fault = send_mail(mail, server)
                if fault is not None and fault.is_of_server:
                    return False
                n_sent += 1
                if fault is not None or n_sent % MAILS_A_CONNECTION == 0:
                    _hang_up(server)
        return True


def send_mail(mail: Outbox, server: BaseEmailBackend) -> MailFault | None:
    """Send a mail that this process has claimed, note the outcome, and return the fault.

    A mail whose mailbox got the most of a day is held back.
    """
    message = None
    held_until = None
    try:
        with bounded(send_limit_s()):
            message = compose(mail)
            if message is not None and mail.kind != SIGN_IN:
                now = get_database_time(timezone.now())
                held_until = take_slot(message.to[0], mail.pk, now=now)
            if message is not None and held_until is None:
                server.open()
                server.send_messages([message])
    except DatabaseError:
        raise  # nobody's fault: the claim runs out
    except Exception as fault:
        mail_fault = fault_of(fault)
        if mail_fault.is_of_address and message is not None:
            note_address(mail, message.to[0], mail_fault.text)
        parked = retry_mail(
            mail,
            error=mail_fault.text,
            is_permanent=mail_fault.is_permanent,
            now=get_database_time(timezone.now()),
        )
        # Words about one mail repeat its address; those about us tell a wrong password from a
        # server that is away.
        about = mail_fault.text if mail_fault.is_of_server else ""
        log.warning(
            "mail_not_sent",
            id=mail.pk,
            kind=mail.kind,
            fault=type(fault).__name__,
            smtp_code=getattr(fault, "smtp_code", None),
            about=about,
            parked=parked,
        )
        return mail_fault
    if message is None:
        drop_mail(mail, now=get_database_time(timezone.now()))
    elif held_until is not None:
        waits = hold_mail(mail, until=held_until, now=get_database_time(timezone.now()))
        log.info("mail_held", id=mail.pk, kind=mail.kind, waits=waits)
    else:
        finish_mail(mail, to=message.to[0], now=timezone.now())
        note_address(mail, message.to[0])
        log.info("mail_sent", id=mail.pk, kind=mail.kind)
    return None


@contextmanager
def mail_server() -> Iterator[BaseEmailBackend]:
    """Yield what sends mails, and hang up at the end."""
    server = get_connection()
    try:
        yield server
    finally:
        _hang_up(server)


def _hang_up(server: BaseEmailBackend) -> None:
    with suppress(OSError):  # it has hung up first
        server.close()


class MailSenderStep(LastingThreadStep):
    def create(self, parent: object) -> Any:
        return MailSender()
