"""Archiving an event, showing it in lists again, and deleting a draft that never began."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.forms.events.archive import ArchiveForm
from tournaments.selectors.events import events
from tournaments.services.events.lifecycle.archive_event import archive_event
from tournaments.services.events.lifecycle.delete_event import delete_event
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import ServiceForm, attempt, posted, render_form


@form_page("archive_event")
def archive(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask why an event is archived, and archive it; show one that is archived in lists again."""
    found = events.event_at(request.actor, club, event)
    form = ArchiveForm(posted(request))
    if request.method == "POST" and form.is_valid():
        archived = "unarchive" not in request.POST
        done = attempt(
            form,
            lambda: archive_event(
                actor=request.actor,
                event=found,
                reason=form.cleaned_data["reason"],
                archived=archived,
                now=timezone.now(),
            ),
        )
        if done is not None:
            notice = _("%(name)s archived.") if archived else _("%(name)s is in the lists again.")
            messages.success(request, notice % {"name": found.name})
            return redirect("tournaments:manage-event", club=club, event=event)
    context = {"layout": layout.manage_layout(request, found), "event": found, "form": form}
    return render_form(request, "events/archive.html", context, form)


@form_page("manage_event")
def delete(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask whether a draft is to go, and delete it."""
    found = events.event_at(request.actor, club, event)
    form = ServiceForm({} if request.method == "POST" else None)
    if request.method == "POST":

        def act() -> bool:
            delete_event(actor=request.actor, event=found, now=timezone.now())
            return True

        if attempt(form, act):
            messages.success(request, _("%(name)s deleted.") % {"name": found.name})
            return redirect("tournaments:club", club=club)
    context = {"layout": layout.manage_layout(request, found), "event": found, "form": form}
    return render_form(request, "events/delete.html", context, form)
