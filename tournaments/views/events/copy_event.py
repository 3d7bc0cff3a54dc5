"""The next season from this one: a page that asks what it is called and who plays on."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import ngettext

from tournaments.errors import Missing
from tournaments.forms.events.events import NextEventForm
from tournaments.forms.http.service_form import attempt
from tournaments.selectors.events import events
from tournaments.services.events.copy_event import make_next_event
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page
from tournaments.views.http.layout import PageRequest


@form_page("manage_event")
def next_event(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask for the name of the next event, and make it like this one."""
    found = events.event_at(request.actor, club, event)
    if found.kind == "ladder":
        raise Missing("event")
    form = NextEventForm(request.POST or None, initial={"players": True})
    if request.method == "POST" and form.is_valid():
        typed = form.cleaned_data
        made = attempt(
            form,
            lambda: make_next_event(
                actor=request.actor,
                event=found,
                name=typed["name"],
                slug=typed["slug"],
                with_players=typed["players"],
                now=timezone.now(),
            ),
        )
        if made is not None:
            said = ngettext(
                "%(name)s is made, with %(n)s who competes. It is a draft until you open it.",
                "%(name)s is made, with %(n)s who compete. It is a draft until you open it.",
                made.n_entrants,
            )
            messages.success(request, said % {"name": made.event.name, "n": made.n_entrants})
            return redirect("tournaments:direct", club=club, event=made.event.slug)
    context = {
        "frame": layout.event_frame(
            request, found, (layout.event_link(found), layout.direct_link(found))
        ),
        "event": found,
        "form": form,
    }
    status = REFUSED if form.has_problems else 200
    return render(request, "events/copy_event.html", context, status=status)
