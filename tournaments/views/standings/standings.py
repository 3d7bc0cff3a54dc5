"""An event's standings as pages: the newest publication, numbered ones, and their list."""

import json
from dataclasses import dataclass, replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.http import HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response

from tournaments.domain.etags import bare, etag
from tournaments.errors import Missing
from tournaments.messages import sentence
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events, meetings
from tournaments.selectors.events.change_log import changes_between, corrected_hands
from tournaments.selectors.jobs.heartbeats import is_worker_heard
from tournaments.selectors.standings import standings, trends
from tournaments.selectors.standings.reviews import Review, review_of
from tournaments.selectors.standings.standings_view import standings_view
from tournaments.services.events.finalization import finalization_problems
from tournaments.views.events.change_log import lines_in_words
from tournaments.views.http import layout
from tournaments.views.http.decorators import page, stored_csv
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.table_pages import wanted_page
from tournaments.views.playoffs.playoff_text import waiting_playoffs

POLL_S = 5
POLL_WHILE_PLAYED_S = 1
"""While an event is open its page follows within a second."""


@dataclass(frozen=True, slots=True)
class LiveState:
    """What a page's live part needs to ask again: how often, and which state it shows."""

    url: str
    etag: str
    headers: str
    seconds: int
    is_behind: bool
    is_parked: bool
    has_worker: bool = True
    review_since: datetime | None = None
    """Since when a director is asked before the standings are published; None where nobody is."""


@page("read_public")
def standings_page(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print an event's standings as published; its live part alone when htmx asks for it."""
    found = standings.event_with_state(request.actor, club, event)
    review = review_of(found) if found.review_since else None  # type: ignore[attr-defined]  # annotated
    live = _live(request.get_full_path(), found, review)
    if request.htmx:
        unchanged = get_conditional_response(request, etag=live.etag)
        if isinstance(unchanged, HttpResponseNotModified):
            return unchanged
    publication = standings.current_publication(found)
    view = None
    if publication is not None:
        view = standings_view(publication, request.GET.get("sort", ""), wanted_page(request))
        paths = trends.paths_of(found, view.round, view.places, view.shown)
        view = replace(view, paths=paths)
    page_layout = layout.event_layout(request, found, current="standings")
    context = {
        "layout": page_layout,
        "event": found,
        "view": view,
        "variants": events.variant_names(found, view.variants) if view else (),
        "next": meetings.next_meeting(found, _today(found.club)) if not publication else None,
        "live": live,
        "under_review": review,
        "corrected": corrected_hands(found),
        "waits": tuple(map(sentence, finalization_problems(found)))
        if found.state == "closed"
        else (),
        "waiting": () if request.htmx else waiting_playoffs(found),
        "may_direct": clubs.may_do(found, "manage_event"),
    }
    template = "standings/_live.html" if request.htmx else "standings/standings.html"
    response = render(request, template, context)
    if request.htmx:
        response["ETag"] = live.etag
    return response


@page("read_public")
def standings_csv(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Answer with the stored CSV of the current publication."""
    found = events.event_at(request.actor, club, event)
    publication = standings.current_publication(found)
    if publication is None:
        raise Missing("publication", {"publication": 1})
    return stored_csv(publication, f"{found.club.slug}-{found.slug}")


@page("read_public")
def publication(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Print one numbered publication, which never changes."""
    found = events.event_at(request.actor, club, event)
    stored = standings.publication_at(found, number)
    newest = standings.publications_of(found).first()
    view = standings_view(stored, request.GET.get("sort", ""), wanted_page(request))
    later = standings.publications_of(found).filter(number=number + 1).first()
    context = {
        "layout": layout.event_layout(request, found, (layout.event_link(found),)),
        "event": found,
        "view": view,
        "variants": events.variant_names(found, view.variants),
        "newest": newest.number if newest else number,
        "later": later,
        "by_changes": lines_in_words(found, changes_between(found, stored, later)) if later else (),
        "corrected": corrected_hands(found, version=stored.version),
        "under_review": review_of(found) if newest and newest.number == number else None,
        "numbers": tuple(standings.publications_of(found).values_list("number", flat=True)[:40]),
    }
    return render(request, "standings/publication.html", context)


@page("read_public")
def publications(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print the list of an event's publications."""
    found = events.event_at(request.actor, club, event)
    context = {
        "layout": layout.event_layout(request, found, (layout.event_link(found),)),
        "event": found,
        "publications": tuple(standings.publications_of(found)[:200]),
    }
    return render(request, "standings/publications.html", context)


def _live(path: str, event: Event, review: Review | None) -> LiveState:
    is_behind, is_parked = event.is_behind, event.is_parked  # type: ignore[attr-defined]  # annotated
    published = bare(str(event.published or 0))  # type: ignore[attr-defined]  # annotated
    disputes = event.n_disputes  # type: ignore[attr-defined]  # annotated
    notice = f"-disputes-{disputes}" if disputes else ""
    has_worker = not is_behind or is_worker_heard(timezone.now())
    waits = f"{'-behind' * is_behind}{'-parked' * is_parked}{'-alone' * (not has_worker)}"
    reviewed = f"-review-{review.waiting}" if review is not None else ""
    names = f"-names-{event.club.names_version}" if event.club.names_version else ""
    tag = etag(f"{published}{notice}{waits}{reviewed}{names}")
    return LiveState(
        url=path,
        etag=tag,
        headers=json.dumps({"If-None-Match": tag}),
        seconds=POLL_WHILE_PLAYED_S
        if (event.state == "open" or is_behind) and not is_parked
        else POLL_S,
        is_behind=is_behind,
        is_parked=is_parked,
        has_worker=has_worker,
        review_since=review.since if review is not None else None,
    )


def _today(club: Club) -> date:
    return timezone.now().astimezone(ZoneInfo(club.time_zone)).date()
