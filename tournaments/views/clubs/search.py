"""The search over clubs, players, events, evenings and games that the reader may read."""

from collections.abc import Sequence
from typing import Final

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.models.clubs import Club
from tournaments.presenters.clubs.search import KINDS, Found, find
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events.searched_rows import MOST_CLUBS
from tournaments.views.http import layout
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import PageRequest

LONGEST: Final = 120
SHOWN: Final = 6
"""So many of each kind are on the first page; a page of one kind has more."""
PAGE_SIZE: Final = 50
_TITLES: Final[dict[str, str | Promise]] = {
    "club": _("Clubs"),
    "player": _("Players"),
    "event": _("Events"),
    "evening": _("Evenings"),
    "game": _("Games and rules"),
}


@page("read_public")
def search(request: PageRequest) -> HttpResponse:
    """Search the clubs of the site that the reader may know of."""
    return _answer(request, None)


@page("read_public")
def club_search(request: PageRequest, club: str) -> HttpResponse:
    """Search one club."""
    return _answer(request, clubs.club_at(request.actor, club))


def _answer(request: PageRequest, club: Club | None) -> HttpResponse:
    text = request.GET.get("q", "").replace("\x00", "").strip()[:LONGEST]
    result = find(request.actor, text, club)
    found = result.found
    kind = request.GET.get("kind", "")
    kind = kind if kind in KINDS else ""
    shown: Sequence[Found] = found.get(kind, ())
    context = {
        "layout": layout.club_layout(request, club) if club else layout.site_layout(request),
        "club": club,
        "wanted": text,
        "kind": kind,
        "title": _TITLES.get(kind, ""),
        "rows": Paginator(shown, PAGE_SIZE).get_page(request.GET.get("page")) if kind else None,
        "groups": [(one, _TITLES[one], rows[:SHOWN], len(rows)) for one, rows in found.items()],
        "shown": SHOWN,
        "is_partial": result.is_partial,
        "most_clubs": MOST_CLUBS,
    }
    return render(request, "clubs/search.html", context)
