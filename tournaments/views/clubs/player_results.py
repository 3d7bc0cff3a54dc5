"""Results, charts, records and opponents on the page of a player over all events of a club."""

from typing import Any, Final

from django.http import HttpResponse
from django.utils import formats
from django.utils.translation import gettext as _

from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player
from tournaments.printing import charts
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import players
from tournaments.selectors.standings import history
from tournaments.selectors.standings.players import player_records, player_results
from tournaments.selectors.standings.players.player_records import MOST_EVENTS
from tournaments.selectors.standings.players.player_results import PlayerResult
from tournaments.templatetags.look import THEME_COOKIE, THEMES
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import PageRequest
from tournaments.views.standings.history import ONLY_ITS_STYLE

PAGE: Final = 20
"""Events on one page of results."""
MOST_MET: Final = 10
"""So many opponents stand on the page; the others open below them."""
MOST_LADDERS: Final = 3
"""So many ladders, the newest, have a chart of ratings on the page."""
LEAST_PLACES: Final = 2
"""A chart of fewer places would show nothing that the table does not."""


def results_of(request: PageRequest, club: Club, player: Player) -> dict[str, Any]:
    """Return what the page of a player says of events: seven queries, whatever their number."""
    entered = player_results.entered_events(request.actor, club, player)
    newest = list(entered[: MOST_EVENTS + 1])
    shown = newest
    if before := request.GET.get("before", ""):
        shown = list(player_results.events_before(entered, before)[: PAGE + 1])
    there = {one.pk for one in newest}
    read = [*newest, *(one for one in shown if one.pk not in there)]
    found = {one.event_id: one for one in player_results.results_in(read)}
    results = [found[one.pk] for one in newest[:MOST_EVENTS]]
    made = history.bests_in([(one.event_id, one.entrant_id) for one in found.values()])
    met = player_records.opponents_over(club, player, results)
    rated = [one for one in results if one.is_ladder and one.score is not None]
    return {
        "results": tuple((found[one.pk], made.get(one.pk)) for one in shown[:PAGE]),
        "is_first": shown is newest or shown[:1] == newest[:1],
        "older": shown[PAGE - 1].slug if len(shown) > PAGE else "",
        "placed": _placed(results),
        "n_placed": LEAST_PLACES,
        "rated": rated[:MOST_LADDERS],
        "totals": player_records.records_over(results, made),
        "met": met[:MOST_MET],
        "met_less": met[MOST_MET:],
        "is_cut": len(newest) > MOST_EVENTS,
        "most_events": MOST_EVENTS,
    }


def _placed(results: list[PlayerResult]) -> list[PlayerResult]:
    """Return the results that have a place, the oldest first, as a chart shows them."""
    return [one for one in reversed(results) if one.rank is not None]


@page("read_public")
def places_chart(request: PageRequest, club: str, player_id: str) -> HttpResponse:
    """Answer with a player's places over events as an SVG image; `size=phone` for a narrow page."""
    found = clubs.club_at(request.actor, club)
    who = players.player_for(request.actor, found, player_id)
    entered = player_results.entered_events(request.actor, found, who)
    placed = _placed(player_results.results_in(list(entered[:MOST_EVENTS])))
    if not placed:
        raise Missing("player", {"player": player_id})
    size = request.GET.get("size", "wide")
    scheme = request.COOKIES.get(THEME_COOKIE, "")
    line = charts.ChartLine(
        title=_("Place in each event: %(places)s")
        % {"places": ", ".join(one.place for one in placed)},
        labels=[formats.date_format(one.on, "j M") if one.on else "" for one in placed],
        values=[one.rank for one in placed],
    )
    picture = charts.places_chart(
        line,
        last=max(one.of for one in placed),
        size=size if size in charts.SIZES else "wide",
        scheme=scheme if scheme in THEMES else "",
    )
    response = HttpResponse(picture, content_type="image/svg+xml")
    # An answer that nothing changed would bring the policy of pages to a kept picture.
    response["Cache-Control"] = "no-store"
    response._csp_replace = ONLY_ITS_STYLE  # type: ignore[attr-defined]  # as django-csp marks it
    return response
