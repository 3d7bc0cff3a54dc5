"""Creating an event in three steps: what it is, how it is ranked, who competes.

The steps are one form. Continue and Back ask for the page again with all that was typed in its
address; only Create event posts. So nothing is stored before, and the browser's Back works.
"""

from collections.abc import Sequence
from typing import Final

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import Refused
from tournaments.domain.preset_stages import game_of_preset
from tournaments.domain.replay_game import plays_for_chips
from tournaments.domain.standings.criteria_catalog import tie_breaks
from tournaments.errors import Forbidden
from tournaments.forms.events.new_event import (
    KIND_CARDS,
    LIST,
    VISIBILITY_CARDS,
    WHAT,
    WHO,
    NewEventForm,
    with_defaults,
)
from tournaments.models.clubs import Club
from tournaments.models.events import Event, EventKind
from tournaments.presenters.events.event_draft import describe_draft
from tournaments.presenters.events.preset_cards import preset_cards
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import entrants, events
from tournaments.selectors.rules.rule_sets import VariantChoices, offered_to
from tournaments.services.events.events import address_for
from tournaments.services.events.lifecycle.set_up_event import (
    NewEvent,
    check_event,
    evening_dates,
    set_up_event,
    usual_visibility,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import attempt, render_form
from tournaments.views.rules.variant_picker import VariantSelection, grouped_games, selected_game

USUAL_GAME: Final = "hearts"
EVENING_FIELDS: Final = ("starts_on", "ends_on", "interval", "n_evenings")
STEPS: Final = ("1", "2", "3")


@form_page("create_event")
def new_event(request: PageRequest, club: str) -> HttpResponse:
    """Ask for an event step by step, show what it will be, and create it."""
    found = clubs.club_at(request.actor, club)
    if not clubs.may_create_events(found):
        raise Forbidden("create_event")
    offered, earlier = offered_to(found), entrants.events_with_entrants(request.actor, found)
    form, game = _form(request, found, offered, earlier)
    days = attempt(form, lambda: evening_dates(*map(form.text, EVENING_FIELDS)))
    before = next((one for one in earlier if one.slug == form.earlier_slug), None)
    wanted = form.wanted(days or (), before)
    if request.method == "POST":
        if (made := _created(request, found, form, wanted)) is not None:
            return _to_next_step(request, made, form)
        step = form.first_step_refused
    else:
        step = _step(request, found, form, wanted)
    address = address_for(found, wanted.name, wanted.kind)
    address = reverse("tournaments:event", args=[club, address]) if wanted.name else ""
    context = {
        "layout": layout.club_layout(request, found, (layout.club_link(found),)),
        "club": found,
        "form": form,
        "game": game,
        "draft": describe_draft(
            wanted,
            offered,
            game=game.chosen.name if game.chosen else form.text("variant"),
            entrants=_entrants_text(form, before),
            address=address,
        ),
        "presets": preset_cards(len(wanted.evenings), chosen=form.text("preset"), kind=wanted.kind),
        "kinds": KIND_CARDS,
        "criteria": tie_breaks(),
        "readers": VISIBILITY_CARDS,
        "days": [(day, day.isoformat() in form.left_out) for day in days or ()],
        "step": step,
        "next_step": step + 1 if step < WHO else 0,
        "earlier": earlier,
    }
    return render_form(request, "events/new_event.html", context, form)


def _form(
    request: PageRequest, club: Club, offered: VariantChoices, earlier: Sequence[Event]
) -> tuple[NewEventForm, VariantSelection]:
    """Return the form with all that was typed so far, and the game that is chosen in it."""
    last = events.newest_of_players(request.actor, club)
    usual = last.variant if last and offered.rules_named(last.variant) else USUAL_GAME
    typed = with_defaults(
        request.POST if request.method == "POST" else request.GET,
        variant=usual,
        visibility=usual_visibility(club),
    )
    game = selected_game(str(typed["variant"]), offered)
    if (other := game_of_preset(str(typed["preset"]), game.rules)) and not _is_ladder(typed):
        game = selected_game(other, offered)
    if game.chosen is not None:
        typed["variant"] = offered.find(game.typed)
    form = NewEventForm(
        typed,
        games=grouped_games(offered),
        earlier={one.slug: _event_text(one) for one in earlier},
        options=game.options,
        rules=game.rules,
        for_chips=game.rules is not None and plays_for_chips(game.rules),
    )
    return form, game


def _is_ladder(typed: QueryDict) -> bool:
    """Whether a ladder is wanted, which has no preset."""
    return bool(typed["kind"] == EventKind.LADDER)


def _step(request: PageRequest, club: Club, form: NewEventForm, wanted: NewEvent) -> int:
    """Return the step to show: the one asked for, or an earlier one with something wrong in it.

    Who is `at` a step asks only for what is beside the form, so that nothing is refused.
    """
    asked = request.GET.get("step", "")
    if asked not in STEPS:
        at = request.GET.get("at", "")
        return int(at) if at in STEPS else WHAT
    step = int(asked)
    if step > WHAT:
        try:
            check_event(club, wanted)
        except Refused as refused:
            form.place_up_to(step, refused.problems)
    return min(step, form.first_step_refused or step)


def _created(
    request: PageRequest, club: Club, form: NewEventForm, wanted: NewEvent
) -> Event | None:
    if form.has_problems:
        try:
            check_event(club, wanted)
        except Refused as refused:
            form.place(refused.problems)
        return None
    return attempt(
        form,
        lambda: set_up_event(
            actor=request.actor, club=club, wanted=wanted, now=timezone.now(), key=form.key
        ),
    )


def _to_next_step(request: PageRequest, made: Event, form: NewEventForm) -> HttpResponse:
    notice = _("%(name)s created. The event is a draft until you open it.")
    messages.success(request, notice % {"name": made.name})
    page = "add-entrants" if form.text("who") == LIST else "manage-event"
    return redirect(f"tournaments:{page}", club=made.club.slug, event=made.slug)


def _event_text(event: Event) -> str:
    n: int = event.n_entrants  # type: ignore[attr-defined]  # from `events_with_entrants`
    text = ngettext("%(name)s (%(n)s entrant)", "%(name)s (%(n)s entrants)", n)
    return text % {"name": event.name, "n": n}


def _entrants_text(form: NewEventForm, before: Event | None) -> str:
    """Return who competes, as a few words."""
    if before is not None:
        n: int = before.n_entrants  # type: ignore[attr-defined]  # from `events_with_entrants`
        text = ngettext("%(n)s entrant of %(name)s", "%(n)s entrants of %(name)s", n)
        return text % {"name": before.name, "n": n}
    return _("from a list") if form.text("who") == LIST else _("players as they come")
