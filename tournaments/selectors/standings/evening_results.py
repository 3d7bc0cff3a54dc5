"""The results of an evening: numbered publications of its table, drawn once it is over."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from tournaments.domain.standings.standings_documents import (
    AdjustmentDocument,
    StandingsDocument,
)
from tournaments.errors import first_or_missing
from tournaments.models.hands import Game
from tournaments.models.jobs import (
    EVENING_RESULT,
    Deadline,
    Dirty,
    event_scope,
    history_scope,
    ladder_scope,
    playoffs_scope,
    recount_scope,
)
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Publication
from tournaments.selectors.clubs.names import FULL_NAME, name_column
from tournaments.selectors.events.players import as_read

LOST_RESULT: Final = Q(meeting__isnull=False) & ~Exists(
    Meeting.objects.filter(pk=OuterRef("meeting"))
)
"""A result whose evening 0.5.0 has deleted, which does not know results; a sweep deletes it."""


@dataclass(frozen=True, slots=True)
class EveningAdjustment:
    """A penalty or a bonus in the table of an evening, and the entrant who has it."""

    code: str
    name: str
    line: AdjustmentDocument


def adjustments_in(document: StandingsDocument, day: date) -> Sequence[EveningAdjustment]:
    """Return the lines of an evening in its table, by number; those of the season are left out."""
    adjustments = []
    for row in (*document["rows"], *document["provisional_rows"]):
        for line in row.get("ledger", ()):
            if line.get("meeting") == day.isoformat():
                adjustments.append(EveningAdjustment(row["player_id"], row["player"], line))
    return sorted(adjustments, key=lambda each: each.line["number"])


def results_of(meeting: Meeting) -> QuerySet[Publication]:
    """Return the results of an evening without their bytes, the newest first."""
    results = Publication.objects.filter(meeting=meeting).defer("body", "csv")
    return results.order_by("-number")


def results_with_hands(meeting: Meeting) -> QuerySet[Publication]:
    """Return the results of an evening with `has_hands`: whether a hand of it counts now."""
    games = Game.objects.filter(table__round__meeting=meeting, counts=True, hands_counted__gt=0)
    return results_of(meeting).annotate(has_hands=Exists(games))


def newest_result(meeting: Meeting) -> Publication | None:
    return Publication.objects.filter(meeting=meeting).order_by("-number").first()


def result_numbered(meeting: Meeting, number: int) -> Publication:
    """Return one result of an evening as it is stored."""
    rows = Publication.objects.filter(meeting=meeting, number=number)
    return first_or_missing(rows, "evening_result", result=number)


def read_result(meeting: Meeting, number: int, *, as_stored: bool = False) -> Publication:
    """Return one result of an evening as the reader of its event gets it.

    Args:
        as_stored: whether members get the bytes as they are, not with full names.
    """
    result = result_numbered(meeting, number)
    event = meeting.event
    if as_stored and name_column(event) == FULL_NAME:
        return result
    return as_read(result, event.club, event)


def newest_results(meetings: Collection[Meeting]) -> Mapping[int, Publication]:
    """Return the newest result of each evening that has one, without its bytes, by the key of the
    evening; one query."""
    rows = Publication.objects.filter(meeting__in=meetings).defer("body", "csv")
    return {row.meeting_id: row for row in rows.order_by("number") if row.meeting_id is not None}


def get_next_result_time(meeting: Meeting) -> datetime | None:
    """Return when the next result of an evening is drawn if nothing is changed; None: not due."""
    deadlines = Deadline.objects.filter(
        event=meeting.event_id, kind=EVENING_RESULT, key=str(meeting.pk), done_at=None
    )
    return deadlines.values_list("due_at", flat=True).first()


def has_newest_tables(event_id: int) -> bool:
    """Whether all that was changed is in the tables and moves of an event's evenings; one query.

    Not while its standings are under review: a director may take the change back.
    """
    scopes = (event_scope, recount_scope, playoffs_scope, ladder_scope, history_scope)
    jobs = Dirty.objects.filter(scope__in=[scope(event_id) for scope in scopes])
    is_behind = Q(done__lt=F("version"))
    return not jobs.filter(is_behind | Q(under_review_since__isnull=False)).exists()
