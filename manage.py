#!/usr/bin/env python
"""Django's command line: `manage.py COMMAND`. The commands are listed in docs/commands.md."""

import os
import sys

from tournaments.management.run_command import run_command

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    run_command(sys.argv)
