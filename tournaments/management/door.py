"""What `manage.py` does: run a command, and say in one line where the disk has no room for it."""

import sys
from collections.abc import Sequence
from typing import Final

from django.core.management import execute_from_command_line
from django.db import DatabaseError

from tournaments.disk import is_disk_full

FULL: Final = 2
"""Exit status where there is no room: refused."""


def run(words: Sequence[str]) -> None:
    """Run the command of these words; exit status 2 and one line where the disk is full."""
    try:
        execute_from_command_line(list(words))
    except (DatabaseError, OSError) as fault:
        if not is_disk_full(fault):
            raise
        sys.stderr.write("The disk is full. Make room, and give the command again.\n")
        sys.exit(FULL)
