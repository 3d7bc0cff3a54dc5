"""Boards of a duplicate event: the list, one board with all results, and making them."""

from operator import attrgetter

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import ngettext

from scoring.errors import Problem
from tournaments.domain.event_settings import settings_of
from tournaments.forms.boards.new_boards import DealFileForm, DealForm
from tournaments.forms.http.service_form import attempt
from tournaments.messages import sentence
from tournaments.models.deals import Deal
from tournaments.models.events import Event
from tournaments.presenters.boards.board_view import board_view, hand_records
from tournaments.presenters.boards.deal_views import deal_views
from tournaments.printing.hand_records import hand_record_document
from tournaments.printing.typesetting import typeset_pdf
from tournaments.selectors.boards.boards import moving_rounds
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.services.boards.make_deals import deal_boards, load_boards
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page, page
from tournaments.views.http.form_response import render_form
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pdf_response import pdf_response


@page("read_public")
def boards(request: PageRequest, club: str, event: str) -> HttpResponse:
    """List the boards of an event, with their commitments and whether they may be shown."""
    found = events.event_at(request.actor, club, event)
    deals = deal_views(found)
    cards = sorted((one for deal in deals for one in deal.boards), key=attrgetter("number"))
    context = {
        "layout": layout.event_layout(request, found),
        "event": found,
        "boards": cards,
        "deals": deals,
        "movement": moving_rounds(found),
        "has_shown": any(one.is_shown for one in cards),
        "is_duplicate": settings_of(found).duplicate,
        "may_make": may_do(found, "manage_event"),
    }
    return render(request, "boards/boards.html", context)


@page("read_public")
def board(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Show a board: its cards and the results of every table, once they may be seen."""
    found = events.event_at(request.actor, club, event)
    context = {
        "layout": layout.event_layout(request, found),
        "event": found,
        "board": board_view(found, number),
    }
    return render(request, "boards/board.html", context)


@page("read_public")
def print_hand_records(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Answer with the hand records of all boards that may be shown, as a PDF."""
    found = events.event_at(request.actor, club, event)
    records = hand_records(found)
    if not records:
        messages.info(request, sentence(Problem("unknown_hand_records")))
        return redirect("tournaments:boards", club=club, event=event)
    made = typeset_pdf(hand_record_document(found, records))
    return pdf_response(made, f"{found.slug}-hand-records.pdf")


@form_page("manage_event")
def new_boards(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Deal boards from a new seed, or read them from a file."""
    found = events.event_at(request.actor, club, event)
    deals = DealForm(request.POST if "deal" in request.POST else None)
    sent = (request.POST, request.FILES) if "load" in request.POST else ()
    file = DealFileForm(*sent, auto_id="file_%s")
    made = _made(request, found, deals, file)
    if made is not None:
        n = made.boards.count()
        said = ngettext("%(n)s board created.", "%(n)s boards created.", n) % {"n": n}
        messages.success(request, said)
        return redirect("tournaments:boards", club=club, event=event)
    context = {
        "layout": layout.manage_layout(request, found),
        "event": found,
        "is_duplicate": settings_of(found).duplicate,
        "form": deals,
        "file": file,
    }
    return render_form(request, "boards/new_boards.html", context, deals, file)


def _made(request: PageRequest, event: Event, deals: DealForm, file: DealFileForm) -> Deal | None:
    now = timezone.now()
    if deals.is_bound and deals.is_valid():
        return attempt(
            deals,
            lambda: deal_boards(
                actor=request.actor,
                event=event,
                count=deals.count_typed(),
                now=now,
                boards_per_round=deals.boards_in_each,
                first_round=deals.first,
                tables=deals.n_tables,
            ),
        )
    if file.is_bound and file.is_valid():
        return attempt(
            file,
            lambda: load_boards(
                actor=request.actor,
                event=event,
                content=file.content(),
                now=now,
                boards_per_round=file.boards_in_each,
                first_round=file.first,
                tables=file.n_tables,
            ),
        )
    return None
