"""Every part of the look on one page, for developers: in DEBUG only."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render

from tournaments.errors import Missing
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import PageRequest, site_layout


@page("read_public")
def styleguide(request: PageRequest) -> HttpResponse:
    """Print each part once; nothing is there while DEBUG is off."""
    if not settings.DEBUG:
        raise Missing("address")
    return render(request, "help/styleguide.html", {"layout": site_layout(request)})
