#!/usr/bin/env python
"""Django's command line: `manage.py COMMAND`. The commands are listed in docs/commands.md."""

from config.command_line import main

if __name__ == "__main__":
    main()
