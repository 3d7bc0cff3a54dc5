"""A table where nobody was told to sit: its host says who plays, then hands go in."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Problem
from tournaments.forms.http.service_form import attempt
from tournaments.forms.rounds.rounds import SeatingForm
from tournaments.messages import sentence
from tournaments.presenters.rounds.resolve_players import free_players, players_at_seats
from tournaments.presenters.rounds.resolve_sides import players_on_sides
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.hands.disputes import may_dispute
from tournaments.services.clubs.find_players import label_of
from tournaments.services.rounds.seating import seat_open_table
from tournaments.services.rounds.sides import ASKED, has_pairs, side_shape
from tournaments.services.rounds.table_states import table_abandoned
from tournaments.views.hands.hand_screen import HandScreen
from tournaments.views.hands.queue_bootstrap import outbox_json_without_form
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED
from tournaments.views.http.find_players import posted_with_answer
from tournaments.views.http.layout import PageRequest


def ask_who_plays(request: PageRequest, screen: HandScreen) -> HttpResponse:
    """Ask who sits where at an empty table, and seat them; a hand sent for it has nobody yet."""
    may_seat = may_do(screen.event, "seat_open_table")
    is_sent = may_seat and bool({"seat-1", "side-1"} & set(request.POST))
    seats = screen.rules.keys.players[1]
    sent = posted_with_answer(request, screen.event.club) if is_sent else None
    is_by_seat = "seat-1" in request.POST or not has_pairs(screen.event)
    shape = () if is_by_seat else side_shape(screen.rules, seats)
    form = SeatingForm(sent, seats=seats, shape=shape)
    if is_sent and form.is_valid() and attempt(form, lambda: _seat(request, screen, form)):
        messages.success(request, _("Table %(number)s seated.") % {"number": screen.table.number})
        return redirect("tournaments:new-hand", *screen.address)
    round_link = layout.round_link(screen.event, screen.table.round_number)
    is_open = not screen.table.hands and screen.table.round_state in ("posted", "playing")
    context = {
        **screen.page(request, round_link),
        "round": round_link,
        "form": form if is_open and may_seat else None,
        "people": [
            label_of(player) for player in free_players(screen.event.club, screen.game.table.round)
        ]
        if may_seat
        else [],
        "may_add_guest": may_do(screen.event, "add_guest"),
        "asks_sides": any(problem.code in ASKED for problem in form.placed),
    }
    is_refused = (request.method == "POST" and not is_sent) or not (is_open and may_seat)
    status = 409 if is_refused else REFUSED if form.has_problems else 200
    return render(request, "hands/seat_from_sheet.html", context, status=status)


def takes_no_hands(
    request: PageRequest, screen: HandScreen, why: Problem | None = None
) -> HttpResponse:
    """Say why the reader can enter no hand here, in the place of the form: the table was abandoned,
    or the round is closed.

    What waits on this device for the table is shown, and can be left out.
    """
    round_link = layout.round_link(screen.event, screen.table.round_number)
    context = {
        **screen.page(request, round_link),
        "outbox": outbox_json_without_form(screen.event, screen.table, timezone.now()),
        "may_dispute": screen.table.hands and may_dispute(request.actor, screen.event, screen.code),
        "says": sentence(why or table_abandoned(screen.code, screen.table.number)),
    }
    return render(request, "hands/abandoned.html", context)


def _seat(request: PageRequest, screen: HandScreen, form: SeatingForm) -> bool:
    """Seat whom the form names; true where somebody sits there afterwards, whoever it is."""
    round_ = screen.game.table.round
    if form.shape:
        players = players_on_sides(
            event=screen.event, round_=round_, typed=form.sides(), shape=form.shape
        )
    else:
        players = players_at_seats(club=screen.event.club, round_=round_, typed=form.seated())
    seat_open_table(
        actor=request.actor,
        game=screen.game,
        players=players,
        now=timezone.now(),
        split_sides="split" in request.POST,
    )
    return True
