"""Rounds and tables for their director: making them, seating them, opening and closing."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.forms.events.events import EventStateForm
from tournaments.forms.hands.entry_fields import number_in
from tournaments.forms.http.service_form import ServiceForm, attempt
from tournaments.forms.rounds.rounds import RoundForm, TableForm
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.presenters.rounds.resolve_players import free_players, players_at_seats
from tournaments.presenters.rounds.resolve_sides import Groups, players_on_sides, side_text
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.events.adjustments import sit_outs_in
from tournaments.selectors.hands import score_sheet
from tournaments.selectors.rounds import rounds
from tournaments.selectors.rounds.removed_tables import removed_tables
from tournaments.services.clubs.find_players import label_of
from tournaments.services.events.events import default_snapshot
from tournaments.services.rounds import seating
from tournaments.services.rounds.close_tables import close_tables
from tournaments.services.rounds.rounds import make_round, move_round, remove_round
from tournaments.services.rounds.sides import ASKED, has_pairs, side_shape
from tournaments.services.rules.rule_sets import offered_in, rules_of
from tournaments.states import ROUND
from tournaments.views.events.manage_event import acts
from tournaments.views.hands.change_players import seated_links
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page
from tournaments.views.http.find_players import answered, was_meant
from tournaments.views.http.layout import Layout, Link, PageRequest
from tournaments.views.http.next_steps import step_of_round
from tournaments.views.rules.variant_picker import VariantSelection, asks_to_look, game_asked

MOST_SEATS: Final = 13
"""More sit at no table."""

ROUND_ACTS: Final[Mapping[tuple[str, str], str | Promise]] = {
    ("draft", "posted"): gettext_lazy("Post the round"),
    ("posted", "draft"): gettext_lazy("Back to a draft"),
    ("playing", "closed"): gettext_lazy("Close the round"),
    ("closed", "playing"): gettext_lazy("Open it again"),
}

ROUND_SAYS: Final[Mapping[str, str | Promise]] = {
    "draft": gettext_lazy("The round is a draft again."),
    "posted": gettext_lazy("The round is posted."),
    "playing": gettext_lazy("The round is open again."),
    "closed": gettext_lazy("The round is closed."),
}
"""What was done, by the state that it led to."""


@form_page("manage_event")
def new_round(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask for a round and make it, the next number proposed."""
    found = events.event_at(request.actor, club, event)
    last = events.rounds_of(found).last()
    game = game_asked(request.POST.get("variant", ""), offered_in(found))
    form = RoundForm(
        request.POST or None,
        options=game.options,
        rules=game.rules,
        otherwise=default_snapshot(found).variant_name,
        initial={
            "number": last.number + 1 if last else 1,
            "on": events.day_to_play(found, timezone.now()),
        },
    )
    is_sent = request.method == "POST" and form.is_valid()
    if is_sent and not asks_to_look(request, form, game):
        wanted = form.wanted()
        made = attempt(
            form, lambda: make_round(actor=request.actor, event=found, now=timezone.now(), **wanted)
        )
        if made is not None:
            said = _("Round %(number)s is made. Seat its tables.")
            messages.success(request, said % {"number": made.number})
            return redirect("tournaments:direct-round", club=club, event=event, number=made.number)
    context = {
        "frame": _frame(request, found),
        "event": found,
        "form": form,
        "game": game,
        "is_open": "look" in request.POST or form.has_options_set,
    }
    return _asked(request, "rounds/new_round.html", context, form)


@form_page("manage_event")
def direct_round(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Show a round's tables to its director, and take it from one state to the next."""
    found = events.event_at(request.actor, club, event)
    shown = events.round_at(found, number)
    form = EventStateForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and (done := _act(request, form, shown)):
        messages.success(request, done)
        if "remove" in request.POST:
            return redirect("tournaments:direct", club=club, event=event)
        return redirect("tournaments:direct-round", club=club, event=event, number=number)
    shown = events.round_at(found, number)
    cards = rounds.round_cards(found, shown)
    offered = tuple(
        act
        for act in acts(ROUND, ROUND_ACTS, shown.state, found)
        if not (act.to == "draft" and events.round_has_hands(shown))
    )
    is_running = found.state in ("draft", "open")
    context = {
        "frame": _frame(request, found),
        "event": found,
        "round": shown,
        "tables": cards,
        "games": rounds.games_of(cards),
        "game": shown.snapshot.variant_name if shown.snapshot else "",
        "sit_outs": sit_outs_in(shown),
        "removed": removed_tables(found, shown),
        "refused_links": seated_links(found, form.placed),
        "n_playing": sum(card.state == "playing" for card in cards),
        "form": form,
        "acts": offered,
        "asks_reason": any(act.needs_reason for act in offered),
        "is_running": is_running,
        "step": step_of_round(shown, cards, is_running=is_running),
    }
    return _asked(request, "rounds/manage_round.html", context, form)


@form_page("manage_event")
def new_table(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Ask who sits at the next table of a round, and what they play; seat them."""
    found = events.event_at(request.actor, club, event)
    shown = events.round_at(found, number)
    otherwise = seating.snapshot_for(found, number)
    game = game_asked(request.POST.get("variant", ""), offered_in(found))
    form = _table_form(answered(request, found.club), game, otherwise, found)
    goes_on = was_meant(request, "more")
    is_sent = request.method == "POST" and form.is_valid()
    if is_sent and not asks_to_look(request, form, game):
        seated = attempt(form, lambda: _seat(request, found, shown, form))
        if seated is not None:
            said = _("Table %(number)s is seated.")
            messages.success(request, said % {"number": seated.table.number})
            goes_on = goes_on and bool(_offered(found, shown, form))
            to = "new-table" if goes_on else "direct-round"
            return redirect(f"tournaments:{to}", club=club, event=event, number=number)
    context = {
        "frame": _frame(request, found, layout.round_link(found, number)),
        "event": found,
        "round": shown,
        "form": form,
        "game": game,
        "otherwise": otherwise.variant_name,
        "is_open": "look" in request.POST or form.has_options_set,
        "people": _offered(found, shown, form),
        "may_add_guest": may_do(found, "add_guest"),
        "meant": "more" if goes_on else "",
        **_asked_of(found, form),
    }
    return _asked(request, "rounds/new_table.html", context, form)


@form_page("manage_event")
def table_seating(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Ask who sits at a table that has no hand yet, and what they play; or take it away."""
    found = events.event_at(request.actor, club, event)
    sheet = score_sheet.table_sheet(found, code)
    current = score_sheet.game_at(found, code)
    shown = current.table.round
    sitting = [f"{seat.player} ({seat.player_id})" for seat in sheet.seats if seat.player_id]
    game = game_asked(request.POST.get("variant", ""), offered_in(found))
    form = _table_form(answered(request, found.club), game, current.snapshot, found, current)
    if "clear" in request.POST:
        typed = {f"seat-{n}": one for n, one in enumerate(sitting, 1)}
        form = _table_form(typed, game, current.snapshot, found)
    asks_removal = request.POST.get("clear") == "ask"
    is_sent = request.method == "POST" and form.is_valid() and not asks_removal
    if is_sent and asks_to_look(request, form, game):
        is_sent = False
    if is_sent and attempt(form, lambda: _reseat(request, found, code, form)):
        if "clear" in request.POST:
            said = _("Table %(number)s is removed. You can restore it below.")
        else:
            said = _("Table %(number)s is seated so.")
        messages.success(request, said % {"number": sheet.number})
        return redirect("tournaments:direct-round", club=club, event=event, number=shown.number)
    context = {
        "frame": _frame(request, found, layout.round_link(found, shown.number)),
        "event": found,
        "sheet": sheet,
        "form": form,
        "game": game,
        "otherwise": current.snapshot.variant_name,
        "is_open": "look" in request.POST or form.has_options_set,
        "people": [*sitting, *_offered(found, shown, form)],
        "may_add_guest": may_do(found, "add_guest"),
        "asks_removal": asks_removal,
        **_asked_of(found, form),
    }
    return _asked(request, "rounds/table_seating.html", context, form)


def _act(request: PageRequest, form: EventStateForm, shown: Round) -> str:
    """Do what the pressed button says; return what was done, or nothing where it was refused."""
    typed, now = form.cleaned_data, timezone.now()
    if "remove" in request.POST:
        attempt(form, lambda: remove_round(actor=request.actor, round_=shown, now=now))
        said = _("Round %(number)s is taken away.") % {"number": shown.number}
        return "" if form.has_problems else said
    if line := number_in(request.POST.get("restore", "")):
        back = attempt(
            form,
            lambda: seating.restore_table(
                actor=request.actor, event=shown.event, line=line, now=now
            ),
        )
        if back is None:
            return ""
        return _("Table %(number)s is restored.") % {"number": back.table.number}
    if "close_tables" in request.POST:
        closed = attempt(form, lambda: close_tables(actor=request.actor, round_=shown, now=now))
        return "" if closed is None else _("All its tables are closed.")
    moved = attempt(
        form,
        lambda: move_round(
            actor=request.actor, round_=shown, to=typed["to"], reason=typed["reason"], now=now
        ),
    )
    return str(ROUND_SAYS[moved.state]) if moved is not None else ""


def _table_form(
    typed: Mapping[str, str] | None,
    game: VariantSelection,
    otherwise: Snapshot,
    event: Event,
    current: Game | None = None,
) -> TableForm:
    """Return the form of a table with as many seats as the game that is asked for may have.

    Whoever was written beyond them stays, so that the refusal names too many. Where pairs compete
    and the game has sides, it has a field a side; what was typed for seats is still read as such.

    Args:
        current: the game of a table that is seated anew.
    """
    rules = game.rules or rules_of(otherwise)
    most = rules.keys.players[1]
    typed_seats = [n for n in range(1, MOST_SEATS + 1) if typed and typed.get(f"seat-{n}")]
    shape = () if typed_seats or not has_pairs(event) else side_shape(rules, most)
    return TableForm(
        typed,
        seats=max(most, *typed_seats, 0),
        names=() if current is None else _sitting_as_typed(event, current, shape),
        options=game.options,
        rules=game.rules,
        otherwise=otherwise.variant_name,
        shape=shape,
    )


def _sitting_as_typed(
    event: Event, current: Game, shape: Sequence[Sequence[int]]
) -> tuple[str, ...]:
    """Return who sits at a table as it would be typed: a text a seat, or a side."""
    people = seating.people_at(current)
    if not shape:
        return tuple(label_of(player) for player in people)
    if len(people) != sum(map(len, shape)):
        return ()
    return tuple(side_text(event, [people[seat] for seat in side]) for side in shape)


def _offered(event: Event, shown: Round, form: TableForm) -> list[str]:
    """Return whom the form offers: pairs of whom nobody sits, and free players."""
    pairs = Groups(event).free(shown) if form.shape else ()
    return [*pairs, *(label_of(player) for player in free_players(event.club, shown))]


def _asked_of(event: Event, form: TableForm) -> Mapping[str, object]:
    """Return what a refused form leads to: other tables, and seating partners anyway."""
    return {
        "asks_sides": any(problem.code in ASKED for problem in form.placed),
        "refused_links": seated_links(event, form.placed),
    }


def _players(
    event: Event, round_: Round, form: TableForm, but_table: int | None = None
) -> tuple[Player, ...]:
    if form.shape:
        return players_on_sides(
            event=event, round_=round_, typed=form.sides(), shape=form.shape, but_table=but_table
        )
    return players_at_seats(
        club=event.club, round_=round_, typed=form.seated(), but_table=but_table
    )


def _seat(request: PageRequest, event: Event, shown: Round, form: TableForm) -> Any:
    return seating.seat_table(
        actor=request.actor,
        event=event,
        round_number=shown.number,
        players=_players(event, shown, form),
        now=timezone.now(),
        split_sides="split" in request.POST,
        **form.game(),
    )


def _reseat(request: PageRequest, event: Event, code: str, form: TableForm) -> bool:
    game, now = score_sheet.game_at(event, code), timezone.now()
    if "clear" in request.POST:
        seating.clear_table(actor=request.actor, game=game, now=now)
        return True
    seating.reseat_table(
        actor=request.actor,
        game=game,
        players=_players(event, game.table.round, form, but_table=game.table_id),
        now=now,
        split_sides="split" in request.POST,
        **form.game(),
    )
    return True


def _frame(request: PageRequest, event: Event, *more: Link) -> Layout:
    return layout.event_frame(
        request, event, (layout.event_link(event), layout.direct_link(event), *more)
    )


def _asked(
    request: PageRequest, template: str, context: Mapping[str, object], form: ServiceForm
) -> HttpResponse:
    return render(request, template, context, status=REFUSED if form.has_problems else 200)
