"""Who may read an event: what a change makes readable is said before it is made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournaments.domain.name_matching import listed_people
from tournaments.forms.events.visibility import VisibilityForm
from tournaments.models.events import Event, Visibility
from tournaments.selectors.events import events
from tournaments.selectors.events.event_contents import EventContents, contents_of
from tournaments.services.events.change_event import change_event
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import attempt, posted, render_form

LABELS: Final[Mapping[str, str | Promise]] = {
    Visibility.PUBLIC: gettext_lazy("Public"),
    Visibility.MEMBERS: gettext_lazy("Members only"),
    Visibility.HELD: gettext_lazy("Directors only"),
}
"""Visibility → its name on pages."""
_NARROWEST_FIRST: Final = (Visibility.HELD, Visibility.MEMBERS, Visibility.PUBLIC)


@dataclass(frozen=True, slots=True)
class VisibilityChoice:
    """One of the three, with what choosing it changes; empty where it is so now."""

    value: str
    label: str | Promise
    readers: str
    effect: str


def visibility_choices(event: Event) -> tuple[VisibilityChoice, ...]:
    """Return the three with what each would make readable, or no longer readable, to whom."""
    contents = contents_of(event)
    return tuple(
        VisibilityChoice(one, LABELS[one], _readers(event, one), _effect(event, one, contents))
        for one in reversed(_NARROWEST_FIRST)
    )


def _readers(event: Event, visibility: str) -> str:
    if visibility == Visibility.HELD:
        return _("Only directors and owners of the club can read it.")
    if visibility == Visibility.MEMBERS or not event.club.is_public:
        return _("Members of the club can read it.")
    return _("Everybody can read it, without signing in.")


def _effect(event: Event, visibility: str, contents: EventContents) -> str:
    if visibility == event.visibility:
        return ""
    is_wider = _NARROWEST_FIRST.index(Visibility(visibility)) > _NARROWEST_FIRST.index(
        Visibility(event.visibility)
    )
    what = {"what": _listed(contents)}
    if not is_wider:
        if visibility == Visibility.HELD:
            return _("Only directors will be able to read %(what)s.") % what
        return _("Only members will be able to read %(what)s.") % what
    if visibility == Visibility.MEMBERS or not event.club.is_public:
        return _("Members will be able to read %(what)s.") % what
    return _("Everybody will be able to read %(what)s.") % what


def _listed(contents: EventContents) -> str:
    """Return what an event holds, as in "12 publications, 3 play-offs and the ladder"."""
    words = [
        text % {"n": n}
        for n, text in (
            (
                contents.publications,
                ngettext("%(n)s publication", "%(n)s publications", contents.publications),
            ),
            (contents.sheets, ngettext("%(n)s score sheet", "%(n)s score sheets", contents.sheets)),
            (contents.playoffs, ngettext("%(n)s play-off", "%(n)s play-offs", contents.playoffs)),
        )
        if n
    ]
    if contents.has_ladder:
        words.append(_("the ladder"))
    return listed_people(words, _("and")) if words else _("the event, which has no results yet")


@form_page("publish")
def visibility(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Show who may read an event and what each other choice changes; change it."""
    found = events.event_at(request.actor, club, event)
    form = VisibilityForm(posted(request), initial={"visibility": found.visibility})
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data["visibility"]
        changed = attempt(
            form,
            lambda: change_event(
                actor=request.actor, event=found, visibility=wanted, now=timezone.now()
            ),
        )
        if changed is not None:
            notice = _("Saved. %(readers)s") % {"readers": _readers(found, wanted)}
            messages.success(request, notice)
            return redirect("tournaments:manage-event", club=club, event=event)
    context = {
        "layout": layout.manage_layout(request, found),
        "event": found,
        "form": form,
        "choices": visibility_choices(found),
        "chosen": request.POST.get("visibility", found.visibility),
        "label": LABELS[found.visibility],
        "readers": _readers(found, found.visibility),
    }
    return render_form(request, "events/visibility.html", context, form)
