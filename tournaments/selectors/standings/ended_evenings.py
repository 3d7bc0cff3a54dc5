"""What texts say of an evening that is over: its newest result, and whether it is being corrected.

A correction is in the tables at once and in a result only after its lull, so that a text which
read both would mix two states. See docs/decisions/0069-a-result-is-said-once.md.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from django.utils import formats
from django.utils.translation import gettext as _

from tournaments.domain.etags import digest_of
from tournaments.domain.standings.evening_outcomes import is_same_but_for_names
from tournaments.domain.standings.standings_documents import compact
from tournaments.models.audit import AuditHead
from tournaments.models.events import Event
from tournaments.models.jobs import EVENING_RESULT, Deadline
from tournaments.models.rounds import Meeting
from tournaments.models.standings import EVENINGS, Publication, StoredHistory
from tournaments.selectors.events.meetings import is_over, posted_rounds_of
from tournaments.selectors.events.players import as_read
from tournaments.selectors.standings.bulk_reads import changed_tables_since
from tournaments.selectors.standings.evening_results import (
    get_next_result_time,
    has_newest_tables,
    newest_result,
)
from tournaments.selectors.standings.evenings import (
    EveningTable,
    NothingOfEvening,
    evening_table,
    has_counted_games,
)


@dataclass(frozen=True, slots=True)
class EndedEvening:
    """The newest result of an evening that is over, as `stored` and as its reader gets it.

    While it `is_being_corrected`, its tables and the season may already be others; `due_at` is when
    the next result is drawn if nothing else is changed, None where that is not known yet.
    """

    stored: Publication
    result: Publication
    is_being_corrected: bool
    due_at: datetime | None


def find_ended_evening(meeting: Meeting) -> EndedEvening | None:
    """Return the result that texts of an evening are made of; None before it, and while it is on.

    None too where no hand counts any more: its result stays, and its tables are gone. Takes a
    meeting whose event has the role of the reader. Nine queries at most, and a few more while
    something of the event is being computed.
    """
    stored = newest_result(meeting)
    if stored is None or not is_over(meeting):
        return None
    event = meeting.event
    if not has_counted_games(event, meeting):
        return None
    result = as_read(stored, event.club, event)
    is_changed = _is_changed_since_its_table(event, meeting) or _has_other_table(meeting, result)
    due_at = get_next_result_time(meeting) if is_changed else None
    return EndedEvening(stored, result, is_being_corrected=is_changed, due_at=due_at)


def _has_other_table(meeting: Meeting, result: Publication) -> bool:
    """Whether the table of an evening is there, and has other figures than a result."""
    try:
        table = evening_table(meeting.event, meeting)
    except NothingOfEvening:
        return False
    return not is_same_but_for_names(json.loads(table.body), result.document)


def find_next_result_time(meeting: Meeting) -> datetime | None:
    """Return when the next result of an evening is drawn; None too if that would be no other one.

    A first result is always another one; a further one is where the table of the evening differs
    from the newest, or may. Takes a meeting whose event has the role of the reader.
    One query, and those of `find_ended_evening` while a result is due.
    """
    due_at = get_next_result_time(meeting)
    if due_at is None or not _has_next_result(meeting):
        return None
    return due_at


def _has_next_result(meeting: Meeting) -> bool:
    newest = newest_result(meeting)
    event = meeting.event
    if newest is None or _is_changed_since_its_table(event, meeting):
        return True
    try:
        table = evening_table(event, meeting)
    except NothingOfEvening:
        return False
    result = dict(as_read(newest, event.club, event).document)
    del result["publication"]  # the table has no number yet
    return bool(json.loads(table.body) != result)


def _is_changed_since_its_table(event: Event, meeting: Meeting) -> bool:
    """Whether a table of the evening was changed, or may have been, since its table was made."""
    if has_newest_tables(event.pk):
        return False
    stored = StoredHistory.objects.filter(event=event, kind=EVENINGS)
    body = stored.values_list("body", flat=True).first()
    if body is None:
        return False  # all tables are made anew, as after an erasure
    seen: int = json.loads(bytes(body))["seen"]
    last_lines = AuditHead.objects.filter(club=event.club_id).values_list("number", flat=True)
    changed = changed_tables_since(event, seen, last_lines.first() or 0)
    if changed is None:
        return True
    numbers = posted_rounds_of(meeting).values_list("number", flat=True)
    return not changed[0].isdisjoint(numbers)


def being_corrected_sentence(event: Event, ended: EndedEvening) -> str:
    """Return what a text says of a correction whose result is not drawn yet; "" without one."""
    if not ended.is_being_corrected:
        return ""
    number = ended.stored.number
    if ended.due_at is None:
        return _("Result %(number)s is being corrected: another may follow.") % {"number": number}
    sentence = _("Result %(number)s is being corrected: another may follow at %(time)s.")
    due = formats.time_format(ended.due_at.astimezone(event.club.zone), "H:i")
    return sentence % {"number": number, "time": due}


def table_with_correction(meeting: Meeting, table: EveningTable) -> EveningTable:
    """Return the table of an evening, with the time of the next result while one is due that may
    have other figures; one query, and those of `find_ended_evening` while one is due."""
    due_at = get_next_result_time(meeting)
    if due_at is None:
        return table
    ended = find_ended_evening(meeting)
    if ended is None or not ended.is_being_corrected:
        return table
    document = json.loads(table.body)
    moment = due_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    document["evening"]["next_result_at"] = moment
    body = compact(document)
    return replace(table, body=body, digest=digest_of(body))


def times_of_corrections(meetings: Collection[Meeting]) -> Mapping[int, datetime]:
    """Return when another result is drawn of evenings that have one, by key.

    Two queries, and those of `find_next_result_time` for each evening whose next one is due.
    """
    keys = [str(meeting.pk) for meeting in meetings]
    deadlines = Deadline.objects.filter(
        event__in={meeting.event_id for meeting in meetings},
        kind=EVENING_RESULT,
        key__in=keys,
        done_at=None,
    )
    due = {int(key): due_at for key, due_at in deadlines.values_list("key", "due_at")}
    if not due:
        return {}
    rows = Publication.objects.filter(meeting__in=due).values_list("meeting_id", flat=True)
    with_result = set(rows)
    return {
        meeting.pk: due[meeting.pk]
        for meeting in meetings
        if meeting.pk in with_result and _has_next_result(meeting)
    }
