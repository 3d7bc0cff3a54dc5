"""The pages behind the places of a club's masthead: each is there whether the club has such a thing
or not, and says what comes next where it has none."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from tournaments.models.events import Event, EventKind
from tournaments.policy import Actor
from tournaments.presenters.events.manage_facts import manage_facts
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import club_places, events
from tournaments.selectors.events.front_events import front_event
from tournaments.selectors.rules import house_rules
from tournaments.selectors.standings.standings import event_with_state
from tournaments.views.events.manage.next_steps import ManageAgenda, next_step
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page, page
from tournaments.views.http.layout import PageRequest


@page("read_public")
def standings(request: PageRequest, club: str) -> HttpResponse:
    """Send to the standings of the event that the club shows first; say so where there is none."""
    found = clubs.club_at(request.actor, club)
    event = front_event(request.actor, found)
    if event is not None:
        name = "ladder" if event.kind == EventKind.LADDER else "event"
        return redirect(f"tournaments:{name}", club, event.slug)
    context = {
        "layout": layout.club_layout(request, found),
        "club": found,
        "may_create": clubs.may_create_events(found),
    }
    return render(request, "clubs/no_standings.html", context)


@page("read_public")
def evenings(request: PageRequest, club: str) -> HttpResponse:
    """Print the evenings of all events of a club, the newest first."""
    found = clubs.club_at(request.actor, club)
    asked, shown = club_places.club_evenings(request.actor, found, request.GET.get("page", ""))
    context = {
        "layout": layout.club_layout(request, found),
        "club": found,
        "asked": asked,
        "evenings": shown,
        "may_direct": clubs.may_do(found, "manage_event"),
        "may_create": clubs.may_create_events(found),
    }
    return render(request, "clubs/evenings.html", context)


@page("read_public")
def ladders(request: PageRequest, club: str) -> HttpResponse:
    """Print the ladders of a club."""
    found = clubs.club_at(request.actor, club)
    context = {
        "layout": layout.club_layout(request, found),
        "club": found,
        "ladders": club_places.club_ladders(request.actor, found),
        "may_create": clubs.may_create_events(found),
    }
    return render(request, "clubs/ladders.html", context)


@page("read_public")
def rules(request: PageRequest, club: str) -> HttpResponse:
    """Print what the events of a club play, and its house rules."""
    found = clubs.club_at(request.actor, club)
    own = [one for one in house_rules.house_rules_of(found) if not one.is_archived]
    context = {
        "layout": layout.club_layout(request, found),
        "club": found,
        "events": club_places.games_by_event(request.actor, found),
        "house": [(one, house_rules.newest(one)) for one in own],
        "may_change": clubs.may_do(found, "house_rules"),
    }
    return render(request, "clubs/rules.html", context)


@form_page("manage_event")
def manage(request: PageRequest, club: str) -> HttpResponse:
    """Print what can be managed in a club: the next step, its events, then the club itself."""
    found = clubs.club_at(request.actor, club)
    front = front_event(request.actor, found)
    context = {
        "layout": layout.club_layout(request, found),
        "club": found,
        "front": front,
        "next": _next_step(request.actor, club, front) if front else None,
        "events": tuple(events.listed_events(request.actor, found)),
        "may_manage_members": clubs.may_do(found, "manage_members"),
        "may_create": clubs.may_create_events(found),
        "may_manage_club": clubs.may_do(found, "manage_club"),
    }
    return render(request, "clubs/manage.html", context)


def _next_step(actor: Actor, club: str, front: Event) -> ManageAgenda:
    """Return the next step of the event that the club shows first."""
    found = event_with_state(actor, club, front.slug)
    return next_step(manage_facts(found, actor=actor, now=timezone.now()))
