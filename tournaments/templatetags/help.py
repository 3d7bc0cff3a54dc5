"""Help on pages: terms of the glossary, the page's document, the tour, the address to share."""

from django import template
from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.template.context import Context

from tournaments.domain.help.documents import (
    GLOSSARY,
    anchor_of,
    column_word,
    document_url,
    glossary_term,
)
from tournaments.domain.help.page_topics import topic_url
from tournaments.selectors.clubs.demo_club import PARAMETER, TourStop, tour_stop_at, tour_stops
from tournaments.selectors.standings.standings_view import StandingsRow, StandingsView

register = template.Library()

MOST_SHARED_ROWS = 20
"""Standings of more entrants are shared by their first rows and the link."""

_SHOWN = "_terms_shown"


@register.filter
def server_command(words: str) -> str:
    """Print a command for who runs the server: `manage.py demo`, or `blacklady demo` of a wheel."""
    return f"{settings.COMMAND} {words}"


@register.inclusion_tag("shared/_term.html", takes_context=True)
def term(context: Context, word: str) -> dict[str, object]:
    """Print “What is this?” after a word of the glossary, at its first use on a page.

    A page of a table link shows the meaning without the link to the glossary.
    """
    return _explained(context, word)


@register.inclusion_tag("shared/_term.html", takes_context=True)
def column_term(context: Context, key: str) -> dict[str, object]:
    """Print “What is this?” after the head of a standings column that the glossary explains."""
    return _explained(context, column_word(key))


@register.simple_tag(takes_context=True)
def page_help(context: Context) -> str:
    match = getattr(context.get("request"), "resolver_match", None)
    return topic_url(match.url_name if match is not None and match.url_name else "")


@register.simple_tag(takes_context=True)
def tour_stop(context: Context) -> TourStop | None:
    """Return the stop of the demo club's tour that the reader is at, None outside the tour."""
    request = context.get("request")
    number = request.GET.get(PARAMETER) if request is not None else None
    return tour_stop_at(request.path, number) if request is not None and number else None


@register.simple_tag
def next_tour_stop(stop: TourStop) -> TourStop | None:
    stops = tour_stops()
    return stops[stop.number] if stop.number < len(stops) else None


@register.simple_tag(takes_context=True)
def shared_path(context: Context, of: str | None = None) -> str:
    """Return the path of this page with its query, as others should open it; or that of `of`."""
    if of:
        return of
    request: HttpRequest = context["request"]
    query: QueryDict = request.GET.copy()
    query.pop(PARAMETER, None)
    return f"{request.path}?{query.urlencode()}" if query else request.path


@register.simple_tag(takes_context=True)
def shared_address(context: Context, of: str | None = None) -> str:
    """Return the whole address of this page or of `of`, as others should open it."""
    request: HttpRequest = context["request"]
    return request.build_absolute_uri(shared_path(context, of))


@register.simple_tag
def shared_rows(view: StandingsView) -> tuple[tuple[StandingsRow, ...], int]:
    """Return the rows of standings that the text for a chat has, and how many it leaves out."""
    is_short = len(view.places) <= MOST_SHARED_ROWS
    rows = view.rows if is_short else view.rows[:10]
    return rows, len(view.places) - len(rows)


def _explained(context: Context, word: str) -> dict[str, object]:
    """Return what the template shows of a word; nothing where the page has explained it already."""
    if not word:
        return {}
    first_word, meaning = glossary_term(word)
    anchor = anchor_of(first_word)
    request = context.get("request")
    if request is not None:
        explained: frozenset[str] = getattr(request, _SHOWN, frozenset())
        if anchor in explained:
            return {}
        setattr(request, _SHOWN, explained | {anchor})
    is_at_table = getattr(context.get("layout"), "at_table", False)
    return {
        "word": first_word,
        "meaning": meaning,
        "anchor": anchor,
        "url": "" if is_at_table else f"{document_url(GLOSSARY)}#{anchor}",
    }
