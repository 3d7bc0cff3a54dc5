"""The waiting list of an evening, and the log of its attendance.

Who waits for a place at an evening moves up, in the order of the answers. A pair or a team has one
place, and moves up as one.

Locks: the caller holds the event's row. Whatever takes, frees or adds places holds it too, so that
two answers for the last place are one place and one who waits.
"""

from collections.abc import Iterable, Mapping

from tournaments.domain.notices import KIND_OF, Recipients, personal_kind
from tournaments.models.rounds import Attendance, AttendanceState, Meeting, MeetingState
from tournaments.selectors.attendance.moved_up import MAILED, MOVED_UP
from tournaments.selectors.attendance.places import free_places, list_waiting
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.change_log import ATTENDANCE_KIND
from tournaments.selectors.events.meetings import with_state
from tournaments.selectors.jobs.outgoing import SiteMail, get_site_mail
from tournaments.selectors.notices.notifications import find_channels_of_members, find_mailable
from tournaments.services.audit.audit import note_change
from tournaments.services.notices.notifications import Message, notify_each, without_actor
from tournaments.services.operations import Operation

TAKE = "take_attendance"
PLACE_FREE = "place_free"


def move_up(op: Operation, meeting: Meeting) -> list[Attendance]:
    """Give the free places of an evening to who waited longest, and tell them.

    Nobody moves up once the evening has begun: who is in the hall then is checked in by the host.
    """
    waiting = list_waiting(meeting)
    if not waiting:
        return []
    current = with_state(Meeting.objects.filter(pk=meeting.pk)).first()
    if current is None or current.state_now != MeetingState.PLANNED:  # type: ignore[attr-defined]  # annotated
        return []
    moved = [row for rows in waiting[: free_places(meeting)] for row in rows]
    mailed = _mailed(op, meeting, moved)
    for row in moved:
        row.meeting = meeting
        row.state = AttendanceState.LATE if row.from_round else AttendanceState.EXPECTED
        row.answer = row.state
        row.answered_at = op.now
        row.stated_at = max(row.stated_at, op.now)
        row.save(update_fields=["state", "answer", "answered_at", "stated_at"])
        facts = {
            "from": str(AttendanceState.WAITING),
            "to": str(row.state),
            "at": row.stated_at.isoformat(),
            MOVED_UP: True,
            MAILED: row.player_id in mailed,
        }
        note_attendance(op, row, TAKE, facts)
    _tell(op, meeting, moved)
    return moved


def _mailed(op: Operation, meeting: Meeting, moved: list[Attendance]) -> set[int]:
    """Return the players who get a mail about their place, or who act themselves, by row."""
    club = meeting.event.club
    accounts = {row.player.user_id: row.player_id for row in moved if row.player.user_id}
    informed = set()
    if op.actor.user_id in accounts:
        informed.add(accounts[op.actor.user_id])
    if get_site_mail() != SiteMail.ON:
        return informed
    channels = find_channels_of_members(club, accounts, KIND_OF[PLACE_FREE])
    informed |= {accounts[user_id] for user_id, choice in channels.items() if choice.by_mail}
    people = [row.player_id for row in moved if not row.player.user_id]
    return informed | set(find_mailable(people, personal_kind(PLACE_FREE)))


def move_up_at(op: Operation, meetings: Iterable[Meeting]) -> None:
    """Give free places of evenings, where somebody waits; the caller holds their events' rows."""
    for meeting in meetings:
        move_up(op, meeting)


def _tell(op: Operation, meeting: Meeting, moved: list[Attendance]) -> None:
    messages = []
    for row in moved:
        to = Recipients.of([(row.player_id, row.player.user_id)])
        key = f"place:{meeting.pk}:{row.player_id}:{op.now:%Y%m%d%H%M%S%f}"
        facts = {
            "evening": meeting.pk,
            "date": meeting.date.isoformat(),
            "player": row.player_id,
        }
        messages.append((without_actor(to, op.actor), Message(key, facts)))
    if messages:
        notify_each(club=meeting.event.club, kind=PLACE_FREE, messages=messages, now=op.now)


def note_attendance(
    op: Operation, row: Attendance, operation: str, facts: Mapping[str, object]
) -> None:
    """Note what was stated of a player at an evening, by the operation that its actor did."""
    event = row.meeting.event
    code = row.player.player_id
    day = row.meeting.date.isoformat()
    by = get_role(op.actor, event.club_id)
    noted = {"player": code, "date": day, **facts}
    note_change(event=event, kind=ATTENDANCE_KIND, by=by, now=op.now, facts=noted)
    audited = {"event": event.slug, "date": day, **facts}
    op.audit(event, audited, name=operation, subject=f"player:{code}")
