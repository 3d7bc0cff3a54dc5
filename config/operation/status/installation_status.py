"""The status of an installation: everything that is wrong, and the figures behind it.

`read_status` is the one function that the page, the command and the metrics ask.
"""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from django.conf import settings
from django.db import Error, connection

from config.health import READINESS, UNABLE, Fault, database_time_limit
from config.operation.backup.destination import LastBackup, read_last_backup
from config.operation.status import rules
from config.operation.status.explanations import EXPLANATIONS, Area, Severity
from config.operation.status.rules import CERTIFICATE, Certificate, clock_fault
from tournaments.selectors.audit.audit_lines import get_newest_audit_line_at
from tournaments.selectors.jobs.jobs import JobBacklog, get_job_backlog
from tournaments.selectors.jobs.queue import WorkerState, list_worker_states
from tournaments.selectors.notices.outbox import MailBacklog, get_mail_backlog
from tournaments.selectors.webhooks.webhooks import WebhookBacklog, get_webhook_backlog

_RANK: Final = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong: what it is, since when, and what to do."""

    code: str
    area: Area
    severity: Severity
    sentence: str
    advice: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """Room on a disk that this process writes to, in bytes."""

    place: Literal["state", "database"]
    free: int
    size: int


@dataclass(frozen=True, slots=True)
class InstallationStatus:
    """All that monitoring shows; what the database would tell is None where it cannot be asked."""

    at: datetime
    findings: tuple[Finding, ...]
    jobs: JobBacklog | None
    mail: MailBacklog | None
    webhooks: WebhookBacklog | None
    workers: tuple[WorkerState, ...]
    disks: tuple[DiskSpace, ...]
    last_backup: LastBackup | None
    certificate: Certificate

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong; a note is not."""
        return all(finding.severity == "note" for finding in self.findings)


@dataclass(slots=True)
class _Figures:
    """What the database tells, as far as it could be asked."""

    jobs: JobBacklog | None = None
    mail: MailBacklog | None = None
    webhooks: WebhookBacklog | None = None
    workers: tuple[WorkerState, ...] = ()
    faults: tuple[Fault, ...] = ()


def read_status(now: datetime, *, waits: bool = True) -> InstallationStatus:
    """Look at everything and return what was found, the gravest first.

    Args:
        waits: whether an unknown certificate is waited for (seconds); else it is read meanwhile.
    """
    faults = list(READINESS.faults(now))
    last_backup = read_last_backup()
    certificate = CERTIFICATE.read() if waits else CERTIFICATE.last()
    figures = _Figures()
    if not any(fault.code in UNABLE - {"disk_full", "static_files_missing"} for fault in faults):
        figures = _ask_database(now, last_backup)
    faults += [*figures.faults, *rules.certificate_faults(certificate, now)]
    return InstallationStatus(
        at=now,
        findings=_explained(faults, now),
        jobs=figures.jobs,
        mail=figures.mail,
        webhooks=figures.webhooks,
        workers=figures.workers,
        disks=tuple(_disks()),
        last_backup=last_backup,
        certificate=certificate,
    )


def _ask_database(now: datetime, last_backup: LastBackup | None) -> _Figures:
    """Read the figures; whatever the database does not tell in time stays unknown."""
    figures = _Figures()
    try:
        with database_time_limit():
            figures.workers = list_worker_states(now)
            figures.jobs = get_job_backlog(now)
            figures.mail = get_mail_backlog(now)
            figures.webhooks = get_webhook_backlog(now)
            has_data = get_newest_audit_line_at() is not None
            figures.faults = (
                *rules.mail_faults(figures.mail, now),
                *rules.webhook_faults(figures.webhooks, now),
                *rules.backup_faults(last_backup, now, has_data=has_data),
                *rules.clock_faults(clock_fault()),
            )
    except Error as error:
        about = type(error.__cause__ or error).__name__
        figures.faults = (Fault("database_busy", about=about),)
    return figures


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
    """Explain a fault; one that was found just now began at a moment that nobody knows."""
    explanation = EXPLANATIONS[fault.code]
    return Finding(
        code=fault.code,
        area=explanation.area,
        severity=explanation.severity,
        sentence=str(explanation.sentence).format(about=fault.about),
        advice=str(explanation.advice),
        since=None if fault.since == now else fault.since,
    )


def _disks() -> Iterator[DiskSpace]:
    """The disks of the state directory and of SQLite's file."""
    places: list[tuple[Literal["state", "database"], Path]] = [("state", Path(settings.VAR_DIR))]
    if connection.vendor == "sqlite":
        places.append(("database", Path(connection.settings_dict["NAME"]).parent))
    for name, place in places:
        if place.is_dir():
            usage = shutil.disk_usage(place)
            yield DiskSpace(name, usage.free, usage.total)
