"""The evenings of an event that are over, for its feed: an entry for each."""

from collections.abc import Collection, Mapping, Sequence

from django.db.models import Exists, F, Max, Min, OuterRef, Q, Value

from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Publication
from tournaments.selectors.events.meetings import ended
from tournaments.selectors.events.players import all_for_public


def list_evening_entries(event: Event, *, begin: int, at_most: int) -> Sequence[Meeting]:
    """Return the evenings with a result, or those of a ladder that are over, the newest first.

    They have the number of the newest result (`last_number`, 0 on a ladder), when the first
    one was drawn (`first_at`) and when the newest was (`last_at`); of a ladder both are the end,
    for what was announced of it later is no result (selectors/ladders/announced_moves.py).
    Evenings without a counted game are left out: all hands of one may be deleted, and its result
    stays. One query.
    """
    counted = Game.objects.filter(
        table__round__meeting=OuterRef("pk"), counts=True, hands_counted__gt=0
    )
    meetings = Meeting.objects.filter(Exists(counted), event=event)
    if event.is_ladder:
        meetings = ended(meetings).annotate(
            first_at=F("ended_at"), last_at=F("ended_at"), last_number=Value(0)
        )
    else:
        meetings = meetings.filter(results__isnull=False).annotate(
            first_at=Min("results__published_at"),
            last_at=Max("results__published_at"),
            last_number=Max("results__number"),
        )
    return list(meetings.order_by("-date")[begin : begin + at_most])


def results_for_public(event: Event, evenings: Collection[Meeting]) -> Mapping[int, Publication]:
    """Return the newest result of each of these evenings as the public reads it, by its key.

    One query, and at most three more where the club hides names.
    """
    newest = Q()
    for meeting in evenings:
        newest |= Q(meeting=meeting, number=meeting.last_number)  # type: ignore[attr-defined]  # annotated
    if not newest:
        return {}
    rows = Publication.objects.filter(newest).defer("csv")
    results = all_for_public(rows, event.club, event)
    return {row.meeting_id: row for row in results if row.meeting_id is not None}
