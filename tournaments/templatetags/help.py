"""Help on pages: terms of the glossary, the page's document, the tour, the address to share."""

from collections.abc import Mapping
from typing import Final

from django import template
from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.template.context import Context
from django.urls import reverse

from tournaments.domain.help.documents import (
    GLOSSARY,
    anchor_of,
    column_word,
    document_url,
    glossary_term,
)
from tournaments.selectors.clubs.demo_club import PARAMETER, TourStop, tour_stop_at, tour_stops
from tournaments.selectors.standings.standings_view import StandingsRow, StandingsView

register = template.Library()

MOST_SHARED_ROWS = 20
"""Standings of more entrants are shared by their first rows and the link."""

_SHOWN = "_terms_shown"


@register.filter
def server_command(words: str) -> str:
    """Print a command as it is typed on the server: `.venv/bin/python manage.py demo`, or
    `blacklady demo` of a wheel."""
    return f"{settings.TYPED_COMMAND} {words}"


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
    if request is not None and number:
        return tour_stop_at(request.path, number)
    return None


@register.simple_tag
def next_tour_stop(stop: TourStop) -> TourStop | None:
    stops = tour_stops()
    if stop.number < len(stops):
        return stops[stop.number]
    return None


@register.simple_tag(takes_context=True)
def shared_path(context: Context, of: str | None = None) -> str:
    """Return the path of this page with its query, as others should open it; or that of `of`."""
    if of:
        return of
    request: HttpRequest = context["request"]
    query: QueryDict = request.GET.copy()
    query.pop(PARAMETER, None)
    if not query:
        return request.path
    return f"{request.path}?{query.urlencode()}"


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


_PAGES: Final = {
    "for-players": {
        "add-a-second-factor": "account",
        "challenge-somebody": "challenge challenge-result challenges new-challenge",
        "change-the-appearance": "theme",
        "choose-how-public-pages-show-your-name": "own-names",
        "choose-which-mails-you-get": "notifications",
        "delete-your-account": "delete-account",
        "export-your-data-or-ask-to-be-erased": "account-data",
        "find-your-place": "club club-records event",
        "follow-a-ladder": "ladder ladder-member ladder-moves what-if",
        "join-your-club": "join",
        "quote-the-standings": "publication publication-difference publications standings",
        "read-a-sheet": "hand meetings round table",
        "read-the-rules-of-your-table": "event-rules snapshot table-rules variants",
        "report-a-problem": "dispute withdraw-dispute",
        "report-an-absence": "absences new-absence",
        "say-which-player-you-are": "claim-player player",
        "see-what-waits-for-you": "me notices",
        "see-why-you-are-in-this-place": "entrant head-to-head",
    },
    "for-hosts": {
        "add-a-photo-of-the-sheet": "photos",
        "correct-or-undo-a-hand": "edit-hand undo-hand",
        "enter-a-hand": "new-hand",
        "enter-hands-without-a-signal": "on-this-phone",
        "enter-totals-only": "totals",
        "finish-a-sheet": "verify-sheet",
        "join-a-table-with-an-account": "my-tables",
        "join-a-table-with-its-card": "enter-code",
    },
    "for-secretaries": {
        "enter-an-evening-from-paper": "paper-sheets",
        "enter-score-sheets": "grid sheets-to-enter",
        "enter-sheets-twice-and-compare": "double-entry double-entry-differences",
        "import-a-file-on-a-page": "import imports upload",
        "import-a-file-with-other-columns": "column-mapping mapping mappings",
        "resolve-problems": "problem",
        "undo-an-import": "import-undo",
    },
    "for-directors": {
        "add-players": "add-players added-players players",
        "archive-or-delete-an-event": "archive-event delete-event",
        "break-ties-with-a-play-off": "manage-playoff playoff playoffs",
        "change-a-role-remove-a-member": "members remove-member",
        "change-the-clubs-settings": "club-settings",
        "change-what-ranks": "change-settings settings",
        "change-who-played": "change-players",
        "close-a-table": "close-table",
        "confirm-who-somebody-is": "claims",
        "correct-a-mistake": "change-log",
        "create-a-club": "new-club",
        "create-an-event": "new-event",
        "decide-who-reads-the-results": "visibility",
        "delete-a-hand": "void-hand",
        "edit-a-player": "edit-player",
        "erase-a-person": "erase-player",
        "export-and-delete-a-club": "delete-club export-club",
        "follow-a-round": "big-screen board",
        "give-a-penalty-or-a-bonus": "adjustments new-adjustment",
        "invite-people": "invitation-cards invitations invite",
        "let-the-best-qualify-for-a-final": "manage-stage new-cut stages",
        "link-a-player-to-an-account": "link-player",
        "look-up-who-did-what": "audit",
        "make-house-rules": (
            "change-house-rules house-difference house-rule house-rules house-version "
            "new-house-rules"
        ),
        "merge-two-records-of-one-person": "merge-player unmerge-player",
        "plan-an-event-in-stages": "bracket new-stage plan-stage stage-standings",
        "print-cards-for-the-tables": "event-links round-links table-link",
        "record-who-sits-out": "sit-outs",
        "revoke-a-token-of-the-club": "club-tokens",
        "rule-on-a-dispute": "disputes rule-on-dispute",
        "run-a-ladder": "change-ladder-rules ladder-rules",
        "run-a-round": "manage-event manage-round new-round new-table table-seating",
        "run-a-season": "change-season new-season season seasons",
        "see-which-mails-could-not-be-delivered": "mail mails",
        "send-results-to-a-chat-or-a-program": "webhook webhooks",
        "show-the-round-on-a-big-screen": "round-screen",
        "start-the-next-season": "next-event",
        "withdraw-a-player": "entrants manage-entrant",
    },
    "algorithms/rating-ladder": {"": "ratings"},
    "api": {"who-calls": "programs tokens"},
    "archives": {"": "club-import import-club"},
    "quickstart": {"": "clubs"},
    "variant-options": {"": "variant"},
}
"""Document → anchor of a section (empty for the whole document) → URL names of the pages."""

TOPICS: Final[Mapping[str, str]] = {
    page: f"{document}#{anchor}".rstrip("#")
    for document, sections in _PAGES.items()
    for anchor, pages in sections.items()
    for page in pages.split()
}
"""URL name of a page → document and anchor that explain it."""


def topic_url(url_name: str) -> str:
    """Return the address that explains a page; the front page of the help for any other."""
    topic = TOPICS.get(url_name)
    if topic is None:
        return reverse("tournaments:help")
    name, mark, anchor = topic.partition("#")
    return f"{document_url(name)}{mark}{anchor}"
