"""Table links for their director: made, printed, rotated, revoked; and the tables of a host."""

from collections.abc import Sequence
from typing import Final

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.errors import Missing
from tournaments.forms.access.table_links import LinkForm
from tournaments.forms.http.service_form import attempt
from tournaments.models.events import Event
from tournaments.printing.link_cards import cards
from tournaments.selectors.access.linked_tables import (
    LinkedTable,
    linked_tables,
    tables_of_host,
    tables_with_links,
)
from tournaments.selectors.events import events
from tournaments.services.access.table_links import make_link, make_links, revoke_links
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page, page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import Link, PageRequest

OWN_MACHINE: Final = ("127.", "localhost", "[::1]")
"""How addresses begin that lead nowhere from a phone."""


@form_page("manage_links")
def table_link(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show a table's link to its director, to be printed; make a new one, or revoke it."""
    found = events.event_at(request.actor, club, event)
    shown = linked_tables(found, timezone.now(), code=code)
    if not shown:
        raise Missing("table", {"table": code})
    table = shown[0].table
    here = ("tournaments:table-link", club, event, code)
    form = LinkForm(posted(request), initial={"hours": 24})
    now = timezone.now()
    if "revoke" in request.POST:
        n = revoke_links(actor=request.actor, event=found, table=table, now=now)
        return _report_and_redirect(request, _revoked(n), *here)
    if request.method == "POST" and form.is_valid():
        lasts = form.lasts
        made = attempt(
            form, lambda: make_link(actor=request.actor, table=table, lasts=lasts, now=now)
        )
        if made is not None:
            notice = _("New link created for table %(number)s.") % {"number": table.number}
            if shown[0].link is not None:
                notice = f"{notice} {_('The old link no longer works.')}"
            return _report_and_redirect(request, notice, *here)
    context = {
        "layout": layout.manage_layout(
            request, found, layout.round_link(found, table.round.number)
        ),
        "event": found,
        "table": table,
        **_printed(request, shown),
        "form": form,
    }
    return render_form(request, "access/table_link.html", context, form)


@form_page("manage_links")
def round_links(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Show the links of a round's tables on one page, to be printed and cut."""
    found = events.event_at(request.actor, club, event)
    shown = events.round_at(found, number)
    here = ("tournaments:round-links", club, event, number)
    form = LinkForm(posted(request), initial={"hours": 24})
    now = timezone.now()
    if "revoke" in request.POST:
        n = revoke_links(actor=request.actor, event=found, round_=shown, now=now)
        return _report_and_redirect(request, _revoked(n), *here)
    if request.method == "POST" and form.is_valid():
        lasts = form.lasts
        made = attempt(
            form, lambda: make_links(actor=request.actor, round_=shown, lasts=lasts, now=now)
        )
        if made is not None:
            return _report_and_redirect(request, _created_message(len(made)), *here)
    tables = linked_tables(found, now, round_number=number)
    context = {
        "layout": layout.manage_layout(request, found, _directing(found, number)),
        "event": found,
        "round": shown,
        **_printed(request, tables),
        "n_tables": len(tables),
        "n_links": sum(one.link is not None for one in tables),
        "n_missing": sum(one.link is None for one in tables),
        "form": form,
    }
    return render_form(request, "access/round_links.html", context, form)


@form_page("manage_links")
def event_links(request: PageRequest, club: str, event: str) -> HttpResponse:
    """List the links of an event that work, and revoke them all."""
    found = events.event_at(request.actor, club, event)
    now = timezone.now()
    if "revoke" in request.POST:
        n = revoke_links(actor=request.actor, event=found, now=now)
        return _report_and_redirect(request, _revoked(n), "tournaments:event-links", club, event)
    context = {
        "layout": layout.manage_layout(request, found),
        "event": found,
        "tables": tables_with_links(found, now),
    }
    return render(request, "access/event_links.html", context)


@page("enter_hand")
def my_tables(request: PageRequest) -> HttpResponse:
    """List the tables that are played now in the clubs where the reader enters hands."""
    if request.actor.kind != "user":
        return redirect_to_login(request.get_full_path())
    context = {
        "layout": layout.site_layout(request),
        "tables": tables_of_host(request.actor, timezone.now()),
    }
    return render(request, "access/my_tables.html", context)


def _printed(request: PageRequest, shown: Sequence[LinkedTable]) -> dict[str, object]:
    entrance = request.build_absolute_uri(reverse("tournaments:enter-code"))
    return {
        "cards": cards(shown, entrance=entrance),
        "entrance": entrance.partition("//")[2],
        "is_own_machine": request.get_host().startswith(OWN_MACHINE),
    }


def _report_and_redirect(
    request: PageRequest, notice: str, to: str, *address: object
) -> HttpResponse:
    messages.success(request, notice)
    return redirect(to, *address)


def _created_message(n: int) -> str:
    if not n:
        return _("Every table already has a link.")
    return ngettext("%(n)s link created.", "%(n)s links created.", n) % {"n": n}


def _revoked(n: int) -> str:
    text = ngettext("%(n)s link revoked.", "%(n)s links revoked.", n)
    return text % {"n": n} if n else _("There was no link to revoke.")


def _directing(event: Event, number: int) -> Link:
    address = (event.club.slug, event.slug, number)
    text = _("Manage round %(number)s") % {"number": number}
    return Link(text, reverse("tournaments:manage-round", args=address))
