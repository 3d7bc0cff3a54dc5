"""Promotion and relegation: who would change places between neighbouring divisions."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonDict
from tournaments.domain.standings.criteria import primary_named
from tournaments.domain.standings.standings_documents import StandingsDocument, StandingsDocumentRow
from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events, seasons
from tournaments.selectors.standings.publications import current_publication
from tournaments.services.events.seasons import change_season, make_season, preset_of, retry_season
from tournaments.views.events.settings_form import choice
from tournaments.views.http import layout
from tournaments.views.http.decorators import club_form_page, club_page, page, stored_csv
from tournaments.views.http.layout import PageRequest, link_to
from tournaments.views.http.pages import done, render_club
from tournaments.views.http.responses import laid_out, redirect_with_query
from tournaments.views.http.service_form import (
    ServiceForm,
    operation_of,
    posted,
    submit,
    text_field,
)


def swaps(events: Sequence[Event]) -> Sequence[JsonDict]:
    """Return the promotions and relegations between neighbouring divisions, as now published.

    Of each division but the highest the best k go `up`, k being its boundary `promotion`, and as
    many of the last come `down` from the division above. Withdrawn entrants are skipped. `is_tied`:
    a tie spans one of the two lines, so that the swaps are undecided.
    """
    tables: list[tuple[Event, StandingsDocument | None]] = []
    for event in events:
        publication = current_publication(event)
        tables.append((event, publication.document if publication is not None else None))
    pairs = []
    for (upper, above), (lower, below) in pairwise(tables):
        places = below["scheme"].get("boundaries", {}).get("promotion", 0) if below else 0
        best = _standing(below)
        last = _standing(above)[::-1]
        if places and best and last:
            pairs.append(
                {
                    "upper": upper,
                    "lower": lower,
                    "up": best[:places],
                    "down": last[:places],
                    "is_tied": _is_tied(best, places) or _is_tied(last, places),
                }
            )
    return pairs


def _standing(table: StandingsDocument | None) -> list[StandingsDocumentRow]:
    return [row for row in (table["rows"] if table else ()) if not row.get("withdrawn")]


def _is_tied(rows: Sequence[StandingsDocumentRow], places: int) -> bool:
    return len(rows) > places and rows[places - 1]["rank"] == rows[places]["rank"]


TABLES: Final = (
    ("", _("No season standings")),
    ("sheets", _("Points per hand")),
    ("places", _("Place points (5-3-2-1)")),
    ("season", _("Place points (best results)")),
    ("evenings", _("Evening points (best 10 evenings)")),
    ("periods", _("Evening points (periods of 6 evenings)")),
    ("wins", _("Tables won")),
    ("beaten", _("Opponents beaten")),
    ("par", _("Index")),
    ("pairs", _("Tables won, then point difference")),
)
"""The presets of a season's own table in words: of how games are played, none says anything."""


class SeasonForm(ServiceForm):
    name = text_field(_("Name of the season"))
    slug = text_field(
        _("Address within the club"),
        _("Lowercase letters a to z, digits and hyphens. If empty, it is made from the name."),
        autocapitalize="none",
        spellcheck="false",
    )
    starts_on = text_field(_("First day"), type="date")
    ends_on = text_field(_("Last day"), type="date")
    preset = choice(
        _("Season standings"),
        TABLES,
        _("The season standings count every game of the season's public events."),
    )


class SeasonChangeForm(SeasonForm):
    field_order = ("name", "starts_on", "ends_on", "events", "preset")
    slug = None  # type: ignore[assignment]  # takes the field away
    events = forms.MultipleChoiceField(
        label=_("Events of the season"), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, data: object = None, *, events: Iterable[Event], **more: object) -> None:
        super().__init__(data, **more)
        choices = [(event.slug, event.name) for event in events]
        self.fields["events"].choices = choices  # type: ignore[attr-defined]


@club_page
def season_list(request: PageRequest, club: Club) -> HttpResponse:
    context = {
        "seasons": tuple(seasons.seasons_of(club)),
        "may_direct": clubs.may_do(club, "manage_event"),
    }
    return render_club(request, "events/seasons.html", club, context)


@page("read_public")
def season(request: PageRequest, club: str, season: str, number: int | None = None) -> HttpResponse:
    current_season = seasons.get_season(request.actor, club, season)
    home = current_season.club
    divisions = seasons.divisions(request.actor, current_season)
    publication = seasons.season_publication(request.actor, current_season, number)
    page_layout = layout.club_layout(request, home, (layout.seasons_link(home),))
    if publication:
        page_layout = replace(
            page_layout,
            csv_url=link_to("", "season-csv", current_season.club, season=current_season.slug).url,
        )
    uncounted = seasons.uncounted_lines(current_season, publication) if publication else ()
    context = {
        "layout": page_layout,
        "season": current_season,
        "divisions": divisions,
        "swaps": swaps(divisions),
        "view": laid_out(request, publication)
        if publication and (current_season.settings or number is not None)
        else None,
        "uncounted": [
            {"name": name, "lines": n_lines, "unit": primary_named(primary).name}
            for name, primary, n_lines in uncounted
        ],
        "newest": seasons.newest_number(current_season),
        "progress": seasons.progress_of_season(current_season, timezone.now()),
        "is_numbered": number is not None,
        "may_create": clubs.may_create_events(home),
        "may_direct": clubs.may_do(home, "manage_event"),
    }
    return render_club(request, "events/season.html", home, context)


@page("read_public")
def season_csv(request: PageRequest, club: str, season: str) -> HttpResponse:
    current_season = seasons.get_season(request.actor, club, season)
    publication = seasons.season_publication(request.actor, current_season)
    if publication is None:
        raise Missing("publication", {"publication": 1})
    return stored_csv(publication, f"{current_season.club.slug}-{current_season.slug}")


@page("read_public")
def to_season(request: PageRequest, club: str, season: str) -> HttpResponse:
    return redirect_with_query(request, "tournaments:season", club=club, season=season)


@club_form_page((make_season, SeasonForm))
def new_season(request: PageRequest, club: Club) -> HttpResponse:
    form = SeasonForm(posted(request))
    season = submit(request, form, make_season, club)
    if season is not None:
        notice = gettext("%(name)s created. Choose its events.") % vars(season)
        return done(request, notice, "change-season", club, season=season.slug)
    context = {"season": None, "form": form, "progress": None}
    crumbs = (layout.seasons_link(club),)
    return render_club(request, "events/manage_season.html", club, context, form, crumbs=crumbs)


@club_form_page((change_season, SeasonChangeForm))
def change(request: PageRequest, club: Club, season: str) -> HttpResponse:
    current_season = seasons.season_in(club, season)
    if "try_again" in request.POST:
        retry_season(operation_of(request), current_season)
        return done(request, gettext("The job will be tried again."), "season", club, season=season)
    every_event = tuple(events.events_of(request.actor, club))
    initial = {
        "name": current_season.name,
        "starts_on": current_season.starts_on.isoformat(),
        "ends_on": current_season.ends_on.isoformat(),
        "preset": preset_of(current_season),
        "events": [row.slug for row in every_event if row.season_id == current_season.pk],
    }
    form = SeasonChangeForm(posted(request), events=every_event, initial=initial)
    if submit(request, form, change_season, current_season) is not None:
        return done(request, gettext("Saved."), "season", club, season=season)
    context = {
        "season": current_season,
        "form": form,
        "progress": seasons.progress_of_season(current_season, timezone.now()),
    }
    crumbs = (
        layout.seasons_link(club),
        link_to(current_season.name, "season", current_season.club, season=current_season.slug),
    )
    return render_club(request, "events/manage_season.html", club, context, form, crumbs=crumbs)
