"""Penalties and bonuses of an event: listed for readers, given and withdrawn by directors."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django import forms
from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.domain.event_settings import settings_of
from tournaments.models.events import Event
from tournaments.models.standings import LedgerKind
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.entrants import entrant_rows, get_line, ledger_rows
from tournaments.services.events.adjustments import add_line, penalties_add, withdraw_line
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.find_players import PeopleForm, PersonField, offered
from tournaments.views.http.layout import PageRequest, link_to
from tournaments.views.http.pages import done, render_event
from tournaments.views.http.service_form import ReasonForm, posted, submit

LINES: Final = (
    (LedgerKind.PENALTY, gettext_lazy("Penalty")),
    (LedgerKind.BONUS, gettext_lazy("Bonus")),
)


class ChosenEntrantForm(PeopleForm):
    entrant = PersonField(label=gettext_lazy("Name"))

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
            return _("Choose a name from the list.")
        return super().sentence_of(problem)


class AdjustmentForm(ChosenEntrantForm, ReasonForm):
    field_order = ("entrant", "kind", "amount", "reason")
    kind = forms.CharField(
        label=gettext_lazy("Kind"), initial=LedgerKind.PENALTY, widget=forms.Select(choices=LINES)
    )
    amount = forms.CharField(
        label=gettext_lazy("Amount"),
        max_length=40,
        help_text=gettext_lazy("For example 2, 2.5 or 5/2. Enter penalties as positive numbers."),
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )


UNITS: Final = {
    "placement_points": gettext_lazy("place points"),
    "beaten_mean": gettext_lazy("share of opponents beaten per game"),
    "raw_per_hand": gettext_lazy("points per hand"),
    "raw_total": gettext_lazy("points"),
    "index_per_game": gettext_lazy("index points per game"),
    "wins": gettext_lazy("tables won"),
    "match_points": gettext_lazy("match points"),
}
"""Primary value → the unit of its penalties and bonuses, in words."""


@event_page("read_public")
def adjustments_page(request: PageRequest, event: Event) -> HttpResponse:
    return _form_page(request, event, _form(event) if may_do(event, "penalize") else None)


@event_form_page((add_line, AdjustmentForm))
def new_adjustment(request: PageRequest, event: Event) -> HttpResponse:
    form = _form(event, posted(request))
    line = submit(request, form, add_line, event)
    if line is not None:
        notice = _("Entry %(number)s saved. The standings will be updated.") % vars(line)
        return done(request, notice, "adjustments", event)
    return _form_page(request, event, form)


@event_form_page((withdraw_line, ReasonForm))
def withdraw(request: PageRequest, event: Event, number: int) -> HttpResponse:
    line, form = get_line(event, number), ReasonForm(posted(request))
    if submit(request, form, withdraw_line, line) is not None:
        notice = _("Entry %(number)s withdrawn. The standings will be updated.") % vars(line)
        return done(request, notice, "adjustments", event)
    crumbs = (link_to(_("Penalties and bonuses"), "adjustments", event),)
    row = next(row for row in _rows(event) if row["number"] == number)
    context = {"line": row, "unit": _unit(event), "form": form}
    page = "events/withdraw_adjustment.html"
    return render_event(request, page, event, context, form, crumbs=crumbs)


def _form(event: Event, data: QueryDict | None = None) -> AdjustmentForm:
    entrants = [(row.entrant_id, row.label) for row in entrant_rows(event)]
    return AdjustmentForm(data, entrants=entrants)


def _form_page(request: PageRequest, event: Event, form: AdjustmentForm | None) -> HttpResponse:
    context = {"lines": _rows(event), "unit": _unit(event), "form": form}
    return render_event(request, "events/adjustments.html", event, context, form)


def _rows(event: Event) -> Sequence[JsonDict]:
    return ledger_rows(event, penalties_add=penalties_add(event))


def _unit(event: Event) -> str:
    primary = settings_of(event).primary
    return str(UNITS.get(primary, primary))
