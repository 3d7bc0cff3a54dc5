"""What search engines read first: which pages there are, and which are none of theirs."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from tournaments.selectors.standings.public_addresses import has_public_clubs, public_pages

CLOSED: Final = (
    "/account", "/accounts/", "/admin/", "/calendar/", "/invitations/", "/me", "/notices",
    "/search", "/setup", "/statusz", "/t/", "/tokens", "/unsubscribe/", "/will-you-come/",
)  # fmt: skip
"""Where pages begin that are somebody's own, or open with a secret."""


@require_safe
@conditional_page
@cache_control(no_cache=True)
def robots(request: HttpRequest) -> HttpResponse:
    """Say which pages search engines leave out: all of them where no club is public."""
    closed = CLOSED if has_public_clubs() else ("/",)
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in closed)]
    if closed is CLOSED:
        lines += ["", f"Sitemap: {request.build_absolute_uri(reverse('tournaments:sitemap'))}"]
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8")


@require_safe
@conditional_page
@cache_control(no_cache=True)
def sitemap(request: HttpRequest) -> HttpResponse:
    """List the pages of public clubs and public events, each with when it changed last."""
    pages = [
        {
            "url": request.build_absolute_uri(reverse(f"tournaments:{one.name}", args=one.address)),
            "changed_at": one.changed_at,
        }
        for one in public_pages()
    ]
    return render(request, "shared/sitemap.xml", {"pages": pages}, content_type="application/xml")
