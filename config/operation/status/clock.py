"""Whether this machine's clock can be relied on: it is compared with all that has another one."""

import time
from datetime import UTC, datetime
from typing import Final

from django.db import connection

from tournaments.selectors.audit.newest_line import newest_audit_line_at
from tournaments.selectors.jobs.heartbeats import workers

TOLERANCE_S: Final = 5.0
"""Clocks that differ by less agree: a row is written a moment before it is read."""
REPORTED_S: Final = 3600.0
"""A jump of the clock is reported for so long."""


def clock_fault() -> str:
    """Return in what way the clock is off, in a clause; empty where it agrees with all others.

    Raises:
        Error: the database cannot be asked.
    """
    return WATCH.jump() or _against_database() or _against_rows()


def _against_database() -> str:
    """Compare with the clock of a PostgreSQL server; SQLite has none."""
    if connection.vendor != "postgresql":
        return ""
    with connection.cursor() as cursor:
        before = datetime.now(UTC)
        cursor.execute("SELECT clock_timestamp()")
        [theirs] = cursor.fetchone()
        after = datetime.now(UTC)
    ahead_s = max((before - theirs).total_seconds(), (theirs - after).total_seconds(), 0)
    if ahead_s <= TOLERANCE_S:
        return ""
    word = "ahead of" if before > theirs else "behind"
    return f"it is {ahead_s:.0f} s {word} the clock of the database server"


def _against_rows() -> str:
    """Look for a row that was written later than now."""
    now = datetime.now(UTC)
    for name, seen_at in workers():
        if (seen_at - now).total_seconds() > TOLERANCE_S:
            ahead = (seen_at - now).total_seconds()
            return f"the last report of the worker {name} is {ahead:.0f} s from now"
    newest = newest_audit_line_at()
    if newest is not None and (newest - now).total_seconds() > TOLERANCE_S:
        return (
            f"the newest line of the audit trail is {(newest - now).total_seconds():.0f} s from now"
        )
    return ""


class ClockWatch:
    """Notices that the clock was set while this process runs.

    The time since the machine was started goes on evenly whatever the clock says; it counts the
    time that the machine was suspended too.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Know nothing, as after a start."""
        self._began: float | None = None
        self._jump_s = 0.0
        self._jumped_at = 0.0

    def jump(self) -> str:
        """Return by how much the clock was set within the last hour, in a clause; empty if not."""
        even = time.clock_gettime(time.CLOCK_BOOTTIME)
        began = time.time() - even
        if self._began is None:
            self._began = began
        moved = began - self._began
        if abs(moved) > TOLERANCE_S:
            self._jump_s, self._jumped_at, self._began = moved, even, began
        if not self._jump_s or even - self._jumped_at > REPORTED_S:
            return ""
        word = "forward" if self._jump_s > 0 else "back"
        return f"it was set {word} by {abs(self._jump_s):.0f} s"


WATCH: Final = ClockWatch()
