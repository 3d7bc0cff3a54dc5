"""The bracket of a knock-out: a drawing, and the same as a list."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournaments.presenters.events.bracket import SEEDINGS, bracket_of
from tournaments.presenters.events.bracket_drawing import draw
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.views.http import layout
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import Link, PageRequest


@page("read_public")
def bracket(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Print the rounds of a knock-out with who went on; before the first one, the seeds."""
    found = events.event_at(request.actor, club, event)
    asked = request.GET.get("seeding", "")
    seeding = asked if asked in SEEDINGS else ""
    read = bracket_of(found, number, seeding, for_director=may_do(found, "manage_event"))
    stages = Link(_("Stages"), reverse("tournaments:stages", args=[club, event]))
    context = {
        "layout": layout.event_layout(request, found, (layout.event_link(found), stages)),
        "event": found,
        "bracket": read,
        "drawing": draw(read),
        "seedings": SEEDINGS,
    }
    return render(request, "stages/bracket.html", context)
