"""The result of an evening: its table as a numbered publication, once the evening is over.

See docs/decisions/0068-an-evening-has-a-result.md.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from tournaments.models.events import Event
from tournaments.models.jobs import EVENING_RESULT, Deadline, Dirty, event_scope
from tournaments.models.rounds import EndedBy, Meeting
from tournaments.models.standings import Publication
from tournaments.selectors.events.meetings import LULL, OLD_AFTER, ended, is_old, is_over
from tournaments.selectors.jobs.queue import get_change_time
from tournaments.selectors.ladders.announced_moves import (
    announcements_by_day,
    is_to_be_announced,
)
from tournaments.selectors.ladders.ladders import count_unconfirmed
from tournaments.selectors.standings.evening_results import (
    LOST_RESULT,
    has_newest_tables,
    newest_result,
    newest_results,
)
from tournaments.selectors.standings.evenings import (
    EveningOfLadder,
    NothingOfEvening,
    evening_table,
)
from tournaments.services.db.locks import lock_event
from tournaments.services.jobs.enqueue import DeadlineOutcome, set_deadline
from tournaments.services.publishing.evening_news import announce_moves, announce_result
from tournaments.services.publishing.publications import get_audit_number, store_publication
from tournaments.services.publishing.rank_and_render import Rendered, csv_of

LOOK_SOON: Final = timedelta(seconds=2)
"""Time between two looks at tables that are being made; most are there by the second look."""
LOOK_AGAIN: Final = timedelta(minutes=1)
"""The same where nothing was changed for so long: a job was given up, or a director is asked."""
LOOK_FOR_ANSWERS: Final = timedelta(minutes=5)
"""Time between two looks at results of a ladder's evening that are not confirmed yet."""


def run_evening_result(event: Event, deadline: Deadline, now: datetime) -> DeadlineOutcome:
    """Store the result of an evening that is over, once its table has all that was changed."""
    meeting = Meeting.objects.filter(event=event, pk=int(deadline.key)).first()
    if meeting is None or meeting.ended_at is None or not is_over(meeting):
        return DeadlineOutcome(None)  # its next end sets the deadline again
    if meeting.ended_by == EndedBy.RECORD and newest_result(meeting) is None:
        return DeadlineOutcome(None)
    if not has_newest_tables(event.pk):
        changed_at = get_change_time(event.pk)
        is_soon = changed_at is not None and changed_at > now - LOOK_AGAIN
        if is_soon:
            return DeadlineOutcome(now + LOOK_SOON)
        return DeadlineOutcome(now + LOOK_AGAIN)
    meeting.event = event
    if event.is_ladder and not is_old(meeting, now) and count_unconfirmed(meeting):
        return DeadlineOutcome(now + LOOK_FOR_ANSWERS)  # until then it is not known who moves
    before = newest_result(meeting)
    # The clocks of who ended it and of the database may differ.
    result = publish_result(meeting, now=max(now, meeting.ended_at))
    if result == before:
        return DeadlineOutcome(None)
    return DeadlineOutcome(None, "published")


def schedule_results(
    event_id: int, days: Collection[str], *, clock: Callable[[], datetime]
) -> None:
    """Have results drawn of those evenings that are over and whose table is another now.

    Each is drawn when nothing was changed for `LULL`. What an end makes due does not wait for that,
    nor does what is due already, so that such deadlines are not moved. The caller has stored the
    tables.
    """
    over = ended(Meeting.objects.filter(event=event_id, date__in=days))
    if not days or not over.exists():
        return
    # Whoever stores a result holds the event's row, so that it is there now or comes after this.
    event = lock_event(Event(pk=event_id))
    now = clock()
    changed_at = get_change_time(event_id)
    results = newest_results(over)
    pending = _pending_results(event)
    for meeting in over:
        result = results.get(meeting.pk)
        if meeting.ended_at is None or (result is None and meeting.ended_by == EndedBy.RECORD):
            continue
        key = str(meeting.pk)
        deadline = pending.get(key)
        if deadline is not None and _is_due(deadline, now):
            continue
        if deadline is None or _waits_for_lull(deadline, result, ended_at=meeting.ended_at):
            quiet_at = (meeting.ended_at if changed_at is None else changed_at) + LULL
            set_deadline(event, EVENING_RESULT, quiet_at, key=key)


def list_announced_evenings(event: Event, now: datetime) -> Sequence[Meeting]:
    """Return the evenings of a ladder that are over, were announced, and may be announced again.

    Two queries.
    """
    first_day = (now - OLD_AFTER).date()
    over = list(ended(Meeting.objects.filter(event=event, date__gte=first_day)))
    announced = announcements_by_day(event.pk, [meeting.date for meeting in over])
    return [meeting for meeting in over if meeting.date in announced]


def schedule_corrected_moves(event: Event, evenings: Collection[Meeting], *, now: datetime) -> None:
    """Have those evenings of a ladder announced again whose moves are not those announced.

    Each is when nothing was changed for `LULL`. The caller holds the row of the event, and has
    stored the moves.
    """
    pending = _pending_results(event)
    changed_at = get_change_time(event.pk) or now
    announced = announcements_by_day(event.pk, [meeting.date for meeting in evenings])
    for meeting in evenings:
        key = str(meeting.pk)
        deadline = pending.get(key)
        if deadline is not None and (_is_due(deadline, now) or _waits_for_answers(deadline)):
            continue
        if is_to_be_announced(event, meeting, announced[meeting.date][-1]):
            set_deadline(event, EVENING_RESULT, changed_at + LULL, key=key)


def _pending_results(event: Event) -> Mapping[str, Deadline]:
    deadlines = Deadline.objects.filter(event=event, kind=EVENING_RESULT, done_at=None)
    return {deadline.key: deadline for deadline in deadlines}


def _waits_for_answers(deadline: Deadline) -> bool:
    """Whether an evening of a ladder is looked at again until its results are confirmed."""
    if deadline.ran_at is None:
        return False
    return deadline.due_at <= deadline.ran_at + LOOK_FOR_ANSWERS


def _is_due(deadline: Deadline, now: datetime) -> bool:
    """Whether a result is to be drawn now, or is looked at again until its table is made."""
    if deadline.due_at <= now:
        return True
    return deadline.ran_at is not None and deadline.due_at <= deadline.ran_at + LOOK_AGAIN


def _waits_for_lull(deadline: Deadline, result: Publication | None, *, ended_at: datetime) -> bool:
    """Whether a pending result waits until nothing was changed, and is not that of the end itself.

    An end whose table had the bytes of the newest result drew none of its own; a deadline that is
    a lull after it is a correction's all the same.
    """
    if result is not None and result.published_at >= ended_at:
        return True
    return deadline.due_at >= ended_at + LULL


def publish_result(meeting: Meeting, *, now: datetime) -> Publication | None:
    """Store the table of an evening as its next result, and return the newest one.

    A table with the bytes of the newest result makes none. None: the evening has no table. The
    caller holds the row of the event, `meeting.event`, and knows that the evening is over and
    that its table is of the newest version.
    """
    event = meeting.event
    try:
        table = evening_table(event, meeting)
    except EveningOfLadder:
        announce_moves(meeting, now=now)
        return None
    except NothingOfEvening:
        return None
    versions = Dirty.objects.filter(scope=event_scope(event.pk)).values_list("version", flat=True)
    before = newest_result(meeting)
    result = store_publication(
        before,
        Rendered(table.body, csv_of(table.body)),
        owner={"meeting": meeting},
        version=versions.first() or 0,
        audit_number=get_audit_number(event.club_id),
        now=now,
    )
    if result is not before:
        announce_result(meeting, result, before, now=now)
    return result


def delete_lost_results() -> int:
    """Delete results whose evening is gone; return how many."""
    return Publication.objects.filter(LOST_RESULT).delete()[0]
