"""Opening values of an event: listed for readers, added and withdrawn by directors."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.http import HttpResponse, QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.domain.event_settings import settings_of
from tournaments.domain.messages import sentence
from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.entrants import entrant_rows
from tournaments.selectors.standings.opening_values import get_opening_value, opening_rows
from tournaments.services.events.opening_values import (
    add_opening_value,
    possible_problems,
    withdraw_opening_value,
)
from tournaments.views.events.adjustments import UNITS, ChosenEntrantForm
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.layout import PageRequest, link_to
from tournaments.views.http.pages import done, render_event
from tournaments.views.http.service_form import ReasonForm, posted, submit


def _count(label: Any) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        help_text=gettext_lazy("Empty if unknown."),
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )


def _number(label: Any, hint: Any) -> forms.CharField:
    widget = forms.TextInput(attrs={"inputmode": "text", "autocomplete": "off"})
    return forms.CharField(label=label, max_length=40, help_text=hint, widget=widget)


class OpeningValueForm(ChosenEntrantForm, ReasonForm):
    field_order = (*("entrant", "date", "value", "games", "wins", "hands", "penalty", "reason"),)
    required_fields = ("date",)
    date = forms.DateField(
        label=gettext_lazy("Date"),
        help_text=gettext_lazy("The day it counts as played on."),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    value = _number(gettext_lazy("Total so far"), gettext_lazy("For example 13, 7.5, 5/2 or -4."))
    games = _count(gettext_lazy("Games"))
    wins = _count(gettext_lazy("Tables won"))
    hands = _count(gettext_lazy("Hands"))
    penalty = _number(
        gettext_lazy("Penalties"),
        gettext_lazy("A positive number, or empty. The total does not contain them."),
    )


class WithdrawalForm(ReasonForm):
    field_order = ("reason", "together")
    together = forms.BooleanField(
        label=gettext_lazy("Withdraw all values that were added together with it")
    )


TOTALS: Final[Mapping[str, Promise]] = {
    **UNITS,
    "beaten_mean": gettext_lazy("total share of opponents beaten"),
    "raw_per_hand": gettext_lazy("points"),
    "index_per_game": gettext_lazy("total index points"),
}
"""Primary value → the unit of the totals from before, in words."""


@event_page("read_public")
def opening_values_page(request: PageRequest, event: Event) -> HttpResponse:
    return _form_page(request, event, _form(event) if may_do(event, "penalize") else None)


@event_form_page((add_opening_value, OpeningValueForm))
def new_opening_value(request: PageRequest, event: Event) -> HttpResponse:
    form = _form(event, posted(request))
    value = submit(request, form, add_opening_value, event)
    if value is not None:
        notice = _("Value %(number)s saved. The standings will be updated.") % vars(value)
        return done(request, notice, "opening-values", event)
    return _form_page(request, event, form)


@event_form_page((withdraw_opening_value, WithdrawalForm))
def withdraw(request: PageRequest, event: Event, number: int) -> HttpResponse:
    value, form = get_opening_value(event, number), WithdrawalForm(posted(request))
    if submit(request, form, withdraw_opening_value, value) is not None:
        notice = _("Value %(number)s withdrawn. The standings will be updated.") % vars(value)
        return done(request, notice, "opening-values", event)
    crumbs = (link_to(_("Values from before"), "opening-values", event),)
    rows = opening_rows(event)
    context = {
        "line": next(row for row in rows if row["number"] == number),
        "n_together": sum(
            row["added_with"] == value.first and row["state"] == "active" for row in rows
        ),
        "unit": _unit(event),
        "form": form,
    }
    page = "events/withdraw_opening_value.html"
    return render_event(request, page, event, context, form, crumbs=crumbs)


def _form(event: Event, data: QueryDict | None = None) -> OpeningValueForm:
    entrants = [(row.entrant_id, row.label) for row in entrant_rows(event)]
    return OpeningValueForm(data, entrants=entrants)


def _form_page(request: PageRequest, event: Event, form: OpeningValueForm | None) -> HttpResponse:
    refusal = next(possible_problems(settings_of(event)), None)
    context = {
        "lines": opening_rows(event),
        "unit": _unit(event),
        "form": form,
        "impossible": "" if refusal is None else sentence(refusal),
    }
    return render_event(request, "events/opening_values.html", event, context, form)


def _unit(event: Event) -> str:
    primary = settings_of(event).primary
    return str(TOTALS.get(primary, primary))
