"""`manage.py status`: what is wrong with this installation, and what to do about it."""

import json
import logging
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from config.database_connections import limit_database_time
from config.operation.status.growth import DatabaseGrowth, read_growth
from config.operation.status.installation_status import InstallationStatus, read_status


class Command(BaseCommand):
    help = "Say what is wrong with this installation: 0 well, 1 degraded."
    requires_system_checks = ()  # it says itself what does not work

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="for programs")

    def handle(self, *args: object, **options: Any) -> None:
        """Exit status 1 if anything is wrong; notes do not count."""
        limit_database_time("web")  # it connects as a web process does, and meets the same faults
        logging.disable(logging.WARNING)  # what it would log, it prints
        try:
            status = read_status(timezone.now())
            growth = None if status.jobs is None else read_growth(status.at)
        finally:
            logging.disable(logging.NOTSET)
        lines = in_words(status, growth) if not options["json"] else [as_json(status, growth)]
        self.stdout.write("\n".join(lines))
        if not status.is_well:
            raise SystemExit(1)


def in_words(status: InstallationStatus, growth: DatabaseGrowth | None) -> Iterator[str]:
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
    if growth is not None:
        yield ""
        yield f"The database has {_size(growth.bytes)}."
        for kind in growth.kinds:
            size = "" if kind.bytes is None else f"{_size(kind.bytes)}, "
            more = "" if kind.bytes_of_month is None else f", about {_size(kind.bytes_of_month)}"
            yield f"  {kind.name}: {size}{kind.rows_of_month:,} new in 30 days{more}"


def as_json(status: InstallationStatus, growth: DatabaseGrowth | None) -> str:
    content = {
        "status": "well" if status.is_well else "degraded",
        "version": settings.VERSION,
        "at": status.at,
        "findings": list(map(asdict, status.findings)),
        "workers": list(map(asdict, status.workers)),
        "hints_waiting": status.hints_waiting,
        "jobs": _figures(status.jobs, "waiting", "oldest", "parked", "deadlines_missed"),
        "mail": _figures(status.mail, "waiting", "oldest", "parked"),
        "webhooks": status.webhooks
        and {
            "waiting": status.webhooks.waiting,
            "due": status.webhooks.due,
            "oldest_due": status.webhooks.oldest,
            "parked": status.webhooks.parked,
        },
        "disks": [
            {"place": place, "free_bytes": free, "size_bytes": size}
            for place, (free, size) in status.disks.items()
        ],
        "last_backup": _figures(status.last_backup, "at", "size_bytes"),
        "certificate_ends_at": status.certificate.ends_at,
        "database": None if growth is None else asdict(growth),
    }
    return json.dumps(content, indent=2, default=_moment)


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f} MB"


def _figures(figures: object, *names: str) -> dict[str, object] | None:
    return None if figures is None else {name: getattr(figures, name) for name in names}


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
