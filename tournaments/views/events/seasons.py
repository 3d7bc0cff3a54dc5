"""Seasons of a club: the list, one season with its divisions and its table, making and changing."""

from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.domain.standings.criteria_catalog import primary_named
from tournaments.errors import Missing
from tournaments.forms.events.seasons import SeasonChangeForm, SeasonForm
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events, seasons
from tournaments.selectors.standings import promotion
from tournaments.selectors.standings.standings_view import standings_view
from tournaments.services.events.seasons import (
    change_season,
    make_season,
    preset_of,
    retry_season,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page, page, stored_csv
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.responses import redirect_with_query, wanted_page
from tournaments.views.http.service_form import attempt, posted, render_form


@page("read_public")
def season_list(request: PageRequest, club: str) -> HttpResponse:
    """Print a club's seasons, the newest first."""
    found = clubs.club_at(request.actor, club)
    context = {
        "layout": layout.club_layout(request, found, (layout.club_link(found),)),
        "club": found,
        "seasons": tuple(seasons.seasons_of(found)),
        "may_direct": clubs.may_do(found, "manage_event"),
    }
    return render(request, "events/seasons.html", context)


@page("read_public")
def season(request: PageRequest, club: str, season: str, number: int | None = None) -> HttpResponse:
    """Print a season: its divisions, its own table, who would go up and down."""
    found = seasons.season_at(request.actor, club, season)
    divisions = seasons.divisions(request.actor, found)
    publication = seasons.season_publication(request.actor, found, number)
    page_layout = layout.club_layout(
        request, found.club, (layout.club_link(found.club), layout.seasons_link(found.club))
    )
    context = {
        "layout": replace(page_layout, csv_url=layout.season_csv(found))
        if publication
        else page_layout,
        "club": found.club,
        "season": found,
        "divisions": divisions,
        "swaps": promotion.swaps(divisions),
        "view": standings_view(publication, request.GET.get("sort", ""), wanted_page(request))
        if publication and (found.settings or number is not None)
        else None,
        "uncounted": [
            {"name": one.name, "lines": one.lines, "unit": primary_named(one.primary).name}
            for one in (seasons.uncounted_lines(found, publication) if publication else ())
        ],
        "newest": seasons.newest_number(found),
        "progress": seasons.progress_of_season(found, timezone.now()),
        "is_numbered": number is not None,
        "may_create": clubs.may_create_events(found.club),
        "may_direct": clubs.may_do(found.club, "manage_event"),
    }
    return render(request, "events/season.html", context)


@page("read_public")
def season_csv(request: PageRequest, club: str, season: str) -> HttpResponse:
    """Answer with the stored CSV of the season's current table."""
    found = seasons.season_at(request.actor, club, season)
    publication = seasons.season_publication(request.actor, found)
    if publication is None:
        raise Missing("publication", {"publication": 1})
    return stored_csv(publication, f"{found.club.slug}-{found.slug}")


@page("read_public")
def to_season(request: PageRequest, club: str, season: str) -> HttpResponse:
    """Send `…/standings`, the address that REST has, to the season, which shows them."""
    return redirect_with_query(request, "tournaments:season", club=club, season=season)


@form_page("manage_event")
def new_season(request: PageRequest, club: str) -> HttpResponse:
    """Ask for a season's name and days, and make it."""
    found = clubs.club_at(request.actor, club)
    form = SeasonForm(posted(request))
    if request.method == "POST" and form.is_valid():
        made = attempt(
            form,
            lambda: make_season(
                actor=request.actor, club=found, now=timezone.now(), **form.typed()
            ),
        )
        if made is not None:
            messages.success(request, _("%(name)s created. Choose its events.") % vars(made))
            return redirect("tournaments:change-season", club=club, season=made.slug)
    context = {
        "layout": layout.club_layout(
            request, found, (layout.club_link(found), layout.seasons_link(found))
        ),
        "club": found,
        "season": None,
        "form": form,
        "progress": None,
    }
    return render_form(request, "events/manage_season.html", context, form)


@form_page("manage_event")
def change(request: PageRequest, club: str, season: str) -> HttpResponse:
    """Ask for a season's name, days, events and table, and change them."""
    found = seasons.season_at(request.actor, club, season)
    if "try_again" in request.POST:
        retry_season(actor=request.actor, season=found, now=timezone.now())
        messages.success(request, _("The job will be tried again."))
        return redirect("tournaments:season", club=club, season=season)
    every_event = tuple(events.events_of(request.actor, found.club))
    now_there = {
        "name": found.name,
        "starts_on": found.starts_on.isoformat(),
        "ends_on": found.ends_on.isoformat(),
        "preset": preset_of(found),
        "events": [one.slug for one in every_event if one.season_id == found.pk],
    }
    form = SeasonChangeForm(posted(request), events=every_event, initial=now_there)
    if request.method == "POST" and form.is_valid():
        changed = attempt(
            form,
            lambda: change_season(
                actor=request.actor,
                season=found,
                events=form.cleaned_data["events"],
                now=timezone.now(),
                **form.typed(),
            ),
        )
        if changed is not None:
            messages.success(request, _("Saved."))
            return redirect("tournaments:season", club=club, season=season)
    crumbs = (
        layout.club_link(found.club), layout.seasons_link(found.club), layout.season_link(found),
    )  # fmt: skip
    context = {
        "layout": layout.club_layout(request, found.club, crumbs),
        "club": found.club,
        "season": found,
        "form": form,
        "progress": seasons.progress_of_season(found, timezone.now()),
    }
    return render_form(request, "events/manage_season.html", context, form)
