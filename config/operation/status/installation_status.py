"""The status of an installation: everything that is wrong, and the figures behind it.

`read_status` is the one function that the page, the command and the metrics ask.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from celery import current_app
from django.conf import settings
from django.db import Error, connection

from config.health import READINESS, UNABLE, Fault, database_time_limit
from config.operation.backup.destination import LastBackup, read_last_backup
from config.operation.status import rules
from config.operation.status.explanations import EXPLANATIONS, Area, Severity
from config.operation.status.rules import CERTIFICATE, Certificate
from tournaments.domain.faults import cause_of
from tournaments.selectors.audit import get_newest_audit_line_at
from tournaments.selectors.jobs.jobs import JobBacklog, get_job_backlog
from tournaments.selectors.jobs.queue import WorkerState, list_worker_states
from tournaments.selectors.notices.outbox import MailBacklog, get_mail_backlog
from tournaments.selectors.webhooks import WebhookBacklog, get_webhook_backlog
from tournaments.services.jobs.enqueue import count_hints

_RANK: Final = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True, slots=True)
class Finding:
    code: str
    area: Area
    severity: Severity
    sentence: str
    advice: str
    since: datetime | None


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
    mail: MailBacklog | None = None
    webhooks: WebhookBacklog | None = None
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
    certificate = CERTIFICATE.read() if waits else CERTIFICATE.last()
    status = InstallationStatus(now, read_last_backup(), certificate, _get_disks())
    status.hints_waiting = count_hints(current_app)
    if not any(fault.code in UNABLE - {"disk_full", "static_files_missing"} for fault in faults):
        faults += _read_database(status)
    faults += rules.certificate_faults(certificate, now)
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
            has_data = get_newest_audit_line_at() is not None
            clause = rules.clock_fault()
            return [
                *rules.backlog_faults(status.mail, status.webhooks, now),
                *rules.backup_faults(status.last_backup, now, has_data=has_data),
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
