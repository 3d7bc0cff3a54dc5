"""How much of everything an event has, as its director's page counts it.

Takes an event that `selectors.events.events.event_at` has let the actor read.
"""

from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Q

from tournaments.models.access import TableLink
from tournaments.models.clubs import Membership, Player, Role
from tournaments.models.events import Entrant, EntrantState, Event, Stage, StageKind
from tournaments.models.hands import Dispute, DisputeState, Game
from tournaments.models.imports import BROUGHT, ImportBatch, ImportProblem, ProblemState
from tournaments.models.ladders import LadderAbsence
from tournaments.models.meetings import Round
from tournaments.models.playoffs import Playoff
from tournaments.models.standings import Change, LedgerLine, Publication
from tournaments.selectors.events.adjustments import sit_outs_of_round


@dataclass(frozen=True, slots=True)
class EventCounts:
    """How much of everything an event has; `publication` is the newest one's number, or None."""

    entrants: int
    withdrawn: int
    imports: int
    import_problems: int
    disputes_open: int
    disputes_closed: int
    adjustments: int
    playoffs: int
    stages: int
    changes: int
    links: int
    publication: int | None
    players: int
    absences: int
    sit_outs: int
    directors: int
    members: int


def event_counts(event: Event, round_: Round | None, today: date) -> EventCounts:
    """Return how much of everything an event has; 14 queries, whatever there is."""
    withdrawn = Q(state=EntrantState.WITHDRAWN)
    entrants = Entrant.objects.filter(event=event).aggregate(
        gone=Count("pk", filter=withdrawn), here=Count("pk", filter=~withdrawn)
    )
    is_open = Q(state=DisputeState.OPEN)
    disputes = Dispute.objects.filter(event=event).aggregate(
        open=Count("pk", filter=is_open), closed=Count("pk", filter=~is_open)
    )
    runs = Q(role__in=(Role.DIRECTOR, Role.OWNER))
    members = Membership.objects.filter(club=event.club_id).aggregate(
        all=Count("pk"), directors=Count("pk", filter=runs)
    )
    problems = ImportProblem.objects.filter(
        event=event, state=ProblemState.OPEN, batch__state__in=BROUGHT
    )
    newest = Publication.objects.filter(event=event).order_by("-number")
    links = TableLink.objects.filter(table__event=event, revoked_at__isnull=True)
    return EventCounts(
        entrants=entrants["here"],
        withdrawn=entrants["gone"],
        imports=ImportBatch.objects.filter(event=event).count(),
        import_problems=problems.count(),
        disputes_open=disputes["open"],
        disputes_closed=disputes["closed"],
        adjustments=LedgerLine.objects.filter(event=event, withdrawn_at__isnull=True).count(),
        playoffs=Playoff.objects.filter(event=event).count(),
        stages=Stage.objects.filter(event=event).exclude(kind=StageKind.PLAYOFF).count(),
        changes=Change.objects.filter(event=event).count(),
        links=links.count(),
        publication=newest.values_list("number", flat=True).first(),
        players=Player.objects.filter(club=event.club_id, merged_into=None).count(),
        absences=LadderAbsence.objects.filter(event=event, since__lte=today)
        .exclude(until__lt=today)
        .count(),
        sit_outs=sit_outs_of_round(round_).count() if round_ else 0,
        directors=members["directors"],
        members=members["all"],
    )


def contents_of(event: Event) -> tuple[int, int, int]:
    """Return how many publications, score sheets and play-offs an event has; three queries."""
    played = Game.objects.filter(event=event, hands__isnull=False)
    return (
        Publication.objects.filter(event=event).count(),
        played.distinct().count(),
        Playoff.objects.filter(event=event).count(),
    )
