"""The Atom feed of an event: one entry for each publication, the newest first."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from tournaments.documents.feeds import ATOM_TYPE, AtomFeed
from tournaments.domain.etags import etag, mark_of_text
from tournaments.domain.figures import points
from tournaments.domain.standings.standings_documents import event_id
from tournaments.models.events import Event
from tournaments.selectors.events.events import get_event
from tournaments.templatetags.points import day
from tournaments.views.http.layout import PageRequest, event_link
from tournaments.views.http.public_surface import public_surface, query_number
from tournaments.views.http.responses import not_modified
from tournaments.views.standings.embed import (
    PublishedTable,
    publications_for_sites,
    published_tables,
)

ENTRIES: Final = 10
"""Entries of one page of the feed."""
TOP: Final = 3
"""Rows that the summary names."""
MOVES: Final = 5
"""Changes of place that the summary names."""


@public_surface()
def results_feed(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Answer with the feed of an event's publications; `?page=` leads to older ones."""
    number = query_number(request, "page", default=1, most=100_000)
    the_event = get_event(request.actor, club, event)
    begin = (number - 1) * ENTRIES
    # One more than the page has: the last entry is compared with it.
    heads = list(publications_for_sites(the_event)[begin : begin + ENTRIES + 1])
    names = (the_event.club.name, the_event.name, the_event.club.names_version, get_language())
    states = (head.etag for head in heads)
    url = request.build_absolute_uri()
    tag = etag(f"atom-{mark_of_text(repr([url, *names, *states]))}")
    if (same := not_modified(request, tag)) is not None:
        return same
    tables = published_tables(the_event, [head.number for head in heads]) if heads else ()
    feed = _feed(request, the_event, number, tables)
    return HttpResponse(feed.content(), content_type=ATOM_TYPE, headers={"ETag": tag})


def _feed(
    request: HttpRequest, event: Event, page: int, tables: Sequence[PublishedTable]
) -> AtomFeed:
    url = request.build_absolute_uri(request.path)

    def page_url(number: int) -> str:
        return f"{url}?page={number}" if number > 1 else url

    feed = AtomFeed(
        id=event_id(event, "results"),
        title=f"{event.club.name}: {event.name}",
        subtitle=_("Each publication of the ladder")
        if event.kind == "ladder"
        else _("Each publication of the standings"),
        author=event.club.name,
        url=page_url(page),
        page_url=request.build_absolute_uri(event_link(event).url),
        language=get_language() or "en",
        updated_at=tables[0].published_at if tables else event.created_at,
        pages={
            "first": url,
            "previous": page_url(page - 1) if page > 1 else "",
            "next": page_url(page + 1) if len(tables) > ENTRIES else "",
        },
    )
    for table, before in pairwise([*tables, *([None] if len(tables) <= ENTRIES else [])]):
        if table is not None:
            _add_entry(feed, request, event, table, before)
    return feed


def _add_entry(
    feed: AtomFeed,
    request: HttpRequest,
    event: Event,
    table: PublishedTable,
    before: PublishedTable | None,
) -> None:
    name = "ladder-publication" if table.is_ladder else "publication"
    path = reverse(f"tournaments:{name}", args=(event.club.slug, event.slug, table.number))
    url = request.build_absolute_uri(path)
    title = _("%(event)s: publication %(number)s")
    content = render_to_string("standings/_feed_content.html", {"table": table, "url": url})
    feed.add_entry(
        id=event_id(event, "ladder" if table.is_ladder else "standings", table.number),
        title=title % {"event": event.name, "number": table.number},
        url=url,
        published_at=table.published_at,
        summary=_summary(table, before),
        content=content,
    )


def _summary(table: PublishedTable, before: PublishedTable | None) -> str:
    top = "; ".join(f"{row.place}. {row.name} {points(row.exact)}" for row in table.rows[:TOP])
    parts = [_progress(table), f"{table.figure}: {top}." if top else "", _moves(table, before)]
    return " ".join(filter(None, parts))


def _progress(table: PublishedTable) -> str:
    if table.is_ladder:
        text = ngettext("%(n)s game.", "%(n)s games.", table.amount)
    else:
        text = ngettext("%(n)s hand.", "%(n)s hands.", table.amount)
    counted = text % {"n": table.amount}
    return f"{day(table.as_of)}: {counted}" if table.as_of else counted


def _moves(table: PublishedTable, before: PublishedTable | None) -> str:
    if before is None:
        return ""
    was = {row.entrant_id: row.place for row in before.rows}
    moves = [
        f"{row.name} {was[row.entrant_id]} → {row.place}"
        for row in table.rows
        if row.entrant_id in was and was[row.entrant_id] != row.place
    ]
    if not moves:
        return _("No place changed.")
    more = len(moves) - MOVES
    texts = "; ".join(moves[:MOVES])
    text = _("Changed places: %(moves)s.") % {"moves": texts}
    if more > 0:
        text += " " + ngettext("And %(n)s more.", "And %(n)s more.", more) % {"n": more}
    return text
