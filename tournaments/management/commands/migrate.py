"""`manage.py migrate`: Django's command, which waits for locks in short turns.

The service keeps running during migrations (docs/upgrading.md). On PostgreSQL a change of a table
waits for all its users, and everybody else waits behind the change. So it waits for less
time than a request does, gives up, lets the others go first, and tries again. Each migration is a
transaction: one that gave up has changed nothing.
"""

import time
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import OperationalError, connections

from tournaments.domain.faults import is_busy
from tournaments.services.db.transactions import may_repeat

LOCK_WAIT: Final = "2s"
"""Shorter than DATABASE_LOCK_TIMEOUT, so that no request that waits behind it is refused."""
TRIES: Final = 10
PAUSE_S: Final = 1.0
REFUSED: Final = 2


class Command(migrate.Command):
    """Migrates; exit status 2 and one line if a table stayed in use the whole time."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--tries", type=int, default=TRIES, metavar="N", help="for tables that are in use"
        )

    def handle(self, *args: object, **options: Any) -> None:
        connection = connections[options["database"]]
        is_postgresql = connection.vendor == "postgresql"
        if is_postgresql:
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('lock_timeout', %s, false)", [LOCK_WAIT])
        try:
            self._migrate(*args, **options)
        finally:
            if is_postgresql and connection.connection is not None:
                with connection.cursor() as cursor:
                    cursor.execute("RESET lock_timeout")

    def _migrate(self, *args: object, **options: Any) -> None:
        tries = max(1, options["tries"])
        for tried in range(1, tries + 1):
            try:
                super().handle(*args, **options)
            except OperationalError as fault:
                if not (is_busy(fault) or may_repeat(fault)):
                    raise
                if tried == tries:
                    raise CommandError(
                        "A table stayed in use: somebody works on it for long (a backup, an "
                        "import, an open session). The migration that waited for it changed "
                        "nothing. End that work, and give the command again.",
                        returncode=REFUSED,
                    ) from fault
                self.stderr.write(f"A table is in use (try {tried} of {tries}).")
                time.sleep(PAUSE_S)
            else:
                return
