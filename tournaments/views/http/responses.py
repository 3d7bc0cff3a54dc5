"""Answers of pages to conditional requests, kept parts of pages, pages of long tables, and how
pages look to a reader (colours, number of figures), which a cookie keeps."""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import Lock, RLock
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import redirect, render, resolve_url
from django.utils.cache import get_conditional_response
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.models.events import Event
from tournaments.models.standings import Publication
from tournaments.policy import PUBLIC
from tournaments.selectors.clubs.clubs import actor_of_session
from tournaments.selectors.standings.standings_view import PageQuery, StandingsView, standings_view
from tournaments.templatetags.look import THEME_COOKIE, THEMES
from tournaments.views.http.layout import Layout, PageRequest, reader_name

get_or_post: Final = require_http_methods(["GET", "HEAD", "POST"])

FIGURES_COOKIE: Final = f"{settings.COOKIE_PREFIX}figures"
ALL_FIGURES: Final = "all"


def not_modified(request: HttpRequest, etag: str) -> HttpResponse | None:
    """Return the 304 for a reader who holds this state; None for any other.

    It names the ETag again (RFC 9110, section 15.4.5).
    """
    conditional_response = get_conditional_response(request, etag=etag)
    if not isinstance(conditional_response, HttpResponseNotModified):
        return None
    conditional_response["ETag"] = etag
    return conditional_response


def set_cookie(response: HttpResponse, name: str, value: str, **more: Any) -> None:
    """Set a cookie that no script reads and no form of another site sends."""
    response.set_cookie(
        name, value, httponly=True, secure=settings.SESSION_COOKIE_SECURE, samesite="Lax", **more
    )


def reader_mark(event: Event) -> str:
    """Return the reader's part of the ETag of a live page: their role and their language.

    That of a visitor who reads in the site's language is empty, for the page has it in its bytes.

    Args:
        event: as it was read for them.
    """
    role = getattr(event, "role", PUBLIC)
    return (f"-{role}" if role != PUBLIC else "") + language_mark()


def language_mark() -> str:
    """Return the mark's part for a reader without a role: the language."""
    language = get_language()
    if language == settings.LANGUAGE_CODE:
        return ""
    return f"-{language}"


MOST_PARTS_BYTES: Final = 16 * 1024 * 1024
TURNS: Final = 32
"""Maximum number of addresses rendered at once; one address is rendered once at a time."""


class KeptParts:
    """The newest live part of each address, the ones used longest ago dropped first.

    A part is kept with the ETag of what it shows.
    """

    def __init__(self, most_bytes: int = MOST_PARTS_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._held: OrderedDict[str, tuple[str, bytes]] = OrderedDict()
        self._lock = Lock()
        self._turns = tuple(RLock() for _ in range(TURNS))

    def part(self, place: str, etag: str, render: Callable[[], bytes]) -> bytes:
        """Return the part of a place and an ETag, rendered by the first of those who ask at once.

        Args:
            place: address and language.
            render: makes the part; what it raises is raised here, and nothing is kept.
        """
        if (content := self.get(place, etag)) is not None:
            return content
        with self.turn(place):
            if (content := self.get(place, etag)) is None:
                content = render()
                self._keep(place, etag, content)
            return content

    def turn(self, place: str) -> AbstractContextManager[bool]:
        """Return the lock of a place, held by the thread that renders its part."""
        return self._turns[hash(place) % TURNS]

    def forget(self) -> None:
        with self._lock:
            self._held.clear()
            self._size = 0

    def get(self, place: str, etag: str) -> bytes | None:
        with self._lock:
            part_etag, content = self._held.get(place, ("", b""))
            if part_etag != etag:
                return None
            self._held.move_to_end(place)
            return content

    def _keep(self, place: str, etag: str, content: bytes) -> None:
        with self._lock:
            self._size += len(content) - len(self._held.pop(place, ("", b""))[1])
            self._held[place] = etag, content
            while self._size > self._most:
                self._size -= len(self._held.popitem(last=False)[1][1])


KEPT_PARTS: Final = KeptParts()


def is_for_visitors(request: PageRequest) -> bool:
    """Whether the requested page is the same for every visitor.

    Only plain addresses are cached: a sorted table or a further page is rendered each time.
    """
    return request.actor.kind == "public" and not request.GET


def there_already(request: PageRequest, etag: str) -> HttpResponse | None:
    """Return the live part that is kept for visitors, None where it has to be rendered."""
    content = KEPT_PARTS.get(_place(request), etag)
    return _response(content, etag) if content is not None else None


def turn_of(request: PageRequest) -> AbstractContextManager[bool]:
    """Return the lock of an address for visitors.

    The thread that renders a part holds it from the first query on: queries of waiting threads,
    whose results are discarded, would slow the rendering.
    """
    return KEPT_PARTS.turn(_place(request))


def kept_part(request: PageRequest, etag: str, render: Callable[[], HttpResponse]) -> HttpResponse:
    """Answer htmx with the live part of a page; visitors are given the one that is kept."""
    if not is_for_visitors(request):
        return _response(render().content, etag)
    return _response(KEPT_PARTS.part(_place(request), etag, lambda: render().content), etag)


def _place(request: PageRequest) -> str:
    return f"{get_language()} {wants_all_figures(request)} {request.build_absolute_uri()}"


def _response(content: bytes, etag: str) -> HttpResponse:
    return HttpResponse(content, headers={"ETag": etag})


def wants_all_figures(request: HttpRequest) -> bool:
    return request.COOKIES.get(FIGURES_COOKIE) == ALL_FIGURES


def laid_out(request: PageRequest, publication: Publication, base_query: str = "") -> StandingsView:
    """Return a publication with the figures, the order and the page that the reader chose."""
    sort = request.GET.get("sort", "")
    is_full = wants_all_figures(request)
    page_query = wanted_page(request)
    return standings_view(publication, sort, page_query, base_query=base_query, is_full=is_full)


MOST_DIGITS: Final = 6


def wanted_page(request: PageRequest) -> PageQuery:
    """Return the requested page of a long table: `?page=2`, or `?player=` for a player's page."""
    number = request.GET.get("page", "")
    is_number = number.isascii() and number.isdecimal() and len(number) < MOST_DIGITS
    return PageQuery(int(number) if is_number else 1, request.GET.get("player", ""))


def redirect_with_query(request: PageRequest, to: str, **address: object) -> HttpResponse:
    """Lead to another address of the same table, on the page that was asked for."""
    query = request.GET.urlencode()
    return redirect(resolve_url(to, **address) + (f"?{query}" if query else ""))


@never_cache
@get_or_post
def theme(request: HttpRequest) -> HttpResponse:
    address = request.POST.get("next") or request.GET.get("next") or "/"
    is_path_of_site = address.startswith("/") and url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    back = address if is_path_of_site else "/"
    # A link in the standings chooses the figures, the form of this page the colours.
    figures = request.GET.get("figures")
    if request.method != "POST" and figures is None:
        page_layout = Layout(path=back, signed_in_as=reader_name(actor_of_session(request)))
        scheme = request.COOKIES.get(THEME_COOKIE, "")
        context = {"layout": page_layout, "back": back, "chosen": scheme}
        return render(request, "shared/appearance.html", context)
    response = redirect(back)
    name = THEME_COOKIE
    choice = request.POST.get("theme", "")
    is_known = choice in THEMES
    if figures is not None:
        name = FIGURES_COOKIE
        choice = figures
        is_known = figures == ALL_FIGURES
    if is_known:
        set_cookie(response, name, choice, max_age=365 * 24 * 3600)
    else:
        # Without the cookie the default holds: the colours of the device, fewer figures.
        response.delete_cookie(name, samesite="Lax")
    return response
