"""An event with what the live pages of its rounds ask for again and again: whether anything is new.

Everything that a page of a round shows is written with a line of the audit trail, with a higher
version of the event's queue row, or with both; problems of an import are counted beside them.
"""

from datetime import datetime

from django.db.models import Case, Count, F, IntegerField, Max, OuterRef, QuerySet, Subquery, When

from tournaments.errors import Missing
from tournaments.models.events import Event, StageKind
from tournaments.models.imports import ImportProblem, ProblemState
from tournaments.models.meetings import Round, RoundState
from tournaments.policy import Actor
from tournaments.selectors.events.events import events_for
from tournaments.selectors.jobs.event_marks import marks_of_changes
from tournaments.selectors.rounds.round_times import clock_phase


def event_with_round(
    actor: Actor, club: str, event: str, *, now: datetime, number: int | None = None
) -> tuple[Event, str]:
    """Return an event and a mark of what the page of one of its rounds shows of it; one query.

    The mark is another one after each act in the club, after each hand and each problem of an
    import, and when the clock of the round warns or ends. It is of what was there before the page
    is read: a page that is newer than its mark is only sent once more.

    Args:
        number: of the round; None for the round at hand.

    Raises:
        Missing: no such club or event, or not one that the actor may know of.
    """
    found = _with_marks(events_for(actor), number).filter(club__slug=club, slug=event).first()
    if found is None:
        raise Missing("event", {"club": club, "event": event})
    since, extra = found.clock_since, found.clock_extra  # type: ignore[attr-defined]  # annotated
    marks = found.marks  # type: ignore[attr-defined]  # annotated
    return found, f"{marks}{clock_phase(found, since, extra or 0, now=now)}"


def _with_marks(events: QuerySet[Event], number: int | None) -> QuerySet[Event]:
    rounds = Round.objects.filter(event=OuterRef("pk"))
    rounds = _at_hand(rounds) if number is None else rounds.filter(number=number)
    timed = rounds.filter(state__in=(RoundState.POSTED, RoundState.PLAYING))
    problems = ImportProblem.objects.filter(event=OuterRef("pk"), state=ProblemState.OPEN)
    counted = problems.order_by().values("event").annotate(n=Count("pk"), newest=Max("pk"))
    return events.annotate(
        marks=marks_of_changes(counted.values("n"), counted.values("newest")),
        clock_since=Subquery(timed.values("posted_at")[:1]),
        clock_extra=Subquery(timed.values("extra_minutes")[:1]),
    )


def _at_hand(rounds: QuerySet[Round]) -> QuerySet[Round]:
    """Order rounds so that the one at hand, of those that are timed, comes first."""
    is_played = When(state=RoundState.PLAYING, then=-F("number"))
    order = Case(is_played, default=F("number") + _LATER, output_field=IntegerField())
    return rounds.exclude(stage__kind=StageKind.PLAYOFF).order_by(order)


_LATER = 10**6
"""Rounds that are posted come after those that are played."""
