"""Compare the tables of evenings with tables made now, and their results with both."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from tournaments.domain.etags import digest_of
from tournaments.domain.standings.standings_documents import compact
from tournaments.models.events import Event
from tournaments.models.jobs import EVENING_RESULT, Deadline, history_scope
from tournaments.models.publication_packs import DISCARDED
from tournaments.models.rounds import Meeting
from tournaments.models.standings import EVENINGS, Publication, StoredHistory
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.events.meetings import ended
from tournaments.selectors.standings.counted_otherwise import is_counted_otherwise
from tournaments.selectors.standings.evening_results import has_newest_tables, newest_results
from tournaments.selectors.standings.evenings import EVENING
from tournaments.services.db.transactions import atomic_step
from tournaments.services.jobs.queue import mark_due
from tournaments.services.publishing.evening_tables import EveningWork, make_evening_tables
from tournaments.services.publishing.publications import newest_publication
from tournaments.services.verification.games import Difference, Verification

ALL_AT_ONCE: Final = 10**9


def verify_evenings(
    event: Event, verification: Verification, *, repair: bool, now: datetime
) -> None:
    """Compare each result with its own digest, the tables with tables made now, and the newest
    result of each evening that is over with its table.

    Evenings that are behind, and those of an event that another release has counted, are left to
    the workers. With `repair` a worker makes the tables again, and draws the results of those that
    differ; a result itself is never changed.
    """
    _compare_with_digests(event, verification)
    with snapshot_read():
        newest = newest_publication(event=event.pk)
        is_settled = newest is not None and not is_counted_otherwise(newest)
        if event.is_ladder or not is_settled or not has_newest_tables(event.pk):
            return
        made = make_evening_tables(event, EveningWork(), ALL_AT_ONCE)
        rows = StoredHistory.objects.filter(event=event, kind=EVENING)
        stored = dict(rows.values_list("key", "digest"))
        results = _settled_results(event)
    computed = {day: digest_of(body) for (_, day), body in made.bodies.items()}
    differing = [
        day for day in sorted({*stored, *computed}) if stored.get(day) != computed.get(day)
    ]
    for day in differing:
        difference = Difference(
            None, None, "table", stored.get(day), computed.get(day), evening=day
        )
        verification.add(difference)
    for day, digest in results.items():
        if day in stored and stored[day] != digest:
            verification.add(Difference(None, None, "result", digest, stored[day], evening=day))
    if repair and differing:
        _make_again(event, now)


def _compare_with_digests(event: Event, verification: Verification) -> None:
    results = Publication.objects.filter(meeting__event=event).exclude(pack=DISCARDED)
    for result in results.select_related("meeting").order_by("pk").iterator(chunk_size=20):
        document = result.document
        del document["publication"]
        found = digest_of(compact(document))
        if found != result.digest:
            verification.add(
                Difference(None, None, "result", result.digest, found, evening=str(result.meeting))
            )


def _settled_results(event: Event) -> Mapping[str, str]:
    """Return the digest of the newest result by day, of evenings whose next one is not due."""
    over = {meeting.pk: meeting for meeting in ended(Meeting.objects.filter(event=event))}
    deadlines = Deadline.objects.filter(event=event, kind=EVENING_RESULT, done_at=None)
    due = set(deadlines.values_list("key", flat=True))
    return {
        str(over[pk]): result.digest
        for pk, result in newest_results(list(over.values())).items()
        if str(pk) not in due
    }


@atomic_step
def _make_again(event: Event, now: datetime) -> None:
    StoredHistory.objects.filter(event=event, kind__in=(EVENING, EVENINGS)).delete()
    mark_due(history_scope(event.pk), now=now)
