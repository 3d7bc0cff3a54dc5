"""Deleting a hand, and restoring one: why, what it changes, and the confirmation."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.forms.hands.void_hand import VoidForm
from tournaments.forms.http.service_form import attempt
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.previewing.run_preview import HandRef, save_as_previewed
from tournaments.selectors.events import events
from tournaments.selectors.hands import score_sheet, score_sheet_views
from tournaments.selectors.hands.score_sheet_views import HandView, TableSheet
from tournaments.services.hands.record_entry import RecordedHand, record_entry
from tournaments.services.hands.void_hand import void_hand
from tournaments.views.hands.preview_correction import (
    PREVIEWED,
    STAND_IN,
    must_preview,
    preview_text_of,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import PageRequest


@form_page("void_hand")
def void(request: PageRequest, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Ask why a hand is void, and make it so; a void one is restored as its next revision."""
    found = events.event_at(request.actor, club, event)
    sheet = score_sheet.table_sheet(found, code)
    shown = score_sheet_views.hand_of(sheet, number)
    form = VoidForm(posted(request))
    at = HandRef(found, code, number)
    if request.method == "POST" and form.is_valid():
        act = _restored if "restore" in request.POST else _voided
        typed = form.cleaned_data
        change = partial(act, request, found, code, shown, typed["based_on"] or 0)
        looked = request.POST.get(PREVIEWED, "")
        if attempt(form, lambda: _apply(at, sheet, change, typed["reason"], looked)) is not None:
            messages.success(
                request, _("Done. The totals are updated, and the standings will follow shortly.")
            )
            return redirect("tournaments:hand", club=club, event=event, code=code, number=number)
    sheet = score_sheet.table_sheet(found, code)
    shown = score_sheet_views.hand_of(sheet, number)
    tried = partial(
        _restored if shown.state == "void" else _voided, request, found, code, shown, shown.revision
    )
    context = {
        "layout": layout.table_layout(request, found, sheet),
        "event": found,
        "sheet": sheet,
        "hand": shown,
        "effect": preview_text_of(at, lambda: tried(STAND_IN)),
        "form": form,
        "next_revision": shown.revision + 1,
    }
    return render_form(request, "hands/void_hand.html", context, form)


def _apply(
    at: HandRef, sheet: TableSheet, change: Callable[[str], object], reason: str, looked: str
) -> object:
    """Do it; where results are out already, only what was looked at."""
    if reason.strip() and (looked or must_preview(at.event, sheet)):
        return save_as_previewed(at, lambda: change(reason), digest=looked, now=timezone.now())
    return change(reason)


def _voided(
    request: PageRequest, event: Event, code: str, shown: HandView, based_on: int, reason: str
) -> Hand:
    return void_hand(
        actor=request.actor,
        game=score_sheet.game_at(event, code),
        number=shown.number,
        based_on=based_on,
        reason=reason,
        now=timezone.now(),
    )


def _restored(
    request: PageRequest, event: Event, code: str, shown: HandView, based_on: int, reason: str
) -> RecordedHand:
    return record_entry(
        actor=request.actor,
        game=score_sheet.game_at(event, code),
        number=shown.number,
        entry=shown.entry,
        based_on=based_on,
        reason=reason,
        source="host",
        now=timezone.now(),
    )
