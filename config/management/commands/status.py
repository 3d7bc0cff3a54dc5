"""`manage.py status`: what is wrong with this installation, and what to do about it."""

import json
import logging
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from config.operation.status.installation_status import Finding, InstallationStatus, read_status

DEGRADED = 1
"""The exit status where anything is wrong."""


class Command(BaseCommand):
    help = "Say what is wrong with this installation: 0 well, 1 degraded."
    requires_system_checks = ()  # it says itself what does not work

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="for programs")

    def handle(self, *args: object, **options: Any) -> None:
        """Exit status 1 if anything is wrong; notes do not count."""
        logging.disable(logging.WARNING)  # what it would log, it prints
        try:
            status = read_status(timezone.now())
        finally:
            logging.disable(logging.NOTSET)
        lines = [as_json(status)] if options["json"] else in_words(status)
        self.stdout.write("\n".join(lines))
        if not status.is_well:
            raise SystemExit(DEGRADED)


def in_words(status: InstallationStatus) -> Iterator[str]:
    problems = sum(finding.severity != "note" for finding in status.findings)
    if not problems:
        yield f"All is well. Blacklady {settings.VERSION}."
    else:
        word = "problem" if problems == 1 else "problems"
        yield f"Degraded: {problems} {word}. Blacklady {settings.VERSION}."
    for finding in status.findings:
        yield ""
        since = "" if finding.since is None else f" Since {_moment(finding.since)}."
        yield f"[{finding.severity}] {finding.sentence}{since}"
        yield f"  {finding.advice}"


def as_json(status: InstallationStatus) -> str:
    jobs, mail, backup = status.jobs, status.mail, status.last_backup
    webhooks = status.webhooks
    return json.dumps(
        {
            "status": "well" if status.is_well else "degraded",
            "version": settings.VERSION,
            "at": _moment(status.at),
            "findings": list(map(_finding, status.findings)),
            "workers": [
                {
                    "name": worker.name,
                    "seen_at": _moment(worker.seen_at),
                    "is_alive": worker.is_alive,
                }
                for worker in status.workers
            ],
            "jobs": jobs
            and {
                "waiting": jobs.waiting,
                "oldest": _moment(jobs.oldest),
                "parked": jobs.parked,
                "deadlines_missed": jobs.deadlines_missed,
            },
            "mail": mail
            and {"waiting": mail.waiting, "oldest": _moment(mail.oldest), "parked": mail.parked},
            "webhooks": webhooks
            and {
                "waiting": webhooks.waiting,
                "due": webhooks.due,
                "oldest_due": _moment(webhooks.oldest_due),
                "parked": webhooks.parked,
            },
            "disks": [
                {"place": place, "free_bytes": free, "size_bytes": size}
                for place, (free, size) in status.disks.items()
            ],
            "last_backup": backup and {"at": _moment(backup.at), "size_bytes": backup.size_bytes},
            "certificate_ends_at": _moment(status.certificate.ends_at),
        },
        indent=2,
    )


def _finding(finding: Finding) -> dict[str, str | None]:
    return {
        "code": finding.code,
        "area": finding.area,
        "severity": finding.severity,
        "sentence": finding.sentence,
        "advice": finding.advice,
        "since": _moment(finding.since),
    }


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds").replace("+00:00", "Z")
