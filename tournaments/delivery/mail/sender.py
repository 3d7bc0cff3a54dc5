"""The mail sender: a thread of every worker that sends what the outbox holds."""

import smtplib
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

import structlog
from django.conf import settings
from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import DatabaseError
from django.utils import timezone

from tournaments.delivery.lasting_thread import LastingThread, LastingThreadStep
from tournaments.delivery.mail.compose import compose
from tournaments.delivery.mail.files import remove_old_files
from tournaments.domain.sealing import SealBroken
from tournaments.domain.time_limits import TooLong, bounded
from tournaments.models.outbox import Outbox
from tournaments.selectors.jobs.workers import get_database_time
from tournaments.selectors.notices.outbox import send_limit_s
from tournaments.services.notices.outbox import (
    KEPT,
    claim_mail,
    drop_mail,
    finish_mail,
    forget_old_mails,
    release_mails,
    retry_mail,
)

REFUSED_FOR_GOOD: Final = 500
SHUTTING_DOWN: Final = 421


@dataclass(frozen=True, slots=True)
class MailFault:
    """`is_permanent`: the same mail would be refused again. `is_of_server`: so would any other."""

    text: str
    is_permanent: bool = False
    is_of_server: bool = False


def fault_of(fault: Exception) -> MailFault:
    """Return the fault of an exception of sending.

    >>> fault_of(smtplib.SMTPDataError(554, b"no spam"))
    MailFault(text='554 no spam', is_permanent=True, is_of_server=False)
    >>> fault_of(TimeoutError("timed out"))
    MailFault(text='TimeoutError: timed out', is_permanent=False, is_of_server=True)
    """
    if isinstance(fault, smtplib.SMTPRecipientsRefused):
        return _reply(*next(iter(fault.recipients.values())))
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
    if code == SHUTTING_DOWN:
        return MailFault(_line(code, words), is_of_server=True)
    return MailFault(_line(code, words), is_permanent=code >= REFUSED_FOR_GOOD)


def _line(code: int, words: bytes | str) -> str:
    text = words.decode(errors="replace") if isinstance(words, bytes) else words
    return f"{code} {' '.join(text.split())}"


log = structlog.get_logger("blacklady.mail")
LOOK_S: Final = 0.5
"""The table is looked at this often."""
REST_S: Final = 15.0
"""After a mail server that was away, or refused us, it is left alone so long."""
MAILS_A_CONNECTION: Final = 50
SWEEP_S: Final = 3600.0


class MailSender(LastingThread):
    """Sends what is due, one mail at a time, until it is told to stop."""

    FIRST_REST_S = LOOK_S

    def __init__(self) -> None:
        super().__init__("mail-sender")
        self._started_over = not settings.EMBEDDED
        self._next_sweep = 0.0

    def step(self) -> float:
        """Send what is due; returns how many seconds to rest after it."""
        if not self._started_over:
            release_mails()
            self._started_over = True
        if time.monotonic() >= self._next_sweep:
            self._next_sweep = time.monotonic() + SWEEP_S
            forget_old_mails(now=timezone.now())
            remove_old_files((timezone.now() - KEPT).timestamp())
        return LOOK_S if self.send_due() else REST_S

    def send_due(self) -> bool:
        """Send all that is due; false where the mail server is away or refuses us."""
        n_sent = 0
        with _mail_server() as server:
            while not self._ending.is_set():
                mail = claim_mail(now=get_database_time(timezone.now()))
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
    """Send a mail that this process has claimed, note the outcome, and return the fault."""
    try:
        with bounded(send_limit_s()):
            message = compose(mail)
            if message is not None:
                server.open()
                server.send_messages([message])
    except DatabaseError:
        raise  # nobody's fault: the claim runs out
    except Exception as fault:
        mail_fault = fault_of(fault)
        parked = retry_mail(
            mail,
            error=mail_fault.text,
            is_permanent=mail_fault.is_permanent,
            now=get_database_time(timezone.now()),
        )
        # Without the server's words: they repeat the address.
        name, code = type(fault).__name__, getattr(fault, "smtp_code", None)
        log.warning(
            "mail_not_sent", id=mail.pk, kind=mail.kind, fault=name, smtp_code=code, parked=parked
        )
        return mail_fault
    if message is None:
        drop_mail(mail)
    else:
        finish_mail(mail, now=timezone.now())
        log.info("mail_sent", id=mail.pk, kind=mail.kind)
    return None


@contextmanager
def _mail_server() -> Iterator[BaseEmailBackend]:
    server = get_connection()
    try:
        yield server
    finally:
        _hang_up(server)


def _hang_up(server: BaseEmailBackend) -> None:
    with suppress(OSError):  # it has hung up first
        server.close()


class MailSenderStep(LastingThreadStep):
    """Starts the mail sender with its worker."""

    def __init__(self, worker: object, **kwargs: object) -> None:
        super().__init__(worker, **kwargs)
        self.thread = MailSender()
