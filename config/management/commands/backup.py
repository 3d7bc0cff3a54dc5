"""`manage.py backup`: the whole database in one file, while the service runs."""

import json
import signal
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from config.operation.backup.archive import configured_keys
from config.operation.backup.backups import BackupReport, counted, make_backup, refusal_of, size
from config.operation.backup.destination import BackupRefused


class Command(BaseCommand):
    """Exit status 2 if nothing was written, 1 if a person must act."""

    help = "Write a backup of the whole database to one file; safe while the service runs."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--to",
            type=Path,
            default=settings.VAR_DIR / "backups",
            metavar="DIR",
            help="the directory of backups; `backups` in the state directory by default",
        )
        parser.add_argument(
            "--keep", type=int, metavar="N", help="delete all but the newest N backups there"
        )
        parser.add_argument(
            "--verify",
            action="store_true",
            help="restore it into a scratch database and compare every table",
        )
        parser.add_argument("--json", action="store_true", help="what was written, for programs")

    def handle(self, *args: object, to: Path, keep: int | None, **options: Any) -> None:
        if keep is not None and keep < 1:
            raise CommandError("--keep must be 1 or more.", returncode=2)
        # Told to end, a backup removes what it has begun.
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
        place = to.resolve()
        try:
            report = make_backup(
                settings.DATABASES["default"],
                place,
                keep=keep,
                verify=options["verify"],
                keys=configured_keys(),
                now=timezone.now(),
            )
        except BackupRefused as refusal:
            raise CommandError(str(refusal), returncode=2) from refusal
        except OSError as fault:
            raise CommandError(refusal_of(fault, place), returncode=2) from fault
        if options["json"]:
            self.stdout.write(json.dumps(report.as_json(), ensure_ascii=False))
        else:
            self.stdout.write(_in_words(report))
        if report.warnings:
            raise CommandError("\n".join(report.warnings), returncode=1)


def _in_words(report: BackupReport) -> str:
    done = "verified" if report.is_verified else "not verified"
    lines = [
        f"{report.file} ({size(report.size_bytes)}, {done}): {counted(report.manifest.counts)}.",
        f"The secret key is in {report.key_file}; keep it apart from the backup.",
        *(f"Deleted {path.name}." for path in report.deleted),
        *(f"Deleted {name}, which a killed command had left." for name in report.left_by_killed),
    ]
    return "\n".join(lines)
