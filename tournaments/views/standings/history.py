"""Which table of the past is wanted: as of a round, or of a date."""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from csp.constants import NONE
from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.documents import charts
from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.selectors.events import events
from tournaments.selectors.imports import may_import
from tournaments.selectors.standings import history, publication_diff
from tournaments.templatetags.look import THEME_COOKIE, THEMES
from tournaments.views.http.decorators import REFUSED, club_page, event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import go_to, render_club, render_event
from tournaments.views.http.responses import redirect_with_query
from tournaments.views.http.service_form import ServiceForm, day_input
from tournaments.views.standings.standings import view_of_table


class AsOfForm(ServiceForm):
    """A round or a date; where both are given, the round."""

    round = forms.IntegerField(
        label=_("As of round"),
        min_value=1,
        max_value=history.LAST_ROUND,
        error_messages={"invalid": _("Enter the number of a round.")},
    )
    date = forms.DateField(
        label=_("or as of a day"),
        widget=day_input(),
        input_formats=["%Y-%m-%d"],
        error_messages={"invalid": _("Enter a date as 2025-10-30.")},
    )

    def entered(self) -> tuple[int | None, datetime.date | None]:
        fields = getattr(self, "cleaned_data", {})
        return fields.get("round"), fields.get("date")


ONLY_ITS_STYLE: Final = {"default-src": [NONE], "style-src": list(charts.FINGERPRINTS)}
"""Content-Security-Policy of an image: opened by itself it loads only its style."""
MOST_EVENTS: Final = 60
"""Number of newest events in the records of a club."""


@event_page("read_public")
def as_of(request: PageRequest, event: Event) -> HttpResponse:
    """Print the table as of a round or a day; without either lead to the one that is now."""
    if not request.GET.keys() & {"round", "date"}:
        return redirect_with_query(
            request, "tournaments:event", club=event.club.slug, event=event.slug
        )
    form = AsOfForm(request.GET)
    number, day = form.entered() if form.is_valid() else (None, None)
    if form.is_valid() and number is None and day is None:
        return go_to("event", event)
    rounds = history.rounds_with_history(event)
    context: dict[str, object] = {"form": form}
    page = "standings/as_of.html"
    if not form.is_valid():
        return render_event(request, page, event, context, status=REFUSED)
    try:
        then, table = history.table_as_of(event, number=number, day=day)
    except history.NothingPlayed:
        days = [round_.day for round_ in rounds if round_.day]
        context |= {
            "nothing": True,
            "first": rounds[0] if rounds else None,
            "first_day": min(days) if days and day is not None else None,
        }
        return render_event(request, page, event, context, status=404)
    view = view_of_table(request, event, table, f"{table.query}&")
    paths: Mapping[str, history.Trend] = {}
    if not table.day:
        paths = history.get_trends(event, then.number, then.day, view.places, view.shown)
    numbers = [round_.number for round_ in rounds]
    at = sum(number < then.number for number in numbers)
    context |= {
        "view": replace(view, paths=paths),
        "then": then,
        "table": table,
        "earlier": numbers[at - 1] if at else None,
        "later": numbers[at + 1] if at + 1 < len(numbers) else None,
    }
    return render_event(request, page, event, context)


@event_page("read_public")
def difference(request: PageRequest, event: Event, number: int, other: int) -> HttpResponse:
    if number >= other:
        if number == other:
            raise Missing("publication", {"publication": other})
        return go_to("publication-difference", event, number=other, other=number)
    context = {
        "difference": publication_diff.difference(event, number, other),
        "may_import": may_import(event),
    }
    return render_event(request, "standings/difference.html", event, context)


@event_page("read_public")
def head_to_head(request: PageRequest, event: Event) -> HttpResponse:
    names = history.names_of(event)
    n_met = history.n_met(event)
    is_too_large = n_met > history.MOST_IN_A_MATRIX
    context = {
        "names": names,
        "is_too_large": is_too_large,
        "most": history.MOST_IN_A_MATRIX,
        "matrix": () if is_too_large else _matrix(event, names),
    }
    return render_event(request, "standings/head_to_head.html", event, context)


@club_page
def club_records(request: PageRequest, club: Club) -> HttpResponse:
    club_events = list(events.listed_events(request.actor, club)[:MOST_EVENTS])
    context = {"records": history.club_records(club_events)}
    return render_club(request, "standings/records.html", club, context)


@event_page("read_public")
def places_chart(request: PageRequest, event: Event, player_id: str) -> HttpResponse:
    """Answer with an entrant's places as an SVG image; `size=phone` for a narrow page."""
    places = history.places_of(event, player_id)
    if not places:
        raise Missing("player", {"player": player_id})
    texts = ", ".join(place or "–" for _, place in places)
    line = charts.ChartLine(
        title=gettext("Place after each round: %(places)s") % {"places": texts},
        labels=[str(round_.number) for round_, _ in places],
        values=[int(place.rstrip("=")) if place else None for _, place in places],
    )
    return chart_response(request, charts.places_chart, line, last=history.last_place(event))


def chart_response(
    request: PageRequest, draw: Callable[..., bytes], line: charts.ChartLine, **facts: int
) -> HttpResponse:
    """Answer with a chart as an SVG image, in the size and the scheme that the reader asks for."""
    size = request.GET.get("size", "wide")
    scheme = request.COOKIES.get(THEME_COOKIE, "")
    picture = draw(
        line,
        size=size if size in charts.SIZES else "wide",
        scheme=scheme if scheme in THEMES else "",
        **facts,
    )
    response = HttpResponse(picture, content_type="image/svg+xml")
    # An answer that nothing changed would bring the policy of pages to a kept picture.
    response["Cache-Control"] = "no-store"
    response._csp_replace = ONLY_ITS_STYLE  # type: ignore[attr-defined]  # as django-csp marks it
    return response


def _matrix(event: Event, names: dict[str, str]) -> tuple[object, ...]:
    rows = history.matrix(event)
    codes = [code for code in names if code in rows]
    return tuple(
        (code, names[code], tuple((other, rows[code].get(other)) for other in codes))
        for code in codes
    )
