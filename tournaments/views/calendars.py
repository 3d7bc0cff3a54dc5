"""Calendars for programs: a club's for everybody, an account's and a person's by their links."""

from collections.abc import Callable
from typing import Final

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe

from tournaments.documents.feeds import (
    CALENDAR_TYPE,
    deadline_entries,
    icalendar_file,
    in_time_order,
    meeting_entries,
)
from tournaments.domain.etags import etag, mark_of_text
from tournaments.models.access import PersonalLink
from tournaments.models.events import EntrantMember
from tournaments.policy import ANYBODY
from tournaments.selectors.access.personal_links import printable_token
from tournaments.selectors.access.tokens import find_calendar_link, find_reader_of_calendar
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import listed_events
from tournaments.selectors.events.meetings import MEETS, own_calendar_players, own_events
from tournaments.selectors.people.own_tables import events_of_person
from tournaments.services.access.tokens import make_calendar_link, revoke_calendar_link
from tournaments.views.http import errors
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import render_site
from tournaments.views.http.public_surface import public_surface
from tournaments.views.http.responses import not_modified
from tournaments.views.http.service_form import operation_of
from tournaments.views.people.personal import person_page

LONGEST_TOKEN: Final = 64


@public_surface()
def club_calendar(request: PageRequest, club: str) -> HttpResponse:
    current_club = get_club(request.actor, club)
    listed = tuple(listed_events(ANYBODY, current_club))
    entries = in_time_order(meeting_entries(listed, now=timezone.now()), deadline_entries(listed))
    title = gettext("%(club)s: evenings and deadlines") % {"club": current_club.name}
    return _calendar(request, icalendar_file(title, entries, _addresses(request)))


@require_safe
def own_calendar(request: HttpRequest, token: str) -> HttpResponse:
    reader = find_reader_of_calendar(token) if len(token) <= LONGEST_TOKEN else None
    if reader is None:
        gone = errors.page_not_found(request)
        gone["Cache-Control"] = "no-store"
        return gone
    players = own_calendar_players(reader)
    events = own_events(reader, players)
    entries = in_time_order(
        meeting_entries(events, now=timezone.now(), players=players),
        deadline_entries(events, players=players),
    )
    title = gettext("Hearts evenings of %(name)s") % {
        "name": players[0].name if players else reader.name
    }
    return _private(_calendar(request, icalendar_file(title, entries, _addresses(request))))


@person_page()
def personal_calendar(request: PageRequest, link: PersonalLink) -> HttpResponse:
    """Answer with the evenings of a person; each entry leads to their page by the link."""
    player = link.player
    competes = Q(pk__in=EntrantMember.objects.filter(player=player).values("event"))
    events = events_of_person(player).filter(Q(state__in=MEETS) | competes, archived_at=None)
    entries = meeting_entries(
        events,
        now=timezone.now(),
        players=(player,),
        own_page=("my-evening", printable_token(link)),
    )
    title = gettext("Hearts evenings of %(name)s") % {"name": player.name}
    content = icalendar_file(title, in_time_order(entries), _addresses(request))
    return _private(_calendar(request, content))


def _private(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = "private, no-cache"
    response["X-Robots-Tag"] = "noindex"
    return response


@form_page(make_calendar_link)
def calendar_link(request: PageRequest) -> HttpResponse:
    op = operation_of(request)
    if "revoke" in request.POST:
        revoke_calendar_link(op)
        messages.success(request, gettext("Calendar link revoked. It no longer works."))
        return redirect("tournaments:calendar-link")
    address = ""
    if request.method == "POST":
        path = reverse("tournaments:own-calendar", args=(make_calendar_link(op),))
        address = request.build_absolute_uri(path)
    context = {
        "link": find_calendar_link(request.actor),
        "address": address,
        "webcal": f"webcal://{address.partition('://')[2]}",
    }
    return render_site(request, "access/calendar_link.html", context)


def _calendar(request: HttpRequest, content: bytes) -> HttpResponse:
    tag = etag(f"ics-{mark_of_text(content.decode() + (get_language() or ''))}")
    same = not_modified(request, tag)
    response = same or HttpResponse(content, content_type=CALENDAR_TYPE)
    response["ETag"] = tag
    return response


def _addresses(request: HttpRequest) -> Callable[[tuple[str, ...]], str]:
    def address(page: tuple[str, ...]) -> str:
        name, *parts = page
        return request.build_absolute_uri(reverse(f"tournaments:{name}", args=parts))

    return address
