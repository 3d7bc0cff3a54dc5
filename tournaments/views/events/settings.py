"""The settings of an event: read in words by everybody, changed and tried by its director."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.json_types import JsonDict
from tournaments.domain.criteria_catalog import primaries
from tournaments.domain.event_settings import PRESETS, preset_settings, settings_of, tag_of
from tournaments.domain.option_text import sentences
from tournaments.domain.replay_game import plays_for_chips
from tournaments.forms.events.settings import SettingsForm
from tournaments.forms.http.service_form import attempt
from tournaments.models.events import Event
from tournaments.presenters.events.settings_summary import summarize_settings
from tournaments.presenters.rules.option_differences import differing_in
from tournaments.publishing.standings.what_if import WhatIf, standings_under
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.services.events.change_settings import (
    change_settings,
    has_hands,
    requested_settings,
)
from tournaments.services.events.data_availability import current_facts
from tournaments.services.events.events import default_snapshot
from tournaments.services.events.settings_validation import fitting_settings
from tournaments.services.rules.rule_sets import offered_in, rules_of
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page, page
from tournaments.views.http.form_response import render_form
from tournaments.views.http.layout import PageRequest


@page("read_public")
def settings_page(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print what is in force, each metric with its definition and an example."""
    found = events.event_at(request.actor, club, event)
    settings = settings_of(found)
    context = {
        "layout": layout.event_layout(request, found, (layout.event_link(found),)),
        "event": found,
        "summary": summarize_settings(found, settings, current_facts(found)),
        "games": events.variant_names(found),
        "options": sentences(differing_in(offered_in(found), found.variant, found.options)),
        "may_change": clubs.may_do(found, "manage_event") and found.state != "final",
    }
    return render(request, "events/settings.html", context)


@form_page("manage_event")
def change(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask for other settings; fill in a preset, try them on a season that is there, or save."""
    found = events.event_at(request.actor, club, event)
    settings = settings_of(found)
    more = _asks(request, found)
    form = SettingsForm.filled(settings, **more, initial={"based_on": tag_of(settings)})
    trial: WhatIf | None = None
    if "fill" in request.POST:
        form = _filled(request, found, more)
    elif request.method == "POST":
        form = SettingsForm(request.POST, **more)
        if form.is_valid():
            if "try" in request.POST:
                trial = attempt(form, lambda: _tried(request, found, form))
            elif attempt(form, lambda: _changed(request, found, form)) is not None:
                return redirect("tournaments:settings", club=club, event=event)
    context = {
        "layout": layout.event_layout(
            request, found, (layout.event_link(found), layout.settings_link(found))
        ),
        "event": found,
        "form": form,
        "primaries": primaries(),
        "is_played": more["is_played"],
        "trial": trial,
    }
    return render_form(request, "events/change_settings.html", context, form)


def _asks(request: PageRequest, event: Event) -> JsonDict:
    """What the form asks for in this event."""
    is_played = has_hands(event)
    return {
        "is_played": is_played,
        "asks_reason": is_played or event.state in ("closed", "final"),
        "for_chips": plays_for_chips(rules_of(default_snapshot(event))),
        "events": [(one.slug, one.name) for one in events.played_events(request.actor, event.club)],
    }


def _filled(request: PageRequest, event: Event, more: dict[str, object]) -> SettingsForm:
    """The form with the fields of a preset, as far as the event's tables can give them."""
    preset = request.POST.get("preset", "")
    settings = settings_of(event)
    kept = {key: request.POST.get(key, "") for key in ("reason", "on", "based_on")}
    if preset in PRESETS:
        made = preset_settings(preset, settings)
        settings = fitting_settings(made, current_facts(event), seed=event.seed)
        messages.info(request, _("Preset filled in. Nothing is saved yet."))
    return SettingsForm.filled(settings, **more, initial={**kept, "preset": preset})


def _tried(request: PageRequest, event: Event, form: SettingsForm) -> WhatIf:
    asked = requested_settings(event, form.entered(), is_played=has_hands(event))
    on = events.event_at(request.actor, event.club.slug, form.cleaned_data["on"] or event.slug)
    return standings_under(on, asked.settings)


def _changed(request: PageRequest, event: Event, form: SettingsForm) -> Event:
    change_settings(
        actor=request.actor,
        event=event,
        wanted=form.entered(),
        reason=form.cleaned_data.get("reason", ""),
        based_on=form.cleaned_data["based_on"],
        now=timezone.now(),
    )
    messages.success(request, _("Settings saved."))
    return event
