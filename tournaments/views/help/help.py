"""The documentation as pages, the tour, QR codes of pages, the style guide."""

from functools import lru_cache
from pathlib import PurePosixPath

from django.contrib.admin.views.decorators import staff_member_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tournaments.documents.link_cards import qr_svg
from tournaments.domain.help.documents import (
    FRONT,
    IMAGE_TYPES,
    document,
    document_names,
    find_sections,
    folders,
    image_path,
)
from tournaments.errors import Missing
from tournaments.selectors.clubs.demo_club import has_demo_club, tour_stops
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import Layout, Link, PageRequest
from tournaments.views.http.pages import render_site

_code = lru_cache(maxsize=256)(qr_svg)


@page("read_public")
def front(request: PageRequest) -> HttpResponse:
    query = request.GET.get("q", "")[:100].strip()
    context = {
        "query": query,
        "found": find_sections(query) if query else (),
        "document": document(FRONT),
    }
    template, crumbs = ("help/search.html", (_help_link(),)) if query else ("help/front.html", ())
    return render_site(request, template, context, crumbs=crumbs)


@page("read_public")
def help_page(request: PageRequest, name: str, folder: str = "") -> HttpResponse:
    path = f"{folder}/{name}" if folder else name
    if path in folders():
        return _folder(request, path)
    page_document = document(path)
    if page_document is None:
        raise Missing("address")
    crumbs = [_help_link()]
    if folder:
        url = reverse("tournaments:help-page", kwargs={"name": folder})
        crumbs.append(Link(folder.capitalize(), url))
    context = {"document": page_document}
    return render_site(request, "help/document.html", context, crumbs=crumbs)


@page("read_public", cached="public, max-age=3600")
def help_image(request: PageRequest, image: str) -> HttpResponse:
    path = image_path(image)
    if path is None:
        raise Missing("address")
    return HttpResponse(path.read_bytes(), content_type=IMAGE_TYPES[PurePosixPath(image).suffix])


@page("read_public")
def shortcuts(request: PageRequest) -> HttpResponse:
    return render_site(request, "help/shortcuts.html", {}, crumbs=(_help_link(),))


@page("read_public")
def tour(request: PageRequest) -> HttpResponse:
    context = {"stops": tour_stops(), "has_demo": has_demo_club(request.actor)}
    return render_site(request, "help/tour.html", context, crumbs=(_help_link(),))


def _folder(request: PageRequest, folder: str) -> HttpResponse:
    names = [name for name in document_names() if name.startswith(f"{folder}/")]
    context = {"title": folder.capitalize(), "documents": list(filter(None, map(document, names)))}
    return render_site(request, "help/folder.html", context, crumbs=(_help_link(),))


def _help_link() -> Link:
    return Link(_("Help"), reverse("tournaments:help"))


LONGEST_ADDRESS = 500
"""Characters of an address; a longer one is not read from a screen."""


@page("read_public", cached="public, max-age=3600")
def page_qr(request: PageRequest) -> HttpResponse:
    address = request.GET.get("page", "")
    if len(address) > LONGEST_ADDRESS or not _is_ours(address):
        raise Missing("address")
    return HttpResponse(_code(request.build_absolute_uri(address)), content_type="image/svg+xml")


def _is_ours(address: str) -> bool:
    is_path = address.startswith("/")
    if not is_path or not url_has_allowed_host_and_scheme(address, allowed_hosts=None):
        return False
    try:
        resolve(address.partition("?")[0])
    except Resolver404:
        return False
    return True


@require_safe
@staff_member_required
def styleguide(request: HttpRequest) -> HttpResponse:
    """Print each component once, for staff."""
    layout = Layout(path=request.path, signed_in_as=request.user.get_username())
    return render(request, "help/styleguide.html", {"layout": layout})
