"""Error pages: what is missing, alternatives, a link, and a number to quote."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import ceil
from typing import Any, Final

import structlog
from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import Problem
from tournaments.domain.messages import sentence
from tournaments.policy import may
from tournaments.selectors.access.former_addresses import without_slash
from tournaments.selectors.clubs.clubs import get_club, has_second_factor
from tournaments.selectors.events.events import get_event
from tournaments.views.http.layout import (
    Layout,
    Link,
    PageRequest,
    club_layout,
    event_layout,
    site_layout,
)

_TITLES: Final[Mapping[str, Callable[[], str]]] = {
    "unknown_club": lambda: _("No such club"),
    "unknown_event": lambda: _("No such event"),
    "unknown_publication": lambda: _("No such publication"),
    "publication_discarded": lambda: _("Publication discarded"),
    "unknown_round": lambda: _("No such round"),
    "unknown_table": lambda: _("No such table"),
    "unknown_hand": lambda: _("No such hand"),
    "unknown_player": lambda: _("No such player"),
    "unknown_problem": lambda: _("No such problem"),
    "unknown_ladder": lambda: _("Not a ladder"),
    "unknown_import": lambda: _("No such import"),
    "unknown_variant": lambda: _("No such game"),
    "unknown_rules": lambda: _("No such rules"),
    "unknown_roster": lambda: _("No such list"),
    "not_published": lambda: _("Nothing is published yet"),
}
RETRY_AFTER_S: Final = 5
LONGEST_RATE_S: Final = 60
"""Longest period of allauth's limits, which do not say how much of it is left."""


def missing(request: PageRequest, problem: Problem, address: Mapping[str, Any]) -> HttpResponse:
    """Return the 404 page of something an address names and the reader cannot find there.

    A publication that an operator discarded is a 410.
    """
    if problem.code == "unknown_address":
        return page_not_found(request)
    title = _TITLES.get(problem.code, lambda: _("Not found"))()
    status = 410 if problem.code == "publication_discarded" else 404
    if request.actor.at is not None:
        page_layout = Layout(path=request.path, at_table=True)
        return _page(request, status, title, sentence(problem), (_the_table(),), page_layout)
    say = " ".join(filter(None, (sentence(problem), _alternatives(problem))))
    page_layout = _layout_for(request, problem, address)
    return _page(request, status, title, say, _parent_links(problem, address), page_layout)


def link_opens_nothing(request: HttpRequest) -> HttpResponse:
    """Return the 404 page of a link that is expired, revoked, another table's or guessed.

    The page is the same whichever it is. What was typed is kept in it, to be sent again once
    another link is open.
    """
    kept = [
        (name, value)
        for name, values in request.POST.lists()
        if name not in ("csrfmiddlewaretoken", "go")
        for value in values
    ]
    context = {
        "layout": Layout(path=reverse("tournaments:enter-code"), at_table=True),
        "title": _("Table not opened"),
        "say": sentence(Problem("link_opens_nothing")),
        "ways": (Link(_("Enter code"), reverse("tournaments:enter-code")),),
        "kept": kept,
    }
    return render(request, "access/invalid_link.html", context, status=404)


def invitation_opens_nothing(request: HttpRequest) -> HttpResponse:
    return _invalid_invitation(request, _("Invitation"), "invitation_opens_nothing")


def setup_opens_nothing(request: HttpRequest) -> HttpResponse:
    return _invalid_invitation(request, _("Set up this site"), "setup_opens_nothing")


def _invalid_invitation(request: HttpRequest, title: str, code: str) -> HttpResponse:
    context = {
        "layout": Layout(at_table=True),
        "title": title,
        "say": sentence(Problem(code)),
        "ways": (_to_sign_in(), _all_clubs()),
    }
    return render(request, "access/invalid_invitation.html", context, status=404)


def too_many_links(request: HttpRequest, seconds: int) -> HttpResponse:
    """Return the 429 page: links that open nothing were shown too often from one address."""
    say = _(
        "Too many wrong codes were sent from this network within a minute. Try again in "
        "%(seconds)s s. A table that is open on this device stays open."
    )
    page_layout = Layout(path=reverse("tournaments:enter-code"), at_table=True)
    ways = (Link(_("Enter code"), reverse("tournaments:enter-code")),)
    return _wait(request, say % {"seconds": seconds}, seconds, ways, page_layout)


def too_many_evening_codes(request: HttpRequest, seconds: int) -> HttpResponse:
    """Return the 429 page: too many codes of cards that open nothing, from one address or at one
    club."""
    say = _(
        "Too many wrong codes were sent, so no code is tried for now. Try again in %(minutes)s "
        "min. The link of your card works meanwhile, and the host can check you in."
    )
    minutes = max(1, ceil(seconds / 60))
    page_layout = Layout(path=request.path, at_table=True)
    return _wait(request, say % {"minutes": minutes}, seconds, (), page_layout)


def too_many_sign_ins(request: HttpRequest, seconds: int) -> HttpResponse:
    say = _(
        "Too many wrong passwords from this network. Your password was not checked. "
        "Try again in %(time)s, or sign in from another network."
    )
    if seconds < 120:
        n = seconds
        time = ngettext("%(n)s second", "%(n)s seconds", n)
    else:
        n = ceil(seconds / 60)
        time = ngettext("%(n)s minute", "%(n)s minutes", n)
    return _wait(request, say % {"time": time % {"n": n}}, seconds, (_to_sign_in(),))


def too_many_requests(request: HttpRequest) -> HttpResponse:
    say = _("Too many requests came from this network. Try again in %(n)s seconds.")
    return _wait(request, say % {"n": LONGEST_RATE_S}, LONGEST_RATE_S, (_to_sign_in(),))


def _wait(
    request: HttpRequest,
    say: str,
    seconds: int,
    ways: tuple[Link, ...],
    page_layout: Layout | None = None,
) -> HttpResponse:
    response = _page(request, 429, _("Wait a moment"), say, ways, page_layout)
    response["Retry-After"] = str(seconds)
    return response


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return the 400 page, or the 413 page if the request is larger than any page accepts."""
    if isinstance(exception, RequestDataTooBig):
        say = _("The request is too large. Send it in parts. Nothing was changed.")
        return _page(request, 413, _("Too large"), say)
    if isinstance(exception, DisallowedHost):
        say = _(
            "This site does not answer under the host name in your browser’s address bar. Use "
            "another address of the site. If you run the site: add this host name to the setting "
            "ALLOWED_HOSTS and start the site again."
        )
        context = _context(400, _("Host name not allowed"), say) | {"layout": Layout(), "ways": ()}
        return render(request, "errors/problem.html", context, status=400)
    say = _("The request cannot be read. Nothing was changed.")
    return _page(request, 400, _("This request cannot be read"), say)


def unreadable(request: HttpRequest, status: int, problem: Problem) -> HttpResponse:
    """Return the page of a request that was refused before any page looked at it."""
    say = _("%(sentence)s Nothing was changed.") % {"sentence": sentence(problem)}
    return _page(request, status, _("This request cannot be read"), say)


def bad_query(request: HttpRequest, status: int, say: str) -> HttpResponse:
    return _page(request, status, _("This request cannot be read"), say)


def permission_denied(
    request: HttpRequest, exception: Exception | None = None, *, right: str = ""
) -> HttpResponse:
    """Return the 403 page of something that is not the reader's to do, with who has the `right`."""
    who = _("A director or owner of the club can do it.")
    if not right or not may("director", right):
        who = _("An owner of the club can do it.") if right and may("owner", right) else ""
    words = (_("Your role does not allow this."), who, _("Nothing was changed."))
    say = " ".join(filter(None, words))
    if getattr(getattr(request, "actor", None), "at", None) is not None:
        say = _("A table link does not allow this. A director can do it. Nothing was changed.")
        page_layout = Layout(path=request.path, at_table=True)
        return _page(request, 403, _("Not allowed"), say, (_the_table(),), page_layout)
    return _not_allowed(request, say)


def for_players_only(request: PageRequest, hint: tuple[str, Link | None] | None) -> HttpResponse:
    """Return the 403 page of a right that players have for themselves, with what they lack."""
    if request.actor.at is not None:
        return permission_denied(request)
    say = _("Only the players concerned, hosts and directors can do this. Nothing was changed.")
    ways: tuple[Link, ...] = ()
    if hint is not None:
        text, way = hint
        say, ways = f"{say} {text}", (way,) if way is not None else ()
    return _not_allowed(request, say, ways)


def _not_allowed(request: HttpRequest, say: str, ways: tuple[Link, ...] = ()) -> HttpResponse:
    match = request.resolver_match
    ways = ways or _parent_links(Problem("forbidden"), match.kwargs if match else {})
    return _page(request, 403, _("Not allowed"), say, ways, Layout(path=request.path))


def second_factor_needed(request: HttpRequest) -> HttpResponse:
    if has_second_factor(request.user):
        return _show_second_factor(request)
    say = _(
        "Your role needs a second factor: the code of an app on your phone, or a passkey. Add one, "
        "then open this page again. Nothing was changed."
    )
    ways = (
        Link(_("Add app"), reverse("mfa_activate_totp")),
        Link(_("Add passkey"), reverse("mfa_add_webauthn")),
        Link(_("Account"), reverse("tournaments:account")),
    )
    page_layout = Layout(path=request.path)
    return _page(request, 403, _("Second factor needed"), say, ways, page_layout)


def _show_second_factor(request: HttpRequest) -> HttpResponse:
    """Return the 403 page of a session that signed in without the account's second factor."""
    say = _(
        "Your role needs your second factor, and this device signed in without it. Show it now, "
        "then go on. Nothing was changed."
    )
    query = {"next": request.get_full_path() if request.method == "GET" else request.path}
    ways = (
        Link(_("Use code"), reverse("mfa_reauthenticate", query=query)),
        Link(_("Use passkey"), reverse("mfa_reauthenticate_webauthn", query=query)),
    )
    page_layout = Layout(path=request.path)
    return _page(request, 403, _("Second factor needed"), say, ways, page_layout)


def club_is_read_only(request: HttpRequest) -> HttpResponse:
    say = _(
        "This club is being deleted. You can read and export it, but not change it. An owner can "
        "undo the deletion in the club settings. Nothing was changed."
    )
    return _page(request, 403, _("Club is read-only"), say, page_layout=Layout(path=request.path))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return the 403 page for a form without its token (`CSRF_FAILURE_VIEW`)."""
    say = _(
        "The form was open for too long, or you signed in or out. Go back, reload the page and "
        "send the form again. Nothing was changed."
    )
    return _page(request, 403, _("This form is too old"), say)


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return the 404 page of an address that is no page of this site.

    An address that is a page without the slash at its end is sent on to it.
    """
    if (redirect := without_slash(request)) is not None:
        return redirect
    say = _("There is no page at this address. The link may be old or incomplete.")
    return _page(request, 404, _("Page not found"), say)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the 500 page; it makes no query, since the database may have failed."""
    say = _(
        "This is our mistake, not yours. All earlier entries are safe. Check whether this one was "
        "saved before you send it again."
    )
    return _without_database(500, _("Server error"), say)


def busy(request: HttpRequest) -> HttpResponse:
    """Return the 503 page: others are saving, and this request was not saved."""
    say = _(
        "Others were saving at the same moment, so your request was not saved. Send it again in a "
        "few seconds."
    )
    return _without_database(503, _("Database busy"), say)


def away(request: HttpRequest) -> HttpResponse:
    """Return the 503 page: the database does not answer just now."""
    say = _("The database is not available at the moment. Reload this page in a few seconds.")
    return _without_database(503, _("Database not available"), say)


def no_room(request: HttpRequest) -> HttpResponse:
    """Return the 507 page: the disk is full, and what was sent is not kept."""
    say = _(
        "The disk of this server is full, so your request was not saved. All earlier entries are "
        "safe. Tell the administrator of this site, then send the request again."
    )
    return _without_database(507, _("Disk full"), say)


def _without_database(status: int, title: str, say: str) -> HttpResponse:
    context = _context(status, title, say) | {"without_reader": True}
    response = HttpResponse(render_to_string("errors/problem.html", context), status=status)
    if status == 503:
        response["Retry-After"] = str(RETRY_AFTER_S)
    return response


def _page(
    request: HttpRequest,
    status: int,
    title: str,
    say: str,
    ways: tuple[Link, ...] = (),
    page_layout: Layout | None = None,
) -> HttpResponse:
    # Without a layout of its own a page leads back to the start: its address may join a table.
    context = _context(status, title, say, ways) | {"layout": page_layout or Layout()}
    return render(request, "errors/problem.html", context, status=status)


def _context(status: int, title: str, say: str, ways: tuple[Link, ...] = ()) -> dict[str, object]:
    request_id = str(structlog.contextvars.get_contextvars().get("request_id", ""))
    return {
        "status": status,
        "title": title,
        "say": say,
        "ways": ways or (_all_clubs(),),
        "quote": request_id[:8],
    }


def _layout_for(request: PageRequest, problem: Problem, address: Mapping[str, Any]) -> Layout:
    if problem.code in ("unknown_club", "unknown_event") or "club" not in address:
        return site_layout(request)
    if "event" in address:
        event = get_event(request.actor, address["club"], address["event"])
        page_layout = event_layout(request, event)
    else:
        page_layout = club_layout(request, get_club(request.actor, address["club"]))
    return replace(page_layout, canonical="")


def _all_clubs() -> Link:
    return Link(_("All clubs"), reverse("tournaments:clubs"))


def _to_sign_in() -> Link:
    return Link(_("Sign in"), reverse("account_login"))


def _the_table() -> Link:
    return Link(_("Back to the table"), reverse("tournaments:enter-code"))


def _alternatives(problem: Problem) -> str:
    facts = problem.facts
    if problem.code == "unknown_round" and facts.get("rounds"):
        return _("It has rounds 1 to %(rounds)s.") % facts
    if problem.code == "unknown_table" and facts.get("tables"):
        return _("Round %(round)s has tables %(tables)s.") % facts
    if problem.code == "unknown_variant" and facts.get("closest"):
        return _("Closest: %(names)s.") % {"names": ", ".join(str(facts["closest"]).split())}
    if problem.code == "unknown_hand" and facts.get("hands"):
        n = int(facts["hands"])
        text = ngettext("Its sheet has %(hands)s hand.", "Its sheet has %(hands)s hands.", n)
        return text % facts
    return ""


def _parent_links(problem: Problem, address: Mapping[str, Any]) -> tuple[Link, ...]:
    if problem.code == "unknown_variant" and "club" not in address:
        closest = str(problem.facts.get("closest", "")).split()
        near = [Link(name, reverse("tournaments:variant", args=[name])) for name in closest]
        return (*near, Link(_("All games"), reverse("tournaments:variants")))
    if problem.code in ("unknown_club", "unknown_event") or "club" not in address:
        return ()
    ways = [Link(_("The club's page"), reverse("tournaments:club", args=[address["club"]]))]
    if "event" in address:
        event = {"club": address["club"], "event": address["event"]}
        ways.insert(0, Link(_("Standings"), reverse("tournaments:event", kwargs=event)))
        ways.insert(1, Link(_("All evenings"), reverse("tournaments:meetings", kwargs=event)))
        facts = problem.facts
        if problem.code == "unknown_table" and facts.get("tables"):
            of_round = event | {"number": facts["round"]}
            text = _("All tables of round %(round)s") % facts
            ways[0:2] = [Link(text, reverse("tournaments:round", kwargs=of_round)), ways[0]]
        if problem.code == "unknown_rules":
            ways.insert(0, Link(_("Its rules"), reverse("tournaments:event-rules", kwargs=event)))
        if problem.code == "unknown_hand":
            of_table = event | {"code": facts["table"]}
            ways[0:2] = [Link(_("Score sheet"), reverse("tournaments:table", kwargs=of_table))]
    return tuple(ways)
