"""Rules that only status asks: mail, webhooks, backup, clock, certificate. They tell early.

What keeps this process from serving pages, and what workers leave undone, is found by the rules of
`config/health.py`, which `/readyz` asks too.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from config.health import Fault
from config.operation.last_backup import LastBackup
from config.operation.status.certificate import Certificate
from tournaments.selectors.notices.backlog import MailBacklog
from tournaments.selectors.webhooks.backlog import WebhookBacklog

MAIL_LATE: Final = timedelta(minutes=15)
"""A mail leaves within seconds; one that waits for longer is a fault."""
WEBHOOKS_LATE: Final = timedelta(minutes=15)
"""A message is tried within seconds; where a receiver refuses it, its next try is due later."""
BACKUP_OLD: Final = timedelta(hours=36)
"""A backup is due every day; one that was missed is found before the next."""
CERTIFICATE_NEAR: Final = timedelta(days=14)
"""Let's Encrypt's certificates are renewed 30 days before their end."""


def mail_faults(mail: MailBacklog, now: datetime) -> Iterator[Fault]:
    """Mail that waits for too long, and mail that was given up lately."""
    if mail.oldest is not None and now - mail.oldest > MAIL_LATE:
        yield Fault("mail_late", mail.oldest, _counted(mail.waiting, "mail waits", "mails wait"))
    if mail.parked_lately:
        yield Fault("mail_given_up", about=_counted(mail.parked_lately, "mail", "mails"))


def webhook_faults(webhooks: WebhookBacklog, now: datetime) -> Iterator[Fault]:
    """Messages of webhooks that nobody tries, and messages that were given up lately."""
    oldest = webhooks.oldest_due
    if oldest is not None and now - oldest > WEBHOOKS_LATE:
        yield Fault(
            "webhook_late", oldest, _counted(webhooks.due, "message waits", "messages wait")
        )
    if webhooks.parked_lately:
        yield Fault(
            "webhook_given_up", about=_counted(webhooks.parked_lately, "message", "messages")
        )


def backup_faults(last: LastBackup | None, now: datetime, *, has_data: bool) -> Iterator[Fault]:
    """No backup where there is something to lose, or one that is too old."""
    if last is None:
        if has_data:
            yield Fault("backup_never")
    elif now - last.at > BACKUP_OLD:
        yield Fault("backup_old", last.at, f"it holds {_day_and_time(last.at)}")


def certificate_faults(found: Certificate, now: datetime) -> Iterator[Fault]:
    """A certificate that ends soon, that browsers refuse, or that cannot be read."""
    if found.state == "refused":
        yield Fault("certificate_refused", about=found.about)
    elif found.state == "unreadable":
        yield Fault("certificate_unreadable", about=found.about)
    elif found.ends_at is not None and found.ends_at - now < CERTIFICATE_NEAR:
        yield Fault("certificate_ends", about=_day_and_time(found.ends_at))


def clock_faults(clause: str) -> Iterator[Fault]:
    """A clock that is off, as the clause of `clock_fault` says."""
    if clause:
        yield Fault("clock_off", about=clause)


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _day_and_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
