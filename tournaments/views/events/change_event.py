"""Changing an event itself: its name, who may read it, archiving, deleting, the next season."""

from collections.abc import Mapping
from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext_lazy as _

from tournaments.domain.name_matching import listed_people
from tournaments.errors import Forbidden, Missing
from tournaments.models.events import Event, EventKind, Visibility
from tournaments.selectors.clubs.clubs import may_create_events
from tournaments.selectors.events import events
from tournaments.selectors.events.entrants import contents_of
from tournaments.services.events.change_event import (
    archive_event,
    change_event,
    delete_event,
    event_tag,
)
from tournaments.services.events.create_event import make_next_event
from tournaments.views.events.settings_fields import text_field
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import ServiceForm, attempt, posted, render_form


class RenameEventForm(ServiceForm):
    based_on = forms.CharField(required=False, widget=forms.HiddenInput())
    name = text_field(_("Name of the event"))
    slug = text_field(
        _("Address of the event"),
        _(
            "Lowercase letters a to z, digits and hyphens. Links and printed codes with the former "
            "address go on working, and no other event of the club gets it."
        ),
        autocapitalize="none",
        spellcheck="false",
    )


class VisibilityForm(ServiceForm):
    visibility = forms.CharField(required=False)


class ArchiveForm(ServiceForm):
    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("One sentence, kept in the club’s audit trail."),
        max_length=500,
        required=False,
    )


class NextEventForm(ServiceForm):
    name = text_field(_("Name of the event"))
    players = forms.BooleanField(
        label=_("Copy the entrants, except withdrawn ones"), required=False
    )


@form_page("manage_event")
def rename_event(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = events.get_event(request.actor, club, event)
    now = {
        "name": current_event.name,
        "slug": current_event.slug,
        "based_on": event_tag(current_event),
    }
    form = RenameEventForm(posted(request), initial=now)
    if request.method == "POST" and form.is_valid():
        cleaned_data = form.cleaned_data
        changed = attempt(
            form,
            lambda: change_event(
                actor=request.actor,
                event=current_event,
                name=cleaned_data["name"],
                slug=cleaned_data["slug"],
                based_on=cleaned_data["based_on"],
                now=timezone.now(),
            ),
        )
        if changed is not None:
            messages.success(request, gettext("Name and address saved."))
            return redirect("tournaments:manage-event", club=club, event=changed.slug)
    context = {
        "layout": layout.manage_layout(request, current_event),
        "event": current_event,
        "form": form,
        "address": request.build_absolute_uri(f"/clubs/{current_event.club.slug}/events/"),
    }
    return render_form(request, "events/rename_event.html", context, form)


LABELS: Final[Mapping[str, str | Promise]] = {
    Visibility.PUBLIC: gettext_lazy("Public"),
    Visibility.MEMBERS: gettext_lazy("Members only"),
    Visibility.HELD: gettext_lazy("Directors only"),
}
"""Visibility → its name on pages."""
_NARROWEST_FIRST: Final = (Visibility.HELD, Visibility.MEMBERS, Visibility.PUBLIC)


def _readers(event: Event, visibility: str) -> str:
    if visibility == Visibility.HELD:
        return gettext("Only directors and owners of the club can read it.")
    if visibility == Visibility.MEMBERS or not event.club.is_public:
        return gettext("Members of the club can read it.")
    return gettext("Everybody can read it, without signing in.")


def visibility_effects(event: Event) -> Mapping[str, str]:
    """Return by visibility what each would make readable, or no longer readable, to whom.

    Empty for the one that the event has; the widest first.
    """
    present = _NARROWEST_FIRST.index(Visibility(event.visibility))
    contents = {"what": _contents_in_words(event)}
    effects = {}
    for place, visibility in reversed(list(enumerate(_NARROWEST_FIRST))):
        if place == present:
            text = ""
        elif place < present and visibility == Visibility.HELD:
            text = gettext("Only directors will be able to read %(what)s.")
        elif place < present:
            text = gettext("Only members will be able to read %(what)s.")
        elif visibility == Visibility.MEMBERS or not event.club.is_public:
            text = gettext("Members will be able to read %(what)s.")
        else:
            text = gettext("Everybody will be able to read %(what)s.")
        effects[visibility.value] = text % contents
    return effects


def _contents_in_words(event: Event) -> str:
    """Return what an event holds, as in "12 publications, 3 play-offs and the ladder"."""
    publications, sheets, playoffs = contents_of(event)
    words = [
        text % {"n": n}
        for n, text in (
            (publications, ngettext("%(n)s publication", "%(n)s publications", publications)),
            (sheets, ngettext("%(n)s score sheet", "%(n)s score sheets", sheets)),
            (playoffs, ngettext("%(n)s play-off", "%(n)s play-offs", playoffs)),
        )
        if n
    ]
    if event.kind == EventKind.LADDER:
        words.append(gettext("the ladder"))
    if not words:
        return gettext("the event, which has no results yet")
    return listed_people(words, gettext("and"))


@form_page("publish")
def visibility(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = events.get_event(request.actor, club, event)
    form = VisibilityForm(posted(request), initial={"visibility": current_event.visibility})
    if request.method == "POST" and form.is_valid():
        value = form.cleaned_data["visibility"]
        changed = attempt(
            form,
            lambda: change_event(
                actor=request.actor, event=current_event, visibility=value, now=timezone.now()
            ),
        )
        if changed is not None:
            notice = gettext("Saved. %(readers)s") % {"readers": _readers(current_event, value)}
            messages.success(request, notice)
            return redirect("tournaments:manage-event", club=club, event=event)
    context = {
        "layout": layout.manage_layout(request, current_event),
        "event": current_event,
        "form": form,
        "choices": [
            (value, LABELS[value], _readers(current_event, value), effect)
            for value, effect in visibility_effects(current_event).items()
        ],
        "chosen": request.POST.get("visibility", current_event.visibility),
        "label": LABELS[current_event.visibility],
        "readers": _readers(current_event, current_event.visibility),
    }
    return render_form(request, "events/visibility.html", context, form)


@form_page("archive_event")
def archive(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = events.get_event(request.actor, club, event)
    form = ArchiveForm(posted(request))
    if request.method == "POST" and form.is_valid():
        archived = "unarchive" not in request.POST
        is_saved = attempt(
            form,
            lambda: archive_event(
                actor=request.actor,
                event=current_event,
                reason=form.cleaned_data["reason"],
                archived=archived,
                now=timezone.now(),
            ),
        )
        if is_saved is not None:
            notice = (
                gettext("%(name)s archived.")
                if archived
                else gettext("%(name)s is in the lists again.")
            )
            messages.success(request, notice % {"name": current_event.name})
            return redirect("tournaments:manage-event", club=club, event=event)
    context = {
        "layout": layout.manage_layout(request, current_event),
        "event": current_event,
        "form": form,
    }
    return render_form(request, "events/archive.html", context, form)


@form_page("manage_event")
def delete(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = events.get_event(request.actor, club, event)
    form = ServiceForm({} if request.method == "POST" else None)
    if request.method == "POST":

        def act() -> bool:
            delete_event(actor=request.actor, event=current_event, now=timezone.now())
            return True

        if attempt(form, act):
            messages.success(request, gettext("%(name)s deleted.") % {"name": current_event.name})
            return redirect("tournaments:club", club=club)
    context = {
        "layout": layout.manage_layout(request, current_event),
        "event": current_event,
        "form": form,
    }
    return render_form(request, "events/delete.html", context, form)


@form_page("create_event")
def next_event(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = events.get_event(request.actor, club, event)
    if current_event.kind == "ladder":
        raise Missing("event")
    if not may_create_events(current_event):
        raise Forbidden("create_event")
    form = NextEventForm(posted(request), initial={"players": True})
    if request.method == "POST" and form.is_valid():
        texts = form.cleaned_data
        copied = attempt(
            form,
            lambda: make_next_event(
                actor=request.actor,
                event=current_event,
                name=texts["name"],
                with_players=texts["players"],
                now=timezone.now(),
            ),
        )
        if copied is not None:
            new_event, n_entrants = copied
            notice = ngettext(
                "%(name)s created with %(n)s entrant. The event is a draft until you open it.",
                "%(name)s created with %(n)s entrants. The event is a draft until you open it.",
                n_entrants,
            )
            messages.success(request, notice % {"name": new_event.name, "n": n_entrants})
            return redirect("tournaments:manage-event", club=club, event=new_event.slug)
    context = {
        "layout": layout.manage_layout(request, current_event),
        "event": current_event,
        "form": form,
    }
    return render_form(request, "events/copy_event.html", context, form)
