"""Pages that everybody reads: clubs, their sections, search and robots."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from tournaments.domain.colours import accent_css
from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Season, Visibility
from tournaments.models.rounds import Meeting
from tournaments.policy import ANYBODY
from tournaments.selectors.access.tokens import has_accounts
from tournaments.selectors.attendance.own_evenings import OwnEvening, own_next_evenings
from tournaments.selectors.clubs import clubs
from tournaments.selectors.clubs.clubs import get_club, get_front, get_logo
from tournaments.selectors.clubs.members import find_own_player
from tournaments.selectors.events import club_pages, events
from tournaments.selectors.events.club_pages import (
    club_cards,
    club_set_up,
    front_event,
    group_events,
    in_front,
    public_pages,
)
from tournaments.selectors.events.events import events_for
from tournaments.selectors.events.meetings import (
    by_what_is_due,
    cancelled_ahead,
    club_day,
    is_over,
    is_tonight,
    next_by_event,
    next_evening_parts,
    rounds_tonight,
)
from tournaments.selectors.events.players import MOST_CLUBS
from tournaments.selectors.ladders import ladder_page
from tournaments.selectors.ladders.ladder_page import ladder_lines
from tournaments.selectors.people.own_tables import list_own_events, list_own_places
from tournaments.selectors.people.search import SEARCH_KINDS, search_clubs
from tournaments.selectors.rounds import rounds
from tournaments.selectors.rounds.round_names import labels_by_event, name_of_round
from tournaments.selectors.rules import house_rules
from tournaments.selectors.standings import publications, standings_view
from tournaments.selectors.standings.evenings import first_places, list_last_evenings
from tournaments.selectors.standings.history import n_evenings
from tournaments.selectors.standings.publications import event_with_state, review_of
from tournaments.selectors.standings.standings_view import top_of
from tournaments.selectors.waiting import group_waiting, list_waiting
from tournaments.services.operations import may_make_club
from tournaments.views.events.manage.facts import ManageFacts
from tournaments.views.events.manage.next_steps import next_step
from tournaments.views.http import layout
from tournaments.views.http.decorators import club_form_page, club_page, page
from tournaments.views.http.layout import PageRequest, accent_digest
from tournaments.views.http.page_head import club_head
from tournaments.views.http.pages import render_club, render_site

TOP = 3
COLUMNS = ("hands", "wins")
"""Columns of the table on a club's page besides the deciding one."""
FINISHED = 6
"""Number in sight; the others fold."""

LONGEST_SEARCH: Final = 120

SHOWN: Final = 6
"""Number of each kind on the first page; a page of one kind has more."""

PAGE_SIZE: Final = 50
_TITLES: Final = {
    "club": _("Clubs"),
    "player": _("Players"),
    "event": _("Events"),
    "evening": _("Evenings"),
    "game": _("Games and rules"),
}
_KEPT: Final = "private, max-age=86400"


@page("read_public")
def club_list(request: PageRequest) -> HttpResponse:
    context = {
        "clubs": club_cards(request.actor, timezone.now()),
        "may_make": may_make_club(request.actor),
        "is_first_run": request.actor.user_id is None and not has_accounts(),
    }
    return render_site(request, "clubs/clubs.html", context)


@club_page
def club(request: PageRequest, club: Club) -> HttpResponse:
    now = timezone.now()
    today = club_day(club, now)
    listed = list(in_front(events.listed_events(request.actor, club), club))
    first = listed[0] if listed else None
    ahead = next_by_event(listed, today)
    groups = group_events(listed, ahead)
    parts = next_evening_parts(listed, ahead)
    meeting = parts[0] if parts else None
    front = get_front(club)
    intro, _blank, more = front.about.partition("\n\n")
    steps = front.how_to_join.splitlines()
    player = find_own_player(request.actor, club)
    entered = list_own_events(events_for(request.actor), [player.pk]) if player is not None else ()
    entered = [event for event in entered if event == first] or entered
    tonight = rounds_tonight(listed, club, now)
    head = club_head(
        request, club, Truncator(intro or gettext("A club for the card game Hearts.")).chars(200)
    )
    context: dict[str, Any] = {
        "layout": replace(layout.club_layout(request, club), head=head),
        "club": club,
        "front": front,
        "intro": intro,
        "more_about": more,
        "steps": steps,
        "has_join_box": bool(steps or front.fee or front.contact or more),
        "groups": groups,
        "earlier": groups["finished"][FINISHED:],
        "at_most_finished": FINISHED,
        "seasons": _seasons(listed),
        "next": meeting,
        "is_today": meeting is not None and meeting.date == today,
        "parts": parts,
        "own_parts": _own_parts(request, parts, now),
        "places": list_own_places(entered, [player])[:1] if player is not None else (),
        "tonight": tonight,
        "tonight_names": {round_.pk: name_of_round(round_.event, round_) for round_ in tonight},
        "last_evenings": list_last_evenings(listed, now),
        "cancelled": cancelled_ahead(listed, today, meeting),
        "ladders": ladder_lines(
            [event for event in listed if event.is_open and event.is_ladder and event != first][:3],
            at_most=3,
        ),
        "may_direct": clubs.may_do(club, "manage_event"),
        "may_manage_members": clubs.may_do(club, "manage_members"),
        "may_create": clubs.may_create_events(club),
        "may_manage_club": clubs.may_do(club, "manage_club"),
        "has_players": clubs.list_players_of(club).exists(),
    }
    if context["may_direct"]:
        context["set_up"] = club_set_up(club)
    if first is not None:
        context |= _first(first, now)
        context["last_evening"] = next(
            (each for each in context["last_evenings"] if each.meeting.event_id == first.pk), None
        )
    return render(request, "clubs/club.html", context)


@page("read_public")
def to_club_list(request: PageRequest) -> HttpResponse:
    """Send `/clubs`, the address that REST has, to the list's own page."""
    return redirect("tournaments:clubs")


@page("read_public")
def to_club(request: PageRequest, club: str) -> HttpResponse:
    """Send a club's lists without a page of their own to the club, which shows them."""
    return redirect("tournaments:club", club=club)


def _own_parts(
    request: PageRequest, parts: Sequence[Meeting], now: datetime
) -> Sequence[OwnEvening]:
    """Return the reader's parts of an evening: those in which they compete, else the first."""
    if not parts:
        return ()
    player = find_own_player(request.actor, parts[0].event.club)
    if player is None:
        return ()
    readable = events_for(request.actor).filter(pk__in=[meeting.event_id for meeting in parts])
    return [
        evening
        for evening in own_next_evenings(readable, [player], now=now)
        if evening.day == parts[0].date
    ]


def _seasons(listed: Sequence[Event]) -> Sequence[Season]:
    seasons = {event.season for event in listed if event.season is not None}
    newest = sorted(seasons, key=lambda season: (season.starts_on, season.slug), reverse=True)
    return newest[:2]


def _first(event: Event, now: datetime) -> dict[str, object]:
    publication = publications.current_publication(event)
    view = standings_view.standings_view(publication) if publication else None
    is_ladder = event.is_ladder
    last = None if is_ladder else events.last_round(event)
    cards = rounds.round_cards(event, last) if last else ()
    goes_on = False
    is_over_tonight = False
    if event.is_open and last is not None and last.meeting is not None and last.meeting.gathers:
        last.meeting.event = event
        goes_on = is_tonight(last.meeting, now)
        is_over_tonight = goes_on and is_over(last.meeting)
    return {
        "event": event,
        "ladder": ladder_page.current_ladder_view(event) if is_ladder else None,
        "under_review": review_of(event),
        "at_most": TOP,
        "view": top_of(view, event, at_most=TOP, keys=COLUMNS) if view else None,
        "evenings": n_evenings(event),
        "last_round": last,
        "goes_on": goes_on,
        "is_over_tonight": is_over_tonight,
        "last_tables": cards[:4],
        "n_tables": len(cards),
    }


@club_page
def club_standings(request: PageRequest, club: Club) -> HttpResponse:
    """Redirect to the standings of the club's first event, or show that it has none."""
    event = front_event(request.actor, club)
    if event is not None:
        name = "ladder" if event.is_ladder else "event"
        return redirect(f"tournaments:{name}", club.slug, event.slug)
    context = {"may_create": clubs.may_create_events(club)}
    return render_club(request, "clubs/no_standings.html", club, context)


@club_page
def evenings(request: PageRequest, club: Club) -> HttpResponse:
    page_number, rows = club_pages.club_evenings(
        request.actor, club, request.GET.get("page", ""), timezone.now()
    )
    events_of_page = {meeting.event_id: meeting.event for meeting in page_number}
    first = first_places(
        {pk: event for pk, event in events_of_page.items() if event.visibility != Visibility.HELD}
    )
    labels = labels_by_event(events_of_page.values())
    for meeting, row in zip(page_number, rows, strict=True):
        row["labels"] = labels.get(meeting.event_id, {})
        row["first"] = first.get((meeting.event_id, meeting.date))
    context = {
        "asked": page_number,
        "evenings": rows,
        "paper": club_pages.paper_events(request.actor, club),
        "may_direct": clubs.may_do(club, "manage_event"),
    }
    return render_club(request, "clubs/evenings.html", club, context)


@club_page
def ladders(request: PageRequest, club: Club) -> HttpResponse:
    context = {
        "ladders": club_pages.club_ladders(request.actor, club),
        "may_create": clubs.may_create_events(club),
    }
    return render_club(request, "clubs/ladders.html", club, context)


@club_page
def rules(request: PageRequest, club: Club) -> HttpResponse:
    context = {
        "events": club_pages.games_by_event(request.actor, club),
        "house": [
            (row, house_rules.newest(row))
            for row in house_rules.house_rules_of(club)
            if not row.is_archived
        ],
        "may_change": clubs.may_do(club, "house_rules"),
    }
    return render_club(request, "clubs/rules.html", club, context)


@club_form_page("manage_event")
def manage(request: PageRequest, club: Club) -> HttpResponse:
    front = front_event(request.actor, club)
    following = None
    now = timezone.now()
    if front is not None:
        event = event_with_state(request.actor, club.slug, front.slug)
        following = next_step(ManageFacts(event, actor=request.actor, now=now))
    waiting = list_waiting([(club, club.role)], now=now)  # type: ignore[attr-defined]  # annotated
    context = {
        "front": front,
        "next": following,
        "waiting": group_waiting(waiting),
        "events": by_what_is_due(
            events.listed_events(request.actor, club),
            {line.event.pk for line in waiting if line.event},
            club_day(club, now),
        ),
        "may_manage_members": clubs.may_do(club, "manage_members"),
        "may_create": clubs.may_create_events(club),
        "may_manage_club": clubs.may_do(club, "manage_club"),
    }
    return render_club(request, "clubs/manage.html", club, context)


@page("read_public")
def search(request: PageRequest) -> HttpResponse:
    return _answer(request, None)


@page("read_public")
def club_search(request: PageRequest, club: str) -> HttpResponse:
    return _answer(request, clubs.get_club(request.actor, club))


def _answer(request: PageRequest, club: Club | None) -> HttpResponse:
    text = request.GET.get("q", "").replace("\x00", "").strip()[:LONGEST_SEARCH]
    results, is_partial = search_clubs(request.actor, text, club)
    kind = request.GET.get("kind", "")
    if kind not in SEARCH_KINDS:
        kind = ""
    pages = Paginator(results.get(kind, ()), PAGE_SIZE)
    context = {
        "layout": layout.club_layout(request, club) if club else layout.site_layout(request),
        "club": club,
        "wanted": text,
        "kind": kind,
        "title": _TITLES.get(kind, ""),
        "rows": pages.get_page(request.GET.get("page")) if kind else None,
        "groups": [(key, _TITLES[key], rows[:SHOWN], len(rows)) for key, rows in results.items()],
        "shown": SHOWN,
        "is_partial": is_partial,
        "most_clubs": MOST_CLUBS,
    }
    return render(request, "clubs/search.html", context)


@page("read_public", cached=_KEPT)
def logo(request: PageRequest, club: str, digest: str) -> HttpResponse:
    current_club = get_club(request.actor, club)
    return HttpResponse(get_logo(current_club, digest), content_type="image/png")


@page("read_public", cached=_KEPT)
def accent(request: PageRequest, club: str, digest: str) -> HttpResponse:
    current_club = get_club(request.actor, club)
    if not current_club.colour or digest != accent_digest(current_club):
        raise Missing("address")
    return HttpResponse(accent_css(current_club.colour), content_type="text/css; charset=utf-8")


CLOSED: Final = (
    "/account", "/accounts/", "/admin/", "/calendar/", "/fill-in/", "/invitations/", "/me",
    "/my/", "/notices", "/search", "/setup", "/statusz", "/t/", "/tokens", "/unsubscribe/",
    "/will-you-come/",
)  # fmt: skip
"""Prefixes of private pages and of pages that open with a secret."""


@require_safe
@conditional_page
@cache_control(no_cache=True)
def robots(request: HttpRequest) -> HttpResponse:
    closed = CLOSED if clubs.list_clubs_for(ANYBODY).exists() else ("/",)
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in closed)]
    if closed is CLOSED:
        lines += ["", f"Sitemap: {request.build_absolute_uri(reverse('tournaments:sitemap'))}"]
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8")


@require_safe
@conditional_page
@cache_control(no_cache=True)
def sitemap(request: HttpRequest) -> HttpResponse:
    pages = [
        {
            "url": request.build_absolute_uri(reverse(f"tournaments:{name}", args=address)),
            "changed_at": changed_at,
        }
        for name, address, changed_at in public_pages()
    ]
    return render(request, "shared/sitemap.xml", {"pages": pages}, content_type="application/xml")
