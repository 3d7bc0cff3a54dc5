"""When a round ends: by its clock, or by how long rounds of the club last.

The only place that says how long a round is. Takes an event that
`selectors.events.events.event_at` has let the actor read.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import ExpressionWrapper, F
from django.db.models.fields import DurationField

from tournaments.domain.event_settings import Settings, settings_of
from tournaments.models.events import Event, StageKind
from tournaments.models.meetings import Round, RoundState
from tournaments.selectors.rounds.game_length import hands_of_most_games

MINUTES_A_HAND: Final = 6
USUAL_HANDS: Final = 8
"""Hands of a round whose number of hands is not fixed."""
COUNTED_ROUNDS: Final = 20
SHORTEST: Final = timedelta(minutes=5)
"""A shorter round was entered afterwards."""
LONGEST: Final = timedelta(hours=6)
"""A longer one was left open after its play."""
WARNING: Final = timedelta(minutes=5)
"""The last minutes of a round's clock, in which it warns."""


@dataclass(frozen=True, slots=True)
class RoundClock:
    """The end of a round, seen at a moment. `is_estimated`: the event has no clock.

    An estimate neither warns nor is over.
    """

    ends_at: datetime
    now: datetime
    is_estimated: bool
    extra_minutes: int
    zone: str
    """The time zone of the club, in which the end is shown."""

    @property
    def left(self) -> timedelta:
        """The time that is left, not less than none."""
        return max(timedelta(), self.ends_at - self.now)

    @property
    def minutes_left(self) -> int:
        """The full minutes that are left, the one that has begun among them."""
        return -(-self.left // timedelta(minutes=1))

    @property
    def is_warning(self) -> bool:
        """Whether the last minutes run."""
        return not self.is_estimated and timedelta() < self.left <= WARNING

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return not self.is_estimated and self.now >= self.ends_at


def minutes_a_round(event: Event) -> int:
    """Return how many minutes a round of an event lasts; at most two queries.

    The event's `round_minutes`, else the mean of the club's last 20 rounds, else 6 minutes a hand
    or a board.
    """
    settings = settings_of(event)
    if settings.round_minutes:
        return settings.round_minutes
    if minutes := _mean_minutes(event):
        return minutes
    return MINUTES_A_HAND * (hands_of_most_games(event) or USUAL_HANDS)


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
    """Return a text that is another one when the clock of a round warns or is over; no query.

    An estimated end, which has no such moment, gets another text every quarter of an hour.

    Args:
        since: when a round was posted that is being played; None without one.
    """
    if since is None:
        return ""
    minutes = settings_of(event).round_minutes
    if not minutes:
        return f"estimated-{int(now.timestamp()) // _QUARTER_S}"
    left = since + timedelta(minutes=minutes + extra_minutes) - now
    if left > WARNING:
        return "runs"
    if left > timedelta():
        return "warns"
    return "over" if left >= -LONGEST else "ended"


_QUARTER_S: Final = 15 * 60


def has_clock(event: Event, round_: Round, settings: Settings) -> bool:
    """Whether a round's end is fixed by the event's clock."""
    return bool(settings.round_minutes) and is_timed(event, round_)


def is_timed(event: Event, round_: Round) -> bool:
    """Whether a round is being played since it was posted, on its own day."""
    if round_.posted_at is None or round_.state not in (RoundState.POSTED, RoundState.PLAYING):
        return False
    if round_.stage.kind == StageKind.PLAYOFF:
        return False
    if round_.meeting is None:
        return True
    day = round_.posted_at.astimezone(ZoneInfo(event.club.time_zone)).date()
    return round_.meeting.date >= day - timedelta(days=1)  # an evening goes on after midnight


def _mean_minutes(event: Event) -> int:
    """Return how long the club's last rounds lasted on average, in minutes; 0 without any."""
    length = ExpressionWrapper(F("closed_at") - F("posted_at"), output_field=DurationField())
    rounds = Round.objects.filter(
        club=event.club_id, state=RoundState.CLOSED, posted_at__isnull=False
    )
    found = rounds.annotate(length=length).filter(length__gte=SHORTEST, length__lte=LONGEST)
    lengths = list(found.order_by("-closed_at").values_list("length", flat=True)[:COUNTED_ROUNDS])
    if not lengths:
        return 0
    return round(sum(lengths, timedelta()) / len(lengths) / timedelta(minutes=1))
