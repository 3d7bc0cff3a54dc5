"""Evenings that end by themselves at noon."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef

from tournaments.models.events import EventState
from tournaments.models.hands import Game
from tournaments.models.rounds import Meeting, Round, RoundState
from tournaments.selectors.events.meetings import club_day, ended
from tournaments.selectors.rounds.round_progress import OVER


def list_to_end_at_noon(*, now: datetime, since: timedelta, at_most: int) -> list[Meeting]:
    """Return evenings of days before today that have no open table and are not over.

    Those longer ago than `since` are left out. Their events are open; club and event are loaded.
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
        date__gte=first,
        date__lte=now.date(),
        event__state=EventState.OPEN,
        club__delete_after=None,
    )
    not_over = recent.exclude(pk__in=ended(Meeting.objects.filter(date__gte=first)))
    rows = not_over.select_related("event__club", "club").order_by("date", "pk")
    return [row for row in rows[:at_most] if row.date < club_day(row.club, now)]
