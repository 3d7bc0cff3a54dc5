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
from tournaments.forms.rounds.walk_over import WalkOverForm
from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.hands import score_sheet
from tournaments.selectors.rounds.sheet_verification import sheet_verification_of
from tournaments.selectors.rounds.walk_overs import entrants_at, may_walk_over, walk_overs_at
from tournaments.services.hands.games import move_game
from tournaments.services.stages.walk_overs import record_walk_over, undo_walk_over
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
    act = request.POST.get("walk_over", "")
    knockout = may_walk_over(found, code) if may_do(found, "manage_event") else None
    entrants = entrants_at(found, knockout.pk) if knockout is not None else ()
    walk_over = WalkOverForm(posted(request) if act else None, entrants=entrants)
    form = EventStateForm(None if act else posted(request))
    if act and walk_over.is_valid() and _walk_over(request, found, code, walk_over):
        return redirect("tournaments:close-table", club=club, event=event, code=code)
    if form.is_bound and form.is_valid():
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
        "walk_over": walk_over,
        "entrants": entrants,
        "given_up": walk_overs_at(found, knockout.pk) if knockout is not None else (),
    }
    return render_form(request, "rounds/close_table.html", context, form, walk_over)


def _walk_over(request: PageRequest, event: Event, code: str, form: WalkOverForm) -> bool:
    """Record a walk-over, or undo the one that the button names; False where it is refused."""
    typed = form.cleaned_data
    undone = request.POST.get("undo", "")
    act = undo_walk_over if undone else record_walk_over
    done = attempt(
        form,
        lambda: (
            act(
                actor=request.actor,
                game=score_sheet.game_at(event, code),
                entrant=undone or typed["player_id"],
                reason=typed["reason"],
                now=timezone.now(),
            ),
            True,
        ),
    )
    if done is None:
        return False
    said = _("The walk-over has been undone.") if undone else _("The walk-over has been recorded.")
    messages.success(request, said)
    return True
