"""`manage.py export_club`: a club as one file, for another installation or for people."""

import os
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from tournaments.documents.club_archive import archive_chunks
from tournaments.management.import_commands import REFUSED, exit_where_refused
from tournaments.policy import command
from tournaments.selectors.clubs.clubs import get_club


class Command(BaseCommand):
    """Writes the archive of a club; safe while the service runs, and locks nothing."""

    help = "Write a club with all it has into one zip file, which import_club reads."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--club", required=True, metavar="SLUG")
        parser.add_argument(
            "--anonymous",
            action="store_true",
            help="players by number; no reasons, comments, photos, audit trail or publications",
        )
        parser.add_argument("file", type=Path, help="the file to write; one that is there stays")

    def handle(
        self, *args: object, club: str, file: Path, anonymous: bool, **options: object
    ) -> None:
        with exit_where_refused(unknown_club=club):
            view = get_club(command("export_club"), club)
        if file.exists():
            words = f"{file} exists already. Give the name of a new file."
            raise CommandError(words, returncode=REFUSED)
        unfinished = file.with_name(f"{file.name}.part")
        try:
            with unfinished.open("wb") as written:
                for chunk in archive_chunks(view, anonymous=anonymous, now=timezone.now()):
                    written.write(chunk)
                written.flush()
                os.fsync(written.fileno())
            unfinished.rename(file)
        except OSError as fault:
            unfinished.unlink(missing_ok=True)
            words = f"{file} cannot be written ({fault.strerror})."
            raise CommandError(words, returncode=REFUSED) from fault
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes.")
