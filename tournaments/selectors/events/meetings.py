"""The meetings of events: their state, the next one, and the evenings with their rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from datetime import time as local_time
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import Case, CharField, Count, Exists, OuterRef, QuerySet, Value, When

from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting, MeetingState, Round, Table
from tournaments.selectors.events.events import SAT_DOWN, rounds_of

MEETING_STATE: Final = Case(
    When(
        Exists(Round.objects.filter(meeting=OuterRef("pk"), state__in=SAT_DOWN)),
        then=Value(MeetingState.HELD.value),
    ),
    When(state=MeetingState.CANCELLED, then=Value(MeetingState.CANCELLED.value)),
    default=Value(MeetingState.PLANNED.value),
    output_field=CharField(),
)
"""The state of a meeting: held once a hand of one of its rounds was entered, whatever the meeting's
own row says, else cancelled or planned."""


@dataclass(frozen=True, slots=True)
class RoundLine:
    """A round in the list of an event's evenings."""

    number: int
    state: str
    tables: int
    games: tuple[str, ...] = ()
    """Names of what its tables play, each once."""


@dataclass(frozen=True, slots=True)
class Evening:
    """A meeting with its rounds; `date` is None for rounds that belong to no meeting."""

    date: date | None
    state: str
    rounds: tuple[RoundLine, ...]
    time: local_time | None = None
    place: str = ""
    cancel_reason: str = ""

    @property
    def tables(self) -> int:
        """Tables of the whole evening."""
        return sum(line.tables for line in self.rounds)

    @property
    def games(self) -> tuple[str, ...]:
        """Names of what was played that evening, each once, by name."""
        return tuple(sorted({game for line in self.rounds for game in line.games}))


def with_state(meetings: QuerySet[Meeting]) -> QuerySet[Meeting]:
    """Annotate `meetings` with `state_now`, the only state that pages and REST may show."""
    return meetings.annotate(state_now=MEETING_STATE)


def planned(meetings: QuerySet[Meeting]) -> QuerySet[Meeting]:
    """Return those of `meetings` that are planned: not cancelled, and nothing was played."""
    return meetings.annotate(state_now=MEETING_STATE).filter(state_now=MeetingState.PLANNED)


def without_rounds(event: Event) -> QuerySet[Meeting]:
    """Return an event's planned meetings for which no round was created, the first one first."""
    empty = Meeting.objects.filter(event=event, rounds__isnull=True)
    return planned(empty).order_by("date")


def meetings_of(event: Event) -> QuerySet[Meeting]:
    """Return an event's meetings with `state_now`, the newest first."""
    return with_state(Meeting.objects.filter(event=event)).order_by("-date")


def meeting_on(event: Event, day: date) -> Meeting:
    """Return an event's meeting on a local date, with `state_now`.

    Raises:
        Missing: the event does not meet then.
    """
    found = meetings_of(event).filter(date=day).first()
    if found is None:
        raise Missing("meeting", {"date": day.isoformat()})
    return found


def number_of_meetings(event: Event) -> int:
    """Return how many meetings an event has had or plans; cancelled ones are none."""
    own = Meeting.objects.filter(event=event).annotate(state_now=MEETING_STATE)
    return own.exclude(state_now=MeetingState.CANCELLED).count()


def day_to_play(event: Event, now: datetime) -> date | None:
    """Return the local date that a new round proposes; None where there is no evening to propose.

    It is today if the event meets today, else the first planned evening without a round, past or to
    come. Without one it is today, unless today's evening is cancelled.
    """
    today = now.astimezone(ZoneInfo(event.club.time_zone)).date()
    here = meetings_of(event).filter(date=today).first()
    state = here.state_now if here else None  # type: ignore[attr-defined]  # annotated
    if state not in (None, MeetingState.CANCELLED):
        return today
    first = without_rounds(event).values_list("date", flat=True).first()
    return first or (None if state else today)


def next_meeting(event: Event, today: date) -> Meeting | None:
    """Return the next planned meeting from `today` (a local date) on."""
    ahead = Meeting.objects.filter(event=event, date__gte=today)
    return planned(ahead).order_by("date").first()


def last_place_and_time(event: Event) -> tuple[local_time | None, str]:
    """Return time and place of the event's last evening that has either, for a proposal."""
    own = Meeting.objects.filter(event=event).exclude(time=None, place="").order_by("-date")
    found = own.values_list("time", "place").first()
    return found if found is not None else (None, "")


def evenings(event: Event) -> Sequence[Evening]:
    """Return the meetings with their rounds, the newest first, in three queries.

    Rounds that belong to no meeting come last, under one evening without a date.
    """
    rounds: dict[int | None, list[RoundLine]] = {}
    games = _games_by_round(event)
    for found in rounds_of(event).annotate(n_tables=Count("tables")):
        played = tuple(games.get(found.pk, ()))
        line = RoundLine(found.number, found.state, found.n_tables, played)
        rounds.setdefault(found.meeting_id, []).append(line)
    dated = [
        Evening(
            meeting.date,
            meeting.state_now,  # type: ignore[attr-defined]  # annotated
            tuple(rounds.pop(meeting.pk, ())),
            meeting.time,
            meeting.place,
            meeting.cancel_reason,
        )
        for meeting in meetings_of(event)
    ]
    loose = tuple(rounds.get(None, ()))
    return (*dated, Evening(None, "", loose)) if loose else tuple(dated)


def _games_by_round(event: Event) -> Mapping[int, Sequence[str]]:
    """Return the names of what the tables of each round play."""
    found: dict[int, list[str]] = {}
    tables = Table.objects.filter(event=event, game__isnull=False)
    for round_id, name in (
        tables.order_by("game__snapshot__variant_name")
        .values_list("round_id", "game__snapshot__variant_name")
        .distinct()
    ):
        found.setdefault(round_id, []).append(name)
    return found
