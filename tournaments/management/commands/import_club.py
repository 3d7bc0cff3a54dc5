"""`manage.py import_club`: a club from the archive that export_club wrote."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from tournaments.documents.read.club_archive import ArchiveReader
from tournaments.domain.archives.format import Manifest
from tournaments.management.import_commands import REFUSED, exit_where_refused, require_user
from tournaments.models.clubs import Club
from tournaments.policy import command
from tournaments.services.archives.import_club import Steps, import_steps
from tournaments.services.clubs.members import give_role
from tournaments.services.operations import Operation


class Command(BaseCommand):
    """Imports a club as a whole or not at all; safe while the service runs."""

    help = "Read a club from a file of export_club into this installation."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--as", dest="slug", default="", metavar="SLUG", help="another address for the club"
        )
        parser.add_argument(
            "--owner", default="", metavar="USER", help="the user name of the club's owner here"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="check everything, store nothing"
        )

    def handle(
        self, *args: object, file: Path, slug: str, owner: str, dry_run: bool, **options: object
    ) -> None:
        """Exit status 2 if the file, address or owner is refused; nothing is stored then."""
        actor = command("import_club")
        user = require_user(owner) if owner else None

        def give_owner(club: Club) -> None:
            if user is not None:
                give_role(Operation(actor, timezone.now()), club, user_id=user.pk, role="owner")

        try:
            with exit_where_refused(), file.open("rb") as opened:
                reader = ArchiveReader(opened)
                steps = import_steps(
                    reader,
                    actor=actor,
                    clock=timezone.now,
                    slug=slug,
                    dry_run=dry_run,
                    also=give_owner,
                )
                imported_club = self._run(steps)
        except OSError as fault:
            words = f"{file} cannot be read ({fault.strerror})."
            raise CommandError(words, returncode=REFUSED) from fault
        self._report(slug or reader.manifest.slug, reader.manifest, imported_club, owner)

    def _run(self, steps: Steps) -> Club | None:
        last_percent = -1
        while True:
            try:
                done, n_rows = next(steps)
            except StopIteration as end:
                imported_club: Club | None = end.value
                return imported_club
            percent = 100 * done // max(1, n_rows)
            if percent >= last_percent + 10:
                last_percent = percent
                self.stderr.write(f"{done:,} of {n_rows:,} rows")

    def _report(self, slug: str, manifest: Manifest, club: Club | None, owner: str) -> None:
        rows = {name: table.rows for name, table in manifest.tables.items()}
        names = {"event": "events", "player": "players", "hand": "hands"}
        parts = [f"{rows.get(table, 0):,} {words}" for table, words in names.items()]
        listed = ", ".join(parts)
        if club is None:
            self.stdout.write(f"{slug}: {listed}. Checked, nothing was stored.")
            return
        self.stdout.write(f"{slug}: {listed}.")
        self.stdout.write(
            f"{owner} is the owner."
            if owner
            else "The club has no members yet. A site administrator signs in, opens the club and "
            "invites its owner. The first account of a new site becomes its owner by itself."
        )
