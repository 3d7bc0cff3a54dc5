"""Changing an event itself: its name, who may read it, archiving, deleting, the next season."""

from collections.abc import Mapping
from typing import Final

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from tournaments.domain.name_matching import listed_people
from tournaments.errors import Forbidden, Missing
from tournaments.models.events import Event, Visibility
from tournaments.selectors.clubs.clubs import may_create_events
from tournaments.selectors.events.entrants import contents_of
from tournaments.services.events.change_event import (
    archive_event,
    change_event,
    delete_event,
    event_tag,
    unarchive_event,
)
from tournaments.services.events.create_event import copy_event
from tournaments.views.events.new_event_forms import VISIBILITY_CARDS
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, render_manage
from tournaments.views.http.service_form import ServiceForm, posted, submit, text_field


class RenameEventForm(ServiceForm):
    based_on = forms.CharField(widget=forms.HiddenInput())
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
    visibility = forms.CharField()


class ArchiveForm(ServiceForm):
    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("One sentence, kept in the club’s audit trail."),
        max_length=500,
    )


class NextEventForm(ServiceForm):
    name = text_field(_("Name of the event"))
    players = forms.BooleanField(label=_("Copy the players, except withdrawn ones"))


LABELS: Final = {card.value: card.label for card in VISIBILITY_CARDS}
"""Visibility → its name on pages."""


@event_form_page((change_event, RenameEventForm))
def rename_event(request: PageRequest, event: Event) -> HttpResponse:
    now = {"name": event.name, "slug": event.slug, "based_on": event_tag(event)}
    form = RenameEventForm(posted(request), initial=now)
    changed = submit(request, form, change_event, event)
    if changed is not None:
        return done(request, gettext("Name and address saved."), "manage-event", changed)
    context = {
        "form": form,
        "address": request.build_absolute_uri(f"/clubs/{event.club.slug}/events/"),
    }
    return render_manage(request, "events/rename_event.html", event, context, form)


_NARROWEST_FIRST: Final = (Visibility.HELD, Visibility.MEMBERS, Visibility.PUBLIC)


def _readers(event: Event, visibility: str) -> str:
    if visibility == Visibility.HELD:
        return gettext("Only directors and owners of the club can read it.")
    if visibility == Visibility.MEMBERS or not event.club.is_public:
        return gettext("Members of the club can read it.")
    return gettext("Everybody can read it, without signing in.")


def visibility_effects(event: Event) -> Mapping[str, str]:
    """Return by visibility which readers would gain or lose access.

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
    if event.is_ladder:
        words.append(gettext("the ladder"))
    if not words:
        return gettext("the event, which has no results yet")
    return listed_people(words, gettext("and"))


@event_form_page((change_event, VisibilityForm))
def visibility(request: PageRequest, event: Event) -> HttpResponse:
    form = VisibilityForm(posted(request), initial={"visibility": event.visibility})
    if submit(request, form, change_event, event) is not None:
        readers = _readers(event, form.cleaned_data["visibility"])
        notice = gettext("Saved. %(readers)s") % {"readers": readers}
        return done(request, notice, "manage-event", event)
    context = {
        "form": form,
        "choices": [
            (value, LABELS[value], _readers(event, value), effect)
            for value, effect in visibility_effects(event).items()
        ],
        "chosen": request.POST.get("visibility", event.visibility),
        "label": LABELS[event.visibility],
        "readers": _readers(event, event.visibility),
    }
    return render_manage(request, "events/visibility.html", event, context, form)


@event_form_page((archive_event, ArchiveForm), (unarchive_event, ArchiveForm))
def archive(request: PageRequest, event: Event) -> HttpResponse:
    form = ArchiveForm(posted(request))
    is_back = "unarchive" in request.POST
    operation = unarchive_event if is_back else archive_event
    if submit(request, form, operation, event) is not None:
        notice = gettext("%(name)s archived.")
        if is_back:
            notice = gettext("%(name)s is in the lists again.")
        return done(request, notice % {"name": event.name}, "manage-event", event)
    return render_manage(request, "events/archive.html", event, {"form": form}, form)


@event_form_page((delete_event, ServiceForm))
def delete(request: PageRequest, event: Event) -> HttpResponse:
    form = ServiceForm({} if request.method == "POST" else None)
    if submit(request, form, delete_event, event) is not None:
        notice = gettext("%(name)s deleted.") % {"name": event.name}
        return done(request, notice, "club", event.club)
    return render_manage(request, "events/delete.html", event, {"form": form}, form)


@event_form_page((copy_event, NextEventForm))
def next_event(request: PageRequest, event: Event) -> HttpResponse:
    if event.is_ladder:
        raise Missing("event")
    if not may_create_events(event):
        raise Forbidden("create_event")
    form = NextEventForm(posted(request), initial={"players": True})
    copied = submit(request, form, copy_event, event)
    if copied is not None:
        n_entrants = copied.entrants.count()
        notice = ngettext(
            "%(name)s created with %(n)s player. The event is a draft until you open it.",
            "%(name)s created with %(n)s players. The event is a draft until you open it.",
            n_entrants,
        )
        notice %= {"name": copied.name, "n": n_entrants}
        return done(request, notice, "manage-event", copied)
    return render_manage(request, "events/copy_event.html", event, {"form": form}, form)
