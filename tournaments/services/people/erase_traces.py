"""What an erasure leaves behind outside of rows: mails kept as files, pages of a database's file.

Runs after the commit, so that nothing is lost where the erasure is not stored.
"""

from email import message_from_bytes, policy
from pathlib import Path

import structlog
from django.conf import settings
from django.db import OperationalError, connection

from tournaments.domain.people.name_eraser import NameEraser

log = structlog.get_logger(__name__)


def remove_traces(eraser: NameEraser) -> None:
    """Delete mails that hold a name, and write a SQLite file anew without what was deleted."""
    remove_mails(eraser)
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        vacuum()


def remove_mails(eraser: NameEraser) -> int:
    """Delete the files of mails that hold a name; returns how many."""
    kept = getattr(settings, "EMAIL_FILE_PATH", None)
    found = [one for one in Path(kept).glob("*.eml") if _holds(one, eraser)] if kept else []
    for one in found:
        one.unlink(missing_ok=True)
    return len(found)


def _holds(file: Path, eraser: NameEraser) -> bool:
    mail = message_from_bytes(file.read_bytes(), policy=policy.default)
    texts = [str(value) for value in mail.values()]
    parts = [one for one in mail.walk() if one.get_content_maintype() == "text"]
    texts.extend(part.get_content() for part in parts)
    return any(eraser.text(one) != one for one in texts)


def vacuum() -> None:
    """Write a SQLite file anew: what was deleted stays in its free pages otherwise.

    Where others are reading or writing just then, it waits for them as any write does; it is given
    up after that, and the next erasure does it.
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except OperationalError as fault:
        log.warning("vacuum_failed", fault=str(fault))
