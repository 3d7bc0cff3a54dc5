"""Evenings that end by themselves: after an hour, at noon, or for the record."""

from datetime import datetime, timedelta

from django.db.models import Count, Exists, Max, OuterRef, Q

from tournaments.models.events import EventState
from tournaments.models.hands import Game
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Meeting, Round, RoundState
from tournaments.selectors.events.meetings import (
    END_AFTER,
    NOON,
    ended,
    is_over,
    posted_rounds_of,
)
from tournaments.selectors.rounds.playoffs_of_evening import list_playoffs
from tournaments.selectors.rounds.round_progress import OVER


def find_hour(meeting: Meeting) -> datetime | None:
    """Return when an evening ends if no other round is posted: an hour after its last one closed,
    or a play-off of a tie in one of its rounds.

    None while a posted round is open, and for an evening that is over. At most five queries.
    """
    rounds = posted_rounds_of(meeting).aggregate(
        last=Max("closed_at"), n_open=Count("pk", filter=Q(closed_at=None))
    )
    last: datetime | None = rounds["last"]
    if last is None or rounds["n_open"] or is_over(meeting):
        return None
    playoffs = Playoff.objects.filter(pk__in=list_playoffs(meeting))
    decided_at: datetime | None = playoffs.aggregate(last=Max("decided_at"))["last"]
    if decided_at is not None and decided_at > last:
        last = decided_at
    return last + END_AFTER


def list_to_end_at_noon(*, now: datetime, since: timedelta, at_most: int) -> list[Meeting]:
    """Return evenings past noon of the next day that have no open table and are not over.

    The newest come first, and those longer ago than `since` are left out. Of an event that is not
    open they are returned only if all posted rounds are closed, so that nothing is moved there.
    Club and event are loaded.
    """
    first = (now - since).date()
    rounds = Round.objects.filter(meeting=OuterRef("pk")).exclude(state=RoundState.DRAFT)
    games = Game.objects.filter(table__round__meeting=OuterRef("pk"))
    open_games = games.exclude(state__in=OVER).exclude(
        table__round__state__in=(RoundState.DRAFT, RoundState.CLOSED)
    )
    recent = Meeting.objects.filter(
        Exists(rounds),
        ~Exists(open_games),
        Q(event__state=EventState.OPEN) | ~Exists(rounds.filter(closed_at=None)),
        date__gte=first,
        date__lte=now.date(),
        club__delete_after=None,
    )
    not_over = recent.exclude(pk__in=ended(Meeting.objects.filter(date__gte=first)))
    rows = not_over.select_related("event__club", "club").order_by("-date", "pk")
    past_noon: list[Meeting] = []
    for meeting in rows.iterator(at_most):
        next_day = meeting.date + timedelta(days=1)
        if now >= datetime.combine(next_day, NOON, tzinfo=meeting.club.zone):
            past_noon.append(meeting)
        if len(past_noon) == at_most:
            break
    return past_noon


def list_to_end_for_the_record(*, now: datetime, since: timedelta, at_most: int) -> list[int]:
    """Return evenings by key, longer ago than `since`, that nothing ended and whose posted rounds
    are all closed; the newest first."""
    rounds = Round.objects.filter(meeting=OuterRef("pk")).exclude(state=RoundState.DRAFT)
    rows = Meeting.objects.filter(
        Exists(rounds),
        ~Exists(rounds.filter(closed_at=None)),
        ended_at=None,
        date__lt=(now - since).date(),
        club__delete_after=None,
    )
    return list(rows.order_by("-date", "pk").values_list("pk", flat=True)[:at_most])
