"""Closing a table, going on with it, abandoning it."""

from collections.abc import Mapping
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.forms.events.events import EventStateForm
from tournaments.forms.http.service_form import attempt
from tournaments.selectors.events import events
from tournaments.selectors.hands import score_sheet
from tournaments.selectors.rounds.sheet_verification import sheet_verification_of
from tournaments.services.hands.games import move_game
from tournaments.states import GAME
from tournaments.views.events.manage_event import acts
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import PageRequest

GAME_ACTS: Final[Mapping[tuple[str, str], str | Promise]] = {
    ("playing", "complete"): gettext_lazy("Close table"),
    ("playing", "abandoned"): gettext_lazy("Abandon, hands count"),
    ("complete", "playing"): gettext_lazy("Reopen table"),
    ("checked", "playing"): gettext_lazy("Reopen table"),
}
WITHOUT_HANDS: Final = "without_hands"
"""What the button of an abandoned table sends whose hands do not count."""


@form_page("close_table")
def close_table(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show how far a table is, and close it, go on with it or abandon it."""
    found = events.event_at(request.actor, club, event)
    score_sheet.table_sheet(found, code)
    form = EventStateForm(posted(request))
    if request.method == "POST" and form.is_valid():
        typed = form.cleaned_data
        is_without = typed["to"] == WITHOUT_HANDS
        moved = attempt(
            form,
            lambda: move_game(
                actor=request.actor,
                game=score_sheet.game_at(found, code),
                to="abandoned" if is_without else typed["to"],
                reason=typed["reason"],
                hands_count=not is_without,
                now=timezone.now(),
            ),
        )
        if moved is not None:
            messages.success(request, _("Done."))
            return redirect("tournaments:table", club=club, event=event, code=code)
    sheet = score_sheet.table_sheet(found, code)
    offered = acts(GAME, GAME_ACTS, sheet.state, found)
    may_change = sheet.round_state != "closed" and found.state in ("draft", "open")
    context = {
        "layout": layout.table_layout(request, found, sheet),
        "event": found,
        "sheet": sheet,
        "form": form,
        "read_back": sheet_verification_of(found, sheet),
        "acts": offered if may_change else (),
        "may_abandon": may_change and any(act.to == "abandoned" for act in offered),
        "without_hands": WITHOUT_HANDS,
    }
    return render_form(request, "rounds/close_table.html", context, form)
