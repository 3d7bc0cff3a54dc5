"""Add the season so far from a list: pasted, or as a file; looked through before it is stored."""

from collections.abc import Sequence
from datetime import date
from fractions import Fraction

from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.json_types import JsonDict
from tournaments.documents.read.csv import Unreadable
from tournaments.documents.read.season import SeasonRow
from tournaments.domain.event_settings import settings_of
from tournaments.domain.messages import sentence
from tournaments.models.events import Event
from tournaments.selectors.standings.opening_values import list_played_days
from tournaments.services.events.adjustments import amount_of
from tournaments.services.events.opening_values import possible_problems
from tournaments.services.imports.season import add_season, season_of
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.layout import PageRequest, link_to
from tournaments.views.http.pages import done, render_event
from tournaments.views.http.service_form import ReasonForm, gives, submit


class SeasonListForm(ReasonForm):
    field_order = ("text", "until", "add_missing", "reason")
    required_fields = ("text",)
    text = forms.CharField(
        label=gettext_lazy("The season so far"),
        strip=False,
        help_text=gettext_lazy(
            "One row per player, with a column for the name, and one per evening (its head is the "
            "date) or one for the total. Copy it with its heads from your spreadsheet."
        ),
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
    )
    until = forms.DateField(
        label=gettext_lazy("Date of totals"),
        help_text=gettext_lazy("The day they count as played on, if there is only a total."),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    add_missing = forms.BooleanField(label=gettext_lazy("Add the players who are not in the club"))
    season: Sequence[SeasonRow] | None = None

    @gives("season", "add_missing", "reason")
    def get_arguments(self) -> JsonDict:
        cleaned = self.cleaned_data
        return {
            "season": self.season, "add_missing": cleaned["add_missing"],
            "reason": cleaned["reason"],
        }  # fmt: skip


@event_form_page((add_season, SeasonListForm))
def season_so_far(request: PageRequest, event: Event) -> HttpResponse:
    form = SeasonListForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        content = form.cleaned_data["text"].encode()
        form.season = _read(form, event, content)
        if form.season is not None and "add" in request.POST:
            added = submit(request, form, add_season, event)
            if added is not None:
                notice = ngettext("%(n)s value added.", "%(n)s values added.", added["added"])
                return done(request, notice % {"n": added["added"]}, "opening-values", event)
    return show_season(request, event, form)


def _read(form: SeasonListForm, event: Event, content: bytes) -> Sequence[SeasonRow] | None:
    try:
        until = form.cleaned_data.get("until")
        return season_of(event, content, now=timezone.now(), until=until)[0]
    except Unreadable as fault:
        form.add_error("text", str(fault))
        return None


def show_season(
    request: PageRequest, event: Event, form: SeasonListForm, also: JsonDict | None = None
) -> HttpResponse:
    season = form.season or ()
    days = sorted({each.day for row in season for each in row.values})
    n_unknown = sum(row.member is None for row in season)
    if not n_unknown:
        form.fields["add_missing"].widget = forms.HiddenInput()
    refusal = next(possible_problems(settings_of(event)), None)
    context = {
        **(also or {}),
        "impossible": "" if refusal is None else sentence(refusal),
        "form": form,
        "season": season,
        "n_unknown": n_unknown,
        "days": days,
        "played_days": list_played_days(event, days),
        "lines": [_line(row, days) for row in season],
        "n_values": sum(len(row.values) for row in season),
    }
    crumbs = (link_to(_("Values from before"), "opening-values", event),)
    return render_event(request, "events/season_so_far.html", event, context, form, crumbs=crumbs)


def _line(row: SeasonRow, days: Sequence[date]) -> tuple[SeasonRow, list[str], str]:
    by_day = {each.day: each.value for each in row.values}
    return row, [by_day.get(on, "") for on in days], _difference(row)


def _difference(row: SeasonRow) -> str:
    """Return the sum of the values where the written total is another one."""
    try:
        total = sum((amount_of(each.value) for each in row.values), Fraction())
        return "" if not row.total or amount_of(row.total) == total else f"{float(total):g}"
    except ValueError:
        return ""
