"""Requests at a former address of a club or event, or with a slash at the end: redirected."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.urls import is_valid_path
from django.utils import timezone
from django.utils.encoding import escape_uri_path

from tournaments.models.access import TableLink
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.selectors.access.table_links import COOKIE, find_link_in_cookie
from tournaments.selectors.clubs.clubs import list_clubs_for
from tournaments.selectors.events.events import events_for

_CLUBS: Final = "/clubs/"
_EVENTS: Final = "/events/"


def current_address(
    request: HttpRequest, actor: Actor, address: Mapping[str, Any]
) -> dict[str, str]:
    """Return the present slugs of the `club` and `event` of an address that had others before.

    Empty where neither had, or none that the actor may know of. The holder of a table's link may
    know of the club and the event of the table.
    """
    slugs: dict[str, str] = {}
    slug, event_slug = str(address.get("club", "")), str(address.get("event", ""))
    if slug and (club := _club(request, actor, slug)):
        slugs["club"] = club.slug
    home = slugs.get("club", slug)
    if home and event_slug and (event := _event(request, actor, home, event_slug)):
        slugs["event"] = event.slug
    return slugs


def sent_on(request: HttpRequest, actor: Actor, address: Mapping[str, Any]) -> HttpResponse | None:
    """Return the answer that sends a request on; None where there was no such address.

    No cache stores it: a club or an event may take a former address back.
    """
    slugs = current_address(request, actor, address)
    slug, event_slug = str(address.get("club", "")), str(address.get("event", ""))
    before, clubs, after = request.get_full_path().partition(f"{_CLUBS}{slug}")
    if not slugs or not clubs:
        return None
    if "event" in slugs and after.startswith(f"{_EVENTS}{event_slug}"):
        after = f"{_EVENTS}{slugs['event']}{after.removeprefix(f'{_EVENTS}{event_slug}')}"
    to = f"{before}{_CLUBS}{slugs.get('club', slug)}{after}"
    headers = {"Cache-Control": "no-store"}
    return HttpResponsePermanentRedirect(to, preserve_request=True, headers=headers)


def _club(request: HttpRequest, actor: Actor, slug: str) -> Club | None:
    if club := list_clubs_for(actor).filter(former_slugs__slug=slug).first():
        return club
    link = _link(request)
    if link is None or not link.club.former_slugs.filter(slug=slug).exists():
        return None
    return link.club


def _event(request: HttpRequest, actor: Actor, club: str, slug: str) -> Event | None:
    if event := events_for(actor).filter(club__slug=club, former_slugs__slug=slug).first():
        return event
    link = _link(request)
    if link is None or link.club.slug != club:
        return None
    event = link.table.event
    return event if event.former_slugs.filter(slug=slug).exists() else None


def _link(request: HttpRequest) -> TableLink | None:
    cookie = request.COOKIES.get(COOKIE)
    link, _name = find_link_in_cookie(cookie, timezone.now()) if cookie else (None, "")
    return link


def without_slash(request: HttpRequest) -> HttpResponse | None:
    """Return the answer that sends a reader on; None where the address without it is no page."""
    page = request.path_info.rstrip("/")
    is_read = request.method in ("GET", "HEAD")
    if not is_read or page == request.path_info or not page.startswith(_CLUBS):
        return None
    if not is_valid_path(page):
        return None
    query = request.META.get("QUERY_STRING", "")
    to = escape_uri_path(request.path.rstrip("/"))
    return HttpResponsePermanentRedirect(f"{to}?{query}" if query else to)
