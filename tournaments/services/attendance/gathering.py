"""Making a date of an event an evening to which people come."""

from datetime import datetime

from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.services.jobs.schedule import schedule_reminders


def gather(event: Event, meeting: Meeting | None, *, now: datetime) -> None:
    """Let a meeting gather people; nothing where it does, or for a round without a meeting.

    It stays when the import that made its date is undone. The caller holds the event's row.
    """
    if meeting is None or meeting.gathers:
        return
    meeting.gathers = True
    meeting.batch = None
    meeting.changed_at = now
    meeting.save(update_fields=["gathers", "batch", "changed_at"])
    schedule_reminders(event, [meeting], now=now)
