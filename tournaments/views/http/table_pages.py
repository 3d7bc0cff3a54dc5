"""Which page of a long table a reader asks for."""

from typing import Final

from django.http import HttpResponse
from django.shortcuts import redirect, resolve_url

from tournaments.selectors.standings.standings_view import PageQuery
from tournaments.views.http.layout import PageRequest

MOST_DIGITS: Final = 6


def wanted_page(request: PageRequest) -> PageQuery:
    """Return which page of a long table is asked for: `?page=2`, or `?player=` who is on it."""
    asked = request.GET.get("page", "")
    is_number = asked.isascii() and asked.isdecimal() and len(asked) < MOST_DIGITS
    return PageQuery(int(asked) if is_number else 1, request.GET.get("player", ""))


def redirect_with_query(request: PageRequest, to: str, **address: object) -> HttpResponse:
    """Lead to another address of the same table, on the page that was asked for."""
    query = request.GET.urlencode()
    return redirect(resolve_url(to, **address) + (f"?{query}" if query else ""))
