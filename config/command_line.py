"""The command line: `manage.py COMMAND` in a checkout, `blacklady COMMAND` of an installed wheel.

The commands are listed in docs/commands.md.
"""

import os
import sys

from config import installation
from tournaments.management.run_command import run_command


def main() -> None:
    """Run the command that the process was started with."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"blacklady {installation.version()}\n")
        return
    run_command(sys.argv)
