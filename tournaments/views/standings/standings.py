"""An event's and a stage's standings as pages: newest, numbered, and their list."""

import json
from dataclasses import dataclass, replace
from datetime import datetime

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.domain.etags import bare, etag
from tournaments.domain.event_settings import settings_of
from tournaments.domain.messages import sentence
from tournaments.errors import Missing
from tournaments.models.events import Event, EventState
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Publication
from tournaments.selectors.attendance.attendance_entry import find_attendance_day
from tournaments.selectors.chat_text import standings_text
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events, meetings
from tournaments.selectors.events.change_log import changes_between, corrected_hands
from tournaments.selectors.jobs.queue import is_heard
from tournaments.selectors.ladders.ladder_page import current_ladder_view
from tournaments.selectors.standings.correction_window import finalization_problems
from tournaments.selectors.standings.history import (
    HistoryTable,
    NothingInStage,
    get_trends,
    stage_table,
    stage_to_rank,
)
from tournaments.selectors.standings.publications import (
    LiveMarks,
    current_publication,
    event_with_state,
    marks_of,
    public_marks,
    publication_at,
    publications_of,
    review_of,
)
from tournaments.selectors.standings.standings_view import StandingsView
from tournaments.views.events.change_log import lines_in_words
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_page, page, stored_csv
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.page_head import PageHead, event_head
from tournaments.views.http.pages import render_event
from tournaments.views.http.responses import (
    is_for_visitors,
    kept_part,
    laid_out,
    language_mark,
    not_modified,
    reader_mark,
    there_already,
    turn_of,
    wants_all_figures,
)
from tournaments.views.playoffs.playoff_text import waiting_playoffs

POLL_S = 5
POLL_WHILE_PLAYED_S = 2
"""While an event is open its page follows within two seconds."""
NEVER = 0
"""In place of seconds: a final event publishes nothing more."""


@dataclass(frozen=True, slots=True)
class LiveState:
    """The settings of a page's live updates: the interval, and the displayed state.

    `seconds` is the longest pause between two requests, 0 without updates.
    """

    url: str
    etag: str
    seconds: int
    is_behind: bool
    is_parked: bool
    has_worker: bool = True
    review_since: datetime | None = None
    """Since when a director is asked before the standings are published; None where nobody is."""

    @property
    def headers(self) -> str:
        return json.dumps({"If-None-Match": self.etag})


@page("read_public")
def standings_page(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print an event's standings as published; its live part alone when htmx asks for it."""
    if not request.htmx or not is_for_visitors(request):
        return _standings(request, club, event)
    if (known_response := _find_known_response(request, club, event)) is not None:
        return known_response
    with turn_of(request):
        return _find_known_response(request, club, event) or _standings(request, club, event)


def _standings(request: PageRequest, club: str, event: str) -> HttpResponse:
    the_event = event_with_state(request.actor, club, event)
    marks = marks_of(the_event)
    tag = _tag(marks, reader_mark(the_event), is_full=wants_all_figures(request))
    is_behind, is_parked = marks.is_behind, marks.is_parked
    live = LiveState(
        url=request.get_full_path(),
        etag=tag,
        seconds=seconds_between(the_event, is_behind=is_behind, is_parked=is_parked),
        is_behind=is_behind,
        is_parked=is_parked,
        has_worker=_has_worker(marks),
        review_since=marks.review_since,
    )
    if not request.htmx:
        return render(
            request, "standings/standings.html", _standings_context(request, the_event, live)
        )
    if (same := not_modified(request, live.etag)) is not None:
        return same
    return kept_part(
        request,
        live.etag,
        lambda: render(
            request, "standings/_live.html", _standings_context(request, the_event, live)
        ),
    )


def _find_known_response(request: PageRequest, club: str, event: str) -> HttpResponse | None:
    """Return what a visitor has already (304), or the live part that is kept for visitors."""
    marks = public_marks(club, event)
    if marks is None:
        return None
    tag = _tag(marks, language_mark(), is_full=wants_all_figures(request))
    return not_modified(request, tag) or there_already(request, tag)


def _standings_context(request: PageRequest, event: Event, live: LiveState) -> dict[str, object]:
    publication = current_publication(event)
    today = timezone.now().astimezone(event.club.zone).date()
    view = None
    if publication is not None:
        view = laid_out(request, publication)
        paths = get_trends(event, view.round, view.as_of, view.places, view.shown)
        view = replace(view, paths=paths, is_so_far=_is_evening_on(event, view))
    page_layout = replace(
        layout.event_layout(request, event, current="standings"),
        head=_page_head(request, event, view),
    )
    return {
        "layout": page_layout,
        "event": event,
        "view": view,
        "chat": _chat_text(event, publication),
        "variants": events.variant_names(event, view.variants) if view else (),
        "next": None if publication else meetings.next_meeting(event, today),
        "live": live,
        "under_review": review_of(event) if live.review_since else None,
        "corrected": corrected_hands(event),
        "waits": tuple(map(sentence, finalization_problems(event)))
        if event.state == "closed"
        else (),
        "waiting": waiting_playoffs(event),
        "may_direct": clubs.may_do(event, "manage_event"),
        "attendance_day": find_attendance_day(event, timezone.now()),
    }


def _is_evening_on(event: Event, view: StandingsView) -> bool:
    """Whether the last evening of a table goes on, where places of evenings give points."""
    if not settings_of(event).counts_evenings or view.as_of is None:
        return False
    meeting = Meeting.objects.filter(event=event, date=view.as_of).first()
    if meeting is None:
        return False
    meeting.event = event
    return meetings.is_going_on(meeting, timezone.now())


@event_page("read_public")
def standings_csv(request: PageRequest, event: Event) -> HttpResponse:
    publication = current_publication(event)
    if publication is None:
        raise Missing("publication", {"publication": 1})
    return stored_csv(publication, f"{event.club.slug}-{event.slug}")


@event_page("read_public")
def publication(request: PageRequest, event: Event, number: int) -> HttpResponse:
    stored = publication_at(event, number)
    newest = publications_of(event).first()
    view = laid_out(request, stored)
    later = publications_of(event).filter(number=number + 1).first()
    context = {
        "view": view,
        "variants": events.variant_names(event, view.variants),
        "newest": newest.number if newest else number,
        "later": later,
        "by_changes": lines_in_words(event, changes_between(event, stored, later)) if later else (),
        "corrected": corrected_hands(event, version=stored.newest_version),
        "under_review": review_of(event) if newest and newest.number == number else None,
    }
    return render_event(request, "standings/publication.html", event, context)


@event_page("read_public")
def publications(request: PageRequest, event: Event) -> HttpResponse:
    context = {"publications": tuple(publications_of(event)[:200])}
    return render_event(request, "standings/publications.html", event, context)


def _chat_text(event: Event, publication: Publication | None) -> str:
    if publication is None:
        return ""
    try:
        return standings_text(event, publication=publication)
    except Missing:
        return ""  # a ladder before its own first publication


def _page_head(request: PageRequest, event: Event, view: StandingsView | None) -> PageHead | None:
    if event.is_ladder:
        # Its points order nobody: who leads is first on the list.
        ladder = current_ladder_view(event)
        members = ladder.rows if ladder is not None else ()
        first = [(row["place"], row["name"]) for row in members]
        about = _("%(event)s, a Hearts ladder of %(club)s.")
        return event_head(request, event, about, first, is_published=ladder is not None)
    rows = view.rows if view is not None and not view.sorted_by else ()
    leaders = [(row.place, row.name) for row in rows]
    about = _("Standings of %(event)s, a Hearts event of %(club)s.")
    return event_head(request, event, about, leaders, is_published=view is not None)


def _tag(marks: LiveMarks, reader: str, *, is_full: bool) -> str:
    """Return the tag of the live part: it names all that the part shows besides the publication."""
    tag = bare(str(marks.published or 0))
    if marks.n_disputes:
        tag += f"-disputes-{marks.n_disputes}"
    if marks.is_behind:
        tag += "-behind"
    if marks.is_parked:
        tag += "-parked"
    if not _has_worker(marks):
        tag += "-alone"
    if marks.review_since:
        tag += f"-review-{marks.marked}"
    if marks.names_version:
        tag += f"-names-{marks.names_version}"
    if marks.state != EventState.OPEN:
        tag += f"-{marks.state}"
    tag += reader
    if is_full:
        tag += "-all"
    return etag(tag)


def _has_worker(marks: LiveMarks) -> bool:
    return not marks.is_behind or is_heard(marks.worker_seen_at, timezone.now())


def seconds_between(event: Event, *, is_behind: bool, is_parked: bool) -> int:
    """Return the longest pause between two questions of a page that follows an event."""
    if (is_behind and not is_parked) or event.is_open:
        return POLL_S if is_parked else POLL_WHILE_PLAYED_S
    return NEVER if event.state == EventState.FINAL and not is_parked else POLL_S


@event_page("read_public")
def stage_standings(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Print the table of a stage; 404 with what is missing before a hand of it counts."""
    stage = stage_to_rank(event, number)
    stages = layout.link_to(_("Stages"), "stages", event)
    context: dict[str, object] = {"stage": stage, "name": stage.title}
    status = None
    try:
        context["view"] = view_of_table(request, event, stage_table(event, stage))
    except NothingInStage as nothing:
        context["nothing"], status = nothing.problem, 404
    page = "standings/stage.html"
    return render_event(request, page, event, context, crumbs=(stages,), status=status)


def view_of_table(
    request: PageRequest, event: Event, table: HistoryTable, base_query: str = ""
) -> StandingsView:
    """Return a stored table as a page prints it, with the number of the newest publication."""
    newest = current_publication(event)
    if newest is None:
        raise Missing("publication", {"publication": 1})
    publication = Publication(
        number=newest.number, published_at=newest.published_at, digest=table.digest, body=table.body
    )
    return laid_out(request, publication, base_query)
