"""Giving a round more time."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.forms.hands.hand_form_fields import number_in
from tournaments.forms.http.service_form import ServiceForm, attempt
from tournaments.selectors.events import events
from tournaments.selectors.rounds.round_times import round_clock
from tournaments.services.rounds.extend_round import extend_round as extend
from tournaments.templatetags.points import clock as time_of
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import PageRequest


@form_page("extend_round")
def extend_round(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Let the clock of a round run longer, as its board and the page Manage offer it."""
    found = events.event_at(request.actor, club, event)
    shown = events.round_at(found, number)
    form = ServiceForm(posted(request))
    now = timezone.now()
    if request.method == "POST":
        form.is_valid()
        done = attempt(
            form,
            lambda: extend(
                actor=request.actor,
                round_=shown,
                minutes=number_in(request.POST.get("minutes", "")) or 0,
                based_on=number_in(request.POST.get("extra", "")),
                now=now,
            ),
        )
        ends = round_clock(found, done, now=now) if done is not None else None
        if ends is not None:
            notice = _("Round %(number)s now lasts until %(time)s.")
            facts = {"number": number, "time": time_of(ends.ends_at, found.club.time_zone)}
            messages.success(request, notice % facts)
            if request.GET.get("back") == "manage":
                return redirect("tournaments:manage-event", club=club, event=event)
            return redirect("tournaments:board", club=club, event=event, number=number)
        shown = events.round_at(found, number)
    context = {
        "layout": layout.event_layout(
            request, found, (layout.event_link(found), layout.round_link(found, number))
        ),
        "event": found,
        "round": shown,
        "clock": round_clock(found, shown, now=now),
        "may_extend": True,
        "form": form,
    }
    return render_form(request, "rounds/extend_round.html", context, form)
