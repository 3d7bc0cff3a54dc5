#!/usr/bin/env python
"""Django's door: `manage.py COMMAND`. The commands are listed in docs/commands.md."""

import os
import sys

from tournaments.management.door import run

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    run(sys.argv)
