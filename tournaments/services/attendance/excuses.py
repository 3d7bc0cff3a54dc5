"""A director's word on whether a player is excused of an evening.

Locks: as `set_attendance`.
"""

from typing import Final

from scoring.errors import Problem
from tournaments.domain.reasons import BAD_REASON, reason_problems
from tournaments.errors import Conflict, Missing, first_or_missing, refuse_any
from tournaments.models.clubs import Player
from tournaments.models.rounds import Attendance, AttendanceState, Meeting
from tournaments.selectors.attendance.excuses import counts_excuses
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.change_log import EXCUSE_KIND
from tournaments.selectors.events.meetings import with_state
from tournaments.selectors.rounds.round_seating import require_held
from tournaments.services.attendance.set_attendance import list_locked
from tournaments.services.audit.audit import note_change
from tournaments.services.db.locks import lock_event
from tournaments.services.operations import Operation, operation

LONGEST_REASON: Final = 200


def _lock_meeting(meeting: Meeting) -> Meeting:
    """Lock the event of a meeting and return the meeting as it is now, also of one that is over."""
    event = lock_event(meeting.event)
    meetings = with_state(Meeting.objects.filter(pk=meeting.pk, event=event))
    locked = first_or_missing(meetings, "meeting", date=meeting.date.isoformat())
    locked.event = event
    return locked


@operation(
    "manage_event",
    locks=_lock_meeting,
    refuses=(
        *("unknown_meeting", "meeting_is_cancelled", "excuses_not_counted"),
        *("unknown_player", "player_is_merged", "unknown_attendance", *BAD_REASON),
    ),
)
def excuse_player(
    op: Operation, meeting: Meeting, /, *, player: Player, excused: bool | None, reason: str
) -> Attendance:
    """Excuse a player of a meeting, or do not, whatever they answered; null: as they answered.

    It is possible before, during and after the meeting, and in an event that is over. Players of
    whom nothing was stated are recorded as absent. Players who play all the same get the points of
    their place. The change log of the event has it with the reason.
    """
    event = meeting.event
    refuse_any(reason_problems(reason, most=LONGEST_REASON))
    require_held(meeting)
    if not counts_excuses(event):
        raise Conflict(Problem("excuses_not_counted"))
    rows = list_locked(meeting, [player.pk])
    if not rows:
        raise Missing("player", {"player": player.player_id})
    row = rows[0]
    is_new = row.pk is None
    if is_new and excused is None:
        raise Missing("attendance", {"player": player.player_id})
    if is_new:
        row.state = row.answer = AttendanceState.ABSENT
        row.stated_at = row.answered_at = op.now
    elif row.excused == excused:
        return row
    row.excused = excused
    row.save()

    facts = {"date": meeting.date.isoformat(), "excused": excused}
    note_change(
        event=event,
        kind=EXCUSE_KIND,
        by=get_role(op.actor, event.club_id),
        now=op.now,
        reason=reason,
        facts={"player": row.player.player_id, **facts},
    )
    op.audit(event, {"event": event.slug, **facts}, subject=f"player:{row.player.player_id}")
    return row
