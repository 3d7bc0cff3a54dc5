"""Absences of a ladder's members: told by themselves, or by a host for anybody."""

from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Refused
from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Missing
from tournaments.forms.ladders.challenges import AbsenceForm
from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.ladders.challenges import absence_rows
from tournaments.services.ladders.absences import end_absence, report_absence
from tournaments.views.http import layout
from tournaments.views.http.account_hint import account_hint
from tournaments.views.http.decorators import REFUSED, form_page, page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import attempt
from tournaments.views.ladders.context import (
    ladder_at,
    ladder_layout,
    may_take_part,
    members_by_place,
    own_code,
)


@page("read_public")
def absences(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print to the club who is away and will be; members find a form there."""
    found = ladder_at(request, club, event)
    own = own_code(request, found)
    form = absence_form(request, found) if may_take_part(found, own) else None
    return _absences_page(request, found, form, own)


@form_page("challenge")
def new(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Take in an absence; what is refused stands on the page of all of them."""
    found = ladder_at(request, club, event)
    form = absence_form(request, found, bound=True)
    if request.method == "POST" and form.is_valid():
        typed = form.cleaned_data
        answer = attempt(
            form,
            lambda: report_absence(
                actor=request.actor,
                event=found,
                since=typed["since"],
                until=typed["until"],
                player_id=typed.get("player_id", ""),
                now=timezone.now(),
            ),
        )
        if answer is not None:
            messages.success(request, _("Absence saved. The member keeps the place."))
            return redirect("tournaments:absences", club=club, event=event)
    return _absences_page(request, found, form, own_code(request, found))


@form_page("challenge")
def end(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Say that a member is back."""
    found = ladder_at(request, club, event)
    if request.method == "POST":
        try:
            end_absence(
                actor=request.actor,
                event=found,
                player_id=request.POST.get("player_id", ""),
                now=timezone.now(),
            )
            messages.success(request, _("Absence ended."))
        except Refused as refused:
            messages.error(request, " ".join(map(sentence, refused.problems)))
        except (Conflict, Missing) as nothing:
            messages.error(request, sentence(nothing.problem))
    return redirect("tournaments:absences", club=club, event=event)


def absence_form(request: PageRequest, event: Event, *, bound: bool = False) -> AbsenceForm:
    """Return the form of an absence: a host chooses the member, anybody else is it."""
    is_host = may_do(event, "enter_hand")
    return AbsenceForm(
        (request.POST or {"since": ""}) if bound else None,
        initial={"since": _today(event)},
        members=members_by_place(event) if is_host else (),
        names=names_in(event),
        zone=event.club.time_zone,
    )


def _absences_page(
    request: PageRequest, event: Event, form: AbsenceForm | None, own: str
) -> HttpResponse:
    today, is_host = _today(event), may_do(event, "enter_hand")
    names = names_in(event)
    listed = [
        {
            "code": row.entrant.code,
            "name": names.get(row.entrant.code, row.entrant.code),
            "since": row.since,
            "until": row.until,
            "is_now": row.since <= today,
            "may_end": form is not None and (is_host or row.entrant.code == own),
        }
        for row in absence_rows(event)
        if row.until is None or row.until >= today
    ]
    context: dict[str, Any] = {
        "layout": ladder_layout(request, event, layout.ladder_link(event)),
        "event": event,
        "absences": listed,
        "may_read_away": may_do(event, "read_members"),
        "form": form,
        "hint": account_hint(request, event),
    }
    status = REFUSED if form is not None and form.has_problems else 200
    return render(request, "ladders/absences.html", context, status=status)


def _today(event: Event) -> date:
    return timezone.now().astimezone(ZoneInfo(event.club.time_zone)).date()
