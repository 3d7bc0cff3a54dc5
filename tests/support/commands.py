"""Commands of `manage.py`, run in the process of the test."""

import io
from typing import Any

from django.core.management import call_command


def run_command(name: str, *arguments: object) -> tuple[int, str, str]:
    """Run a command; returns its exit status, stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    status: Any = 0
    try:
        call_command(name, *map(str, arguments), stdout=out, stderr=err)
    except SystemExit as ended:
        status = ended.code
    return status, out.getvalue(), err.getvalue()
