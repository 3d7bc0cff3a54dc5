"""The name of an event and its address: a former address leads on to the new one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.forms.events.rename_event import RenameEventForm
from tournaments.selectors.events import events
from tournaments.services.events.change_event import change_event, event_tag
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import attempt, posted, render_form


@form_page("manage_event")
def rename_event(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Show the name and the address of an event; change them."""
    found = events.event_at(request.actor, club, event)
    now = {"name": found.name, "slug": found.slug, "based_on": event_tag(found)}
    form = RenameEventForm(posted(request), initial=now)
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        changed = attempt(
            form,
            lambda: change_event(
                actor=request.actor,
                event=found,
                name=wanted["name"],
                slug=wanted["slug"],
                based_on=wanted["based_on"],
                now=timezone.now(),
            ),
        )
        if changed is not None:
            messages.success(request, _("Name and address saved."))
            return redirect("tournaments:manage-event", club=club, event=changed.slug)
    context = {
        "layout": layout.manage_layout(request, found),
        "event": found,
        "form": form,
        "address": request.build_absolute_uri(f"/clubs/{found.club.slug}/events/"),
    }
    return render_form(request, "events/rename_event.html", context, form)
