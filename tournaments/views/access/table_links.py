"""Table links: made, printed, rotated and revoked by a director, opened by their holder."""

from collections.abc import Sequence
from typing import Final

from django import forms
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from scoring.errors import Problem
from tournaments.documents.link_cards import cards
from tournaments.domain.messages import sentence
from tournaments.domain.name_matching import one_line
from tournaments.models.access import TableLink
from tournaments.models.events import Event
from tournaments.models.rounds import Round, Table
from tournaments.selectors.access.table_links import (
    COOKIE,
    cookie_of,
    find_link_by_code,
    find_link_by_token,
    find_link_in_cookie,
    get_linked_table,
    is_open_for_link,
    link_holder,
    list_linked_tables,
    list_seated,
    list_tables_of_host,
    list_tables_with_links,
    next_hand_number,
)
from tournaments.selectors.clubs.clubs import actor_of_session
from tournaments.selectors.events import events
from tournaments.selectors.hands.games import game_standing
from tournaments.selectors.rounds.round_names import load_round_names
from tournaments.services.access.table_links import make_link, make_links, revoke_links, use_link
from tournaments.services.operations import Operation
from tournaments.services.rounds.seating_checks import table_abandoned
from tournaments.views.access.join import count_wrong_link
from tournaments.views.hands.phone_queue import outbox_json_of_link, outbox_owner_of_link
from tournaments.views.http import errors, layout
from tournaments.views.http.decorators import event_form_page, page, runs
from tournaments.views.http.layout import Layout, PageRequest
from tournaments.views.http.pages import done, render_manage, render_site
from tournaments.views.http.responses import get_or_post, set_cookie
from tournaments.views.http.service_form import (
    ServiceForm,
    operation_of,
    posted,
    render_form,
    submit,
    text_field,
)

HOURS: Final = (
    (6, _("6 hours")),
    (12, _("12 hours")),
    (24, _("24 hours")),
    (72, _("3 days")),
    (168, _("7 days")),
)
LONGEST_HOST_NAME: Final = 60


class LinkForm(ServiceForm):
    required_fields = ("hours",)
    hours = forms.TypedChoiceField(
        label=_("Valid for"),
        choices=HOURS,
        coerce=int,
        initial=24,
        help_text=_("The link stops working when the round closes, if that is sooner."),
        error_messages={"invalid_choice": _("Choose one of the times in the list.")},
    )


class CodeForm(ServiceForm):
    code = text_field(
        _("Short code"),
        _("8 letters and digits from the card. Spaces, hyphens and case do not matter."),
        autocomplete="off",
        autocapitalize="characters",
        spellcheck="false",
    )


class HostNameForm(ServiceForm):
    """The optional name of the person entering at a table."""

    name = forms.CharField(
        label=_("Your name"),
        max_length=LONGEST_HOST_NAME,
        help_text=_(
            "Optional. Everyone who can see this event sees it beside each hand you enter."
        ),
        error_messages={"max_length": _("This name is too long. The maximum is 60 characters.")},
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


OWN_MACHINE: Final = ("127.", "localhost", "[::1]")
"""Beginnings of addresses that a phone cannot reach."""


@event_form_page((make_link, LinkForm))
def table_link(request: PageRequest, event: Event, code: str) -> HttpResponse:
    table = get_linked_table(event, code, timezone.now())
    form = LinkForm(posted(request))
    if "revoke" in request.POST:
        return _revoke(request, table, "table-link", event, code=code)
    if submit(request, form, make_link, table) is not None:
        notice = gettext("New link created for table %(number)s.") % {"number": table.number}
        if table.link is not None:
            notice = f"{notice} {gettext('The old link no longer works.')}"
        return done(request, notice, "table-link", event, code=code)
    context = {"table": table, **_printed(request, (table,)), "form": form}
    below = (layout.round_link(event, table.round.number),)
    return render_manage(request, "access/table_link.html", event, context, form, below=below)


@event_form_page((make_links, LinkForm))
def round_links(request: PageRequest, event: Event, number: int) -> HttpResponse:
    round_ = events.get_round(event, number)
    form = LinkForm(posted(request))
    if "revoke" in request.POST:
        return _revoke(request, round_, "round-links", event, number=number)
    links = submit(request, form, make_links, round_)
    if links is not None:
        notice = gettext("Every table already has a link.")
        if n := len(links):
            notice = ngettext("%(n)s link created.", "%(n)s links created.", n) % {"n": n}
        return done(request, notice, "round-links", event, number=number)
    tables = list_linked_tables(event, timezone.now(), round_number=number)
    n_links = sum(table.link is not None for table in tables)
    context = {
        "round": round_,
        **_printed(request, tables),
        "n_tables": len(tables),
        "n_links": n_links,
        "n_missing": len(tables) - n_links,
        "form": form,
    }
    below = (layout.round_link(event, number),)
    return render_manage(request, "access/round_links.html", event, context, form, below=below)


@event_form_page(revoke_links)
def event_links(request: PageRequest, event: Event) -> HttpResponse:
    if "revoke" in request.POST:
        return _revoke(request, event, "event-links", event)
    context = {"tables": list_tables_with_links(event, timezone.now())}
    return render_manage(request, "access/event_links.html", event, context)


@page("enter_hand")
def my_tables(request: PageRequest) -> HttpResponse:
    """List the tables that are played now in the clubs where the reader enters hands."""
    if request.actor.kind != "user":
        return redirect_to_login(request.get_full_path())
    tables = list_tables_of_host(request.actor, timezone.now())
    load_round_names(table.event for table in tables)
    return render_site(request, "access/my_tables.html", {"tables": tables})


def _printed(request: PageRequest, tables: Sequence[Table]) -> dict[str, object]:
    entrance = request.build_absolute_uri(reverse("tournaments:enter-code"))
    return {
        "cards": cards(tables, entrance=entrance),
        "entrance": entrance.partition("//")[2],
        "is_own_machine": request.get_host().startswith(OWN_MACHINE),
    }


def _revoke(
    request: PageRequest, place: Event | Round | Table, page: str, event: Event, **address: object
) -> HttpResponse:
    n = revoke_links(operation_of(request), place)
    notice = ngettext("%(n)s link revoked.", "%(n)s links revoked.", n) % {"n": n}
    return done(
        request, notice if n else gettext("There was no link to revoke."), page, event, **address
    )


@never_cache
@require_safe
def open_link(request: HttpRequest, token: str) -> HttpResponse:
    """Swap a link's token for a cookie and go on without it, so that it leaves the address bar."""
    link = find_link_by_token(token, timezone.now())
    if link is not None:
        return _opened(request, link)
    if seconds := count_wrong_link(request):
        return errors.too_many_links(request, seconds)
    return errors.link_opens_nothing(request)


@never_cache
@get_or_post
@runs(use_link)
def enter_code(request: HttpRequest) -> HttpResponse:
    """Show what this browser's link permits; accept a code or a name, or leave."""
    if "code" in request.POST:
        return _code_typed(request)
    link = None
    name = ""
    if COOKIE in request.COOKIES:
        link, name = find_link_in_cookie(request.COOKIES[COOKIE], timezone.now())
    if "leave" in request.POST:
        response = redirect("tournaments:enter-code")
        response.delete_cookie(COOKIE)
        return response
    if link is None and request.method == "POST":
        return errors.link_opens_nothing(request)
    if link is None:
        # A cookie whose link was revoked or replaced says so; an expired one is gone by itself.
        is_dead = COOKIE in request.COOKIES
        if is_dead:
            return _no_table(request, CodeForm({}))
        return _page(request, None, CodeForm())
    form = HostNameForm(posted(request), initial={"name": name})
    if form.is_valid():
        table = link.table
        address = (table.event.club.slug, table.event.slug, table.code)
        on = redirect("tournaments:new-hand", *address)
        value = cookie_of(link, one_line(form.cleaned_data["name"]))
        set_cookie(on, COOKIE, value, expires=link.expires_at)
        return on
    return _page(request, link, form)


def _code_typed(request: HttpRequest) -> HttpResponse:
    form = CodeForm(request.POST)
    link = find_link_by_code(form.cleaned_data["code"] if form.is_valid() else "", timezone.now())
    if link is not None:
        return _opened(request, link)
    if seconds := count_wrong_link(request):
        return errors.too_many_links(request, seconds)
    return _no_table(request, form)


def _no_table(request: HttpRequest, form: CodeForm) -> HttpResponse:
    form.place([Problem("link_opens_nothing", ("code",))])
    return _page(request, None, form)


def _opened(request: HttpRequest, link: TableLink) -> HttpResponse:
    now = timezone.now()
    name = find_link_in_cookie(request.COOKIES.get(COOKIE, ""), now)[1]
    if request.method != "HEAD":  # which asks about the address, and opens nothing
        use_link(Operation(link_holder(link, ""), now), link)
    on = redirect("tournaments:enter-code")
    set_cookie(on, COOKIE, cookie_of(link, name), expires=link.expires_at)
    return on


def _page(request: HttpRequest, link: TableLink | None, form: ServiceForm) -> HttpResponse:
    context: dict[str, object] = {"layout": Layout(path=request.path, at_table=True), "form": form}
    if link is None:
        return render_form(request, "access/enter_code.html", context, form)
    table = link.table
    is_open = is_open_for_link(link.table)
    is_abandoned = table.game.state == "abandoned"
    is_complete = table.game.state in ("complete", "checked")
    context |= {
        "layout": Layout(path=request.path, zone=link.club.time_zone, at_table=True),
        "link": link,
        "table": table,
        "players": list_seated(table),
        "my_day": _public_day(request, table),
        "next_hand": next_hand_number(table),
        "is_open": is_open,
        "is_abandoned": is_abandoned,
        "is_complete": is_complete,
        "abandoned": sentence(table_abandoned(table.code, table.number)) if is_abandoned else "",
        "may_go_on": is_complete and game_standing(table.event, table.code)["may_go_on"],
        "code_form": CodeForm(),
        "outbox": outbox_json_of_link(table, outbox_owner_of_link(table.pk))
        if is_open and not is_abandoned
        else "",
    }
    return render_form(request, "access/open_table.html", context, form)


def _public_day(request: HttpRequest, table: Table) -> str:
    """Return the day of a table's evening if it can be read without the link, else nothing."""
    readable = events.events_for(actor_of_session(request)).filter(pk=table.event_id)
    meeting = table.round.meeting
    if meeting is not None and readable.exists():
        return meeting.date.isoformat()
    return ""
