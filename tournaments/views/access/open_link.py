"""The way in for who has no account: a table's link, or its short code, opens that table.

One table at a time: the cookie that a link is swapped for holds the last one opened.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from scoring.errors import Problem
from tournaments.code_words import OF_A_LINK
from tournaments.domain.imports.name_matching import one_line
from tournaments.forms.access.table_links import CodeForm, HostNameForm
from tournaments.forms.http.service_form import ServiceForm
from tournaments.messages import sentence
from tournaments.models.links import TableLink
from tournaments.policy import LINK, MAY, may
from tournaments.presenters.hands.game_summary import game_standing
from tournaments.selectors.access.linked_tables import table_opened
from tournaments.selectors.access.table_links import (
    COOKIE,
    cookie_of,
    link_by_code,
    link_by_token,
    link_in_cookie,
)
from tournaments.services.access.table_links import note_first_use
from tournaments.services.rounds.table_states import table_abandoned
from tournaments.views.access.throttling import count_wrong_link
from tournaments.views.hands.queue_answers import outbox_owner_of_link
from tournaments.views.hands.queue_bootstrap import outbox_json_of_link
from tournaments.views.http import errors
from tournaments.views.http.decorators import REFUSED
from tournaments.views.http.layout import Layout


@never_cache
@require_safe
def open_link(request: HttpRequest, token: str) -> HttpResponse:
    """Swap a link's token for a cookie and go on without it, so that it leaves the address bar."""
    link = link_by_token(token, timezone.now())
    if link is not None:
        return _opened(request, link)
    if seconds := count_wrong_link(request):
        return errors.too_many_links(request, seconds)
    return errors.link_opens_nothing(request)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enter_code(request: HttpRequest) -> HttpResponse:
    """Say what the link that this browser holds may do; take in a code, a name, or leave."""
    if request.method == "POST" and "code" in request.POST:
        return _code_typed(request)
    link, name = None, ""
    if COOKIE in request.COOKIES:
        link, name = link_in_cookie(request.COOKIES[COOKIE], timezone.now())
    if request.method == "POST" and "leave" in request.POST:
        left = redirect("tournaments:enter-code")
        left.delete_cookie(COOKIE)
        return left
    if link is None:
        if request.method == "POST":
            return errors.link_opens_nothing(request)
        return _page(request, None, CodeForm(), status=200)
    form = HostNameForm(request.POST if request.method == "POST" else None, initial={"name": name})
    if form.is_valid():
        on = redirect("tournaments:new-hand", *_address(link))
        _set_link_cookie(on, link, one_line(form.cleaned_data["name"]))
        return on
    return _page(request, link, form, status=REFUSED if form.has_problems else 200)


def _code_typed(request: HttpRequest) -> HttpResponse:
    form = CodeForm(request.POST)
    link = link_by_code(form.cleaned_data["code"] if form.is_valid() else "", timezone.now())
    if link is not None:
        return _opened(request, link)
    if seconds := count_wrong_link(request):
        return errors.too_many_links(request, seconds)
    form.place([Problem("link_opens_nothing", ("code",))])
    return _page(request, None, form, status=REFUSED)


def _opened(request: HttpRequest, link: TableLink) -> HttpResponse:
    now = timezone.now()
    name = link_in_cookie(request.COOKIES.get(COOKIE, ""), now)[1]
    if request.method != "HEAD":
        note_first_use(link=link, now=now)
    on = redirect("tournaments:enter-code")
    _set_link_cookie(on, link, name)
    return on


def _set_link_cookie(answer: HttpResponse, link: TableLink, name: str) -> None:
    answer.set_cookie(
        COOKIE,
        cookie_of(link, name),
        expires=link.expires_at,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )


def _page(
    request: HttpRequest, link: TableLink | None, form: ServiceForm, *, status: int
) -> HttpResponse:
    page_layout = Layout(path=request.path, at_table=True)
    if link is None:
        return render(
            request, "access/enter_code.html", {"layout": page_layout, "form": form}, status=status
        )
    opened = table_opened(link)
    context = {
        "layout": Layout(path=request.path, zone=link.club.time_zone, at_table=True),
        "link": link,
        "opened": opened,
        "abandoned": sentence(table_abandoned(opened.table.code, opened.table.number))
        if opened.is_abandoned
        else "",
        "may_go_on": opened.is_complete
        and game_standing(opened.table.event, opened.table.code).may_go_on,
        "form": form,
        "code_form": CodeForm(),
        "outbox": outbox_json_of_link(opened.table, outbox_owner_of_link(link.table_id))
        if opened.is_open and not opened.is_abandoned
        else "",
        "may": [_(OF_A_LINK[act]) for act in MAY if may(LINK, act)],
    }
    return render(request, "access/open_table.html", context, status=status)


def _address(link: TableLink) -> tuple[str, str, str]:
    table = link.table
    return table.event.club.slug, table.event.slug, table.code
