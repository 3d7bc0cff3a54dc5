"""Penalties and bonuses of an event: listed for readers, given and withdrawn by directors."""

from collections.abc import Iterable, Mapping
from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem
from tournaments.domain.event_settings import settings_of
from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.standings import LedgerKind
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.events.entrants import entrant_rows, ledger_rows
from tournaments.services.events.adjustments import add_line, penalties_add, withdraw_line
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page, page
from tournaments.views.http.find_players import PeopleForm, PersonField, offered
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.reason_form import ReasonForm
from tournaments.views.http.service_form import attempt, posted, render_form

LINES: Final = (
    (LedgerKind.PENALTY, gettext_lazy("Penalty")),
    (LedgerKind.BONUS, gettext_lazy("Bonus")),
)


class ChosenEntrantForm(PeopleForm):
    entrant = PersonField(label=gettext_lazy("Entrant"), required=False)

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        entrants: Iterable[tuple[str, str]] = (),
        **more: object,
    ) -> None:
        super().__init__(data, **more)
        offered(self.fields["entrant"], tuple(entrants), nobody=_("Choose one"))

    def sentence_of(self, problem: Problem) -> str:
        if problem.code == "unknown_entrant" and not self.cleaned_data.get("entrant"):
            return _("Choose an entrant.")
        return super().sentence_of(problem)


class AdjustmentForm(ChosenEntrantForm, ReasonForm):
    field_order = ("entrant", "kind", "amount", "reason")
    kind = forms.CharField(
        label=gettext_lazy("Kind"),
        required=False,
        initial=LedgerKind.PENALTY,
        widget=forms.Select(choices=LINES),
    )
    amount = forms.CharField(
        label=gettext_lazy("Amount"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("For example 2, 2.5 or 5/2. Enter penalties as positive numbers."),
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )


UNITS: Final[dict[str, str | Promise]] = {
    "placement_points": gettext_lazy("place points"),
    "beaten_mean": gettext_lazy("share of opponents beaten per game"),
    "raw_per_hand": gettext_lazy("points per hand"),
    "raw_total": gettext_lazy("points"),
    "index_per_game": gettext_lazy("index points per game"),
    "wins": gettext_lazy("tables won"),
    "match_points": gettext_lazy("match points"),
}
"""Primary value → the unit of its penalties and bonuses, in words."""


@page("read_public")
def adjustments_page(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = events.get_event(request.actor, club, event)
    return _form_page(
        request, current_event, _form(current_event) if may_do(current_event, "penalize") else None
    )


@form_page("penalize")
def new_adjustment(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = events.get_event(request.actor, club, event)
    form = _form(current_event, request)
    if request.method == "POST" and form.is_valid():
        texts = form.cleaned_data
        line = attempt(
            form,
            lambda: add_line(actor=request.actor, event=current_event, now=timezone.now(), **texts),
        )
        if line is not None:
            notice = _("Entry %(number)s saved. The standings will be updated.")
            messages.success(request, notice % {"number": line.number})
            return redirect("tournaments:adjustments", club=club, event=event)
    return _form_page(request, current_event, form)


@form_page("penalize")
def withdraw(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    current_event = events.get_event(request.actor, club, event)
    rows = ledger_rows(current_event, penalties_add=penalties_add(current_event))
    line = next((row for row in rows if row["number"] == number), None)
    if line is None:
        raise Missing("line", {"line": number})
    form = ReasonForm(posted(request))
    if request.method == "POST" and form.is_valid():
        withdrawn_line = attempt(
            form,
            lambda: withdraw_line(
                actor=request.actor,
                event=current_event,
                number=number,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            ),
        )
        if withdrawn_line is not None:
            notice = _("Entry %(number)s withdrawn. The standings will be updated.")
            messages.success(request, notice % {"number": number})
            return redirect("tournaments:adjustments", club=club, event=event)
    link = Link(_("Penalties and bonuses"), request.path.partition("/ledger")[0] + "/ledger")
    context = {
        "layout": layout.event_layout(request, current_event, (link,)),
        "event": current_event,
        "line": line,
        "unit": _unit(current_event),
        "form": form,
    }
    return render_form(request, "events/withdraw_adjustment.html", context, form)


def _form(event: Event, request: PageRequest | None = None) -> AdjustmentForm:
    texts = posted(request) if request is not None else None
    return AdjustmentForm(
        texts,
        entrants=[
            (entrant_row.entrant_id, entrant_row.label) for entrant_row in entrant_rows(event)
        ],
    )


def _form_page(request: PageRequest, event: Event, form: AdjustmentForm | None) -> HttpResponse:
    context = {
        "layout": layout.event_layout(request, event),
        "event": event,
        "lines": ledger_rows(event, penalties_add=penalties_add(event)),
        "unit": _unit(event),
        "form": form,
    }
    status = REFUSED if form is not None and form.has_problems else 200
    return render(request, "events/adjustments.html", context, status=status)


def _unit(event: Event) -> str:
    primary = settings_of(event).primary
    return str(UNITS.get(primary, primary))
