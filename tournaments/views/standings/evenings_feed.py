"""The Atom feed of an event's evenings: an entry for each, which a new result updates."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments.documents.feeds import ATOM_TYPE, AtomFeed
from tournaments.domain.etags import etag, mark_of_text
from tournaments.domain.standings.evening_outcomes import of_consolation_sentence
from tournaments.domain.standings.standings_documents import event_id
from tournaments.models.events import Event
from tournaments.models.standings import Change, Publication
from tournaments.selectors.events.events import event_url, get_event
from tournaments.selectors.ladders.announced_moves import announced_at, announcements_by_day
from tournaments.selectors.ladders.ladder_evenings import (
    LadderEvening,
    challenge_sentence,
    first_sentence,
    ladder_evenings,
)
from tournaments.selectors.standings.earlier_results import (
    EarlierResult,
    earlier_results_for_public,
)
from tournaments.selectors.standings.evening_corrections import shared_first_sentence
from tournaments.selectors.standings.evening_entries import (
    list_evening_entries,
    results_for_public,
)
from tournaments.templatetags.points import day
from tournaments.views.http.layout import PageRequest, event_link
from tournaments.views.http.public_surface import public_surface, query_number
from tournaments.views.http.responses import not_modified
from tournaments.views.standings.embed_and_feed import (
    MOST_ROWS,
    publications_for_sites,
    standings_table,
    summary_of,
)

ENTRIES: Final = 10
"""Entries of one page of the feed."""


@public_surface()
def evenings_feed(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Answer with the feed of an event's evenings; `?page=` leads to older ones."""
    number = query_number(request, "page", default=1, most=100_000)
    the_event = get_event(request.actor, club, event)
    begin = (number - 1) * ENTRIES
    # One more than the page has says whether there is an older one.
    meetings = list_evening_entries(the_event, begin=begin, at_most=ENTRIES + 1)
    if the_event.is_ladder:
        _note_announcements(the_event, meetings)
    tag = _tag(request, the_event, meetings)
    if (same := not_modified(request, tag)) is not None:
        return same
    feed = _feed(request, the_event, number, meetings)
    return HttpResponse(feed.content(), content_type=ATOM_TYPE, headers={"ETag": tag})


def _note_announcements(event: Event, meetings: Sequence[Any]) -> None:
    """Have evenings of a ladder updated when they were announced last, as they have no results."""
    announced = announcements_by_day(event.pk, [each.date for each in meetings])
    for meeting in meetings:
        last_at = announced_at(announced.get(meeting.date, ()))
        if last_at is not None:
            meeting.last_at = max(meeting.last_at, last_at)


def _tag(request: HttpRequest, event: Event, meetings: Sequence[Any]) -> str:
    state: list[object] = [
        request.build_absolute_uri(),
        *(event.club.name, event.name, event.club.names_version, get_language()),
        *((each.date, each.last_number, each.last_at) for each in meetings),
    ]
    if event.is_ladder:
        newest = publications_for_sites(event).first()
        state.append(newest.etag if newest is not None else "")
        # A challenge that moved nobody is listed too, and makes no publication.
        changes = Change.objects.filter(event=event).order_by("-pk")
        state.append(changes.values_list("pk", flat=True).first())
    return etag(f"evenings-{mark_of_text(repr(state))}")


def _feed(request: HttpRequest, event: Event, page: int, meetings: Sequence[Any]) -> AtomFeed:
    url = request.build_absolute_uri(request.path)

    def page_url(number: int) -> str:
        if number > 1:
            return f"{url}?page={number}"
        return url

    shown = meetings[:ENTRIES]
    feed = AtomFeed(
        id=event_id(event, "evenings"),
        title=f"{event.club.name}: {event.name}",
        subtitle=_("The result of each evening"),
        author=event.club.name,
        url=page_url(page),
        page_url=request.build_absolute_uri(event_link(event).url),
        language=get_language() or "en",
        updated_at=max((each.last_at for each in shown), default=event.created_at),
        pages={
            "first": url,
            "previous": page_url(page - 1) if page > 1 else "",
            "next": page_url(page + 1) if len(meetings) > ENTRIES else "",
        },
    )
    results = results_for_public(event, shown)
    earlier_results = earlier_results_for_public(event, shown)
    of_ladder: Mapping[date, LadderEvening] = {}
    if event.is_ladder:
        of_ladder = ladder_evenings(event, [each.date for each in shown])
    for meeting in shown:
        path = event_url("evening", event, meeting.date.isoformat())
        link = request.build_absolute_uri(path)
        if event.is_ladder:
            summary, content = _ladder_content(of_ladder[meeting.date], link)
        else:
            earlier = earlier_results.get(meeting.pk)
            summary, content = _result_of(results[meeting.pk], link, earlier)
        title = _("%(event)s: evening of %(day)s")
        feed.add_entry(
            id=event_id(event, "evening", meeting.public_id),
            title=title % {"event": event.name, "day": day(meeting.date)},
            url=link,
            published_at=meeting.first_at,
            updated_at=meeting.last_at,
            summary=summary,
            content=content,
        )
    return feed


def _result_of(result: Publication, url: str, earlier: EarlierResult | None) -> tuple[str, str]:
    """Return the summary and the content of an entry, with what its result corrects."""
    table = standings_table(result, MOST_ROWS)
    shared_first = shared_first_sentence(result.document)
    context = {
        "table": table,
        "url": url,
        "is_own": result.document["evening"]["counts"] == "evening",
        "earlier": earlier,
        "shared_first": shared_first,
        "decided_before": of_consolation_sentence(result.document),
    }
    decided_before = of_consolation_sentence(result.document)
    summary = " ".join(filter(None, [decided_before, shared_first, summary_of(table, None)]))
    if earlier is not None:
        facts = {"summary": summary, "earlier": earlier.sentence}
        summary = _("%(summary)s Corrected. %(earlier)s") % facts
    return summary, render_to_string("standings/_evening_entry.html", context)


def _ladder_content(evening: LadderEvening, url: str) -> tuple[str, str]:
    """Return the summary and the content of an entry of a ladder, which has moves and no winner."""
    context = {
        "evening": evening,
        "first": first_sentence(evening),
        "challenges": list(map(challenge_sentence, evening.challenges)),
        "url": url,
    }
    content = render_to_string("standings/_ladder_entry.html", context)
    texts = [f"{move.player} {move.place_before} → {move.place_after}" for move in evening.moves]
    if not texts:
        texts = [evening.waits or _("Nobody moved.")]
    return "; ".join(filter(None, [first_sentence(evening), *texts])), content
