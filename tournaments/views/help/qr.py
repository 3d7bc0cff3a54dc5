"""QR codes of pages of this site, for “Share”."""

from functools import lru_cache

from django.http import HttpResponse
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme

from tournaments.errors import Missing
from tournaments.printing.link_cards import qr_svg
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import PageRequest

LONGEST = 500
"""Characters of an address; a longer one is not read from a screen."""


@page("read_public", cached="public, max-age=3600")
def page_qr(request: PageRequest) -> HttpResponse:
    """Answer with the QR code of a page of this site, as SVG; `page` is its path."""
    wanted = request.GET.get("page", "")
    if len(wanted) > LONGEST or not _is_ours(wanted):
        raise Missing("address")
    return HttpResponse(_code(request.build_absolute_uri(wanted)), content_type="image/svg+xml")


@lru_cache(maxsize=256)
def _code(address: str) -> bytes:
    return qr_svg(address)


def _is_ours(wanted: str) -> bool:
    if not wanted.startswith("/") or not url_has_allowed_host_and_scheme(
        wanted, allowed_hosts=None
    ):
        return False
    try:
        resolve(wanted.partition("?")[0])
    except Resolver404:
        return False
    return True
