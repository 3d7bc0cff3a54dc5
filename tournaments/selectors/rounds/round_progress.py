"""The progress of an event's rounds, and their end.

The only place that computes the length of a round. Takes an event from
`selectors.events.events.get_event`, which checks permissions.

All data of a round's page is written with an audit line, with a higher version of the event's queue
row, or with both; problems of an import are counted separately.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import (
    Case,
    Count,
    ExpressionWrapper,
    F,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    When,
)
from django.db.models.fields import DurationField

from tournaments.domain.event_settings import settings_of
from tournaments.errors import first_or_missing
from tournaments.models.events import Event, StageKind
from tournaments.models.hands import Entry, GameState, Hand, HandState
from tournaments.models.imports import ImportProblem, ProblemState
from tournaments.models.rounds import Round, RoundState
from tournaments.policy import Actor
from tournaments.selectors.events.events import events_for, rounds_of
from tournaments.selectors.hands.games import hands_of_most_games
from tournaments.selectors.jobs.queue import mark_of_due_results, marks_of_changes

LONGEST: Final = timedelta(hours=6)
"""A longer one was left open after its play."""
WARNING: Final = timedelta(minutes=5)
"""The last minutes of a round's clock, in which it warns."""


@dataclass(frozen=True, slots=True)
class RoundClock:
    """The end of a round, seen at a moment; an estimate neither warns nor is over."""

    ends_at: datetime
    now: datetime
    is_estimated: bool
    extra_minutes: int
    zone: str
    """The time zone of the club, in which the end is shown."""

    @property
    def left(self) -> timedelta:
        return max(timedelta(), self.ends_at - self.now)

    @property
    def minutes_left(self) -> int:
        """The full minutes that are left, the one that has begun among them."""
        return -(-self.left // timedelta(minutes=1))

    @property
    def is_warning(self) -> bool:
        return not self.is_estimated and timedelta() < self.left <= WARNING

    @property
    def is_over(self) -> bool:
        return not self.is_estimated and self.now >= self.ends_at


def minutes_a_round(event: Event) -> int:
    """Return how many minutes a round of an event lasts; at most two queries.

    The event's `round_minutes`, else the mean of the club's last 20 rounds, else 6 minutes a hand
    or a board. A round without a fixed number of hands has eight.
    """
    settings = settings_of(event)
    if settings.round_minutes:
        return settings.round_minutes
    if minutes := _mean_minutes(event):
        return minutes
    return 6 * (hands_of_most_games(event) or 8)


def round_clock(event: Event, round_: Round, *, now: datetime) -> RoundClock | None:
    """Return when a round ends; None before it is posted and after it was closed.

    Without a clock the end is estimated, which takes a query; so it is for a round that was posted
    before the clock was turned on. A round of an earlier evening and one of a play-off have none.
    """
    posted_at = round_.posted_at
    if posted_at is None or not is_timed(event, round_):
        return None
    settings = settings_of(event)
    minutes = minutes_a_round(event) + round_.extra_minutes
    ends_at = posted_at + timedelta(minutes=minutes)
    if now > ends_at + LONGEST:
        return None  # left open, or opened again on another day
    return RoundClock(
        ends_at=ends_at,
        now=now,
        is_estimated=not settings.round_minutes,
        extra_minutes=round_.extra_minutes,
        zone=event.club.time_zone,
    )


def clock_phase(event: Event, since: datetime | None, extra_minutes: int, *, now: datetime) -> str:
    """Return a text that changes when the clock of a round warns or is over; no query.

    An estimated end, which has no such moment, changes it every quarter of an hour. `since` is
    when a round in play was posted; None without one.
    """
    if since is None:
        return ""
    minutes = settings_of(event).round_minutes
    if not minutes:
        return f"estimated-{int(now.timestamp()) // (15 * 60)}"
    rest = since + timedelta(minutes=minutes + extra_minutes) - now
    if rest > WARNING:
        return "runs"
    if rest > timedelta():
        return "warns"
    return "over" if rest >= -LONGEST else "ended"


def is_timed(event: Event, round_: Round) -> bool:
    """Whether a round is being played since it was posted, on its own day."""
    if round_.posted_at is None or round_.state not in (RoundState.POSTED, RoundState.PLAYING):
        return False
    if round_.stage.kind == StageKind.PLAYOFF:
        return False
    if round_.meeting is None:
        return True
    day = round_.posted_at.astimezone(event.club.zone).date()
    return round_.meeting.date >= day - timedelta(days=1)  # an evening goes on after midnight


def _mean_minutes(event: Event) -> int:
    length = ExpressionWrapper(F("closed_at") - F("posted_at"), output_field=DurationField())
    rounds = Round.objects.filter(
        club=event.club_id, state=RoundState.CLOSED, posted_at__isnull=False
    )
    # A shorter round was entered afterwards.
    timed = rounds.annotate(length=length).filter(
        length__gte=timedelta(minutes=5), length__lte=LONGEST
    )
    lengths = list(timed.order_by("-closed_at").values_list("length", flat=True)[:20])
    if not lengths:
        return 0
    return round(sum(lengths, timedelta()) / len(lengths) / timedelta(minutes=1))


OVER: Final = (
    GameState.COMPLETE,
    GameState.CHECKED,
    GameState.ABANDONED,
    GameState.FINAL,
)
"""States of games that wait for no more hands."""


class RoundProgress:
    """A round with the number of its tables, and of those that are still open."""

    def __init__(self, row: Round, tables: int, open_tables: int) -> None:
        self.row, self.number, self.state = row, row.number, row.state
        self.on = row.meeting.date if row.meeting else None
        self.tables, self.open_tables = tables, open_tables
        self.is_playoff = row.stage.kind == StageKind.PLAYOFF

    @property
    def is_open(self) -> bool:
        return self.state != RoundState.CLOSED

    @property
    def is_complete(self) -> bool:
        """Whether it can be closed: it is in progress, and every table is over."""
        return self.state == RoundState.PLAYING and self.tables > 0 and not self.open_tables


def round_progress(event: Event) -> Sequence[RoundProgress]:
    """Return the rounds of an event by number, play-offs among them; one query."""
    is_open = ~Q(tables__game__state__in=OVER)
    rounds = rounds_of(event).select_related("meeting", "snapshot", "stage")
    rows = rounds.annotate(n_tables=Count("tables"), n_open=Count("tables", filter=is_open))
    return tuple(RoundProgress(row, row.n_tables, row.n_open) for row in rows)


def current_round(rounds: Sequence[RoundProgress]) -> RoundProgress | None:
    """Return the round that a director looks at: the newest in progress, else the first that is
    posted, else the first draft; one of a play-off only where there is no other."""
    for is_playoff in (False, True):
        candidates = [round_ for round_ in rounds if round_.is_playoff == is_playoff]
        for state in (RoundState.PLAYING, RoundState.POSTED, RoundState.DRAFT):
            in_state = [round_ for round_ in candidates if round_.state == state]
            if in_state:
                if state == RoundState.PLAYING:
                    return in_state[-1]
                return in_state[0]
    return None


def entry_times(round_: Round) -> Mapping[str, tuple[datetime, datetime]]:
    """Return when the first and the newest entry of each table of a round were made, by code; one
    query."""
    rows = Entry.objects.filter(hand__game__table__round=round_)
    times = rows.values("hand__game__table__code").order_by()
    annotated = times.annotate(first=Min("entered_at"), newest=Max("entered_at"))
    return {
        code: (first, newest)
        for code, first, newest in annotated.values_list(
            "hand__game__table__code", "first", "newest"
        )
    }


def filed_hands(event: Event) -> Sequence[Hand]:
    """Return the hands of an event that are filed as disputed, the earliest first; one query.

    Their total is wrong until somebody corrects it.
    """
    rows = Hand.objects.filter(game__event=event, state=HandState.DISPUTED)
    return list(
        rows.select_related("entry", "game__table__round").order_by("entry__entered_at", "pk")
    )


def event_with_round(
    actor: Actor, club: str, event: str, *, now: datetime, number: int | None = None
) -> tuple[Event, str]:
    """Return an event and a mark of the page of a round, or of the round at hand; one query.

    The mark changes after each operation in the club, after each hand and each problem of an
    import, and when the clock of the round warns or ends. It is read before the page: a page that
    is newer than its mark is only sent once more.
    """
    rows = _with_marks(events_for(actor), number).filter(club__slug=club, slug=event)
    the_event = first_or_missing(rows, "event", club=club, event=event)
    since, extra = the_event.clock_since, the_event.clock_extra  # type: ignore[attr-defined]  # annotated
    marks = the_event.marks  # type: ignore[attr-defined]  # annotated
    return the_event, f"{marks}{clock_phase(the_event, since, extra or 0, now=now)}"


def _with_marks(events: QuerySet[Event], number: int | None) -> QuerySet[Event]:
    rounds = Round.objects.filter(event=OuterRef("pk"))
    if number is None:
        rounds = _at_hand(rounds)
    else:
        rounds = rounds.filter(number=number)
    timed = rounds.filter(state__in=(RoundState.POSTED, RoundState.PLAYING))
    problems = ImportProblem.objects.filter(event=OuterRef("pk"), state=ProblemState.OPEN)
    counted = problems.order_by().values("event").annotate(n=Count("pk"), newest=Max("pk"))
    return events.annotate(
        marks=marks_of_changes(counted.values("n"), counted.values("newest")),
        clock_since=Subquery(timed.values("posted_at")[:1]),
        clock_extra=Subquery(timed.values("extra_minutes")[:1]),
        results_due=mark_of_due_results(),
    )


def _at_hand(rounds: QuerySet[Round]) -> QuerySet[Round]:
    """Order rounds so that the one at hand, of those that are timed, comes first."""
    is_played = When(state=RoundState.PLAYING, then=-F("number"))
    # Rounds that are posted come after those that are played.
    order = Case(is_played, default=F("number") + 10**6, output_field=IntegerField())
    return rounds.exclude(stage__kind=StageKind.PLAYOFF).order_by(order)
