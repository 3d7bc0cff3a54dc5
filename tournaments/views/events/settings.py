"""The settings of an event: read in words by everybody, changed and previewed by its director."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import Refused
from scoring.json_types import JsonDict
from tournaments.domain.event_settings import (
    PRESETS,
    Settings,
    as_stored,
    preset_settings,
    settings_of,
    tag_of,
    without_lot,
)
from tournaments.domain.messages import sentence
from tournaments.domain.option_text import sentences
from tournaments.domain.replay_game import plays_for_chips
from tournaments.domain.standings.criteria import primaries, tie_breaks
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events, meetings
from tournaments.selectors.events.preset_cards import (
    Fit,
    PresetCards,
    evenings_counted,
    nearest_preset,
    preset_cards,
    preset_differences,
)
from tournaments.selectors.events.settings_checks import (
    current_facts,
    default_snapshot,
    fitting_settings,
)
from tournaments.selectors.events.settings_summary import (
    n_changes,
    settings_sections,
    summarize_settings,
)
from tournaments.selectors.events.stages import in_words, stage_rows
from tournaments.selectors.rules.rule_sets import differing_in, offered_in, rules_of
from tournaments.services.events.change_settings import (
    change_settings,
    has_hands,
    requested_settings,
)
from tournaments.services.previewing.change_settings import preview_settings
from tournaments.services.publishing.stages_reached import as_of
from tournaments.views.events.settings_form import SettingsForm, fields_of
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page, page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import attempt, render_form

KEPT: Final = ("reason", "on", "based_on")
"""Fields that a preset leaves as they are."""


@page("read_public")
def settings_page(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print what is in force, each metric with its definition and an example."""
    found = events.event_at(request.actor, club, event)
    settings = settings_of(found)
    context = {
        "layout": layout.event_layout(request, found, (layout.event_link(found),)),
        "event": found,
        "summary": summarize_settings(
            found,
            settings,
            current_facts(found),
            n_evenings=meetings.number_of_meetings(found),
        ),
        "games": events.variant_names(found),
        "options": _options(found),
        "stages": [in_words(row) for row in stage_rows(found)],
        "may_change": clubs.may_do(found, "manage_event") and found.state != "final",
    }
    return render(request, "events/settings.html", context)


@dataclass(slots=True)
class _Wanted:
    """What a director is about to save. `problems` say why a preset cannot be used here: it fills
    fields and refuses none."""

    form: SettingsForm
    settings: Settings
    problems: tuple[str, ...] = ()


@form_page("manage_event")
def change(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask for other settings beside what they would change; fill in a preset, preview, or save."""
    found = events.event_at(request.actor, club, event)
    if "remove_lot" in request.POST:
        return _remove_lot(request, found)
    now, fit = settings_of(found), _fit(found)
    asks = _asks(request, found)
    if "fill" in request.POST:
        wanted = _filled(request, found, fit, asks)
    elif request.method == "POST":
        wanted = _typed(request, found, asks)
        if "update" not in request.POST and _is_saved(request, found, wanted.form):
            return redirect("tournaments:settings", club=club, event=event)
    else:
        preset = nearest_preset(now, fit)
        begin = {"based_on": tag_of(now), "preset": preset, "applied": preset}
        wanted = _Wanted(SettingsForm.filled(now, **asks, initial=begin), now)
    context = _context(found, wanted, fit) | {
        "layout": layout.manage_layout(request, found),
        "is_played": asks["is_played"],
        "preview": _preview(request, found, wanted),
    }
    return render_form(request, "events/change_settings.html", context, wanted.form)


def _remove_lot(request: PageRequest, event: Event) -> HttpResponse:
    """Let entrants that are equal share the place from now on."""
    now = settings_of(event)
    try:
        change_settings(
            actor=request.actor,
            event=event,
            wanted={"tie_breaks": without_lot(now).tie_breaks},
            reason=_("Equal entrants share the place."),
            based_on=tag_of(now),
            now=timezone.now(),
        )
    except (Refused, Conflict) as refused:
        problems = refused.problems if isinstance(refused, Refused) else (refused.problem,)
        messages.error(request, " ".join(map(sentence, problems)))
    return redirect("tournaments:settings", club=event.club.slug, event=event.slug)


def _context(event: Event, wanted: _Wanted, fit: Fit) -> JsonDict:
    """What the page shows of an event, whatever is asked of it."""
    now, n_evenings = settings_of(event), meetings.number_of_meetings(event)
    games = events.variant_names(event)
    sections = settings_sections(
        now,
        wanted.settings,
        games=games,
        n_evenings=n_evenings,
        refused=wanted.form.refused_sections,
    )
    refused = [section.key for section in sections if section.is_refused]
    rule, n = wanted.settings.best_of, n_evenings or 9
    return {
        "event": event,
        "form": wanted.form,
        "problems": wanted.problems,
        "sections": {section.key: section for section in sections},
        "opens": refused or [section.key for section in sections if section.is_changed][:1],
        "is_exclusive": len(refused) < 2,
        "n_changes": n_changes(now, wanted.settings),
        "n_hands": as_of(event).hands,
        "games": games,
        "options": _options(event),
        "presets": _presets(wanted, n_evenings, fit),
        "counted": evenings_counted(rule, n, n + 1, n + 6)
        if rule and "counted" not in refused
        else "",
        "counted_by": fields_of(wanted.settings)["counting"],
        "primaries": primaries(),
        "criteria": tie_breaks(),
    }


def _asks(request: PageRequest, event: Event) -> JsonDict:
    is_played = has_hands(event)
    played = events.played_events(request.actor, event.club)
    return {
        "is_played": is_played,
        "asks_reason": is_played or event.state in ("closed", "final"),
        "for_chips": plays_for_chips(rules_of(default_snapshot(event))),
        "events": [(one.slug, one.name) for one in played if one.pk != event.pk],
    }


def _options(event: Event) -> Sequence[str]:
    return sentences(differing_in(offered_in(event), event.variant, event.options))


def _fit(event: Event) -> Fit:
    """Return what leaves out of a preset what the event's tables cannot give or were played by."""
    facts, length, is_played = current_facts(event), settings_of(event).length, has_hands(event)

    def fit(settings: Settings) -> Settings:
        made = fitting_settings(settings, facts, seed=event.seed)
        return replace(made, length=length) if is_played else made

    return fit


def _presets(wanted: _Wanted, n_evenings: int, fit: Fit) -> PresetCards:
    """The presets, with what is to be known of the chosen one."""
    chosen, applied = (str(wanted.form[name].value() or "") for name in ("preset", "applied"))
    badge = ""
    if chosen in PRESETS and chosen != applied:
        badge = _("Not applied yet")
    elif chosen in PRESETS and (n := preset_differences(chosen, wanted.settings, fit)):
        badge = ngettext("%(n)s change", "%(n)s changes", n) % {"n": n}
    return preset_cards(n_evenings, chosen=chosen, badge=badge)


def _typed(request: PageRequest, event: Event, asks: JsonDict) -> _Wanted:
    """What was typed; the settings in force where it is refused."""
    form = SettingsForm(request.POST, **asks)
    asked = None
    if form.is_valid():
        asked = attempt(form, lambda: _asked(event, form.entered()))
    return _Wanted(form, asked or settings_of(event))


def _filled(request: PageRequest, event: Event, fit: Fit, asks: JsonDict) -> _Wanted:
    """The form with the fields of a preset, as far as the event's tables can give them."""
    preset, now = request.POST.get("preset", ""), settings_of(event)
    settings, problems = now, tuple[str, ...]()
    if preset in PRESETS:
        settings = fit(preset_settings(preset, now))
    kept = {key: request.POST.get(key, "") for key in KEPT}
    begin = {**kept, "preset": preset, "applied": preset}
    form = SettingsForm.filled(settings, **asks, initial=begin)
    try:
        _asked(event, as_stored(settings))
    except Refused as refused:
        problems = tuple(map(sentence, refused.problems))
    return _Wanted(form, settings, problems)


def _asked(event: Event, wanted: Mapping[str, object]) -> Settings:
    return requested_settings(event, wanted, is_played=has_hands(event)).settings


def _preview(request: PageRequest, event: Event, wanted: _Wanted) -> dict[str, object] | None:
    """What would change; None where nothing is wanted, or it cannot be."""
    on = str(wanted.form["on"].value() or "") if "on" in wanted.form.fields else ""
    if (
        wanted.problems
        or wanted.form.refused_sections
        or (wanted.settings == settings_of(event) and not on)
    ):
        return None
    if not on:
        return preview_settings(event, wanted.settings)
    other = events.event_at(request.actor, event.club.slug, on)
    return preview_settings(other, wanted.settings, is_own=False)


def _is_saved(request: PageRequest, event: Event, form: SettingsForm) -> bool:
    """Save what was typed; whether it was not refused."""
    if form.has_problems:
        return False
    saved = attempt(form, lambda: _changed(request, event, form))
    if saved is not None:
        messages.success(request, _("Settings saved."))
    return saved is not None


def _changed(request: PageRequest, event: Event, form: SettingsForm) -> Settings:
    return change_settings(
        actor=request.actor,
        event=event,
        wanted=form.entered(),
        reason=form.cleaned_data.get("reason", ""),
        based_on=form.cleaned_data["based_on"],
        now=timezone.now(),
    )
