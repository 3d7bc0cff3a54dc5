"""What a club's pages look like beside others: its logo, and a stylesheet with its colour.

Both have an address with a digest of what is served, so that a browser keeps them for a day and
asks for another one when they change. Shared caches store neither: a club may be for members only.
"""

from typing import Final

from django.http import HttpResponse

from tournaments.domain.colours import accent_css
from tournaments.errors import Missing
from tournaments.selectors.clubs.clubs import club_at
from tournaments.selectors.clubs.logos import logo_of
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import PageRequest, accent_digest

_KEPT: Final = "private, max-age=86400"


@page("read_public", cached=_KEPT)
def logo(request: PageRequest, club: str, digest: str) -> HttpResponse:
    """Give the logo of a club."""
    found = club_at(request.actor, club)
    return HttpResponse(logo_of(found, digest), content_type="image/png")


@page("read_public", cached=_KEPT)
def accent(request: PageRequest, club: str, digest: str) -> HttpResponse:
    """Give the stylesheet with the colour of a club."""
    found = club_at(request.actor, club)
    if not found.colour or digest != accent_digest(found):
        raise Missing("address")
    return HttpResponse(accent_css(found.colour), content_type="text/css; charset=utf-8")
