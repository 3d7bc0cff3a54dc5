"""A result of an evening that is drawn without waiting."""

from tournaments.models.jobs import EVENING_RESULT, Deadline
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.db.locks import lock_event
from tournaments.services.jobs.enqueue import set_deadline
from tournaments.services.operations import Operation, operation


def _lock_meeting(meeting: Meeting) -> Meeting:
    return meeting_on(lock_event(meeting.event), meeting.date)


@operation("manage_event", locks=_lock_meeting, refuses=("unknown_meeting",))
def draw_result_now(op: Operation, meeting: Meeting, /) -> Meeting:
    """Draw the next result of an evening as soon as its table is made, without its lull.

    Where no result is pending, nothing changes.
    """
    key = str(meeting.pk)
    pending = Deadline.objects.filter(
        event=meeting.event, kind=EVENING_RESULT, key=key, done_at=None, due_at__gt=op.now
    )
    if pending.exists():
        set_deadline(meeting.event, EVENING_RESULT, op.now, key=key)
        op.audit(meeting.event, {"date": meeting.date.isoformat()})
    return meeting
