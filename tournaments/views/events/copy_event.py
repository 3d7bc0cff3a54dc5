"""The next season from this one: a page that asks what it is called and who plays on."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import ngettext

from tournaments.errors import Forbidden, Missing
from tournaments.forms.events.events import NextEventForm
from tournaments.selectors.clubs.clubs import may_create_events
from tournaments.selectors.events import events
from tournaments.services.events.lifecycle.copy_event import make_next_event
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import attempt, posted, render_form


@form_page("create_event")
def next_event(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask for the name of the next event, and make it like this one."""
    found = events.event_at(request.actor, club, event)
    if found.kind == "ladder":
        raise Missing("event")
    if not may_create_events(found):
        raise Forbidden("create_event")
    form = NextEventForm(posted(request), initial={"players": True})
    if request.method == "POST" and form.is_valid():
        typed = form.cleaned_data
        made = attempt(
            form,
            lambda: make_next_event(
                actor=request.actor,
                event=found,
                name=typed["name"],
                with_players=typed["players"],
                now=timezone.now(),
            ),
        )
        if made is not None:
            notice = ngettext(
                "%(name)s created with %(n)s entrant. The event is a draft until you open it.",
                "%(name)s created with %(n)s entrants. The event is a draft until you open it.",
                made.n_entrants,
            )
            messages.success(request, notice % {"name": made.event.name, "n": made.n_entrants})
            return redirect("tournaments:manage-event", club=club, event=made.event.slug)
    context = {
        "layout": layout.event_layout(
            request, found, (layout.event_link(found), layout.direct_link(found))
        ),
        "event": found,
        "form": form,
    }
    return render_form(request, "events/copy_event.html", context, form)
