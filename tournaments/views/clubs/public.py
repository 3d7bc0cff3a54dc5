"""Pages that everybody reads: the list of clubs, and a club."""

from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from tournaments.models.clubs import Club
from tournaments.models.events import Event, EventKind
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.ladders import ladder_page
from tournaments.selectors.rounds import rounds
from tournaments.selectors.rules import house_rules
from tournaments.selectors.standings import standings, standings_view
from tournaments.selectors.standings.reviews import review_of
from tournaments.services.access.permissions import may_make_club
from tournaments.views.http import layout
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import PageRequest

TOP = 10
MOST_WINS = 5


@page("read_public")
def club_list(request: PageRequest) -> HttpResponse:
    """Print the clubs that the reader may know of."""
    cards = clubs.club_cards(request.actor)
    context = {
        "layout": layout.site_layout(request),
        "clubs": cards,
        "may_make": may_make_club(request.actor),
    }
    return render(request, "clubs/clubs.html", context)


@page("read_public")
def club(request: PageRequest, club: str) -> HttpResponse:
    """Print a club: its leading event's top, the last night, the next one, all its events."""
    found = clubs.club_at(request.actor, club)
    readable = events.with_last_meeting(events.events_of(request.actor, found))
    listed = list(standings.with_publication(readable))
    context: dict[str, Any] = {
        "layout": layout.club_layout(request, found),
        "club": found,
        "seasons": events.by_season(listed),
        "may_direct": clubs.may_do(found, "manage_event"),
        "has_house_rules": house_rules.has_any(found),
        "has_players": clubs.players_of(found).exists(),
    }
    leading = events.featured_event(listed)
    if leading is not None:
        context |= _leading(leading, found)
    return render(request, "clubs/club.html", context)


@page("read_public")
def to_club_list(request: PageRequest) -> HttpResponse:
    """Send `/clubs`, the address that REST has, to the list's own page."""
    return redirect("tournaments:clubs")


@page("read_public")
def to_club(request: PageRequest, club: str) -> HttpResponse:
    """Send a club's lists without a page of their own to the club, which shows them."""
    return redirect("tournaments:club", club=club)


def _leading(event: Event, club: Club) -> dict[str, object]:
    publication = standings.current_publication(event)
    view = standings_view.standings_view(publication) if publication else None
    is_ladder = event.kind == EventKind.LADDER
    last = events.last_round(event)
    return {
        "event": event,
        "ladder": ladder_page.current_ladder_view(event) if is_ladder else None,
        "under_review": review_of(event),
        "at_most": TOP,
        "view": view,
        "top": view.rows[:TOP] if view else (),
        "wins": standings_view.most_wins(view, MOST_WINS) if view else (),
        "last_round": last,
        "last_tables": rounds.round_cards(event, last) if last else (),
        "next": events.next_meeting(event, _today(club)),
    }


def _today(club: Club) -> date:
    now: datetime = timezone.now()
    return now.astimezone(ZoneInfo(club.time_zone)).date()
