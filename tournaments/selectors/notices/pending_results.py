"""Results of evenings that are about to be drawn and mailed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tournaments.models.clubs import Club
from tournaments.models.events import Visibility
from tournaments.models.jobs import EVENING_END, EVENING_RESULT, Deadline
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.meetings import IS_OVER, is_old

MOST_PENDING: Final = 50


@dataclass(frozen=True, slots=True)
class PendingResult:
    """An evening whose result is drawn at `due_at`; `ends` if it is still on until then."""

    meeting: Meeting
    due_at: datetime
    ends: bool


def list_pending_results(club: Club, *, now: datetime) -> Sequence[PendingResult]:
    """Return the results that players are going to be told of, the first one first; two queries.

    Nobody is told of a held event, or of an evening of long ago. An evening that is over does not
    end, and one that goes on again has no result before it ends.
    """
    deadlines = Deadline.objects.filter(
        club=club, kind__in=(EVENING_END, EVENING_RESULT), done_at=None, due_at__gt=now
    )
    rows = list(deadlines.order_by("due_at", "pk")[:MOST_PENDING])
    told = Meeting.objects.filter(event__club=club, pk__in=[int(row.key) for row in rows])
    told = told.exclude(event__visibility=Visibility.HELD).select_related("event__club")
    told = told.annotate(is_over=IS_OVER)
    meetings = {meeting.pk: meeting for meeting in told if not is_old(meeting, now)}
    pending = []
    for row in rows:
        meeting = meetings.get(int(row.key))
        ends = row.kind == EVENING_END
        if meeting is None or ends == meeting.is_over:
            continue
        if meeting.event.is_ladder and not ends:
            continue  # it has moves, which wait for players to confirm results
        pending.append(PendingResult(meeting, row.due_at, ends))
    return pending
