"""The result of an evening: its table as a numbered publication, once the evening is over.

See docs/decisions/0068-an-evening-has-a-result.md.
"""

from datetime import datetime

from tournaments.models.jobs import Dirty, event_scope
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Publication
from tournaments.selectors.standings.evening_results import newest_result
from tournaments.selectors.standings.evenings import (
    EveningOfLadder,
    NothingOfEvening,
    evening_table,
)
from tournaments.services.publishing.evening_news import announce_moves, announce_result
from tournaments.services.publishing.publications import get_audit_number, store_publication
from tournaments.services.publishing.rank_and_render import Rendered, csv_of


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
