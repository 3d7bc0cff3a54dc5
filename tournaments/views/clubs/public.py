"""Pages that everybody reads: the list of clubs, and a club."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from tournaments.models.clubs import ClubFront
from tournaments.models.events import Event, EventKind, EventState, Season
from tournaments.selectors.access.setup_links import has_accounts
from tournaments.selectors.attendance.own_evenings import own_evening
from tournaments.selectors.clubs import clubs
from tournaments.selectors.clubs.fronts import front_of
from tournaments.selectors.events import events
from tournaments.selectors.events.club_cards import club_cards
from tournaments.selectors.events.club_set_up import club_set_up
from tournaments.selectors.events.event_groups import group_events
from tournaments.selectors.events.front_events import in_front
from tournaments.selectors.events.next_evenings import (
    cancelled_ahead,
    local_day,
    meeting_of,
    next_by_event,
    next_evening,
)
from tournaments.selectors.ladders import ladder_page
from tournaments.selectors.ladders.ladder_lines import ladder_lines
from tournaments.selectors.rounds import rounds
from tournaments.selectors.standings import standings, standings_view
from tournaments.selectors.standings.reviews import review_of
from tournaments.selectors.standings.top_rows import n_evenings, top_of
from tournaments.services.access.permissions import may_make_club
from tournaments.views.http import layout
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.page_head import club_head

TOP = 10
DESCRIPTION = 200
"""Characters of the introduction that a preview of the page has."""
COLUMNS = ("hands", "wins")
"""What the table of a club's page shows beside the figure that decides."""
LADDERS = 3
ON_LADDER = 3
TABLES = 4
SEASONS = 2
FINISHED = 6
"""So many are in sight; the others fold."""


@page("read_public")
def club_list(request: PageRequest) -> HttpResponse:
    """Print what this site is for, and the clubs that the reader may know of."""
    context = {
        "layout": layout.site_layout(request),
        "clubs": club_cards(request.actor, timezone.now()),
        "may_make": may_make_club(request.actor),
        "is_first_run": request.actor.user_id is None and not has_accounts(),
    }
    return render(request, "clubs/clubs.html", context)


@page("read_public")
def club(request: PageRequest, club: str) -> HttpResponse:
    """Print a club: what it is, its next evening, its first event's top, and all its events."""
    found = clubs.club_at(request.actor, club)
    now = timezone.now()
    today = local_day(found, now)
    listed = list(in_front(events.listed_events(request.actor, found), found))
    first = listed[0] if listed else None
    ahead = next_by_event(listed, today)
    groups = group_events(listed, ahead)
    coming = next_evening(listed, ahead, today)
    meeting = meeting_of(coming)
    context: dict[str, Any] = {
        "layout": layout.club_layout(request, found),
        "club": found,
        "groups": groups,
        "earlier": groups.finished[FINISHED:],
        "at_most_finished": FINISHED,
        "seasons": _seasons(listed),
        "next": coming,
        "next_meeting": meeting,
        "own": own_evening(request.actor, meeting, now=now) if meeting is not None else None,
        "cancelled": cancelled_ahead(listed, today, coming),
        "ladders": ladder_lines(_ladders(listed, first), ON_LADDER),
        "may_direct": clubs.may_do(found, "manage_event"),
        "may_manage_members": clubs.may_do(found, "manage_members"),
        "may_create": clubs.may_create_events(found),
        "may_manage_club": clubs.may_do(found, "manage_club"),
        "has_players": clubs.players_of(found).exists(),
    }
    if context["may_direct"]:
        context["set_up"] = club_set_up(found)
    context |= _texts(front_of(found))
    about = str(context["intro"]) or _("A club for the card game Hearts.")
    head = club_head(request, found, Truncator(about).chars(DESCRIPTION))
    context["layout"] = replace(context["layout"], head=head)
    if first is not None:
        context |= _first(first)
    return render(request, "clubs/club.html", context)


@page("read_public")
def to_club_list(request: PageRequest) -> HttpResponse:
    """Send `/clubs`, the address that REST has, to the list's own page."""
    return redirect("tournaments:clubs")


@page("read_public")
def to_club(request: PageRequest, club: str) -> HttpResponse:
    """Send a club's lists without a page of their own to the club, which shows them."""
    return redirect("tournaments:club", club=club)


def _texts(front: ClubFront) -> dict[str, object]:
    """What the owner wrote: the first paragraph is the introduction, the others follow below."""
    intro, _blank, more = front.about.partition("\n\n")
    steps = front.how_to_join.splitlines()
    return {
        "front": front,
        "intro": intro,
        "more_about": more,
        "steps": steps,
        "has_join_box": bool(steps or front.fee or front.contact or more),
    }


def _ladders(listed: Sequence[Event], first: Event | None) -> Sequence[Event]:
    """Return the ladders that run, but for the one that is the first event."""
    running = (one for one in listed if one.state == EventState.OPEN and one != first)
    return [one for one in running if one.kind == EventKind.LADDER][:LADDERS]


def _seasons(listed: Sequence[Event]) -> Sequence[Season]:
    """Return the newest seasons of a club's events; each has a page of its own."""
    found = {one.season for one in listed if one.season is not None}
    return sorted(found, key=lambda one: (one.starts_on, one.slug), reverse=True)[:SEASONS]


def _first(event: Event) -> dict[str, object]:
    publication = standings.current_publication(event)
    view = standings_view.standings_view(publication) if publication else None
    is_ladder = event.kind == EventKind.LADDER
    last = None if is_ladder else events.last_round(event)
    cards = rounds.round_cards(event, last) if last else ()
    return {
        "event": event,
        "ladder": ladder_page.current_ladder_view(event) if is_ladder else None,
        "under_review": review_of(event),
        "at_most": TOP,
        "view": top_of(view, event, at_most=TOP, keys=COLUMNS) if view else None,
        "evenings": n_evenings(event),
        "last_round": last,
        "last_tables": cards[:TABLES],
        "n_tables": len(cards),
    }
