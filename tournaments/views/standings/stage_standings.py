"""The standings of one stage of an event."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournaments.errors import Missing
from tournaments.models.standings import Publication
from tournaments.selectors.events import events
from tournaments.selectors.events.cuts import stage_title
from tournaments.selectors.standings.stage_table import (
    NothingInStage,
    stage_table,
    stage_to_rank,
)
from tournaments.selectors.standings.standings import current_publication
from tournaments.selectors.standings.standings_view import standings_view
from tournaments.views.http import layout
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.responses import wanted_page


@page("read_public")
def stage_standings(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Print the table of a stage; 404 with what is missing before a hand of it counts."""
    found = events.event_at(request.actor, club, event)
    stage = stage_to_rank(found, number)
    stages = Link(_("Stages"), reverse("tournaments:stages", args=[club, event]))
    context: dict[str, Any] = {
        "layout": layout.event_layout(request, found, (layout.event_link(found), stages)),
        "event": found,
        "stage": stage,
        "name": stage_title(stage),
    }
    try:
        table = stage_table(found, stage)
    except NothingInStage as nothing:
        context["nothing"] = nothing.problem
        return render(request, "standings/stage.html", context, status=404)
    newest = current_publication(found)
    if newest is None:
        raise Missing("publication", {"publication": 1})
    made = Publication(
        number=newest.number,
        published_at=newest.published_at,
        digest=table.digest,
        body=table.body,
    )
    view = standings_view(made, request.GET.get("sort", ""), wanted_page(request))
    context |= {"view": view, "variants": events.variant_names(found, view.variants)}
    return render(request, "standings/stage.html", context)
