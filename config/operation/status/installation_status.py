"""The status of an installation: everything that is wrong, and the figures behind it.

`read_status` is the one function that the page, the command and the metrics ask.
"""

import re
import shutil
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from celery import current_app
from django.conf import settings
from django.db import Error, connection

from config.health import READINESS, UNABLE, Fault, database_time_limit
from config.operation.backup.destination import LastBackup, list_unfinished, read_last_backup
from config.operation.backup.scratch import (
    LEFT_DATABASES,
    list_left_directories,
    parameters_of_left,
)
from config.operation.status.explanations import EXPLANATIONS, Area, Severity
from tournaments.domain.faults import cause_of
from tournaments.selectors.audit import get_newest_audit_line_at
from tournaments.selectors.jobs.jobs import JobBacklog, get_job_backlog
from tournaments.selectors.jobs.outgoing import Outgoing, get_outgoing
from tournaments.selectors.jobs.queue import (
    MessageBacklog,
    WorkerState,
    list_worker_states,
    list_workers,
)
from tournaments.selectors.notices.outbox import get_last_mail_fault, get_mail_backlog
from tournaments.selectors.webhooks import get_webhook_backlog
from tournaments.services.jobs.enqueue import count_hints

TIMEOUT_S: Final = 3.0
"""Time limit of each step of the query."""
KEPT_S: Final = 3600.0
"""How long a web process reuses an answer."""
HTTPS_PORT: Final = 443


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was found: `ends_at` where it is `valid`, else the reason in `about`.

    `none`: the site has no address with https, so there is none to read.
    """

    state: Literal["valid", "refused", "unreadable", "none"]
    ends_at: datetime | None = None
    about: str = ""


TOLERANCE_S: Final = 5.0
"""Clocks that differ by less agree: a row is written a moment before it is read."""

REPORTED_S: Final = 3600.0
"""How long a jump of the clock is reported."""

BACKUP_OLD: Final = timedelta(hours=36)
"""A backup is due every day; one that was missed is found before the next."""

CERTIFICATE_NEAR: Final = timedelta(days=14)
"""Let's Encrypt's certificates are renewed 30 days before their end."""

_RANK: Final = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True, slots=True)
class Finding:
    code: str
    area: Area
    severity: Severity
    sentence: str
    advice: str
    since: datetime | None


def read_certificate() -> Certificate:
    address = urlsplit(settings.SITE_URL)
    host = address.hostname or ""
    if address.scheme != "https" or not host:
        return Certificate("none")
    try:
        with (
            socket.create_connection((host, address.port or HTTPS_PORT), TIMEOUT_S) as plain,
            ssl.create_default_context().wrap_socket(plain, server_hostname=host) as line,
        ):
            certificate: Any = line.getpeercert()
    except ssl.SSLCertVerificationError as fault:
        return Certificate("refused", about=fault.verify_message)
    except (OSError, ValueError) as fault:
        return Certificate("unreadable", about=getattr(fault, "strerror", None) or str(fault))
    ends_s = ssl.cert_time_to_seconds(certificate["notAfter"])
    return Certificate("valid", ends_at=datetime.fromtimestamp(ends_s, UTC))


class KnownCertificate:
    """A cache of the last result; one thread renews it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        self._found: Certificate | None = None
        self._asked_at = 0.0

    def read(self) -> Certificate:
        """Return the certificate, at most an hour old; read it if none is known."""
        if self._found is None or self._is_old():
            self._renew()
        return self._found or Certificate("none")

    def last(self) -> Certificate:
        """Return the last result without waiting; an old one is renewed in the background."""
        if self._found is None or self._is_old():
            threading.Thread(target=self._renew, name="certificate", daemon=True).start()
        return self._found or Certificate("none")

    def _is_old(self) -> bool:
        return time.monotonic() - self._asked_at > KEPT_S

    def _renew(self) -> None:
        if not self._lock.acquire(timeout=2 * TIMEOUT_S):
            return
        try:
            if self._found is None or self._is_old():
                self._asked_at = time.monotonic()
                self._found = read_certificate()
        finally:
            self._lock.release()


CERTIFICATE: Final = KnownCertificate()


def clock_fault() -> str:
    """Return how the clock is wrong, as a clause; empty if it agrees with all others."""
    return WATCH.jump() or _against_database() or _against_rows()


def _against_database() -> str:
    """Compare with the clock of a PostgreSQL server; SQLite has none."""
    if connection.vendor != "postgresql":
        return ""
    with connection.cursor() as cursor:
        before = datetime.now(UTC)
        cursor.execute("SELECT clock_timestamp()")
        [theirs] = cursor.fetchone()
        after = datetime.now(UTC)
    ahead_s = max((before - theirs).total_seconds(), (theirs - after).total_seconds(), 0)
    if ahead_s <= TOLERANCE_S:
        return ""
    word = "ahead of" if before > theirs else "behind"
    return f"it is {ahead_s:.0f} s {word} the clock of the database server"


def _against_rows() -> str:
    now = datetime.now(UTC)
    for name, seen_at in list_workers():
        if (seen_at - now).total_seconds() > TOLERANCE_S:
            ahead = (seen_at - now).total_seconds()
            return f"the last report of the worker {name} is {ahead:.0f} s from now"
    newest = get_newest_audit_line_at()
    if newest is not None and (newest - now).total_seconds() > TOLERANCE_S:
        return (
            f"the newest line of the audit trail is {(newest - now).total_seconds():.0f} s from now"
        )
    return ""


class ClockWatch:
    """Detects that the clock was set while this process runs.

    It compares with the time since boot, suspended time included, which does not change when the
    clock is set.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._began: float | None = None
        self._jump_s = 0.0
        self._jumped_at = 0.0

    def jump(self) -> str:
        """Return by how much the clock was set within the last hour, as a clause; empty if not."""
        even = time.clock_gettime(time.CLOCK_BOOTTIME)
        began = time.time() - even
        if self._began is None:
            self._began = began
        moved = began - self._began
        if abs(moved) > TOLERANCE_S:
            self._jump_s, self._jumped_at, self._began = moved, even, began
        if not self._jump_s or even - self._jumped_at > REPORTED_S:
            return ""
        word = "forward" if self._jump_s > 0 else "back"
        return f"it was set {word} by {abs(self._jump_s):.0f} s"


WATCH: Final = ClockWatch()

LATE: Final = timedelta(minutes=15)
"""A mail leaves within seconds, and a message of a webhook is tried within seconds."""


def backlog_faults(
    mail: MessageBacklog,
    webhooks: MessageBacklog,
    outgoing: Outgoing,
    now: datetime,
    *,
    mail_fault: str,
) -> Iterator[Fault]:
    """Yield what is wrong with messages; while nothing is sent, that is said and none is late.

    `mail_fault` is why mail was not sent.
    """
    if not outgoing.is_on:
        mails = "1 mail" if mail.waiting == 1 else f"{mail.waiting} mails"
        plural = "" if webhooks.waiting == 1 else "s"
        wait = "waits" if mail.waiting + webhooks.waiting == 1 else "wait"
        about = f"{mails} and {webhooks.waiting} message{plural} of webhooks {wait}"
        yield Fault("outgoing_off", outgoing.off_since, about)
    for code, noun, messages in (("mail", "mail", mail), ("webhook", "message", webhooks)):
        is_late = messages.oldest is not None and now - messages.oldest > LATE
        if is_late and outgoing.is_on:
            if messages.due == 1:
                waits = f"1 {noun} waits"
            else:
                waits = f"{messages.due} {noun}s wait"
            if code == "mail" and mail_fault:
                waits = f"{waits}, and the mail server {_answered(mail_fault)}"
            yield Fault(f"{code}_late", messages.oldest, waits)
        if parked := messages.parked_lately:
            yield Fault(f"{code}_given_up", about=f"{parked} {noun}{'' if parked == 1 else 's'}")


def _answered(mail_fault: str) -> str:
    """Return what a mail server did, by the fault of a mail: a reply of it begins with its code.

    >>> _answered("535 5.7.8 authentication failed")
    'answers 535 5.7.8 authentication failed'
    >>> _answered("ConnectionRefusedError: [Errno 111] Connection refused")
    'does not answer (ConnectionRefusedError: [Errno 111] Connection refused)'
    """
    if re.match(r"\d{3} ", mail_fault):
        return f"answers {mail_fault}"
    return f"does not answer ({mail_fault})"


def backup_faults(last: LastBackup | None, now: datetime, *, has_data: bool) -> Iterator[Fault]:
    if last is None:
        if has_data:
            yield Fault("backup_never")
    elif now - last.at > BACKUP_OLD:
        yield Fault("backup_old", last.at, f"it holds {_day_and_time(last.at)}")


def left_by_killed(last: LastBackup | None) -> list[str]:
    """Return the copies of the database that killed backups and restores left."""
    places = {Path(settings.VAR_DIR) / "backups"}
    if last is not None:
        places.add(last.file.parent)
    unfinished = [path for place in sorted(places) for path in list_unfinished(place)]
    names = [str(path) for path in [*unfinished, *list_left_directories()]]
    return list_left_databases() + names


def list_left_databases() -> list[str]:
    """Return the scratch databases on PostgreSQL that no backup uses, of this one's owner."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()"
        )
        [owner] = cursor.fetchone()
        cursor.execute(LEFT_DATABASES, parameters_of_left(owner))
        return [name for (name,) in cursor.fetchall()]


def certificate_faults(certificate: Certificate, now: datetime) -> Iterator[Fault]:
    if certificate.state == "refused":
        yield Fault("certificate_refused", about=certificate.about)
    elif certificate.state == "unreadable":
        yield Fault("certificate_unreadable", about=certificate.about)
    elif certificate.ends_at is not None and certificate.ends_at - now < CERTIFICATE_NEAR:
        yield Fault("certificate_ends", about=_day_and_time(certificate.ends_at))


def _day_and_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


@dataclass(slots=True)
class InstallationStatus:
    """Everything that monitoring shows; database figures are None if it is unavailable."""

    at: datetime
    last_backup: LastBackup | None
    certificate: Certificate
    disks: Mapping[str, tuple[int, int]]
    """Free and all bytes of the disks that this process writes to: `state` and `database`."""
    hints_waiting: int | None = None
    """Messages at the broker; None if it is away, or inside the worker."""
    findings: tuple[Finding, ...] = ()
    jobs: JobBacklog | None = None
    mail: MessageBacklog | None = None
    webhooks: MessageBacklog | None = None
    outgoing: Outgoing | None = None
    workers: tuple[WorkerState, ...] = ()

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong; notes do not count."""
        return all(finding.severity == "note" for finding in self.findings)


def read_status(now: datetime, *, waits: bool = True) -> InstallationStatus:
    """Check everything and return what is wrong, the gravest first.

    Args:
        waits: whether to wait (seconds) for an unknown certificate, else read it in the background.
    """
    faults = list(READINESS.faults(now))
    if waits:
        certificate = CERTIFICATE.read()
    else:
        certificate = CERTIFICATE.last()
    status = InstallationStatus(now, read_last_backup(), certificate, _get_disks())
    status.hints_waiting = count_hints(current_app)
    if not any(fault.code in UNABLE - {"disk_full", "static_files_missing"} for fault in faults):
        faults += _read_database(status)
    faults += certificate_faults(certificate, now)
    status.findings = _explained(faults, now)
    return status


def _read_database(status: InstallationStatus) -> list[Fault]:
    """Read the figures, and return their faults; late figures stay unknown."""
    now = status.at
    try:
        with database_time_limit():
            status.workers = list_worker_states(now)
            status.jobs = get_job_backlog(now)
            status.mail = get_mail_backlog(now)
            status.webhooks = get_webhook_backlog(now)
            status.outgoing = get_outgoing()
            has_data = get_newest_audit_line_at() is not None
            clause = clock_fault()
            return [
                *backlog_faults(
                    status.mail,
                    status.webhooks,
                    status.outgoing,
                    now,
                    mail_fault=get_last_mail_fault(),
                ),
                *backup_faults(status.last_backup, now, has_data=has_data),
                *(Fault("backup_left", about=name) for name in left_by_killed(status.last_backup)),
                *((Fault("clock_off", about=clause),) if clause else ()),
            ]
    except Error as error:
        return [Fault("database_busy", about=cause_of(error))]


def _explained(faults: Sequence[Fault], now: datetime) -> tuple[Finding, ...]:
    order = list(EXPLANATIONS)
    findings = {(fault.code, fault.about): _finding(fault, now) for fault in faults}
    return tuple(
        sorted(
            findings.values(),
            key=lambda finding: (_RANK[finding.severity], order.index(finding.code)),
        )
    )


def _finding(fault: Fault, now: datetime) -> Finding:
    """Explain a fault; the start of one that was found just now is unknown."""
    explanation = EXPLANATIONS[fault.code]
    return Finding(
        code=fault.code,
        area=explanation.area,
        severity=explanation.severity,
        sentence=str(explanation.sentence).format(about=fault.about),
        advice=str(explanation.advice),
        since=None if fault.since == now else fault.since,
    )


def _get_disks() -> dict[str, tuple[int, int]]:
    places = {"state": Path(settings.VAR_DIR)}
    if connection.vendor == "sqlite":
        places["database"] = Path(connection.settings_dict["NAME"]).parent
    usages = {name: shutil.disk_usage(place) for name, place in places.items() if place.is_dir()}
    return {name: (usage.free, usage.total) for name, usage in usages.items()}
