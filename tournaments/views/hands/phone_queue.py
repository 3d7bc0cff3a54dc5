"""The outbox of a phone: hands that a page stores while offline, and the answers to them.

The phone makes the forms of the next hands with these; the server still computes the scores.

The outbox (static/blacklady/outbox_store.js) posts the very fields of the host's form to the form's
own address, with a header that says whose hands it holds. Questions are answered on pages only, so
the answer here is short, and links to the hand's page.

    {"state": "sent",     "to": address}      stored, or answered again under the same key
    {"state": "there",    "to": address}      was there already, with the same numbers
    {"state": "asked",    "reason": text}     somebody wrote other numbers first; nothing is chosen
    {"state": "question", "reason": text}     a moon waits for its settlement, a hand that is the
                                              same as the one before it for a word, or a hand of a
                                              table whose hands were moved for its table
    {"state": "refused",  "reason": text}     cannot be; kept on the phone as typed
    {"state": "stopped",  "reason": text, "to": address, "way": text}     kept until one is let in
    {"state": "ready",    "csrf": token}      answer to GET: the way is open
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import wraps
from http import HTTPStatus
from operator import attrgetter
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render, resolve_url
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from scoring.errors import Problem
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.code_words import author_name
from tournaments.domain.messages import sentence
from tournaments.domain.name_matching import listed_people
from tournaments.domain.seating_runs import as_field
from tournaments.models.events import Event
from tournaments.models.rounds import Table
from tournaments.policy import Actor
from tournaments.selectors.access.former_addresses import current_address
from tournaments.selectors.access.table_links import COOKIE, find_link_in_cookie
from tournaments.selectors.clubs.clubs import actor_of_session, may_do
from tournaments.selectors.events.events import event_url
from tournaments.selectors.hands.score_sheet_views import TableSheet, must_preview
from tournaments.selectors.hands.undo import undone_keys
from tournaments.services.operations import DeclaredOperation
from tournaments.templatetags.points import clock
from tournaments.templatetags.tables import round_of
from tournaments.views.hands.hand_form_fields import fields_of, way_of
from tournaments.views.hands.hand_screen import HandScreen
from tournaments.views.http.decorators import View, form_page
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
"""States of a round in which hands are entered."""


def outbox_json_of_device() -> str:
    """Return the JSON for the outbox of a whole device, whatever it holds."""
    texts = {**_texts(), **_texts_of_device()}
    return json.dumps({**_site_document(), "is_get": False, "say": texts})


def outbox_json(screen: HandScreen, owner: str, *, is_get: bool, is_fresh: bool) -> str:
    """Return the JSON for a page's outbox of one table, which holds the hands of `owner`.

    `is_fresh`: the form is empty and for the table's next hand.
    """
    table = screen.table
    title = _("Table %(table)s, hand {hand}") % {"table": table.number}
    last_number = max(screen.hands, default=0)
    undone: list[str] = []
    if len(screen.hands) < len(table.hands):
        undone = undone_keys(screen.game)
    document = {
        **_site_document(),
        "is_get": is_get,
        **_table_document(screen.event, screen.code, table.number, table.round_number),
        "owner": owner,
        "title": f"{title} · {screen.event.club.name}",
        "number": screen.number,
        "of": screen.of,
        "missing": screen.number not in screen.hands and screen.number < last_number,
        "deleted": sum(hand.state == "void" for hand in screen.hands.values()),
        "dealers": [seat.player or str(seat.title) for seat in table.seats],
        "passes": screen.ring,
        "fresh": is_fresh,
        "at": timezone.now().isoformat(),
        "last": _last_hand(screen),
        "undone": undone,
    }
    return json.dumps(document)


def _last_hand(screen: HandScreen) -> JsonDict | None:
    """Return the hand before the form's as a form of it has its fields; None without one.

    In a duplicate event each hand has another board, and none repeats the one before.
    """
    hands_before = []
    for number, hand in screen.hands.items():
        if 0 < number < screen.number and hand.state != "void":
            hands_before.append(hand)
    if not hands_before:
        return None
    last = max(hands_before, key=attrgetter("number"))
    if last.board is not None:
        return None
    fields = [
        ["way", way_of(screen.sheet, last.entry)],
        ["seated", as_field([cell.seat.player_id for cell in last.cells])],
    ]
    for name, values in fields_of(screen.sheet, last.entry).items():
        fields.extend([name, value] for value in values)
    return {"number": last.number, "fields": fields}


def outbox_json_without_form(event: Event, sheet: TableSheet, now: datetime) -> str:
    """Return the JSON for the outbox of a table on a page where no hand is entered."""
    of_table = _table_document(event, sheet.code, sheet.number, sheet.round_number)
    return json.dumps({**_site_document(), **of_table, "at": now.isoformat()})


def outbox_json_of_link(table: Table, owner: str) -> str:
    """Return the JSON for the page of a table's link, which stores the table's pages offline."""
    of_table = _table_document(table.event, table.code, table.number, table.round.number)
    return json.dumps({**_site_document(), **of_table, "owner": owner, "prepare": True})


def outbox_json_of_page(page: JsonDict, texts: Mapping[str, str]) -> JsonDict:
    """Return the document for the outbox of another page; `texts` replace the usual ones."""
    return {**_site_document(), **page, "say": {**_texts(), **texts}}


def _site_document() -> dict[str, object]:
    return {
        "worker": reverse("tournaments:service-worker"),
        "icons": static("blacklady/icons.svg"),
        "say": _texts(),
    }


def _table_document(
    event: Event, code: str, number: int, round_number: int | None
) -> dict[str, object]:
    label = "" if round_number is None else round_of(round_number, event)
    names = {"table": number, "round": label}
    return {
        "table": event_url("table", event, code),
        "home": event_url("new-hand", event, code),
        "name": _("Table %(table)s, round %(round)s") % names,
    }


def _texts() -> dict[str, str]:
    return {
        "hand": _("Hand {hand}"),
        "totals": _("Totals"),
        "of_table": _("{table}, hand {hand}"),
        "head": _("hand {hand}"),
        "head_of": _("hand {hand} of {of}"),
        "enter": _("Enter hand {hand}"),
        "save": _("Save hand {hand}"),
        "keep": _("Save hand {hand} offline"),
        "waiting": _("not sent yet, entered {time}"),
        "waiting_sum": _("not sent yet, wrong total, entered {time}"),
        "waiting_choice": _("not sent yet, a choice is open, entered {time}"),
        "stopped": _("not sent yet, entered {time}"),
        "stopped_sum": _("not sent yet, wrong total, entered {time}"),
        "stopped_choice": _("not sent yet, a choice is open, entered {time}"),
        "sent": _("sent {time}"),
        "there": _("{time}: already entered with the same numbers"),
        "asked": _("two entries, {time}"),
        "question": _("a choice is open, {time}"),
        "refused": _("refused {time}"),
        "mended": _("corrected {time}"),
        "left": _("left out {time}"),
        "offline": _("Offline"),
        "offline_one": _("Offline, 1 not sent"),
        "offline_many": _("Offline, {n} not sent"),
        "asks_one": _("1 asks"),
        "asks_many": _("{n} ask"),
        "sends": _("Sending"),
        "unsaved": _("Not saved"),
        "all_sent": _("All sent"),
        "no_signal": _("No signal"),
        "no_signal_one": _("No signal, 1 hand not sent yet"),
        "no_signal_many": _("No signal, {n} hands not sent yet"),
        "away_needs_one": _("No signal, 1 hand not accepted yet"),
        "away_needs_many": _("No signal, {n} hands not accepted yet"),
        "waits_one": _("1 hand not sent yet"),
        "waits_many": _("{n} hands not sent yet"),
        "needs_one": _("1 hand not accepted yet"),
        "needs_many": _("{n} hands not accepted yet"),
        "log": _("Sent from this device"),
        "nothing": _("No hand was entered on this device today"),
        "go_on": _(
            "Saved on this device, not sent yet. Enter the next hand: each hand is sent once, "
            "automatically, when there is a signal. You can close the page."
        ),
        "go_away": _(
            "Enter the next hand: it is saved on this device and sent once, automatically, when "
            "there is a signal. You can close the page."
        ),
        "stopped_all": _(
            "Saved on this device, not sent yet. Do what is asked at each hand below. The hand "
            "is then sent once, automatically."
        ),
        "as_of": _("Totals and places as of {time}."),
        "needs": _("Your entry is saved on this device. Open the hand to see what to do."),
        "all_typed": _("All {of} hands are entered."),
        "kept": _("Hand {hand} is saved on this device."),
        "keep_anyway": _("Save offline anyway"),
        "twice": _("Hand {hand} is the same as hand {other}. Dealt twice?"),
        "leave_twice": _("Leave out"),
        "no_moon": _("No moon: back to the hand"),
        "total_so_far": _("{n} so far"),
        "total_unsent": _("{n} so far, not sent"),
        "total_without": _("{text}, sent hands only"),
        "restored": _("Numbers of {time}, not saved yet."),
        "discard": _("Discard"),
        "ready": _("Ready for offline use"),
        "changed": _("Hand {hand} is in the form again. Save it when it is right."),
        "change": _("Change hand {hand}"),
        "change_short": _("Change"),
        "open_refused": _("Open hand {hand}"),
        "open_question": _("Answer for hand {hand}"),
        "open_asked": _("See both entries of hand {hand}"),
        "open_left": _("Edit hand {hand}"),
        "leave": _("Leave out hand {hand}"),
        "unknown": _("The server did not accept it and gave no reason."),
        "cannot_keep": _(
            "This device cannot save a hand, and there is no signal. Leave this page open and "
            "save again when there is a signal."
        ),
        "needs_signal": _("This needs a signal. Your entry stays in the form."),
        "kept_page": _("{table}, available offline"),
    }


def _texts_of_device() -> dict[str, str]:
    return {
        "n_hands_one": _("1 hand"),
        "n_hands_many": _("{n} hands"),
        "n_changes_one": _("1 attendance change"),
        "n_changes_many": _("{n} attendance changes"),
        "n_both": _("{hands} and {changes}"),
        "waits_of": _("{what} not sent yet"),
        "needs_of": _("{what} not accepted yet"),
        "no_signal_of": _("No signal, {what} not sent yet"),
        "away_needs_of": _("No signal, {what} not accepted yet"),
        "nothing": _("Nothing was entered on this device today"),
        "go_on": _(
            "Saved on this device, not sent yet. Each hand and each attendance change is sent "
            "once, automatically, when there is a signal. You can close the page."
        ),
        "go_away": _(
            "Each hand and each attendance change is saved on this device and sent once, "
            "automatically, when there is a signal."
        ),
        "stopped_all": _(
            "Saved on this device, not sent yet. Do what is asked at each line below. It is then "
            "sent once, automatically."
        ),
        "needs": _("Your entry is saved on this device. Open it to see what to do."),
        "open_change": _("Send again"),
        "leave_change": _("Discard"),
    }


def outbox_owner(actor: Actor) -> str:
    """Return a name for whose hands an outbox holds; it says nothing to anybody else.

    Those of a table's link go with any link of that table: the director may have made a new one.
    """
    if actor.at is not None:
        return outbox_owner_of_link(actor.at.table_id)
    return salted_hmac("outbox", f"user:{actor.user_id}").hexdigest()[:16]


def outbox_owner_of_link(table_id: int) -> str:
    return salted_hmac("outbox", f"table:{table_id}").hexdigest()[:16]


def outbox_page(
    *operations: DeclaredOperation[..., Any],
) -> Callable[[View], Callable[..., HttpResponse]]:
    """Make a view a form page of a table that answers the outbox of a phone in short.

    An outbox of somebody else is stopped before the view is called.
    """

    def decorated(view: View) -> Callable[..., HttpResponse]:
        page = form_page(*operations, at_table=True)(_for_its_owner(view))

        @wraps(page)
        def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
            notice = request.headers.get(HEADER)
            response = page(request, *args, **kwargs)
            if notice is None:
                return response
            if response.status_code == HTTPStatus.PERMANENT_REDIRECT:
                # The outbox follows no redirect: it is answered at the address of today.
                address = current_address(request, actor_of_session(request), kwargs)
                response = page(request, *args, **{**kwargs, **address})
            if notice.startswith(LATER):
                # The messages for the next page are dropped: the answer says the same.
                list(get_messages(request))
            return _as_short_answer(request, response)

        return answer

    return decorated


def _for_its_owner(view: View) -> View:
    @wraps(view)
    def answer(request: PageRequest, *args: object, **kwargs: object) -> HttpResponse:
        owner = request.headers.get(HEADER, ANY).removeprefix(LATER)
        if owner not in (ANY, outbox_owner(request.actor)):
            reason = _(
                "Another person entered this hand. It will be sent when they use this device again."
            )
            return stopped(401, reason)
        return view(request, *args, **kwargs)

    return answer


def render_for_queue(
    request: PageRequest, template: str, context: JsonObject, status: int
) -> HttpResponse:
    """Render the page of a hand's form with its outbox, or answer the outbox of a phone."""
    if HEADER in request.headers:
        return _short_answer(request, context, status)
    screen = context["screen"]
    is_get = request.method == "GET"
    is_fresh = is_get and context["hand"] is None
    needs_preview = screen.hand is not None and must_preview(screen.event, screen.table)
    outbox = ""
    # A phone alone cannot save what its user has to look at before it is saved.
    if not (needs_preview and may_do(screen.event, "correct_closed")):
        owner = outbox_owner(request.actor)
        outbox = outbox_json(screen, owner, is_get=is_get, is_fresh=is_fresh)
    response = render(request, template, {**context, "outbox": outbox}, status=status)
    if is_fresh and is_open(screen.table):
        response[KEEP_HEADER] = "yes"
    return response


def is_open(sheet: TableSheet) -> bool:
    """Whether hands go in at this table, so that a phone may keep its pages."""
    return sheet.round_state in _OPEN


def already_recorded(request: HttpRequest, page: HttpResponse) -> HttpResponse:
    if HEADER not in request.headers:
        return page
    return JsonResponse({"state": "there", "to": page.headers["Location"]})


def preview_required(request: HttpRequest, page: HttpResponse) -> HttpResponse:
    if HEADER not in request.headers:
        return page
    reason = _("The round is closed. Open the hand, check the changes, then save it.")
    return JsonResponse({"state": "refused", "reason": reason}, status=409)


def _as_short_answer(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return the answer to an outbox for what the page answered: a redirect, or a refusal."""
    if isinstance(response, JsonResponse):
        return response
    location = response.headers.get("Location", "")
    sign_in = resolve_url(settings.LOGIN_URL)
    if location.startswith(sign_in):
        reason = _(
            "This device is signed out. The hand will be sent when you sign in or open the "
            "table's link."
        )
        back_here = urlencode({"next": request.path})
        return stopped(401, reason, to=f"{sign_in}?{back_here}", way=_("Sign in"))
    if request.method != "POST":
        if response.status_code < 400:
            return ready(request)
        return _stopped_by(request, response.status_code)
    if location:
        return JsonResponse({"state": "sent", "to": location})
    if response.status_code in (401, 403, 404, 410):
        return _stopped_by(request, response.status_code)
    reason = _("The table has changed. Open the hand to see what to do.")
    return JsonResponse({"state": "refused", "reason": reason}, status=response.status_code)


def _short_answer(request: HttpRequest, context: JsonObject, status: int) -> HttpResponse:
    """Return the answer to an outbox whose hand is not stored, from the context of its page."""
    if request.method != "POST":
        return ready(request)
    if context["versions"]:
        state = "asked"
        reason = _two_versions(context)
    elif context["question"]:
        state = "question"
        text = _("%(name)s took every card that makes a %(slam)s. How is it settled?")
        reason = text % context["question"]
    elif context["repeated"]:
        state = "question"
        reason = context["repeated"]
    elif context["moved"]:
        state = "question"
        reason = f"{context['moved']['says']} {context['moved']['what']}"
    elif context["upset"]:
        state = "refused"
        text = _("Hand %(number)s would become impossible.")
        reason = text % {"number": context["upset"].number}
    else:
        state = "refused"
        sentences = []
        for problem in context["form"]["problems"]:
            sentences.append(f"{problem.first} {problem.rest}".strip())
        reason = " ".join([*sentences, context["sum_line"]]).strip()
    return JsonResponse({"state": state, "reason": reason}, status=status)


def _two_versions(context: JsonObject) -> str:
    first, _mine = context["versions"]
    facts = {"name": author_name(first["by"]), "when": clock(first["at"], context["layout"].zone)}
    text = _("This hand was entered first: %(name)s, %(when)s.") % facts
    names = [name for name, _typed, differs in first["lines"] if differs]
    if not names:
        return text
    people = listed_people(names, _("and"))
    differing = _("The hands of %(names)s differ.") % {"names": people}
    return f"{text} {differing}"


def _stopped_by(request: HttpRequest, status: int) -> HttpResponse:
    """Return the answer where the page is closed to the phone's link, and how to open it again."""
    if status != 404 or COOKIE not in request.COOKIES:
        reason = _("The link to this table no longer works. Show this page to the director.")
        return stopped(status, reason)
    link, _name = find_link_in_cookie(request.COOKIES[COOKIE], timezone.now())
    if link is None:
        reason = sentence(Problem("link_opens_nothing"))
    else:
        reason = _(
            "Another table was opened on this device. The hand will be sent when you "
            "open this table again."
        )
    return stopped(status, reason, to=reverse("tournaments:enter-code"), way=_("Enter code"))


def ready(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"state": "ready", "csrf": get_token(request)})


def stopped(status: int, reason: str, to: str = "", way: str = "") -> HttpResponse:
    """Return the answer that keeps a hand until its user did something: at `to`, named `way`."""
    answer = {"state": "stopped", "reason": reason, "to": to, "way": way}
    return JsonResponse(answer, status=status)
