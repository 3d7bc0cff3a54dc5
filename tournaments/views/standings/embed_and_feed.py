"""Publications of an event on other sites: the first rows in a frame, and the Atom feed.

Everything is read from the stored bytes. A ladder's own publications are those of its list.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from csp.decorators import csp_replace
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve
from django.utils.functional import Promise
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt

from tournaments.documents.feeds import ATOM_TYPE, AtomFeed
from tournaments.domain.etags import etag, mark_of_text
from tournaments.domain.figures import points
from tournaments.domain.standings.standings_documents import event_id
from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.standings import Publication
from tournaments.selectors.events.events import event_url, get_event
from tournaments.selectors.events.players import all_for_public
from tournaments.selectors.ladders.ladder_page import ladder_view
from tournaments.selectors.standings.short_reasons import first_places
from tournaments.selectors.standings.standings_view import PageQuery, standings_view
from tournaments.templatetags.points import day
from tournaments.views.http.layout import PageRequest, event_link
from tournaments.views.http.page_head import EMBEDDED_ROWS, HEIGHT, absolute_url, frame_line
from tournaments.views.http.public_surface import public_surface, query_choice, query_number
from tournaments.views.http.responses import not_modified

MOST_ROWS: Final = 50
"""Rows of a table that another site shows."""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One line: the place as it is written, who it is, and the figure that decides, as a page shows
    it and with all its decimals (None shows as a dash). `hands` is None on a ladder; `note` says
    how far it came in a cup, or at a cut."""

    place: str
    entrant_id: str
    name: str
    figure: Any
    exact: Any
    hands: int | None
    note: str | Promise = ""


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """The first rows of one publication. `competitor` is the head of the names, `figure` that of
    the figure that decides; `amount` counts the hands of standings, the games of a ladder; `n_rows`
    is how many rows there are."""

    number: int
    published_at: datetime
    is_ladder: bool
    competitor: str | Promise
    figure: str | Promise
    rows: tuple[PublishedRow, ...]
    n_rows: int
    as_of: date | None
    round: int | None
    amount: int


WIDTH: Final = 480
AROUND_PX: Final = 150
ROW_PX: Final = 37
MOST_PX: Final = 9999

FRAMED: Final = frozenset(
    {"event", "ladder", "embed", "publication", "ladder-publication", "ratings", "challenges"}
)
"""Names of the pages of an event that oEmbed answers for."""

ENTRIES: Final = 10
"""Entries of one page of the feed."""

TOP: Final = 3
"""Rows that the summary names."""

MOVES: Final = 5
"""Changes of place that the summary names."""


def publications_for_sites(event: Event) -> QuerySet[Publication]:
    """Return an event's publications without their bytes, the newest first: of its ladder where it
    is one, else of its standings."""
    is_ladder = event.is_ladder
    owner = {"ladder": event} if is_ladder else {"event": event}
    return Publication.objects.filter(**owner).defer("body", "csv").order_by("-number")


def published_tables(
    event: Event, numbers: Sequence[int], *, at_most: int = MOST_ROWS
) -> Sequence[PublishedTable]:
    """Return the first rows of these publications as the public reads them, the newest first.

    One query, and at most three more where the club hides names.
    """
    every = publications_for_sites(event).defer(None).defer("csv")
    rows = every.filter(number__in=[*numbers])
    publications = all_for_public(rows, event.club, event)
    is_ladder = event.is_ladder
    table = _ladder_table if is_ladder else standings_table
    return tuple(table(publication, at_most) for publication in publications)


def standings_table(publication: Publication, at_most: int) -> PublishedTable:
    """Return the first rows of standings, of an event or of an evening, as a page prints them."""
    view = standings_view(publication, page_query=PageQuery())
    shared = [row.facts["rank"] for row in view.rows]
    rows = (*view.rows, *view.provisional_rows)[: _whole_places(shared, at_most)]
    return PublishedTable(
        number=view.number,
        published_at=view.published_at,
        is_ladder=False,
        competitor=view.competitor,
        figure=view.columns[0].head,
        rows=tuple(
            PublishedRow(
                row.place,
                row.entrant_id,
                row.name,
                cell.number,
                cell.exact,
                row.facts.get("hands"),
                row.progress,
            )
            for row in rows
            for cell in row.cells[:1]
        ),
        n_rows=len(view.places),
        as_of=view.as_of,
        round=view.round,
        amount=view.hands,
    )


def _whole_places(ranks: Sequence[int], most: int) -> int:
    """Return how many rows to show, so that those who share a place are all there or none of them.

    Those who share the first place are there in any case, up to `MOST_ROWS`.
    """
    if most >= len(ranks):
        return most
    n_first, n_sharing = first_places(ranks, most)
    return n_first or min(n_sharing, MOST_ROWS)


def _ladder_table(publication: Publication, at_most: int) -> PublishedTable:
    view = ladder_view(publication)
    return PublishedTable(
        number=view.number,
        published_at=view.published_at,
        is_ladder=True,
        competitor=_("Member"),
        figure=_("Rating"),
        rows=tuple(
            PublishedRow(str(row["place"]), row["player_id"], row["name"], rating, rating, None)
            for row in view.rows[:at_most]
            for rating in [row["rating"] or None]
        ),
        n_rows=len(view.rows),
        as_of=view.on,
        round=None,
        amount=view.games,
    )


THEMES: Final = ("auto", "light", "dark")
_POLICY: Final[dict[str, Any]] = {
    "default-src": [NONE],
    "script-src": [NONE],
    "style-src": [SELF],
    "img-src": [SELF],
    "font-src": [SELF],
    "base-uri": [NONE],
    "form-action": [NONE],
    "frame-ancestors": ["*"],
}


def _framed_refusal(request: PageRequest, status: int, say: str) -> HttpResponse:
    return _in_frame(request, {"say": say, "theme": "auto"}, status)


@xframe_options_exempt
@csp_replace(_POLICY)
@public_surface(_framed_refusal)
def embed(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print the first rows of an event's newest publication, for a frame on another site."""
    rows = query_number(request, "rows", default=EMBEDDED_ROWS, most=MOST_ROWS)
    theme = query_choice(request, "theme", *THEMES)
    the_event = get_event(request.actor, club, event)
    head = publications_for_sites(the_event).first()
    state = (
        head.etag if head is not None else "",
        *(the_event.name, the_event.club.name, the_event.club.names_version),
        *(rows, theme, get_language(), request.get_host()),
    )
    tag = etag(f"embed-2-{mark_of_text(repr(state))}")
    if (same := not_modified(request, tag)) is not None:
        return same
    tables = published_tables(the_event, [head.number], at_most=rows) if head is not None else ()
    context = {
        "event": the_event,
        "table": tables[0] if tables else None,
        "theme": theme,
        "page": request.build_absolute_uri(event_link(the_event).url),
    }
    response = _in_frame(request, context, 200)
    response["ETag"] = tag
    return response


@public_surface()
def oembed(request: PageRequest) -> HttpResponse:
    """Say how a page of an event is framed on another site (oembed.com), as JSON."""
    if request.GET.get("format", "json") != "json":
        return HttpResponse(_("Only the format json."), status=501, content_type="text/plain")
    width = query_number(request, "maxwidth", default=WIDTH, most=MOST_PX)
    height = query_number(request, "maxheight", default=HEIGHT, most=MOST_PX)
    event = _event_of(request, request.GET.get("url", ""))
    width, height = min(width, WIDTH), min(height, HEIGHT)
    rows = max(1, min(EMBEDDED_ROWS, (height - AROUND_PX) // ROW_PX))
    body = {
        "version": "1.0",
        "type": "rich",
        "title": event.name,
        "author_name": event.club.name,
        "author_url": absolute_url(request, "club", event.club.slug),
        "provider_name": _("Blacklady"),
        "provider_url": absolute_url(request, "clubs"),
        "width": width,
        "height": height,
        "html": frame_line(
            absolute_url(request, "embed", event.club.slug, event.slug),
            event,
            rows=rows,
            width=str(width),
            height=height,
        ),
    }
    return JsonResponse(body)


def _in_frame(request: PageRequest, context: dict[str, Any], status: int) -> HttpResponse:
    response = render(request, "standings/embed.html", context, status=status)
    # For sites that isolate themselves (COEP), and so that no search engine lists the frame.
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    response["Cross-Origin-Embedder-Policy"] = "require-corp"
    response["X-Robots-Tag"] = "noindex"
    return response


def _event_of(request: PageRequest, url: str) -> Event:
    try:
        parts = urlsplit(url)
        match = resolve(parts.path)
    except (ValueError, Resolver404) as odd:
        raise Missing("address") from odd
    is_ours = parts.scheme in ("http", "https") and parts.netloc == request.get_host()
    is_page = match.namespace == "tournaments" and match.url_name in FRAMED
    if not is_ours or not is_page:
        raise Missing("address")
    return get_event(request.actor, match.kwargs["club"], match.kwargs["event"])


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
        if number > 1:
            return f"{url}?page={number}"
        return url

    feed = AtomFeed(
        id=event_id(event, "results"),
        title=f"{event.club.name}: {event.name}",
        subtitle=_("Each publication of the ladder")
        if event.is_ladder
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
    path = event_url(name, event, table.number)
    url = request.build_absolute_uri(path)
    title = _("%(event)s: publication %(number)s")
    content = render_to_string("standings/_feed_content.html", {"table": table, "url": url})
    feed.add_entry(
        id=event_id(event, "ladder" if table.is_ladder else "standings", table.number),
        title=title % {"event": event.name, "number": table.number},
        url=url,
        published_at=table.published_at,
        summary=summary_of(table, before),
        content=content,
    )


def summary_of(table: PublishedTable, before: PublishedTable | None) -> str:
    """Return a table in plain sentences: how much was played, the first places, who moved."""
    n_top = first_places([row.place for row in table.rows], TOP)[0] or TOP
    top = "; ".join(f"{row.place}. {row.name} {points(row.exact)}" for row in table.rows[:n_top])
    parts = [_progress(table), f"{table.figure}: {top}." if top else "", _moves(table, before)]
    return " ".join(filter(None, parts))


def _progress(table: PublishedTable) -> str:
    if table.is_ladder:
        text = ngettext("%(n)s game.", "%(n)s games.", table.amount)
    else:
        text = ngettext("%(n)s hand.", "%(n)s hands.", table.amount)
    counted = text % {"n": table.amount}
    if not table.as_of:
        return counted
    return f"{day(table.as_of)}: {counted}"


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
