"""The end of an evening: pressed, an hour after its last round, or at noon of the next day."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Max, OuterRef, Subquery

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import EVENING_RESULT, Deadline
from tournaments.models.rounds import EndedBy, Meeting, Round, RoundState
from tournaments.policy import command
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.change_log import END_KIND
from tournaments.selectors.events.meetings import (
    OLD_AFTER,
    is_old,
    is_over,
    meeting_on,
    posted_rounds_of,
)
from tournaments.selectors.rounds.evening_end import list_open_playoffs, open_games_of
from tournaments.selectors.rounds.evenings_to_end import (
    find_hour,
    list_to_end_at_noon,
    list_to_end_for_the_record,
)
from tournaments.services.audit.audit import note_change
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import atomic_step
from tournaments.services.jobs.enqueue import DeadlineOutcome, set_deadline
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.rounds import move_round

LOOK_AT_PLAYOFFS: Final = timedelta(minutes=15)
"""Time between two looks at an evening that would be over but for an undecided play-off."""
EVENINGS_A_SWEEP: Final = 50
"""Evenings that one sweep ends, so that hands of other clubs do not wait."""


def _lock_meeting(meeting: Meeting) -> Meeting:
    """Lock the games of all rounds that the end may close, before the first round is."""
    event = lock_event(meeting.event)
    lock_games(Game.objects.filter(table__round__in=posted_rounds_of(meeting)))
    return meeting_on(event, meeting.date)


@operation(
    "manage_event",
    locks=_lock_meeting,
    refuses=(
        *("unknown_meeting", "evening_without_round", "evening_has_open_tables"),
        "games_still_open",
        *("state_not_allowed", "round_of_a_playoff", "event_is_over"),
        *("import_waits", "import_running", "import_undoing"),
    ),
)
def end_evening(op: Operation, meeting: Meeting, /, *, by: str = EndedBy.PERSON) -> Meeting:
    """End an evening, and close its rounds whose tables are all complete.

    Where a table is still open the answer is 409 `evening_has_open_tables`, also where it is one of
    a play-off of a tie of the evening. An evening that is over
    stays so. A round that is posted, opened again or closed later takes the end back.
    """
    if is_over(meeting):
        return meeting
    facts: dict[str, int | str] = {"date": meeting.date.isoformat()}
    rounds = posted_rounds_of(meeting)
    if not rounds.exists():
        raise Conflict(Problem("evening_without_round", (), facts))
    open_games = open_games_of(meeting, with_playoffs=by in (EndedBy.PERSON, EndedBy.HOUR))
    if open_tables := list(open_games.values_list("table__code", flat=True)):
        facts["tables"] = ", ".join(open_tables)
        raise Conflict(Problem("evening_has_open_tables", (), facts))
    for round_ in rounds.exclude(state=RoundState.CLOSED).order_by("number"):
        move_round(op, round_, to="closed")
    # A round may have been closed while this waited for the event, later than it began.
    closed_at = posted_rounds_of(meeting).aggregate(at=Max("closed_at"))["at"]
    ended_at = max(op.now, closed_at or op.now)
    Meeting.objects.filter(pk=meeting.pk).update(ended_at=ended_at, ended_by=by)
    set_deadline(meeting.event, EVENING_RESULT, op.now, key=str(meeting.pk))
    _note_end(op, meeting, by)
    op.audit(meeting.event, {"date": meeting.date.isoformat(), "by": by})
    return meeting_on(meeting.event, meeting.date)


def _note_end(op: Operation, meeting: Meeting, by: str) -> None:
    """Write the end of an evening into the change log, but for one that ended for the record."""
    if by == EndedBy.RECORD:
        return
    role = "clock"
    if by == EndedBy.PERSON:
        role = get_role(op.actor, meeting.club_id)
    facts = {"date": meeting.date.isoformat(), "by": by}
    note_change(event=meeting.event, kind=END_KIND, by=role, now=op.now, facts=facts)


def run_evening_end(event: Event, deadline: Deadline, now: datetime) -> DeadlineOutcome:
    """End an evening an hour after its last posted round was closed.

    The hour is read from the rounds: nobody who moves the deadline moves the end.
    """
    meeting = Meeting.objects.filter(event=event, pk=int(deadline.key)).first()
    if meeting is None:
        return DeadlineOutcome(None)
    meeting.event = event
    hour = find_hour(meeting)
    if hour is None:
        return DeadlineOutcome(None)  # closing the last round sets it again
    if hour > now:
        return DeadlineOutcome(hour)
    if list_open_playoffs(meeting) and not is_old(meeting, now):
        return DeadlineOutcome(now + LOOK_AT_PLAYOFFS)  # nothing sets it again when they end
    by = EndedBy.RECORD if is_old(meeting, now) else EndedBy.HOUR
    end_evening(Operation(command("evening"), now), meeting, by=by)
    return DeadlineOutcome(None, "ended")


@atomic_step
def end_evenings_of_the_past(*, now: datetime) -> int:
    """End old evenings whose rounds are all closed, for the record; return how many.

    They were brought in as files, or were played before evenings had an end.
    """
    meetings = list_to_end_for_the_record(now=now, since=OLD_AFTER, at_most=EVENINGS_A_SWEEP)
    closed = Round.objects.filter(meeting=OuterRef("pk")).exclude(state=RoundState.DRAFT)
    last = closed.order_by("-closed_at").values("closed_at")[:1]
    rows = Meeting.objects.filter(pk__in=meetings, ended_at=None)
    return rows.update(ended_at=Subquery(last), ended_by=EndedBy.RECORD)


def end_evenings_at_noon(*, now: datetime) -> int:
    """End evenings of the days before whose tables are all complete; return how many."""
    n_ended = 0
    for meeting in list_to_end_at_noon(now=now, since=OLD_AFTER, at_most=EVENINGS_A_SWEEP):
        op = Operation(command("evening"), now)
        try:
            end_evening(op, meeting, by=EndedBy.NOON)
        except (Conflict, Refused):
            continue  # a tie or an import waits for a director, who is told so
        n_ended += 1
    return n_ended
