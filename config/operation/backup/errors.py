"""Why a backup or a restore is refused."""

import re


class BackupRefused(Exception):
    """One line: what was found and what to do. Nothing was written."""


def reason_in(text: str) -> str:
    """Return the line of a program's messages that says why it failed.

    >>> reason_in("pg_dump: saving\\nERROR:  no such table\\nHINT:  make it\\n")
    'ERROR:  no such table'
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    faults = [line for line in lines if re.search(r"\b(error|fatal):", line, re.I)]
    return (faults or lines or ["no message"])[0]
