"""The command line: `manage.py COMMAND` in a checkout, `blacklady COMMAND` of a wheel."""

import os
import sys
from collections.abc import Sequence
from typing import Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError, OperationalError, ProgrammingError, connection

from config import env, installation
from tournaments.domain.faults import is_disk_full
from tournaments.management.service import count_missing_migrations, make_private, make_readable
from tournaments.management.supervisor import share_counters

NEED_OWNER: Final = frozenset({"backup", "createcachetable", "dbshell", "migrate", "restore"})
"""Commands that need a session of their own, or the owner of the tables."""

SUPERVISORS: Final = frozenset({"demo", "serve", "web"})


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"blacklady {installation.version()}\n")
        return
    run_command(sys.argv)


def run_command(words: Sequence[str]) -> None:
    """Run a command line; exit status 2 and one line if the command cannot start."""
    make_private(words)
    if SUPERVISORS.intersection(words[1:2]):
        share_counters()
    try:
        if NEED_OWNER.intersection(words[1:2]):
            env.use_direct_database("DATABASE_DIRECT_URL")
        execute_from_command_line(list(words))
        if list(words[1:2]) == ["collectstatic"]:
            make_readable(settings.STATIC_ROOT, but=settings.VAR_DIR)
    except ImproperlyConfigured as fault:
        sys.stderr.write(f"{fault}\n")
        sys.exit(2)
    except (DatabaseError, OSError) as fault:
        if is_disk_full(fault):
            sys.stderr.write("The disk is full. Make room, and give the command again.\n")
        elif lacks_migrations(fault):
            sys.stderr.write(
                "The tables of the database are missing or out of date. Run "
                f"{settings.COMMAND} migrate first, then give the command again.\n"
            )
        else:
            raise
        sys.exit(2)


def lacks_migrations(fault: Exception) -> bool:
    """Whether a command failed on a database that `migrate` has not brought up to date."""
    if not isinstance(fault, ProgrammingError | OperationalError):
        return False
    connection.close()  # a failed statement ends its transaction
    try:
        return bool(count_missing_migrations())
    except DatabaseError:
        return False  # the database does not answer at all
