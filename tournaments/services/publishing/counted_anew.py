"""Standings that another release counts otherwise: running events anew, those over stay.

See docs/decisions/0054-running-events-are-counted-anew.md.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.db import transaction

from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.etags import digest_of
from tournaments.domain.notices import Recipients
from tournaments.domain.people.public_names import NewNames, redact_document, redact_table
from tournaments.domain.standings.counting_release import COUNTED_ANEW, COUNTING, RELEASES
from tournaments.domain.standings.standings_documents import compact
from tournaments.models.clubs import Club, Membership, Role
from tournaments.models.events import Entrant, Event, Season
from tournaments.models.jobs import Heartbeat
from tournaments.models.standings import Publication, StoredHistory
from tournaments.selectors.jobs.queue import SILENT_AFTER
from tournaments.selectors.standings.counted_otherwise import (
    has_other_results,
    list_running_counted_otherwise,
)
from tournaments.selectors.standings.publication_diff import compare_documents
from tournaments.services.audit.audit import note_change
from tournaments.services.db.bulk import in_parts
from tournaments.services.db.transactions import atomic_step
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.notices.notifications import notify
from tournaments.services.publishing.rank_and_render import Rendered
from tournaments.services.totals.counted_games import (
    CountingScheme,
    lock_aggregates,
    recompute_counted,
)

EVENTS_A_SWEEP: Final = 50
"""Running events that one sweep has counted anew, so that hands of other clubs do not wait."""
ENTRANTS_LOCKED: Final = 100
MOST_NAMED: Final = 20
"""Entrants whose moves a notice names; it counts the others."""
HISTORY_STATE: Final = "todo"
TABLES_OF_THE_PAST: Final = ("as_of", "stage", "evening")

_OWNERS: Final = ("club", "event", "season")
_NAMED: Final = ("player", "members", "ledger")


def mark_counted_otherwise(*, now: datetime) -> int:
    """Have running events published anew that an older release has counted; return how many.

    Waits until no worker of such a release is alive: it would publish its own figures again.
    """
    heard = Heartbeat.objects.filter(seen_at__gt=now - SILENT_AFTER)
    if heard.filter(counting__lt=COUNTING).exists():
        return 0
    events = list_running_counted_otherwise(at_most=EVENTS_A_SWEEP)
    for event in events:
        _mark(event, now)
    return len(events)


@atomic_step
def _mark(event: Event, now: datetime) -> None:
    mark_changed(event=event, now=now)


def count_sums_anew(event: Event) -> None:
    """Count the sums that are not additive by the formulas of this release, in pieces."""
    if not CountingScheme(event).settings.keeps:
        return
    entrants = sorted(Entrant.objects.filter(event=event).values_list("pk", flat=True))
    for some in in_parts(entrants, ENTRANTS_LOCKED):
        _count_some(event, some)


@transaction.atomic
def _count_some(event: Event, entrants: Sequence[int]) -> None:
    lock_aggregates(event, entrants)
    recompute_counted(event=event, entrants=entrants)


def with_stored_figures(newest: Publication, rendered: Rendered) -> Rendered:
    """Return the figures of a publication with the names and the state of today."""
    document = newest.document
    del document["publication"]
    today = rendered.document()
    rows_today = {row["player_id"]: row for row in _rows(today)}
    for row in _rows(document):
        row_today = rows_today.get(row["player_id"])
        if row_today is not None:
            row |= {key: row_today[key] for key in _NAMED if key in row and key in row_today}
    document |= {key: today[key] for key in _OWNERS if key in document}
    return Rendered(*redact_document(compact(document), bytes(newest.csv), NewNames({})))


def _rows(document: JsonObject) -> list[JsonDict]:
    return [*document["rows"], *document["provisional_rows"]]


def rename_history(event: Event, body: bytes) -> None:
    """Give the stored tables of an event the names of a document, and leave their figures."""
    rows = _rows(Rendered(body, b"").document())
    entrants = {row["player_id"]: row["player"] for row in rows}
    players = {
        member["player_id"]: member["player"] for row in rows for member in row.get("members", ())
    }
    names = NewNames(names=entrants | players, entrants=entrants)
    for table in StoredHistory.objects.filter(event=event, kind__in=TABLES_OF_THE_PAST):
        stored = bytes(table.body)
        renamed = redact_table(stored, names)
        if renamed != stored:
            rows_of_table = StoredHistory.objects.filter(pk=table.pk)
            rows_of_table.update(body=renamed, digest=digest_of(renamed))


def restart_history(event: Event) -> None:
    """Have all tables of the past of an event computed again."""
    StoredHistory.objects.filter(event=event, kind=HISTORY_STATE).delete()


def note_counted_anew(
    before: Publication, after: Publication, owner: Event | Season, *, now: datetime
) -> None:
    """Say in the change log that a table was counted anew, and tell directors who moved."""
    difference = compare_documents(before.document, after.document)
    moved, changed = difference["moved"], difference["changed"]
    facts: dict[str, Any] = {"release": RELEASES[COUNTING], "counting": COUNTING}
    if isinstance(owner, Event):
        with_results = has_other_results(owner, since=before)
        noted = {**facts, "moved": len(moved)}
        note_change(
            event=owner,
            version=after.version,
            kind=COUNTED_ANEW,
            by="upgrade",
            now=now,
            facts=noted,
        )
        facts |= {"event": owner.pk, "with_results": with_results}
    else:
        facts |= {"season": owner.pk, "with_results": False}
    if moved or changed:
        facts |= {"publication": after.number, "before": before.number}
        most_moved = sorted(moved, key=lambda row: -abs(row["by"]))[:MOST_NAMED]
        facts |= {
            "n_moved": len(moved),
            "n_changed": len(changed),
            "moved": [[row["entrant_id"], row["was"], row["now"]] for row in most_moved],
        }
        facts["changed"] = [row["entrant_id"] for row in changed[:MOST_NAMED]]
        _tell_directors(owner.club, facts, now)


def _tell_directors(club: Club, facts: Mapping[str, Any], now: datetime) -> None:
    roles = (Role.DIRECTOR, Role.OWNER)
    directors = Membership.objects.filter(club=club, role__in=roles)
    subject = "event" if "event" in facts else "season"
    notify(
        club=club,
        to=Recipients(frozenset(directors.values_list("user_id", flat=True))),
        kind=COUNTED_ANEW,
        key=f"{subject}:{facts[subject]}/publication:{facts['publication']}",
        facts=facts,
        now=now,
    )
