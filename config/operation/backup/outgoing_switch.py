"""The switch for mails and webhooks in a database that is being restored (services/outgoing.py)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from tournaments.models.jobs import OUTGOING_HELD, OUTGOING_OFF

QUEUE: Final = "tournaments_dirty"
"""The table of the switch, which each release has."""


@dataclass(frozen=True, slots=True)
class OutgoingSwitch:
    """How a restore sets the switch: off for a copy, since `now`; on for the club's server."""

    is_copy: bool
    now: datetime

    def statements(self, table: str, zone: str = "") -> Iterator[str]:
        """Yield SQL for the schema of any release.

        What the club's server had held already stays marked: a worker drops what is too old.

        Args:
            table: the name of the queue's table.
            zone: written behind the moment, where the database stores time zones.
        """
        yield f"DELETE FROM {table} WHERE scope = '{OUTGOING_OFF}';"  # noqa: S608  # names of ours
        if not self.is_copy:
            return
        yield f"DELETE FROM {table} WHERE scope = '{OUTGOING_HELD}';"  # noqa: S608  # names of ours
        moment = self.now.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
        for scope in (OUTGOING_OFF, OUTGOING_HELD):
            yield (
                f"INSERT INTO {table} (scope, version, done, attempts, parked, error, marked_at) "  # noqa: S608  # names of ours
                f"VALUES ('{scope}', 1, 1, 0, FALSE, '', '{moment}{zone}');"
            )
