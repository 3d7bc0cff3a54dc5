"""Decorators of pages: the actor, the operation, and the answer to a missing object.

`page` is for pages that are read, `form_page` for those that change something.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any, Final, TypeAlias, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import conditional_page, require_http_methods, require_safe

from tournaments.domain.sealing import seal, unseal
from tournaments.errors import ClubIsReadOnly, Forbidden, Missing, SecondFactorNeeded
from tournaments.models.events import Event
from tournaments.models.standings import Publication
from tournaments.policy import LINK, MAY, WITHHELD, Actor, may
from tournaments.selectors.access.former_addresses import sent_on
from tournaments.selectors.access.table_links import COOKIE, actor_at
from tournaments.selectors.clubs.clubs import (
    actor_of_session,
    get_club,
    is_withheld,
    may_do,
    note_actor,
)
from tournaments.selectors.events.events import get_event, is_held_event
from tournaments.services.audit.audit import count_refused_act, count_refused_link
from tournaments.services.audit.idempotency import FormRepeated, FormReply, StoredAnswer
from tournaments.services.db.transactions import first_write
from tournaments.services.operations import DeclaredOperation
from tournaments.views.http import errors
from tournaments.views.http.layout import OF_A_PLAYER, PageRequest, account_hint

TOKEN: Final = "csrfmiddlewaretoken"  # noqa: S105 - the name of a field

OF_QUEUE: Final = "X-Outbox"
"""The header of hands that a device sends from its queue, which have keys of their own."""

MOST_STORED_BYTES: Final = 1024 * 1024
"""Size of an answer that is stored; after a larger one a repeated form leads to its page."""

LOOKS: Final = 40
PAUSE_S: Final = 0.05
"""How often, and at which interval, a repeated form looks for the answer to the first."""

_HEADERS: Final = ("Location", "Content-Type", "Content-Disposition")
"""Headers of an answer that are stored with it."""

_MESSAGES: Final = "messages"
"""The member beside these headers with the messages for the next page, as JSON."""

View: TypeAlias = Callable[..., HttpResponse]

Run: TypeAlias = str | DeclaredOperation[..., Any] | tuple[Any, ...]
"""An operation, or one with the form that is submitted to it and the arguments that the view adds.

As in `(add_entrant, NewEntrantForm, "kind")`. A text is a right of the role table.
"""

SUBMITTED: Final[set[tuple[object, type[forms.Form], frozenset[str]]]] = set()
"""Operation, form, and the arguments that a view adds, of each form that a page declares."""

NO_INDEX: Final = "noindex"
"""Value for search engines on a private page."""

REFUSED: Final = 422
"""The status of a form that a service refused; what was typed stands in it."""


def answer_once(request: PageRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the answer of a view; that to the first of two equal forms where it is stored.

    The key is the page's CSRF token, which Django masks anew for each page that it renders, with
    the content of the form: a corrected form is another one, and so is that of another page.
    htmx and the queue of a device repeat requests on purpose, and are answered each time.
    """
    is_form = request.method == "POST" and TOKEN in request.POST
    if not is_form or request.htmx or OF_QUEUE in request.headers:
        return view()
    reply = FormReply(request.actor.label, _digest(request), timezone.now())
    if reply.stored() is not None:
        return _answer_again(request, reply)
    try:
        with first_write(reply.claim):
            response = view()
    except FormRepeated:
        return _answer_again(request, reply)
    if reply.is_claimed and response.status_code < 400:
        reply.finish(_to_store(request, response))
    elif reply.is_claimed:
        reply.finish(None)
    return response


def _digest(request: PageRequest) -> str:
    """Return the digest of a form: its address, its fields, and the content of its files."""
    digest = hashlib.sha256(request.get_full_path().encode())
    for name, values in sorted(request.POST.lists()):
        digest.update(repr((name, values)).encode())
    for name, files in sorted(request.FILES.lists()):
        for file in files:
            digest.update(repr((name, file.name)).encode())
            for chunk in file.chunks():
                digest.update(chunk)
            file.seek(0)
    return digest.hexdigest()


def _to_store(request: PageRequest, response: HttpResponse) -> StoredAnswer:
    """Return an answer as it is stored; one that is streamed or too large has the status 0."""
    headers = {name: response[name] for name in _HEADERS if name in response}
    storage = getattr(request, "_messages", ())
    queued = getattr(storage, "_queued_messages", ())
    headers[_MESSAGES] = json.dumps([[message.level, str(message.message)] for message in queued])
    body = b""
    if not response.streaming:
        body = response.content
    status = response.status_code
    if response.streaming or len(body) > MOST_STORED_BYTES:
        status = 0
    return StoredAnswer(status, headers, seal(body))


def _answer_again(request: PageRequest, reply: FormReply) -> HttpResponse:
    """Wait for the stored answer to the first of two equal forms, and return it."""
    for look in range(LOOKS):
        stored = reply.stored()
        if stored is None or stored.status is not None:
            break
        time.sleep(PAUSE_S if look + 1 < LOOKS else 0)
    if stored is None or not stored.status:
        messages.info(request, _("This is saved already."))
        return redirect(request.get_full_path())
    headers = dict(stored.headers)
    for level, text in json.loads(headers.pop(_MESSAGES)):
        messages.add_message(request, level, text)
    return HttpResponse(unseal(bytes(stored.body)), status=stored.status, headers=headers)


def page(right: str, *, at_table: bool = False, cached: str = "") -> Callable[[View], View]:
    """Make a view a read-only page, with its permission in the role table and its actor.

    `Missing` becomes a 404 page, `Forbidden` a 403 page. A page that did not change since the
    reader's copy answers 304. `at_table` marks the pages of one table that the holder of its link
    may use. `cached` is how long a browser caches a page whose address changes with its content;
    without it, the browser revalidates each time.
    """
    if right not in MAY:
        raise ValueError(f"{right} is not in the role table")

    def decorated(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, **address: Any) -> HttpResponse:
            page_request = cast(PageRequest, request)
            try:
                page_request.actor = _get_actor(request, address, at_table=at_table)
                response = view(page_request, **address)
            except (Missing, Forbidden) as refused:
                response = _refusal(page_request, refused, right, address)
            patch_vary_headers(response, ("Cookie", "HX-Request"))
            if cached and response.status_code == HTTPStatus.OK:
                response["Cache-Control"] = cached
                return response
            patch_cache_control(response, no_cache=True)
            if page_request.actor.kind != "public":
                patch_cache_control(response, private=True)
                response["X-Robots-Tag"] = NO_INDEX
            return response

        guarded = require_safe(conditional_page(answer))
        guarded.right = right  # type: ignore[attr-defined]  # read by the test that walks all routes
        return guarded

    return decorated


def form_page(*of: Run, at_table: bool = False) -> Callable[[View], View]:
    """Make a view a page of those who are signed in, shown to users permitted its operation.

    It takes a POST only where it has an operation. The public is sent to sign in, a role without
    the permission gets a 403 page. The services of the view check the role again; this only avoids
    forms that would be refused. The right is that of the first operation, or one of the role table
    where no operation has it. `at_table` marks the pages of one table that the holder of its link
    may use; every kind of invalid link gets the same answer there.

    Raises TypeError when a form does not fit its operation.
    """
    operations = [declared_operation(each) for each in of if not isinstance(each, str)]
    if isinstance(of[0], str):
        right = of[0]
    else:
        right = operations[0].right
    if right not in MAY:
        raise ValueError(f"{right} is not in the role table")

    def decorated(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, **address: Any) -> HttpResponse:
            page_request = cast(PageRequest, request)
            try:
                page_request.actor = _get_actor(request, address, at_table=at_table)
                if page_request.actor.kind == "public":
                    if at_table and request.COOKIES.get(COOKIE):
                        return _answer_to_link(page_request, right, address)
                    return redirect_to_login(request.get_full_path())
                _let_in(page_request.actor, address, right)
                response = answer_once(page_request, lambda: view(page_request, **address))
            except (Missing, Forbidden) as refused:
                return _refusal(page_request, refused, right, address)
            response["X-Robots-Tag"] = NO_INDEX
            return response

        methods = ["GET", "HEAD", "POST"] if operations else ["GET", "HEAD"]
        guarded = never_cache(require_http_methods(methods)(runs(*operations)(answer)))
        guarded.right = right  # type: ignore[attr-defined]  # read by the test that walks all routes
        return guarded

    return decorated


def _answer_to_link(request: PageRequest, right: str, address: Mapping[str, Any]) -> HttpResponse:
    """Answer the holder of a link that does not open this page; a refused POST is counted."""
    moved = sent_on(request, request.actor, address)
    if moved is not None:
        return moved
    if request.method == "POST":
        count_refused_link(cookie=request.COOKIES[COOKIE], right=right, now=timezone.now())
    return errors.link_opens_nothing(request)


def declared_operation(
    run: DeclaredOperation[..., Any] | tuple[Any, ...],
) -> DeclaredOperation[..., Any]:
    """Return the operation of a form page; its form is compared with it."""
    if isinstance(run, DeclaredOperation):
        return run
    operation: DeclaredOperation[..., Any]
    operation, form, *added_by_view = run
    names = getattr(form.get_arguments, "names", None)
    if names is None:
        names = [form.argument_names.get(name, name) for name in form.base_fields]
    arguments = {*names, *added_by_view}
    operation.require_arguments(arguments, arguments)
    SUBMITTED.add((operation, form, frozenset(added_by_view)))
    return operation


def runs(*operations: DeclaredOperation[..., Any]) -> Callable[[View], View]:
    """Declare the operations of a page; a test finds one for every address that takes a POST."""

    def declared(view: View) -> View:
        view.operations = operations  # type: ignore[attr-defined]
        return view

    return declared


def event_page(
    right: str, *, at_table: bool = False, find: Callable[..., Event] = get_event
) -> Callable[[View], View]:
    """Make a view a `page` that gets the event which its address names, as `find` returns it."""
    return lambda view: page(right, at_table=at_table)(_of_event(view, find, at_table=at_table))


def event_form_page(
    *of: Run, at_table: bool = False, find: Callable[..., Event] = get_event
) -> Callable[[View], View]:
    """Make a view a `form_page` that gets the event which its address names."""
    return lambda view: form_page(*of, at_table=at_table)(_of_event(view, find, at_table=at_table))


def club_page(view: View) -> View:
    """Make a view a `page` of whoever may read the club, which it gets; the address names it."""
    return page("read_public")(_of_club(view))


def club_form_page(*of: Run) -> Callable[[View], View]:
    """Make a view a `form_page` that gets the club which its address names."""
    return lambda view: form_page(*of)(_of_club(view))


def _of_event(view: View, find: Callable[..., Event], *, at_table: bool) -> View:
    @wraps(view)
    def answer(request: PageRequest, club: str, event: str, **address: object) -> HttpResponse:
        if at_table:
            row = find(request.actor, club, event, code=address["code"])
        else:
            row = find(request.actor, club, event)
        return view(request, row, **address)

    return answer


def _of_club(view: View) -> View:
    @wraps(view)
    def answer(request: PageRequest, club: str, **address: object) -> HttpResponse:
        return view(request, get_club(request.actor, club), **address)

    return answer


def _get_actor(request: HttpRequest, address: Mapping[str, Any], *, at_table: bool) -> Actor:
    """Return who asks: the account of the session, or the holder of the link to the table."""
    actor = actor_of_session(request)
    cookie = request.COOKIES.get(COOKIE)
    if at_table and cookie:
        table = {name: address[name] for name in ("club", "event", "code")}
        actor_by_link = actor_at(actor, cookie, now=timezone.now(), **table)
        if actor_by_link is not None:
            actor = actor_by_link
    return note_actor(actor)


def _let_in(actor: Actor, address: Mapping[str, Any], right: str) -> None:
    """Refuse an actor without the right at an address."""
    if actor.at is not None:
        if not may(LINK, right):
            raise Forbidden(right)
        return
    if "club" in address and not may_do(get_club(actor, address["club"]), right):
        raise Forbidden(right)


def _refusal(
    request: PageRequest, refused: Missing | Forbidden, right: str, address: Mapping[str, Any]
) -> HttpResponse:
    """Return the page that answers a missing object or a missing right."""
    actor = request.actor
    club_slug = address.get("club")
    if isinstance(refused, SecondFactorNeeded) or is_held_event(actor, refused, address):
        return errors.second_factor_needed(request)
    if isinstance(refused, ClubIsReadOnly):
        return errors.club_is_read_only(request)
    needs_full_role = isinstance(refused, Forbidden) or not may(WITHHELD, right)
    if needs_full_role and club_slug is not None and is_withheld(actor, club_slug):
        return errors.second_factor_needed(request)

    if isinstance(refused, Missing):
        moved = sent_on(request, actor, address)
        if moved is not None:
            return moved
        return errors.missing(request, refused.problem, address)

    if request.method == "POST" and club_slug is not None:
        count_refused_act(actor=actor, club_slug=club_slug, refusal=refused, now=timezone.now())
    if right in OF_A_PLAYER and club_slug is not None:
        hint = account_hint(request, get_club(actor, club_slug))
        return errors.for_players_only(request, hint)
    return errors.permission_denied(request, right=str(refused.problem.facts["act"]))


def stored_csv(publication: Publication, name: str) -> HttpResponse:
    """Return the CSV of a publication; `name` begins the name of its file."""
    response = HttpResponse(bytes(publication.csv), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="{name}-{publication.number}.csv"'
    response["ETag"] = publication.etag
    return response
