"""Players who moved up from the waiting list of an evening, and whether a mail told them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from tournaments.models.clubs import Player
from tournaments.models.rounds import Attendance, Meeting
from tournaments.models.standings import Change
from tournaments.selectors.attendance.places import COMING
from tournaments.selectors.events.change_log import ATTENDANCE_KIND

MOVED_UP: Final = "moved_up"
MAILED: Final = "mailed"
"""Facts of the change of who moved up; the second is missing in those of earlier releases."""


def find_moved_up(rows: Collection[Attendance]) -> Mapping[int, bool]:
    """Return those of some rows that got a free place and were not stated since, with `MAILED`.

    By the key of the row; one query if anybody comes. The rows have their players and meetings.
    """
    coming = [row for row in rows if row.state in COMING and row.answer in COMING]
    if not coming:
        return {}
    changes = Change.objects.filter(
        event__in={row.meeting.event_id for row in coming},
        kind=ATTENDANCE_KIND,
        at__in={row.answered_at for row in coming},
        facts__moved_up=True,
    )
    moved = {
        (change.event_id, change.at, change.facts["player"], change.facts["date"]): change.facts
        for change in changes
    }
    found = {}
    for row in coming:
        meeting = row.meeting
        if row.answered_at is None:
            continue
        key = (meeting.event_id, row.answered_at, row.player.player_id, meeting.date.isoformat())
        facts = moved.get(key)
        if facts is not None and facts["at"] == row.stated_at.isoformat():
            found[row.pk] = bool(facts.get(MAILED, True))
    return found


def list_untold(meeting: Meeting) -> Sequence[Player]:
    """Return who moved up at an evening and got no mail about it, by name; two queries at most."""
    rows = Attendance.objects.filter(meeting=meeting, state__in=COMING, answer__in=COMING)
    rows = rows.filter(player__merged_into=None, player__erased_at=None).select_related("player")
    coming = list(rows)
    for row in coming:
        row.meeting = meeting
    moved = find_moved_up(coming)
    untold = [row.player for row in coming if moved.get(row.pk) is False]
    return sorted(untold, key=lambda player: (player.sort_key, player.pk))
