"""The end of a sheet: all of it large, to be compared with the paper."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Problem
from tournaments.errors import Conflict, Forbidden
from tournaments.messages import sentence
from tournaments.selectors.events.events import event_at
from tournaments.selectors.hands import score_sheet
from tournaments.selectors.rounds.photos import stored_photos
from tournaments.selectors.rounds.sheet_verification import sheet_digest, sheet_verification_of
from tournaments.services.rounds.sheet_verification import confirm_sheet
from tournaments.views.hands.queue_bootstrap import outbox_json_without_form
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest


@form_page("enter_hand", at_table=True)
def verify_sheet(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show every hand and total of a table, and take the word that the paper says the same."""
    found = event_at(request.actor, club, event, code=code)
    problem: Problem | None = None
    status = 200
    if request.method == "POST":
        try:
            confirm_sheet(
                actor=request.actor,
                game=score_sheet.game_at(found, code),
                seen=request.POST.get("sheet", ""),
                now=timezone.now(),
            )
        except Conflict as conflict:
            problem, status = conflict.problem, 409
        except Forbidden as forbidden:
            problem, status = forbidden.problem, 403
        else:
            messages.success(request, _("Sheet checked."))
            return redirect("tournaments:table", club=club, event=event, code=code)
    sheet = score_sheet.table_sheet(found, code)
    context = {
        "layout": layout.event_layout(request, found),
        "event": found,
        "sheet": sheet,
        "digest": sheet_digest(sheet),
        "read_back": sheet_verification_of(found, sheet),
        "outbox": outbox_json_without_form(found, sheet, timezone.now()),
        "photos": stored_photos(found, code),
        "problem": sentence(problem) if problem else "",
    }
    return render(request, "rounds/sheet_verification.html", context, status=status)
