"""`manage.py report_failure UNIT`: a mail to the administrators that a unit of systemd failed."""

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _

from config.database_connections import limit_database_time
from config.operation.status.installation_status import Finding, read_status
from tournaments.delivery.mail.direct import SentAtOnce, send_at_once
from tournaments.delivery.mail.sender import MailText

AGAIN: Final = timedelta(hours=20)
"""The same failure is mailed again after this time: a nightly one every night."""


class Command(BaseCommand):
    help = "Mail ADMIN_EMAIL that something failed, with the problems that status finds."
    requires_system_checks = ()  # it reports what does not work

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("unit", help="what failed, such as blacklady-backup.service")

    def handle(self, *args: object, unit: str, **options: Any) -> None:
        if not settings.ADMIN_EMAIL:
            raise CommandError("Set ADMIN_EMAIL to the address that gets reports.", returncode=2)
        now = timezone.now()
        limit_database_time("web")
        findings = [each for each in read_status(now).findings if each.severity != "note"]
        report = report_file(unit)
        codes = " ".join(sorted(finding.code for finding in findings))
        if is_reported(report, codes, now):
            self.stdout.write("The same failure was reported within the last 20 hours.")
            return
        for to in settings.ADMIN_EMAIL:
            sent = mail_report(unit, findings, to)
            if not sent.is_sent:
                raise CommandError(f"{sent.sentence} {sent.reply}".strip(), returncode=2)
        report.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        report.write_text(codes, encoding="utf-8")
        self.stdout.write(f"Reported to {', '.join(settings.ADMIN_EMAIL)}.")


def report_file(unit: str) -> Path:
    """Return the file that notes what was reported of a unit; its next success removes it."""
    name = re.sub(r"[^\w@.-]", "_", unit)
    return Path(settings.VAR_DIR) / "reported-failures" / name


def is_reported(report: Path, codes: str, now: datetime) -> bool:
    if not report.is_file() or report.read_text(encoding="utf-8") != codes:
        return False
    return now.timestamp() - report.stat().st_mtime < AGAIN.total_seconds()


def mail_report(unit: str, findings: list[Finding], to: str) -> SentAtOnce:
    facts = {"unit": unit, "site": settings.SITE_URL}
    problems = [f"{finding.sentence} {finding.advice}" for finding in findings]
    if not problems:
        problems.append(_("The status of the site finds no problem now."))
    text = MailText(
        subject=_("%(unit)s failed (%(site)s)") % facts,
        paragraphs=(
            _("%(unit)s failed on the server of %(site)s.") % facts,
            *problems,
            _("Its log: journalctl --unit %(unit)s") % facts,
        ),
    )
    return send_at_once(text, to, kind="failure")
