"""An event that is about to be created, in words: each step in one line, and all that is chosen."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.errors import Refused
from scoring.json_types import JsonDict
from tournaments.domain.event_settings import PRESETS, Settings, preset_settings, read_settings
from tournaments.domain.replay_game import plays_for_chips
from tournaments.domain.stage_plan import game_of_preset
from tournaments.domain.standings.criteria import first_named, primary_named, tie_breaks
from tournaments.errors import Forbidden
from tournaments.models.clubs import Club
from tournaments.models.events import Event, EventKind, Visibility
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import entrants, events
from tournaments.selectors.events.settings_summary import (
    PRESET_WORDS,
    counted_text,
    cut_off_texts,
    length_text,
    preset_cards,
)
from tournaments.selectors.rules.rule_sets import VariantChoices, offered_to
from tournaments.services.events.create_event import check_event, evening_dates, usual_visibility
from tournaments.services.events.events import (
    NewEvent,
    address_for,
    create_event,
    new_event_settings,
)
from tournaments.views.events.new_event_forms import (
    KIND_CARDS,
    LIST,
    VISIBILITY_CARDS,
    WHAT,
    WHO,
    NewEventForm,
    with_defaults,
)
from tournaments.views.http.decorators import club_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import render_club
from tournaments.views.http.service_form import operation_of
from tournaments.views.rules.variant_options import VariantSelection, grouped_games, selected_game

FIRST: Final = 3
"""Maximum number of tie-breaks in one line."""
KIND_WORDS: Final = {card.value: card.label for card in KIND_CARDS}
READERS: Final[Mapping[str, str | Promise]] = {
    Visibility.PUBLIC: gettext_lazy("public"),
    Visibility.MEMBERS: gettext_lazy("members only"),
    Visibility.HELD: gettext_lazy("directors only"),
}

STEPS: Final = ("1", "2", "3")


def describe_draft(
    draft: NewEvent, offered: VariantChoices, *, game: str, entrants: str, address: str
) -> JsonDict:
    """Return an event that does not exist yet in words, as `events/new_event.html` shows it.

    `what`, `ranked` and `who` are its steps in one line each, `lines` pairs of a label and a value,
    `rules` those that the preset decides.
    """
    settings = _draft_settings(draft, offered)
    is_ladder = draft["kind"] == EventKind.LADDER
    kind = str(KIND_WORDS.get(draft["kind"], draft["kind"]))
    evenings = _("none") if is_ladder else _evenings_text(draft["evenings"])
    ranked = primary_named(settings.primary).name.lower()
    if is_ladder:
        ranked = _("position after challenges, with a rating beside it")
    elif settings.best_of:
        ranked = f"{ranked}, {counted_text(settings, len(draft['evenings']))}"
    preset = "" if is_ladder else str(PRESET_WORDS.get(draft["preset"], ("", ""))[0])
    name = draft["name"].strip()
    title = _("%(kind)s “%(name)s”") % {"kind": kind, "name": name} if name else kind
    readers = str(READERS.get(draft["visibility"], ""))
    length = length_text(settings)
    lines = [(_("Game"), game), (_("Length"), length)]
    if not is_ladder:
        lines.append((_("Evenings"), evenings))
        starts_at = draft["evening_time"]
        lines.append((_("Time of the evenings"), starts_at.strftime("%H:%M") if starts_at else ""))
    lines.append((_("Ranked by"), ranked))
    if not is_ladder:
        games_needed = _("a third of the most") if settings.min_third else ""
        lines.append((_("Ties"), _ties_text(settings, is_short=True)))
        lines.append((_("Games needed"), games_needed))
    lines += [(_("Players"), entrants), (_("Visibility"), readers), (_("Address"), address)]
    headline = (title, game, "" if is_ladder or not draft["evenings"] else evenings)
    return {
        "name": name or _("No name yet"),
        "kind": kind,
        "is_ladder": is_ladder,
        "evenings": evenings,
        "what": _joined(*headline),
        "ranked": _joined(preset, ranked, length),
        "who": _joined(entrants, readers),
        "lines": lines,
        "rules": _rules(settings),
    }


def _joined(*texts: str) -> str:
    return " · ".join(filter(None, texts))


def _draft_settings(draft: NewEvent, offered: VariantChoices) -> Settings:
    try:
        stored = new_event_settings(offered, {**draft, "name": "draft", "slug": "draft"})
    except Refused:
        if draft["preset"] in PRESETS:
            return preset_settings(draft["preset"])
        return read_settings({})
    return read_settings(stored)


def _evenings_text(days: Sequence[date]) -> str:
    if not days:
        return _("no dates yet")
    first, last = (date_format(day, "D j M Y") for day in (days[0], days[-1]))
    text = ngettext("%(n)s evening, %(first)s", "%(n)s evenings, %(first)s to %(last)s", len(days))
    return text % {"n": len(days), "first": first, "last": last}


def _ties_text(settings: Settings, *, is_short: bool = False) -> str:
    chain = settings.tie_breaks
    names, more = first_named(chain, FIRST if is_short else len(chain))
    text = ", ".join(names).lower()
    if more:
        return _("%(names)s and %(n)s more") % {"names": text, "n": more}
    return text or _("a tie shares the place")


def _rules(settings: Settings) -> Sequence[tuple[str, str]]:
    hours = settings.correction_window_h
    text = ngettext(
        "%(n)s hour after a round is closed", "%(n)s hours after a round is closed", hours
    )
    window = text % {"n": hours} if hours else _("until the results are final")
    return [
        (_("Tie-break order"), _ties_text(settings)),
        (_("Cut-offs"), ", ".join(cut_off_texts(settings))),
        (_("Time for reporting problems"), window),
    ]


USUAL_GAME: Final = "hearts"
EVENING_FIELDS: Final = ("starts_on", "ends_on", "interval", "n_evenings", "not_on")


@club_form_page(create_event)
def new_event(request: PageRequest, club: Club) -> HttpResponse:
    if not clubs.may_create_events(club):
        raise Forbidden("create_event")
    offered = offered_to(club)
    earlier = entrants.events_with_entrants(request.actor, club)
    form, game = _form(request, club, offered, earlier)
    days: Sequence[date] = ()
    with form.placing():
        days = evening_dates(*map(form.text, EVENING_FIELDS))
    before = next((row for row in earlier if row.slug == form.earlier_slug), None)
    draft = form.new_event(days, before)
    if request.method == "POST":
        if (created := _create(request, club, form, draft)) is not None:
            notice = _("%(name)s created. The event is a draft until you open it.")
            messages.success(request, notice % {"name": created.name})
            page = "add-entrants" if form.text("who") == LIST else "manage-event"
            return redirect(f"tournaments:{page}", club=club.slug, event=created.slug)
        step = form.first_step_refused
    else:
        step = _step(request, club, form, draft)
    address = address_for(club, draft["name"], draft["kind"])
    address = reverse("tournaments:event", args=[club.slug, address]) if draft["name"] else ""
    context = {
        "form": form,
        "game": game,
        "draft": describe_draft(
            draft,
            offered,
            game=game.chosen.name if game.chosen else form.text("variant"),
            entrants=_entrants_text(form, before),
            address=address,
        ),
        "presets": preset_cards(
            len(draft["evenings"]), preset=form.text("preset"), kind=draft["kind"]
        ),
        "kinds": KIND_CARDS,
        "criteria": tie_breaks(),
        "readers": VISIBILITY_CARDS,
        "days": [(day, day.isoformat() in form.left_out) for day in days],
        "step": step,
        "next_step": step + 1 if step < WHO else 0,
        "earlier": earlier,
    }
    return render_club(request, "events/new_event.html", club, context, form)


def _form(
    request: PageRequest, club: Club, offered: VariantChoices, earlier: Sequence[Event]
) -> tuple[NewEventForm, VariantSelection]:
    last = events.newest_of_players(request.actor, club)
    usual = last.variant if last and offered.rules_named(last.variant) else USUAL_GAME
    texts = with_defaults(
        request.POST if request.method == "POST" else request.GET,
        variant=usual,
        visibility=usual_visibility(club),
    )
    game = selected_game(str(texts["variant"]), offered)
    other = game_of_preset(str(texts["preset"]), game.rules)
    if other and texts["kind"] != EventKind.LADDER:
        game = selected_game(other, offered)
    if game.chosen is not None:
        texts["variant"] = offered.find(game.typed)
    form = NewEventForm(
        texts,
        games=grouped_games(offered),
        earlier={row.slug: _event_text(row) for row in earlier},
        options=game.options,
        rules=game.rules,
        for_chips=game.rules is not None and plays_for_chips(game.rules),
    )
    return form, game


def _step(request: PageRequest, club: Club, form: NewEventForm, draft: NewEvent) -> int:
    step_text = request.GET.get("step", "")
    if step_text not in STEPS:
        at = request.GET.get("at", "")
        if at not in STEPS:
            return WHAT
        return int(at)
    step = int(step_text)
    if step > WHAT:
        try:
            check_event(club, draft)
        except Refused as refused:
            form.place_up_to(step, refused.problems)
    return min(step, form.first_step_refused or step)


def _create(request: PageRequest, club: Club, form: NewEventForm, draft: NewEvent) -> Event | None:
    with form.placing():
        if not form.has_problems:
            return create_event(operation_of(request), club, **draft)
        check_event(club, draft)
    return None


def _event_text(event: Event) -> str:
    n: int = event.n_entrants  # type: ignore[attr-defined]  # from `events_with_entrants`
    text = ngettext("%(name)s (%(n)s player)", "%(name)s (%(n)s players)", n)
    return text % {"name": event.name, "n": n}


def _entrants_text(form: NewEventForm, before: Event | None) -> str:
    if before is not None:
        n: int = before.n_entrants  # type: ignore[attr-defined]  # from `events_with_entrants`
        text = ngettext("%(n)s player of %(name)s", "%(n)s players of %(name)s", n)
        return text % {"name": before.name, "n": n}
    return _("from a list") if form.text("who") == LIST else _("players as they come")
