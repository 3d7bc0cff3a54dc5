"""Which players of an entrant are checked in at the newest evening of their event."""

from collections.abc import Sequence

from tournaments.models.attendance import Attendance, AttendanceState
from tournaments.models.events import Entrant


def here_at_newest(entrant: Entrant) -> Sequence[Attendance]:
    """Return the attendance of an entrant's players who are here, by row of the player.

    It is that of the newest evening at which anybody was checked in; two queries.
    """
    checked_in = Attendance.objects.filter(
        meeting__event=entrant.event_id, state=AttendanceState.HERE
    )
    newest = checked_in.order_by("-meeting__date").values("meeting")[:1]
    members = entrant.members.values("player")
    rows = checked_in.filter(meeting__in=newest, player__in=members)
    return tuple(rows.select_related("meeting__event", "player").order_by("player"))
