"""Mails that are sent at once, without a worker: the test mail, and the report of a failure.

The page of the status and commands send them, also while the database is away.
"""

import secrets
import smtplib
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import structlog
from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from tournaments.delivery.mail.sender import MailText, fault_of, mail_message, mail_server
from tournaments.domain.time_limits import TooLong, bounded
from tournaments.selectors.jobs.outgoing import SiteMail, get_site_mail
from tournaments.selectors.notices.outbox import send_limit_s

NO_MAIL: Final[Mapping[SiteMail, str | Promise]] = {
    SiteMail.NONE: gettext_lazy(
        "This site has no mail server. Set EMAIL_URL to the address of yours, such as "
        "smtp+tls://user:password@host:587, and restart the service."
    ),
    SiteMail.OFF: gettext_lazy(
        "Sending is switched off, as on a copy of a site. On the club's own server run the command "
        "outgoing on. Where the setting OUTGOING is off, unset it and restart the service."
    ),
}
"""Why no mail is sent at all, and what to do."""

FAULTS: Final[tuple[tuple[type[Exception], str | Promise], ...]] = (
    (
        smtplib.SMTPAuthenticationError,
        gettext_lazy("%(server)s refuses the user name or the password. Check EMAIL_URL."),
    ),
    (
        smtplib.SMTPSenderRefused,
        gettext_lazy(
            "%(server)s refuses the sender %(sender)s. Set DEFAULT_FROM_EMAIL to an address that "
            "it accepts."
        ),
    ),
    (
        smtplib.SMTPRecipientsRefused,
        gettext_lazy("%(server)s accepts no mail for %(to)s. Check the address."),
    ),
    (smtplib.SMTPDataError, gettext_lazy("%(server)s refuses this mail.")),
    (
        smtplib.SMTPNotSupportedError,
        gettext_lazy(
            "%(server)s does not offer what EMAIL_URL asks for. Port 587 needs smtp+tls, port 465 "
            "smtp+ssl, and a server without encryption smtp."
        ),
    ),
    (smtplib.SMTPResponseException, gettext_lazy("%(server)s refuses this machine.")),
    (
        smtplib.SMTPServerDisconnected,
        gettext_lazy(
            "%(server)s ends the connection before it answers. Check EMAIL_URL: port 587 needs "
            "smtp+tls, port 465 smtp+ssl."
        ),
    ),
    (
        ssl.SSLCertVerificationError,
        gettext_lazy(
            "The certificate of %(server)s does not count: it is of another host, has ended, or "
            "nobody known signed it. Check the host in EMAIL_URL."
        ),
    ),
    (
        ssl.SSLError,
        gettext_lazy(
            "%(server)s does not encrypt as EMAIL_URL asks for. Port 587 needs smtp+tls, port 465 "
            "smtp+ssl."
        ),
    ),
    (
        socket.gaierror,
        gettext_lazy("No address is known for the host of %(server)s. Check EMAIL_URL."),
    ),
    (
        ConnectionRefusedError,
        gettext_lazy("No server answers at %(server)s. Check host and port in EMAIL_URL."),
    ),
    (
        TimeoutError,
        gettext_lazy(
            "%(server)s does not answer in time. Check host and port in EMAIL_URL, and whether a "
            "firewall lets this machine connect to it."
        ),
    ),
    (TooLong, gettext_lazy("%(server)s does not answer in time.")),
    (OSError, gettext_lazy("%(server)s cannot be reached. Check EMAIL_URL and the network.")),
)
"""What sending may raise → what it means. The first that fits counts: most are OSErrors as well."""

log = structlog.get_logger("blacklady.mail")


@dataclass(frozen=True, slots=True)
class SentAtOnce:
    """What became of a mail. `reply` has the words of the mail server, or of this machine."""

    is_sent: bool
    sentence: str
    reply: str = ""


def mail_server_name() -> str:
    """Return host and port of the mail server, such as `mail.example:587`."""
    return f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"


def send_test_mail(to: str) -> SentAtOnce:
    facts = {
        "site": settings.SITE_URL,
        "server": mail_server_name(),
        "sender": settings.DEFAULT_FROM_EMAIL,
    }
    text = MailText(
        subject=_("Test mail of %(site)s") % facts,
        paragraphs=(
            _("%(site)s can send mail. The server %(server)s took this one.") % facts,
            _("It is from %(sender)s.") % facts,
            _(
                "The header Authentication-Results of this mail says whether SPF, DKIM and DMARC "
                "pass. Without them mail ends in the folder for junk."
            ),
        ),
    )
    return send_at_once(text, to, kind="test")


def send_at_once(text: MailText, to: str, *, kind: str) -> SentAtOnce:
    """Send a mail from this process, and say what became of it; `kind` is for the log."""
    state = get_site_mail()
    if state is not SiteMail.ON:
        return SentAtOnce(is_sent=False, sentence=str(NO_MAIL[state]))
    message = mail_message(
        text,
        to=to,
        message_id=f"{kind}-{secrets.token_hex(8)}",
        language=get_language() or settings.LANGUAGE_CODE,
    )
    facts = {"server": mail_server_name(), "sender": settings.DEFAULT_FROM_EMAIL, "to": to}
    try:
        with bounded(send_limit_s()), mail_server() as server:
            server.open()
            server.send_messages([message])
    except (OSError, TooLong) as fault:
        reply = fault_of(fault)
        # Words about one mail repeat its address.
        about = reply.text if reply.is_of_server else ""
        log.warning("mail_not_sent", kind=kind, fault=type(fault).__name__, about=about)
        sentence = next(text for fits, text in FAULTS if isinstance(fault, fits))
        return SentAtOnce(is_sent=False, sentence=str(sentence) % facts, reply=reply.text)
    log.info("mail_sent", kind=kind)
    sentence = _(
        "%(server)s took the mail for %(to)s. Look for it in that mailbox, and in its folder for "
        "junk."
    )
    return SentAtOnce(is_sent=True, sentence=sentence % facts)
