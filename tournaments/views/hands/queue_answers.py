"""What a phone's outbox is told of a hand that it sent: one word, a reason, where to go on.

The outbox (static/blacklady/outbox_store.js) posts the very fields of the host's form to the form's
own address, with a header that says whose hands it holds. Pages stay the one place where a person
answers a question; so the answer here is short, and whoever acts on it opens the hand as a page.

    {"state": "sent",     "to": address}      stored, or answered again under the same key
    {"state": "there",    "to": address}      was there already, with the same numbers
    {"state": "asked",    "reason": text}     somebody wrote other numbers first; nothing is chosen
    {"state": "question", "reason": text}     a moon waits for its settlement
    {"state": "refused",  "reason": text}     cannot be; kept on the phone as typed
    {"state": "stopped",  "reason": text, "to": address, "way": text}     kept until one is let in
    {"state": "ready",    "csrf": token}      answer to GET: the way is open
"""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Final, TypeAlias
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from scoring.errors import Problem
from scoring.json_types import JsonObject
from tournaments.domain.imports.name_matching import listed_people
from tournaments.messages import sentence
from tournaments.policy import Actor
from tournaments.selectors.access.table_links import COOKIE, link_in_cookie
from tournaments.selectors.clubs.clubs import actor_of, may_do
from tournaments.selectors.hands.score_sheet_views import TableSheet
from tournaments.templatetags.points import clock
from tournaments.views.hands.hand_screen import HandScreen
from tournaments.views.hands.preview_correction import must_preview
from tournaments.views.hands.queue_bootstrap import outbox_json
from tournaments.views.http.decorators import form_page
from tournaments.views.http.former_addresses import current_address
from tournaments.views.http.layout import PageRequest

HEADER: Final = "X-Outbox"
"""Request header of the outbox: `outbox_owner` whoever typed, or `ANY` where it only asks the way.

`LATER` in front of it says that nobody looks at the page meanwhile.
"""
ANY: Final = "?"
LATER: Final = "later "
KEEP_HEADER: Final = "X-Keep-On-Phone"
"""Answer header: the service worker may keep this page, until it comes without the header."""
_OPEN: Final = frozenset({"posted", "playing"})

View: TypeAlias = Callable[..., HttpResponse]


def outbox_owner(actor: Actor) -> str:
    """Return a name for whose hands an outbox holds; it says nothing to anybody else.

    Those of a table's link go with any link of that table: the director may have made a new one.
    """
    if actor.at is not None:
        return outbox_owner_of_link(actor.at.table_id)
    return salted_hmac("outbox", f"user:{actor.user_id}").hexdigest()[:16]


def outbox_owner_of_link(table_id: int) -> str:
    """Return the name for whoever holds a link of this table."""
    return salted_hmac("outbox", f"table:{table_id}").hexdigest()[:16]


def outbox_page(act: str) -> Callable[[View], Callable[..., HttpResponse]]:
    """Make a view a form of one table that answers an outbox in short; browsers get their pages."""

    def decorated(view: View) -> Callable[..., HttpResponse]:
        page = form_page(act, at_table=True)(_for_its_owner(view))

        @wraps(page)
        def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
            notice = request.headers.get(HEADER)
            if notice is None:
                return page(request, *args, **kwargs)
            response = page(request, *args, **kwargs)
            if response.status_code == HTTPStatus.PERMANENT_REDIRECT:  # it follows none
                kwargs |= current_address(request, actor_of(request.user), kwargs)
                response = page(request, *args, **kwargs)
            if notice.startswith(LATER):
                list(get_messages(request))  # what a page would say is in the answer
            return _as_short_answer(request, response)

        return answer

    return decorated


def _for_its_owner(view: View) -> View:
    """Send a hand as whoever typed it, or not at all."""

    @wraps(view)
    def answer(request: PageRequest, *args: object, **kwargs: object) -> HttpResponse:
        owner = request.headers.get(HEADER, ANY).removeprefix(LATER)
        if owner not in (ANY, outbox_owner(request.actor)):
            say = _(
                "Another person entered this hand. It will be sent when they use this device again."
            )
            return stopped(401, say)
        return view(request, *args, **kwargs)

    return answer


def render_for_queue(
    request: PageRequest, template: str, context: JsonObject, status: int
) -> HttpResponse:
    """Print the host's page, or tell an outbox what the page says."""
    if HEADER in request.headers:
        return _short_answer(request, context, status)
    screen = context["screen"]
    is_fresh = request.method == "GET" and context["hand"] is None
    outbox = ""
    if not _previews_first(screen):
        owner = outbox_owner(request.actor)
        is_get = request.method == "GET"
        outbox = outbox_json(
            screen, owner=owner, is_get=is_get, is_fresh=is_fresh, now=timezone.now()
        )
    response = render(request, template, {**context, "outbox": outbox}, status=status)
    if is_fresh and is_open(screen.table):
        response[KEEP_HEADER] = "yes"
    return response


def is_open(sheet: TableSheet) -> bool:
    """Whether hands go in at this table, so that a phone may keep its pages."""
    return sheet.round_state in _OPEN


def _previews_first(screen: HandScreen) -> bool:
    """Whether what is typed is looked at before it is saved, which no phone can do by itself."""
    is_out = screen.hand is not None and must_preview(screen.event, screen.table)
    return is_out and may_do(screen.event, "correct_closed")


def already_recorded(request: HttpRequest, page: HttpResponse) -> HttpResponse:
    """Tell an outbox that a hand was there with the same numbers; a browser is sent to `page`."""
    if HEADER not in request.headers:
        return page
    return JsonResponse({"state": "there", "to": page.headers["Location"]})


def preview_required(request: HttpRequest, page: HttpResponse) -> HttpResponse:
    """Tell an outbox that a person looks at this first; a browser gets the page."""
    if HEADER not in request.headers:
        return page
    say = _("The round is closed. Open the hand, check the changes, then save it.")
    return JsonResponse({"state": "refused", "reason": say}, status=409)


def _as_short_answer(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    if isinstance(response, JsonResponse):
        return response
    to = response.headers.get("Location", "")
    sign_in = resolve_url(settings.LOGIN_URL)
    if to.startswith(sign_in):
        to = f"{sign_in}?{urlencode({'next': request.path})}"
        say = _(
            "This device is signed out. The hand will be sent when you sign in or open the "
            "table's link."
        )
        return stopped(401, say, to, _("Sign in"))
    if request.method != "POST":
        is_open = response.status_code < 400
        return ready(request) if is_open else _closed(request, response.status_code)
    if to:
        return JsonResponse({"state": "sent", "to": to})
    if response.status_code in (401, 403, 404, 410):
        return _closed(request, response.status_code)
    say = _("The table has changed. Open the hand to see what to do.")
    return JsonResponse({"state": "refused", "reason": say}, status=response.status_code)


def _short_answer(request: HttpRequest, context: JsonObject, status: int) -> HttpResponse:
    """Say in a sentence or two what the page shows."""
    if request.method != "POST":
        return ready(request)
    if context["versions"]:
        state, reason = "asked", _two_versions(context)
    elif question := context["question"]:
        text = _("%(name)s took every card that makes a %(slam)s. How is it settled?")
        state, reason = "question", text % {"name": question.name, "slam": question.slam}
    elif upset := context["upset"]:
        text = _("Hand %(number)s would become impossible.") % {"number": upset.number}
        state, reason = "refused", text
    else:
        sentences = [f"{one.first} {one.rest}".strip() for one in context["form"].problems]
        state, reason = "refused", " ".join([*sentences, context["sum_line"]]).strip()
    return JsonResponse({"state": state, "reason": reason}, status=status)


def _two_versions(context: JsonObject) -> str:
    first, _mine = context["versions"]
    facts = {"name": first.by or "–", "when": clock(first.at, context["layout"].zone)}
    text = _("This hand was entered first by %(name)s, at %(when)s.") % facts
    differ = [name for name, _typed, differs in first.lines if differs]
    if differ:
        text += " " + _("The hands of %(names)s differ.") % {"names": _listed(differ)}
    return text


def _listed(names: list[str]) -> str:
    return listed_people(names, _("and"))


def _closed(request: HttpRequest, status: int) -> HttpResponse:
    if status == 404 and COOKIE in request.COOKIES:
        link, _name = link_in_cookie(request.COOKIES[COOKIE], timezone.now())
        say = sentence(Problem("link_opens_nothing"))
        if link is not None:
            say = _(
                "Another table was opened on this device. The hand will be sent when you "
                "open this table again."
            )
        return stopped(status, say, reverse("tournaments:enter-code"), _("Enter code"))
    return stopped(
        status, _("The link to this table no longer works. Show this page to the director.")
    )


def ready(request: HttpRequest) -> HttpResponse:
    """Tell a queue that the way is open."""
    return JsonResponse({"state": "ready", "csrf": get_token(request)})


def stopped(status: int, reason: str, to: str = "", way: str = "") -> HttpResponse:
    """Tell a queue to wait until a person did something."""
    answer = {"state": "stopped", "reason": reason, "to": to, "way": way}
    return JsonResponse(answer, status=status)
