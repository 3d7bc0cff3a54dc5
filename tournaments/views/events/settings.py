"""The settings of an event: read in words by everybody, changed and previewed by its director."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import Refused
from scoring.json_types import JsonDict
from tournaments.domain.event_settings import (
    PRESETS,
    Settings,
    as_stored,
    ladder_rules_of,
    preset_on_pages,
    settings_of,
    tag_of,
    without_lot,
)
from tournaments.domain.messages import sentence
from tournaments.domain.replay_game import plays_for_chips
from tournaments.domain.standings.criteria import primaries, tie_breaks
from tournaments.models.events import Event, EventKind
from tournaments.selectors.attendance.places import kind_of_places
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events, meetings
from tournaments.selectors.events.rule_sheet import (
    SectionPair,
    compare_rule_sheets,
    facts_for_rules,
    rule_sheet,
)
from tournaments.selectors.events.settings_checks import (
    current_facts,
    default_snapshot,
    evening_warnings,
    fitting_settings,
)
from tournaments.selectors.events.settings_summary import (
    Fit,
    evenings_counted,
    n_changes,
    nearest_preset,
    preset_cards,
    preset_differences,
    settings_sections,
    summarize_settings,
)
from tournaments.selectors.rules.rule_sets import differing_in, offered_in, rules_of, sentences
from tournaments.selectors.stages import in_words, stage_rows
from tournaments.selectors.standings.opening_values import bye_warnings
from tournaments.selectors.standings.rule_example import find_rule_example
from tournaments.services.events.change_event import change_settings, has_hands, requested_settings
from tournaments.services.previewing.preview_changes import preview_settings
from tournaments.services.publishing.stages_reached import as_of
from tournaments.views.events.settings_form import SettingsForm, fields_of
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_event, render_manage
from tournaments.views.http.service_form import ServiceForm, submit

FIELDS_BESIDE_PRESET: Final = ("reason", "on", "based_on")
"""Fields that a preset leaves as they are."""


@dataclass(slots=True)
class _Draft:
    form: SettingsForm
    settings: Settings
    problems: tuple[str, ...] = ()


@event_page("read_public")
def settings_page(request: PageRequest, event: Event) -> HttpResponse:
    settings = settings_of(event)
    context = {
        "summary": summarize_settings(
            event, settings, current_facts(event), n_evenings=meetings.number_of_meetings(event)
        ),
        "warnings": [
            sentence(problem)
            for problem in (*bye_warnings(event), *evening_warnings(event, settings))
        ],
        "games": events.variant_names(event),
        "options": _options(event),
        "stages": [in_words(row) for row in stage_rows(event)],
        "may_change": clubs.may_do(event, "manage_event") and event.state != "final",
    }
    return render_event(request, "events/settings.html", event, context)


@event_page("read_public")
def rule_sheet_page(request: PageRequest, event: Event) -> HttpResponse:
    context = {
        "sections": rule_sheet(settings_of(event), facts_for_rules(event)),
        "ladder": ladder_rules_of(event) if event.kind == EventKind.LADDER else None,
        "games": events.variant_names(event),
        "options": _options(event),
        "example": find_rule_example(event),
    }
    return render_event(request, "events/rule_sheet.html", event, context)


@event_form_page(
    (change_settings, SettingsForm),
    (change_settings, ServiceForm, "values", "reason", "based_on"),
)
def change(request: PageRequest, event: Event) -> HttpResponse:
    if "remove_lot" in request.POST:
        return _remove_lot(request, event)
    now = settings_of(event)
    fit = _fit(event)
    is_played = has_hands(event)
    played = events.played_events(request.actor, event.club)
    asks = {
        "is_played": is_played,
        "asks_reason": is_played or event.is_over,
        "has_double_entry": now.double_entry,
        "has_evenings": now.ranks_evenings or events.has_evening_tables(event),
        "places": kind_of_places(event),
        "for_chips": plays_for_chips(rules_of(default_snapshot(event))),
        "events": [(row.slug, row.name) for row in played if row.pk != event.pk],
    }
    if "fill" in request.POST:
        draft = _filled(request, event, fit, asks)
    elif request.method == "POST":
        draft = _typed(request, event, asks)
        is_preview = "update" in request.POST
        if not is_preview and submit(request, draft.form, change_settings, event) is not None:
            return done(request, _("Settings saved."), "settings", event)
    else:
        preset = nearest_preset(now, fit)
        begin = {"based_on": tag_of(now), "preset": preset, "applied": preset}
        draft = _Draft(SettingsForm.filled(now, **asks, initial=begin), now)
    sheets: Sequence[SectionPair] = ()
    if draft.settings != now:
        sheets = compare_rule_sheets(now, draft.settings, facts_for_rules(event))
    context = _context(event, draft, fit) | {
        "is_played": asks["is_played"],
        "preview": _preview(request, event, draft),
        "sheets": sheets,
    }
    return render_manage(request, "events/change_settings.html", event, context, draft.form)


def _remove_lot(request: PageRequest, event: Event) -> HttpResponse:
    now = settings_of(event)
    form = ServiceForm({})
    submit(
        request,
        form,
        change_settings,
        event,
        values={"tie_breaks": without_lot(now).tie_breaks},
        reason=_("Equal results share the place."),
        based_on=tag_of(now),
    )
    if form.placed:
        messages.error(request, " ".join(map(sentence, form.placed)))
    return go_to("settings", event)


def _context(event: Event, draft: _Draft, fit: Fit) -> JsonDict:
    now = settings_of(event)
    n_evenings = meetings.number_of_meetings(event)
    games = events.variant_names(event)
    sections = settings_sections(
        now, draft.settings, games=games, n_evenings=n_evenings, refused=draft.form.refused_sections
    )
    for key, section in sections.items():
        section["fields"] = draft.form.fields_in(key)
        section["rare_fields"] = draft.form.fields_in(key, is_rare=True)
        section["has_rare_rules"] = draft.form.has_rare_rules(key, draft.settings)
    refused = [key for key, section in sections.items() if section["is_refused"]]
    rule = draft.settings.best_of
    n = n_evenings or 9
    counted = ""
    if rule and "counted" not in refused:
        numbers = [n, n + 1, n + 6]
        if draft.settings.period_evenings:
            numbers = [draft.settings.period_evenings]
        counted = evenings_counted(rule, *numbers)
    return {
        "event": event,
        "form": draft.form,
        "problems": draft.problems,
        "sections": sections,
        "opens": refused or [key for key, section in sections.items() if section["is_changed"]][:1],
        "is_exclusive": len(refused) < 2,
        "n_changes": n_changes(now, draft.settings),
        "n_hands": as_of(event).hands,
        "games": games,
        "options": _options(event),
        "presets": _presets(draft, n_evenings, fit),
        "counted": counted,
        "counted_by": fields_of(draft.settings)["counting"],
        "primaries": primaries(),
        "criteria": tie_breaks(),
    }


def _options(event: Event) -> Sequence[str]:
    return sentences(differing_in(offered_in(event), event.variant, event.options))


def _fit(event: Event) -> Fit:
    facts, length, is_played = current_facts(event), settings_of(event).length, has_hands(event)

    def fit(settings: Settings) -> Settings:
        fitting = fitting_settings(settings, facts, seed=event.seed)
        if not is_played:
            return fitting
        return replace(fitting, length=length)

    return fit


def _presets(draft: _Draft, n_evenings: int, fit: Fit) -> Mapping[str, Sequence[JsonDict]]:
    preset, applied = (str(draft.form[name].value() or "") for name in ("preset", "applied"))
    badge = ""
    if preset in PRESETS and preset != applied:
        badge = _("Not applied yet")
    elif preset in PRESETS and (n := preset_differences(preset, draft.settings, fit)):
        badge = ngettext("%(n)s change", "%(n)s changes", n) % {"n": n}
    return preset_cards(n_evenings, preset=preset, badge=badge)


def _typed(request: PageRequest, event: Event, asks: JsonDict) -> _Draft:
    form = SettingsForm(request.POST, **asks)
    if form.is_valid():
        with form.placing():
            settings, _changes = requested_settings(
                event, form.entered(), is_played=asks["is_played"]
            )
            return _Draft(form, settings)
    return _Draft(form, settings_of(event))


def _filled(request: PageRequest, event: Event, fit: Fit, asks: JsonDict) -> _Draft:
    preset = request.POST.get("preset", "")
    now = settings_of(event)
    settings = now
    problems = tuple[str, ...]()
    if preset in PRESETS:
        settings = fit(preset_on_pages(preset, now))
    fields = {key: request.POST.get(key, "") for key in FIELDS_BESIDE_PRESET}
    begin = {**fields, "preset": preset, "applied": preset}
    form = SettingsForm.filled(settings, **asks, initial=begin)
    try:
        requested_settings(event, as_stored(settings), is_played=asks["is_played"])
    except Refused as refused:
        problems = tuple(map(sentence, refused.problems))
    return _Draft(form, settings, problems)


def _preview(request: PageRequest, event: Event, draft: _Draft) -> dict[str, object] | None:
    on = str(draft.form["on"].value() or "") if "on" in draft.form.fields else ""
    if (
        draft.problems
        or draft.form.refused_sections
        or (draft.settings == settings_of(event) and not on)
    ):
        return None
    if not on:
        return preview_settings(event, draft.settings)
    other = events.get_event(request.actor, event.club.slug, on)
    return preview_settings(other, draft.settings, is_own=False)
