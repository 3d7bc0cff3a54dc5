"""What a failure to send says: whether the mail, its recipient, or the mail server is to blame."""

import smtplib
from dataclasses import dataclass
from typing import Final

from tournaments.domain.sealing import SealBroken
from tournaments.time_limits import TooLong

REFUSED_FOR_GOOD: Final = 500
SHUTTING_DOWN: Final = 421


@dataclass(frozen=True, slots=True)
class MailFault:
    """`is_permanent`: the same mail would be refused again. `is_of_server`: so would any other."""

    text: str
    is_permanent: bool = False
    is_of_server: bool = False


def fault_of(fault: Exception) -> MailFault:
    """Return what an exception of sending says.

    >>> fault_of(smtplib.SMTPDataError(554, b"no spam"))
    MailFault(text='554 no spam', is_permanent=True, is_of_server=False)
    >>> fault_of(TimeoutError("timed out"))
    MailFault(text='TimeoutError: timed out', is_permanent=False, is_of_server=True)
    """
    if isinstance(fault, smtplib.SMTPRecipientsRefused):
        code, said = next(iter(fault.recipients.values()))
        return _reply(code, said)
    if isinstance(fault, smtplib.SMTPDataError):
        return _reply(fault.smtp_code, fault.smtp_error)
    if isinstance(fault, smtplib.SMTPResponseException):
        # To our name, our password, our sender: the next mail would hear the same.
        return MailFault(_line(fault.smtp_code, fault.smtp_error), is_of_server=True)
    if isinstance(fault, SealBroken):
        return MailFault("Written under another SECRET_KEY", is_permanent=True)
    if isinstance(fault, smtplib.SMTPNotSupportedError):
        return MailFault(str(fault), is_permanent=True)
    text = f"{type(fault).__name__}: {fault}"
    return MailFault(text, is_of_server=isinstance(fault, OSError | TooLong))


def _reply(code: int, said: bytes | str) -> MailFault:
    if code == SHUTTING_DOWN:
        return MailFault(_line(code, said), is_of_server=True)
    return MailFault(_line(code, said), is_permanent=code >= REFUSED_FOR_GOOD)


def _line(code: int, said: bytes | str) -> str:
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    return f"{code} {' '.join(text.split())}"
