"""`manage.py export_sheets`: an event's hands as CSV or XLSX, as `import_sheets` reads them."""

from pathlib import Path

from django.core.management.base import CommandError, CommandParser

from tournaments.documents.sheet_files import sheet_lines
from tournaments.documents.workbooks import sheets_book
from tournaments.management.import_commands import EventCommand, require_event, write_bytes


class Command(EventCommand):
    """Print every hand that counts, a row for each player; changes nothing."""

    help = "Print an event's hands as CSV; import_sheets reads it and finds nothing new."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--xlsx", type=Path, metavar="FILE", help="write a spreadsheet instead of printing CSV"
        )

    def handle(
        self, *args: object, club: str, event: str, xlsx: Path | None = None, **options: object
    ) -> None:
        event_row = require_event("export_sheets", club, event)
        if xlsx is not None:
            try:
                xlsx.write_bytes(sheets_book(event_row))
            except OSError as fault:
                raise CommandError(f"{xlsx} cannot be written ({fault.strerror}).") from fault
            return
        write_bytes(self, (line.encode() for line in sheet_lines(event_row)))
