"""What players state of themselves: whether they will come, and that they are here.

Hosts and directors do so under a player's rules here. Locks: as `set_attendance`.
"""

from datetime import datetime

from tournaments.errors import Forbidden
from tournaments.models.attendance import Attendance
from tournaments.models.meetings import Meeting
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import role_of
from tournaments.selectors.clubs.linked_accounts import own_player
from tournaments.services.access.permissions import require_role
from tournaments.services.attendance.set_attendance import (
    CHECK_IN,
    AttendanceStatement,
    lock_attendance,
    record,
    require_own_allowed,
)
from tournaments.services.db.transactions import atomic_act


@atomic_act
def state_own_attendance(
    *, actor: Actor, meeting: Meeting, state: str, now: datetime
) -> Attendance:
    """Set the state of the actor's own player at a meeting: expected, absent, or here on its day.

    A state that is there already changes nothing.

    Raises:
        Forbidden: check_in, to an account that is no player of the club.
        Missing: unknown_meeting.
        Conflict: event_is_over, meeting_is_cancelled, player_is_merged, meeting_has_begun,
            meeting_is_another_day, state_not_allowed.
    """
    require_role(actor, role_of(actor, meeting.club_id), CHECK_IN)
    player = own_player(actor, meeting.club)
    if player is None:
        raise Forbidden(CHECK_IN)
    found = lock_attendance(meeting, player)
    if found.player.user_id != actor.user_id:
        raise Forbidden(CHECK_IN)  # it was unlinked meanwhile
    statement = AttendanceStatement(state, now)
    require_own_allowed(found, statement, now)
    return record(actor, found, statement, CHECK_IN, now)
