"""Rounds for their director: making them, posting, opening and closing them."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.forms.events.events import EventStateForm
from tournaments.forms.hands.hand_form_fields import number_in
from tournaments.forms.http.service_form import attempt
from tournaments.forms.rounds.rounds import RoundForm
from tournaments.models.events import Event
from tournaments.models.meetings import Round
from tournaments.selectors.events import events, meetings
from tournaments.selectors.events.adjustments import sit_outs_in
from tournaments.selectors.rounds import rounds
from tournaments.selectors.rounds.removed_tables import removed_tables
from tournaments.selectors.rounds.walk_overs import decided_by_walk_over
from tournaments.services.events.comparability import variant_text
from tournaments.services.events.events import default_snapshot
from tournaments.services.rounds import seating
from tournaments.services.rounds.close_tables import close_tables
from tournaments.services.rounds.rounds import (
    change_round_game,
    make_round,
    move_round,
    remove_round,
)
from tournaments.services.rules.rule_sets import offered_in
from tournaments.states import ROUND
from tournaments.views.events.manage_event import acts
from tournaments.views.hands.change_players import seated_links
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.next_steps import step_of_round
from tournaments.views.playoffs.playoff_text import playoff_links
from tournaments.views.rules.variant_picker import asks_to_preview, grouped_games, selected_game

ROUND_ACTS: Final[Mapping[tuple[str, str], str | Promise]] = {
    ("draft", "posted"): gettext_lazy("Post round"),
    ("posted", "draft"): gettext_lazy("Back to draft"),
    ("playing", "closed"): gettext_lazy("Close round"),
    ("closed", "playing"): gettext_lazy("Reopen round"),
}

ROUND_SAYS: Final[Mapping[str, str | Promise]] = {
    "draft": gettext_lazy("The round is a draft again."),
    "posted": gettext_lazy("Round posted."),
    "playing": gettext_lazy("Round reopened."),
    "closed": gettext_lazy("Round closed."),
}
"""What was done, by the state that it led to."""


@form_page("manage_event")
def new_round(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask for a round and make it, the next number proposed."""
    found = events.event_at(request.actor, club, event)
    last = events.rounds_of(found).last()
    game = selected_game(request.POST.get("variant", ""), offered_in(found))
    form = round_form(
        found,
        posted(request),
        options=game.options,
        rules=game.rules,
        initial={
            "number": last.number + 1 if last else 1,
            "on": _proposed_day(request, found),
        },
    )
    is_sent = request.method == "POST" and form.is_valid()
    if is_sent and not asks_to_preview(request, form, game):
        wanted = form.entered()
        made = attempt(
            form, lambda: make_round(actor=request.actor, event=found, now=timezone.now(), **wanted)
        )
        if made is not None:
            notice = _("Round %(number)s created. Seat its tables.")
            messages.success(request, notice % {"number": made.number})
            return redirect("tournaments:manage-round", club=club, event=event, number=made.number)
    context = {
        "layout": layout.manage_layout(request, found),
        "event": found,
        "form": form,
        "game": game,
        "is_open": "look" in request.POST or form.has_options_set,
    }
    return render_form(request, "rounds/new_round.html", context, form)


def _proposed_day(request: PageRequest, event: Event) -> date | None:
    """Return the date of a link to the form, such as that of Manage, else the one to play next."""
    try:
        return date.fromisoformat(request.GET.get("on", ""))
    except ValueError:
        return meetings.day_to_play(event, timezone.now())


@form_page("manage_event")
def manage_round(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Show a round's tables to its director, and take it from one state to the next."""
    found = events.event_at(request.actor, club, event)
    shown = events.round_at(found, number)
    form = EventStateForm(posted(request))
    if request.method == "POST" and form.is_valid() and (done := _act(request, form, shown)):
        messages.success(request, done)
        if "remove" in request.POST or request.GET.get("back") == "manage":
            return redirect("tournaments:manage-event", club=club, event=event)
        return redirect("tournaments:manage-round", club=club, event=event, number=number)
    shown = events.round_at(found, number)
    cards = rounds.round_cards(found, shown)
    rules = shown.snapshot or default_snapshot(found)
    has_hands = events.round_has_hands(shown)
    offered = tuple(
        act
        for act in acts(ROUND, ROUND_ACTS, shown.state, found)
        if not (act.to == "draft" and has_hands)
    )
    is_running = found.state in ("draft", "open")
    context = {
        "layout": layout.manage_layout(request, found),
        "event": found,
        "round": shown,
        "tables": cards,
        "walk_overs": decided_by_walk_over(shown),
        "games": rounds.games_of(cards),
        "own_game": rules.variant_name,
        "game": variant_text(rules.variant_name, rules.options),
        "game_form": round_form(
            found, initial={"variant": shown.snapshot.variant if shown.snapshot else ""}
        ),
        "may_change_game": is_running and shown.state != "closed" and not has_hands,
        "sit_outs": sit_outs_in(found, shown, with_left=True),
        "removed": removed_tables(found, shown),
        "refused_links": (
            *seated_links(found, form.placed),
            *playoff_links(found, form.placed),
        ),
        "n_playing": sum(card.state == "playing" for card in cards),
        "form": form,
        "acts": offered,
        "asks_reason": any(act.needs_reason for act in offered),
        "is_running": is_running,
        "step": step_of_round(shown, cards, is_running=is_running),
    }
    return render_form(request, "rounds/manage_round.html", context, form)


def round_form(event: Event, data: object = None, **more: Any) -> RoundForm:
    """Return the form of a round, with the games that it may play."""
    games, otherwise = grouped_games(offered_in(event)), default_snapshot(event).variant_name
    return RoundForm(data, games=games, otherwise=otherwise, **more)


def _act(request: PageRequest, form: EventStateForm, shown: Round) -> str:
    """Do what the pressed button says; return what was done, or nothing where it was refused."""
    typed, now = form.cleaned_data, timezone.now()
    if "remove" in request.POST:
        attempt(form, lambda: remove_round(actor=request.actor, round_=shown, now=now))
        notice = _("Round %(number)s deleted.") % {"number": shown.number}
        return "" if form.has_problems else notice
    if line := number_in(request.POST.get("restore", "")):
        back = attempt(
            form,
            lambda: seating.restore_table(
                actor=request.actor, event=shown.event, line=line, now=now
            ),
        )
        if back is None:
            return ""
        return _("Table %(number)s restored.") % {"number": back.table.number}
    if "variant" in request.POST:
        variant = request.POST["variant"]
        changed = attempt(
            form,
            lambda: change_round_game(actor=request.actor, round_=shown, variant=variant, now=now),
        )
        return "" if changed is None else _("Game of the round changed.")
    if "close_tables" in request.POST:
        closed = attempt(form, lambda: close_tables(actor=request.actor, round_=shown, now=now))
        return "" if closed is None else _("All tables of the round are closed.")
    moved = attempt(
        form,
        lambda: move_round(
            actor=request.actor, round_=shown, to=typed["to"], reason=typed["reason"], now=now
        ),
    )
    return str(ROUND_SAYS[moved.state]) if moved is not None else ""
