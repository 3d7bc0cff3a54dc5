"""Pages in the layouts of site, club and event, and the way back from a form that was saved."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.selectors.hands.score_sheet_views import TableSheet
from tournaments.views.http.layout import (
    Link,
    PageRequest,
    club_layout,
    direct_link,
    event_layout,
    link_to,
    site_layout,
    table_layout,
)
from tournaments.views.http.page_head import PageHead
from tournaments.views.http.service_form import ServiceForm, render_form


def render_site(
    request: PageRequest,
    template: str,
    context: Mapping[str, object],
    *forms: ServiceForm | None,
    crumbs: Sequence[Link] = (),
    status: int | None = None,
) -> HttpResponse:
    """Return a page outside clubs in its layout, as `render_form` does."""
    page = {"layout": site_layout(request, crumbs), **context}
    return render_form(request, template, page, *forms, status=status)


def render_club(
    request: PageRequest,
    template: str,
    club: Club,
    context: Mapping[str, object],
    *forms: ServiceForm | None,
    crumbs: Sequence[Link] = (),
    status: int | None = None,
) -> HttpResponse:
    page = {"layout": club_layout(request, club, crumbs), "club": club, **context}
    return render_form(request, template, page, *forms, status=status)


def render_event(
    request: PageRequest,
    template: str,
    event: Event,
    context: Mapping[str, object],
    *forms: ServiceForm | None,
    crumbs: Sequence[Link] = (),
    status: int | None = None,
    head: PageHead | None = None,
) -> HttpResponse:
    layout = replace(event_layout(request, event, crumbs), head=head)
    page = {"layout": layout, "event": event, **context}
    return render_form(request, template, page, *forms, status=status)


def render_manage(
    request: PageRequest,
    template: str,
    event: Event,
    context: Mapping[str, object],
    *forms: ServiceForm | None,
    below: Sequence[Link] = (),
) -> HttpResponse:
    """Return a page where an event is managed, with the links `below` after its own."""
    page = {
        "layout": event_layout(request, event, (direct_link(event), *below)),
        "event": event,
        **context,
    }
    return render_form(request, template, page, *forms)


def render_table(
    request: PageRequest,
    template: str,
    event: Event,
    sheet: TableSheet,
    context: Mapping[str, object],
    *forms: ServiceForm | None,
    status: int | None = None,
) -> HttpResponse:
    page = {"layout": table_layout(request, event, sheet), "event": event, "sheet": sheet}
    return render_form(request, template, {**page, **context}, *forms, status=status)


def done(
    request: HttpRequest, notice: str, page: str, of: Club | Event, **address: object
) -> HttpResponse:
    messages.success(request, notice)
    return go_to(page, of, **address)


def go_to(page: str, of: Club | Event, **address: object) -> HttpResponse:
    return redirect(link_to("", page, of, **address).url)
